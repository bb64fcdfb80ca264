"""Moves chosen by random games: flat Monte Carlo, and Monte Carlo tree search (UCT)."""

from random import Random
from typing import Any, NamedTuple

from ttt.board import Board
from ttt.limits import UNLIMITED, check_limits
from ttt_core.move import Move


class Sampled(NamedTuple):
    """A move, how often it was tried and how its games went: 1 a win, 0 a draw, -1 a loss."""

    move: Move
    games: int
    value: float


class Samples(NamedTuple):
    """What random games say of a position, for the side to move."""

    move: Move
    """The best move."""
    value: float
    """The mean result of its games, from -1 to 1; the true result if it is proven."""
    proven: bool
    moves: list[Sampled]
    """All moves that were tried, best first."""
    games: int
    nodes: int
    """Positions that were kept: the moves, or the nodes of the tree."""
    seconds: float


def montecarlo_search(
    board: Board, playouts: int | None = 100, time: float | None = None, seed: int = 0
) -> Samples:
    """Plays `playouts` random games after every legal move, or as many as `time` allows."""
    _check(playouts, "playouts", time)
    record = board.sampler_type(board.ruleset).montecarlo(
        board, UNLIMITED if playouts is None else playouts, time or 0.0, seed & (2**64 - 1)
    )
    Random(seed).shuffle(record["moves"])  # the best of equals is drawn by lot
    record["moves"].sort(key=lambda entry: -entry[2] / max(entry[1], 1))
    return _samples(record)


def tree_search(
    board: Board,
    simulations: int | None = 10_000,
    time: float | None = None,
    seed: int = 0,
    hash: int = 64,
    exploration: float = 1.0,
) -> Samples:
    """Monte Carlo tree search within `hash` MiB of memory. A larger `exploration` tries doubtful
    moves more often. Ends early when the result is proven."""
    _check(simulations, "simulations", time)
    if not isinstance(hash, int) or isinstance(hash, bool):
        raise TypeError(f"hash is a whole number of MiB, not {hash!r}")
    if not 0 <= exploration < 1e6:
        raise ValueError(f"exploration={exploration}: a number from 0 up")
    record = board.sampler_type(board.ruleset).mcts(
        board,
        UNLIMITED if simulations is None else simulations,
        time or 0.0,
        seed & (2**64 - 1),
        hash,
        exploration,
    )
    return _samples(record)


def _check(games: int | None, name: str, time: float | None) -> None:
    if games is not None and (not isinstance(games, int) or not 1 <= games < UNLIMITED):
        raise ValueError(f"{name}={games}: a whole number from 1 up")
    check_limits(None, None, time)
    if games is None and time is None:
        raise ValueError(f"give {name} or time: without a limit it would never end")


def _samples(record: dict[str, Any]) -> Samples:
    if record["raised"] is not None:
        raise record["raised"]
    moves = [Sampled(move, games, total / max(games, 1)) for move, games, total in record["moves"]]
    proven = record["proven"]
    return Samples(
        move=moves[0].move,
        value=moves[0].value if proven is None else float(proven),
        proven=proven is not None,
        moves=moves,
        games=record["games"],
        nodes=record["nodes"],
        seconds=record["seconds"],
    )
