"""Hash tables shared by the threads of a search."""
