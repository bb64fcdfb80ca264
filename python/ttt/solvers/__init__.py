"""Exact solvers: the module of a game binds its solver to `SOLVER`."""
