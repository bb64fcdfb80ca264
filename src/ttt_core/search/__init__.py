"""Searches, written once and included by every game."""
