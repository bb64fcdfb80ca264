"""Exact solvers: one folder per game, compiled apart from the games."""
