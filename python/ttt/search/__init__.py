"""The textbook algorithms and Monte Carlo tree search."""
