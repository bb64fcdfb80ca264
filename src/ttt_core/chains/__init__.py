"""Chains of threats that a game's search sees at a glance; `none.pxd` for the other games."""
