"""Building blocks of the games: bits, sets of moves, lines, random numbers."""
