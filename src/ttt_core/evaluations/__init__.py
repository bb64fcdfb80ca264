"""Static evaluations: one file for each game, and the networks of nine-board and ultimate."""
