"""Flat Monte Carlo and Monte Carlo tree search (UCT)."""

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from ttt.board import Board
from ttt.limits import UNLIMITED, Limit, check_whole
from ttt.search.result import Interrupted
from ttt_core.errors import shorten
from ttt_core.move import Move

if TYPE_CHECKING:
    from ttt_core.interface import Sampler, SampleRecord


class Sampled(NamedTuple):
    """A move, the number of games that began with it, and their mean result from -1 to 1."""

    move: Move
    games: int
    value: float


class Samples(NamedTuple):
    """The result of random games, for the side to move."""

    move: Move
    """The best move."""
    value: float
    """The mean result of its games, from -1 to 1; the true result if it is proven."""
    proven: bool
    moves: list[Sampled]
    """All moves that were played, best first."""
    games: int
    nodes: int
    """Nodes of the tree; in flat Monte Carlo, the number of moves."""
    seconds: float


def montecarlo_search(
    board: Board,
    playouts: int | None = 100,
    time: float | None = None,
    seed: int = 0,
    sampler: "Sampler | None" = None,
) -> Samples:
    """Plays `playouts` random games after every legal move, or as many as `time` allows. The core's
    `sampler` for the game can be given, so that another thread can stop the search."""
    _check(playouts, "playouts", time)
    record = (sampler or board.sampler_type(board.ruleset)).montecarlo(
        board, UNLIMITED if playouts is None else playouts, time or 0.0, seed & (2**64 - 1)
    )
    Random(seed).shuffle(record["moves"])  # equal moves come in random order
    record["moves"].sort(key=lambda entry: -entry[2] / max(entry[1], 1))
    return _samples(record)


def mcts_search(
    board: Board,
    simulations: int | None = 10_000,
    time: float | None = None,
    seed: int = 0,
    hash: int = 64,
    exploration: float = 1.0,
    sampler: "Sampler | None" = None,
) -> Samples:
    """Monte Carlo tree search within `hash` MiB of memory. A larger `exploration` visits
    less promising moves more often. Ends early when the result is proven. `sampler` is as in
    `montecarlo_search`.

    >>> board = Board("tictactoe")
    >>> board.push_moves("1 4 2 5")
    >>> mcts_search(board, 1_000).move
    Move('3')
    """
    _check(simulations, "simulations", time)
    if not isinstance(hash, int) or isinstance(hash, bool):
        raise TypeError(f"hash={shorten(hash)}: expected a whole number of MiB")
    if not 0 <= exploration < 1e6:
        raise ValueError(f"exploration={exploration}: expected a number from 0 to 1,000,000")
    record = (sampler or board.sampler_type(board.ruleset)).mcts(
        board,
        UNLIMITED if simulations is None else simulations,
        time or 0.0,
        seed & (2**64 - 1),
        hash,
        exploration,
    )
    return _samples(record)


def _check(games: int | None, name: str, time: float | None) -> None:
    if games is not None:
        check_whole(name, games, UNLIMITED - 1)
    Limit(time=time)
    if games is None and time is None:
        raise ValueError(f"no limit: give {name} or time")


def _samples(record: "SampleRecord") -> Samples:
    if isinstance(record["raised"], KeyboardInterrupt):
        raise Interrupted(next((move for move, games, _ in record["moves"] if games), None))
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
