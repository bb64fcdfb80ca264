"""The table of all legal moves, which `ttt analyse` and `ttt solve` show with --all-moves."""

import sys
from collections.abc import Sequence
from shutil import get_terminal_size
from typing import Any

from ttt.board import Board
from ttt.cli.common import columns
from ttt.render.terminal import is_capable_terminal
from ttt.search.result import MoveAnalysis, MoveScore

LINE_MOVES = 12
"""Number of moves shown of a line."""
BEST_MOVES = 3
"""Number of moves in a line of progress."""


def line_text(moves: Sequence[str], room: int | None = None) -> str:
    """The first moves of a line with spaces between them, in at most `room` characters."""
    text = ""
    for move in moves[:LINE_MOVES]:
        longer = f"{text} {move.replace(' ', '-')}".lstrip()
        if room is not None and len(longer) > room:
            break
        text = longer
    return text


def json_fields(board: Board, analysis: MoveAnalysis) -> dict[str, Any]:
    """What --json prints."""
    return {
        "game": board.game,
        "position": board.text(),
        "proven": analysis.proven,
        "depth": analysis.depth,
        "moves": [move_fields(entry) for entry in analysis.moves],
        "nodes": analysis.nodes,
        "seconds": analysis.seconds,
    }


def move_fields(entry: MoveScore) -> dict[str, Any]:
    found = {
        "move": entry.move,
        "score": entry.verdict(),
        "evaluation": entry.score.evaluation,
        "proven": entry.proven,
        "plies": entry.plies,
        "exact": entry.score.exact,
        "line": entry.line,
    }
    return found if entry.game_score is None else {**found, "game_score": entry.game_score}


def summary(analysis: MoveAnalysis) -> str:
    """The table and the counters."""
    return f"{table(analysis)}\n{counters(analysis)}"


def counters(analysis: MoveAnalysis) -> str:
    depth = f"depth {analysis.depth}, " if analysis.depth else ""
    return (
        f"{depth}{proven_moves(analysis)} of {len(analysis)} moves proven, "
        f"{analysis.nodes:,} nodes, {analysis.seconds:.3f} s"
    )


def proven_moves(analysis: MoveAnalysis) -> int:
    return sum(entry.proven for entry in analysis)


def table(analysis: MoveAnalysis) -> str:
    """A row for each move, best first."""
    own = any(entry.game_score is not None for entry in analysis)
    rows = [["move", "score", *(["game score"] if own else []), "proven", "plies", "line"]]
    for entry in analysis:
        game_score = "-" if entry.game_score is None else signed(entry.game_score)
        rows.append(
            [
                entry.move,
                entry.verdict(),
                *([game_score] if own else []),
                "yes" if entry.proven else "no",
                plies_text(entry),
                "",
            ]
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room = columns() - sum(widths[:-1]) - 2 * len(widths[:-1])
    for row, entry in zip(rows[1:], analysis, strict=True):
        row[-1] = line_text(entry.line, room)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def plies_text(entry: MoveScore) -> str:
    """The plies of a move; "<=59" if they are an upper bound."""
    if entry.plies is None:
        return "-"
    return f"{'' if entry.score.exact else '<='}{entry.plies}"


def signed(number: int) -> str:
    """A number with its sign; 0 without."""
    return f"{number:+d}" if number else "0"


class LiveTable:
    """An analysis on stderr while it runs: a table that is redrawn in a terminal, else a line
    whenever a depth is finished or a move is proven."""

    def __init__(self) -> None:
        self.height = 0
        """Lines of the table on the screen."""
        self.shown: tuple[int, int] | None = None
        """Depth and proven moves of the latest line."""
        self.redraws = is_capable_terminal()

    def show(self, analysis: MoveAnalysis) -> None:
        if self.redraws:
            self.redraw(analysis)
        elif self.shown != (state := (analysis.depth, proven_moves(analysis))):
            self.shown = state
            best = ", ".join(
                f"{line_text([entry.move])} {entry.verdict()}"
                for entry in analysis.moves[:BEST_MOVES]
            )
            print(f"{counters(analysis)}: {best}", file=sys.stderr, flush=True)

    def redraw(self, analysis: MoveAnalysis) -> None:
        """Draws the table over the one on the screen, cut to the size of the terminal."""
        self.clear()
        size = get_terminal_size()
        lines = [*table(analysis).split("\n")[: size.lines - 2], counters(analysis)]
        print("\n".join(line[: size.columns - 1] for line in lines), file=sys.stderr, flush=True)
        self.height = len(lines)

    def clear(self) -> None:
        """Removes the table from the screen."""
        if self.height:
            print(f"\x1b[{self.height}F\x1b[J", end="", file=sys.stderr, flush=True)
        self.height = 0
