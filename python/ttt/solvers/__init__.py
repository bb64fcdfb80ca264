"""One module a game that has an exact solver of its own: it binds `SOLVER`."""
