"""One extension module a game: its rules (`.pxd`) with the shared search compiled in."""
