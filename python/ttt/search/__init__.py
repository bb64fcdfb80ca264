"""Textbook minimax, Monte Carlo searches, and the results of searches."""
