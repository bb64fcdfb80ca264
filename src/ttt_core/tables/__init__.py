"""Hash tables that searches share between threads."""
