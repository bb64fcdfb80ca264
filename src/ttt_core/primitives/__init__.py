"""Bits, sets of moves, lines, random numbers: what games are built from."""
