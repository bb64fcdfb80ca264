"""Lines that `ttt solve --file` writes: a solution for each position, as text or as JSON."""

import json
import re

from ttt.board import Board

VALUES = ("win", "draw", "loss", "unknown")
VERDICT = re.compile(r"(win|loss)( in \d+)?|draw|unknown(, between .* so far)?|-?\d+")


def solves(line: str, board: Board) -> bool:
    """Whether a line can be the solution of this position."""
    return _solves_json(line, board) if line.startswith("{") else _solves_text(line, board)


def _solves_text(line: str, board: Board) -> bool:
    position, *fields = line.split("\t")
    return (
        position == board.text()
        and len(fields) == 2
        and VERDICT.fullmatch(fields[0]) is not None
        and (fields[1] == "-" or {*fields[1].split(",")} <= {*board.legal_moves})
    )


def _solves_json(line: str, board: Board) -> bool:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return (
        found.get("position") == board.text()
        and found.get("value") in VALUES
        and isinstance(found.get("best"), list)
        and {*map(str, found["best"])} <= {*board.legal_moves}
    )
