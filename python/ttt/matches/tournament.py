"""Tournaments: everyone against everyone, and the cross table."""

from typing import Any

from ttt.matches.match import Played, conditions
from ttt.matches.record import score_of


def cross_table(played: Played) -> list[list[float | None]]:
    """The points of each player (row) against each (column); None where they did not meet."""
    count = len(played.series.players)
    table: list[list[float | None]] = [[None] * count for _ in range(count)]
    for game in played.games:
        for own, other in ((game["x"], game["o"]), (game["o"], game["x"])):
            before = table[own - 1][other - 1]
            table[own - 1][other - 1] = (before or 0.0) + score_of(game, own)
    return table


def record(played: Played) -> dict[str, Any]:
    """What --json prints."""
    return {**played.record(), "table": cross_table(played)}


def text(played: Played) -> str:
    """The cross table for people, best player first."""
    series = played.series
    table = cross_table(played)
    standings = played.standings
    order = sorted(range(len(standings)), key=lambda i: -standings[i].points)
    head = [
        f"{series.game}: {len(played.games)} of {series.total} games, {series.games} a pairing"
        + conditions(series)
    ]
    rows = [["", "player", *(str(i + 1) for i in range(len(order))), "points", "games", "errors"]]
    for place, i in enumerate(order, 1):
        cells = ["-" if table[i][j] is None else f"{table[i][j]:g}" for j in order]
        standing = standings[i]
        rows.append(
            [
                str(place),
                standing.player,
                *cells,
                f"{standing.points:g}",
                str(standing.games),
                str(sum(standing.errors.values())),
            ]
        )
    wide = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        head.append(
            "  ".join(
                cell.ljust(wide[column]) if column == 1 else cell.rjust(wide[column])
                for column, cell in enumerate(row)
            ).rstrip()
        )
    return "\n".join(head)
