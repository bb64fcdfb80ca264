"""One module per game: its board class, bound to BOARD. A module added here is a new game."""
