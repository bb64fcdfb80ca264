"""Matches and tournaments: series of games, saved games and ratings."""
