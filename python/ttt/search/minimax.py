"""Textbook minimax and alpha-beta, with the counters that students compare."""

import math
from typing import TYPE_CHECKING

from ttt.board import Board
from ttt.limits import DEPTH_RULES, UNLIMITED, Limit
from ttt.score import Score
from ttt.search.evaluations import evaluation_number
from ttt.search.result import Interrupted, Line, Result

if TYPE_CHECKING:
    from ttt_core.interface import Engine as CoreEngine

ALGORITHMS = ("minimax", "alphabeta")


def minimax_search(
    board: Board,
    algorithm: str,
    depth: int | str,
    evaluation: str = "default",
    nodes: int | None = None,
    time: float | None = None,
    engine: "CoreEngine | None" = None,
) -> Result:
    """`minimax` (no pruning) or `alphabeta` (moves in reading order, a full window for each root
    move), without a table; the lines are the root moves, best first. `depth` is a number of plies
    or a rule of `depth_by_rule`. If a limit ends the search, the lines are those of the moves
    finished by then; if there are none, the move is None. The core's `engine` for the game can be
    given, so that another thread can stop the search.

    >>> minimax_search(Board("tictactoe"), "minimax", 9).nodes
    549945
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"unknown algorithm {algorithm!r}; choose from {', '.join(ALGORITHMS)}")
    if isinstance(depth, str):
        depth = depth_by_rule(depth, board)
    limit = Limit(depth=depth, nodes=nodes, time=time)
    engine = engine or board.engine_type(board.ruleset, 1)
    record = engine.minimax(
        board,
        algorithm == "alphabeta",
        depth,
        limit.nodes or UNLIMITED,
        limit.time or 0.0,
        evaluation_number(board.game, evaluation),
    )
    values = sorted(record["values"].items(), key=lambda item: -item[1])
    if isinstance(record["raised"], KeyboardInterrupt):
        raise Interrupted(values[0][0] if values else None)
    if record["raised"] is not None:
        raise record["raised"]
    lines = [Line(Score.from_core(number), [move]) for move, number in values]
    left = len(board.marks) - board.ply
    score = lines[0].score if lines else Score.of_outcome(board.outcome_value())
    return Result(
        move=lines[0].moves[0] if lines else None,
        score=score,
        proven=not record["stopped"] and (score.value is not None or depth >= left),
        depth=depth,
        selective_depth=depth,
        line=lines[0].moves if lines else [],
        lines=lines,
        nodes=record["nodes"],
        terminal=record["terminal"],
        horizon=record["horizon"],
        table_hits=0,
        table_fill=0.0,
        seconds=record["seconds"],
    )


def depth_by_rule(rule: str, board: Board) -> int:
    """The depth that a rule gives for a position.

    adaptive    floor(log(9^7) / log(cells left / 9)): 7 with 81 empty cells, deeper as they fill
    filling     the largest depth at which n (n - 1) (n - 2) ..., n cells left, is at most 64^3
    """
    return depth_for(rule, len(board.marks) - board.ply)


def depth_for(rule: str, left: int) -> int:
    """The depth that a rule gives with `left` empty cells."""
    if rule == "adaptive":
        found = left if left <= 9 else int(7 * math.log(9) / math.log(left / 9) + 1e-9)
        return max(1, min(found, left))
    if rule == "filling":
        leaves, found = left, 1
        while found < left and leaves * (left - found) <= 64**3:
            leaves *= left - found
            found += 1
        return found
    rules = ", ".join(DEPTH_RULES)
    raise ValueError(f"unknown depth rule {rule!r}; choose from {rules}, or a number of plies")
