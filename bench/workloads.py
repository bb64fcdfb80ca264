"""The workloads of `bench/instructions.py` and `bench/test_workloads.py`: perft, random games,
search and solve of every game, a few milliseconds each."""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ttt import Board, Engine
    from ttt.solvers.base import Solution, Solver

PERFT_DEPTH = {"tictactoe": 6, "mnk": 6, "connect4": 7, "nineboard": 5, "ultimate": 5, "qubic": 3}
SEARCH_DEPTH = {"tictactoe": 9, "mnk": 9, "connect4": 9, "nineboard": 7, "ultimate": 7, "qubic": 4}
SOLVED = {"connect4": "4444445226", "qubic": "111 444 141 414"}
"""Moves before a solve."""
LATE = {"nineboard": 34, "ultimate": 50}
"""Plies of random play before a solve."""


def random_position(game: str, plies: int) -> "Board":
    """A position of random play without a winner."""
    from ttt import Board

    random = Random(1)
    board = Board(game)
    while board.ply < plies:
        board.push(random.choice(board.safe_moves() or board.legal_moves))
        if board.is_game_over():
            board = Board(game)
    return board


def searched(engine: "Engine", board: "Board", depth: int) -> object:
    engine.clear()
    return engine.search(board, depth=depth)


def solved(solver: "Solver", board: "Board", settings: dict[str, Any]) -> "Solution":
    solver.clear()
    return solver.solve(board, **settings)


def workloads() -> dict[str, Callable[[], object]]:
    """The workloads by name. Boards and engines are made here; each run clears its table first, so
    that it can be repeated."""
    from ttt import Board, Engine, games
    from ttt.engine import make_solver

    found: dict[str, Callable[[], object]] = {}
    for game in games():
        board = Board(game)
        found[f"perft {game}"] = partial(board.perft, PERFT_DEPTH[game])
        found[f"playouts {game}"] = partial(board.playouts, 1_000, seed=1)
        engine = Engine(game, hash=1, solver=False)
        found[f"search {game}"] = partial(searched, engine, board, SEARCH_DEPTH[game])
        position = random_position(game, LATE.get(game, 0))
        position.push_moves(SOLVED.get(game, ""))
        settings = {"no_book": True} if game == "qubic" else {}
        found[f"solve {game}"] = partial(solved, make_solver(game, hash=8), position, settings)
    return found
