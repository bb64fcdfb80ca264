"""The evaluations of each game, by name; those of nine-board and ultimate also as networks."""
