"""The nine-board solver."""
