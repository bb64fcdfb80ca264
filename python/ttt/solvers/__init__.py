"""One module a game that can be solved: it binds `SOLVER`."""
