"""Solvers: the true value of a position, for games that have a module in `ttt.solvers`."""

import argparse
import json
import sys
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from ttt.board import Board, board_class
from ttt_core.move import Move


class Solution(NamedTuple):
    """What a solver found out, for the side to move."""

    value: str
    """"win", "draw", "loss" or "unknown"."""
    score: int | None
    plies: int | None
    """Plies to the end, where they are known; an upper bound for a win."""
    move: Move | None
    best: list[Move]
    """All moves that are known to be best; where nothing is known, those not known to lose."""
    low: int | None
    high: int | None
    nodes: int
    seconds: float
    details: dict[str, Any]
    """A game's own counters."""


@lru_cache(maxsize=1)
def solved_games() -> tuple[str, ...]:
    """The games that have a solver."""
    from pkgutil import iter_modules

    from ttt import solvers

    return tuple(module.name for module in iter_modules(solvers.__path__) if module.name[0] != "_")


def solver_class(game: str) -> Any:
    """The class of a game's solver; ValueError if the game has none."""
    board_class(game)
    if game not in solved_games():
        raise ValueError(f"{game} has no solver: {', '.join(solved_games())}")
    return import_module(f"ttt.solvers.{game}").SOLVER


def report(board: Board, found: Solution) -> dict[str, Any]:
    """What --json prints."""
    return {
        "game": board.game,
        "position": board.text(),
        "value": found.value,
        "move": found.move,
        "best": found.best,
        "plies": found.plies,
        "proven": found.value != "unknown",
        "nodes": found.nodes,
        "seconds": found.seconds,
        **found.details,
    }


def solve_board(board: Board, arguments: argparse.Namespace) -> None:
    """`ttt solve`."""
    solver = solver_class(board.game)(
        hash=arguments.hash, threads=arguments.threads, **board.options
    )
    found = solver.solve(
        board,
        nodes=arguments.nodes,
        time=arguments.time,
        on_info=None if arguments.json else lambda line: print(line, file=sys.stderr, flush=True),
        book=not arguments.no_book,
    )
    if arguments.json:
        print(json.dumps(report(board, found)))
        return
    plies = f" in {found.plies} plies at most" if found.plies is not None else ""
    print(f"value: {found.value}{plies if found.value != 'unknown' else ''}")
    print(f"move: {found.move or 'none'}")
    counters = ", ".join(f"{value:,} {name}" for name, value in found.details.items())
    print(f"{found.nodes:,} nodes, {found.seconds * 1000:.0f} ms; {counters}")
