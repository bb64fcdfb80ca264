"""Tournaments: every player against every other, and the cross table."""

from typing import Any

from ttt.matches.record import score_of
from ttt.matches.result import MatchResult, conditions


def cross_table(result: MatchResult) -> list[list[float | None]]:
    """Points of each player (row) against each other one (column); None if they never met."""
    count = len(result.series.players)
    table: list[list[float | None]] = [[None] * count for _ in range(count)]
    for game in result.games:
        for own, other in ((game["x"], game["o"]), (game["o"], game["x"])):
            before = table[own - 1][other - 1]
            table[own - 1][other - 1] = (before or 0.0) + score_of(game, own)
    return table


def as_dict(result: MatchResult) -> dict[str, Any]:
    """What `ttt tournament --json` prints."""
    return {**result.as_dict(), "table": cross_table(result)}


NAME_WIDTH = 30
"""Characters of a player's name in the table."""


def short_name(player: str) -> str:
    return player if len(player) <= NAME_WIDTH else player[: NAME_WIDTH - 3] + "..."


def text(result: MatchResult) -> str:
    """The cross table for people, best player first."""
    series = result.series
    table = cross_table(result)
    standings = result.standings
    order = sorted(range(len(standings)), key=lambda i: -standings[i].points)
    rows = [["", "player", *(str(i + 1) for i in range(len(order))), "points", "games", "errors"]]
    for place, i in enumerate(order, 1):
        cells = ["-" if table[i][j] is None else f"{table[i][j]:g}" for j in order]
        standing = standings[i]
        rows.append(
            [
                str(place),
                short_name(standing.player),
                *cells,
                f"{standing.points:g}",
                str(standing.games),
                str(sum(standing.errors.values())),
            ]
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        f"{series.game}: {len(result.games)} of {series.total} games, {series.games} per pairing, "
        + conditions(series)
    ]
    for row in rows:
        cells = [
            cell.ljust(width) if column == 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
