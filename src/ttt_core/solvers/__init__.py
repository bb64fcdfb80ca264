"""Exact solvers: one extension module a solver, compiled apart from the games."""
