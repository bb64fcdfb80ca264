"""One file a game: its evaluations by name. Kept apart from the rules, which embedders cimport."""
