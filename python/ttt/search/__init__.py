"""Textbook minimax, Monte Carlo searches, and what searches return."""
