"""Boards as text, as pictures, and in a terminal."""
