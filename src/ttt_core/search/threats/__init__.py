"""Threat search for the quiet nodes of the engine's search: one file per game that has one."""
