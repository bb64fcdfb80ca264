"""One extension module for each game: its rules (`.pxd`) with the shared search compiled in."""
