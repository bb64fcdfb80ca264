"""One module per game: its board class, bound to BOARD. A module put here is a game of ttt."""
