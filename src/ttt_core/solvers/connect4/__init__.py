"""The Connect Four solver."""
