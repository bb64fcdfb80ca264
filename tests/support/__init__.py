"""Shared by the tests: slow reference rules, the contract of a game, `ttt` as a process."""
