"""Puzzles: positions with exactly one winning move, with proven solutions."""
