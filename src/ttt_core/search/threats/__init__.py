"""Threat searches that quiet nodes of the engine's search ask."""
