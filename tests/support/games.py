"""Saved games without what differs from run to run."""

from typing import Any

from ttt.matches.record import SavedGame


def without_times(games: list[SavedGame]) -> list[dict[str, Any]]:
    return [{**game, "ms": len(game["ms"])} for game in games]
