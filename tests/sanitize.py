"""Exercises every compiled module; `make sanitize` runs this script under gcc's sanitizers.

Threads share a table of 1 MiB, so that they overwrite each other's entries all the time. The
results are not checked here: the tests do that.
"""

import pickle
import time
from array import array
from contextlib import suppress
from functools import partial
from importlib import import_module
from signal import ITIMER_REAL, SIGALRM, default_int_handler, setitimer, signal
from threading import Thread

import ttt_core
from support.contract import GAMES, Game, name_of
from ttt import Board, Engine, minimax_search
from ttt.search.mcts import mcts_search, montecarlo_search
from ttt.search.result import Result
from ttt.solvers.base import Solution
from ttt.solvers.nineboard import NineboardSolver
from ttt.solvers.proof import prove_win, verify_strategy
from ttt.solvers.qubic import QubicSolver
from ttt_core.solvers.nineboard import solver as nineboard

THREADS = 4
LEARNED = ("nineboard", "ultimate")
"""The games with a learned evaluation."""


class Enough(Exception):
    """Raised by an `on_info` callback."""


def main() -> None:
    print("testing the core in", ttt_core.__path__[0], flush=True)
    for game in GAMES:
        began = time.monotonic()
        rules(game)
        textbook(game)
        sampled(game)
        shared_table(game)
        stopped(game)
        interrupted(game)
        if game[0] in LEARNED:
            training(game)
        print(f"{name_of(game)}: {time.monotonic() - began:.1f} s", flush=True)
    qubic_solver()
    nineboard_solver()
    for game in shapes():
        every_size(game)
    print(f"{len(shapes())} shapes", flush=True)


def shapes() -> list[Game]:
    """Every board size of mnk and connect4, with the shortest and the longest lines."""
    sizes = [(m, n) for m in range(1, 65) for n in range(1, 64 // m + 1)]
    found: list[Game] = []
    for m, n in sizes:
        for k in sorted({1, min(2, max(m, n)), max(m, n)}):
            found.append(("mnk", {"m": m, "n": n, "k": k}))
            if m * (n + 1) <= 64:
                found.append(("connect4", {"columns": m, "rows": n, "connect": k}))
    return found


def every_size(game: Game) -> None:
    """A little of everything: finds shifts and table indexes beyond a word."""
    for board in positions(game):
        assert Board.parse(board.text()) == board
        assert {*board.safe_moves()} <= {*board.legal_moves}
        assert len(board.wins("x") + board.wins("o")) >= len(board.wins())
        assert len(board.symmetries()) == board.ruleset.symmetries
        assert board.playouts(20, seed=1)["plies"] >= 20
        for evaluation in board.engine_type.evaluations:
            assert minimax_search(board, "alphabeta", 2, evaluation, nodes=200).nodes
        assert montecarlo_search(board, 2).games
        assert mcts_search(board, 100, hash=1).move in board.legal_moves


def rules(game: Game) -> None:
    """Whole games forwards and backwards; text, pickle, symmetries, perft."""
    for seed in range(3):
        board = Board(game[0], **game[1]).playout(seed)
        while board.moves:
            assert Board.parse(board.text()) == board
            assert pickle.loads(pickle.dumps(board)) == board
            assert {image.canonical_key() for image in board.symmetries()} == {
                board.canonical_key()
            }
            assert {*board.safe_moves()} <= {*board.legal_moves}
            assert len(board.wins("x") + board.wins("o")) >= len(board.wins())
            assert not (board.is_hopeless() and board.wins())
            assert str(board)
            assert bool(board.outcome()) == board.is_game_over()
            board.pop()
    for board in positions(game):
        assert sum(board.divide(3).values()) == board.perft(3)
        assert board.playouts(2_000, seed=1)["plies"] >= 2_000


def textbook(game: Game) -> None:
    """The textbook algorithms with every evaluation."""
    for board in positions(game):
        for evaluation in board.engine_type.evaluations:
            for algorithm in ("minimax", "alphabeta"):
                assert minimax_search(board, algorithm, 3, evaluation, nodes=20_000).nodes


def sampled(game: Game) -> None:
    """Flat Monte Carlo and MCTS, from every position of a game and with a full tree."""
    board = Board(game[0], **game[1]).playout(5)
    while board.moves:
        board.pop()
        assert montecarlo_search(board, 5, seed=1).move in board.legal_moves
        assert mcts_search(board, 300, seed=1, hash=1).move in board.legal_moves
    assert mcts_search(board, 20_000, hash=1).nodes <= 1 << 16


def shared_table(game: Game) -> None:
    """Threads over one table, with every evaluation, several lines and every kind of limit."""
    for board in positions(game):
        for evaluation in board.engine_type.evaluations:
            for selective in (True, False):
                engine = small_engine(game, evaluation=evaluation, selective=selective)
                for limits in ({"time": 0.1, "multipv": 3}, {"depth": 3}, {"nodes": 5_000}):
                    found = engine.search(board, **limits, on_info=Result.verdict)  # type: ignore[arg-type]
                    assert found.move in board.legal_moves


def stopped(game: Game) -> None:
    """Two engines at once, one with a second search waiting; reads the tables; stops them."""
    board = Board(game[0], **game[1])
    first, second = small_engine(game), small_engine(game)
    searches = [
        Thread(target=partial(engine.search, board, multipv=2)) for engine in (first, second, first)
    ]
    for search in searches:
        search.start()
    while any(search.is_alive() for search in searches):
        time.sleep(0.05)
        for engine in (first, second):
            assert 0 <= engine.core.fill() <= 1
            engine.stop()
    first.clear()
    second.resize(2)
    for engine in (first, second):
        assert engine.search(board, depth=2).depth


def interrupted(game: Game) -> None:
    """Searches that end with an exception from `on_info` or from a signal handler."""
    board = Board(game[0], **game[1])
    engine = small_engine(game)

    def enough(result: Result) -> None:
        raise Enough

    with suppress(Enough):
        engine.search(board, nodes=100_000, on_info=enough)
        raise AssertionError("on_info was not called, or its exception was lost")
    for search in (engine.search, partial(minimax_search, algorithm="minimax", depth=30)):
        signal(SIGALRM, default_int_handler)
        setitimer(ITIMER_REAL, 0.05)
        with suppress(KeyboardInterrupt):
            search(board)
            time.sleep(1)  # small games are solved before the signal arrives
            raise AssertionError("the interrupt was lost")


def training(game: Game) -> None:
    """Self-play, gradients over its games, and an engine with its own weights."""
    core, trained = (import_module(f"ttt_core.{kind}.{game[0]}") for kind in ("games", "training"))
    engine = Engine(game[0], hash=1, **game[1])
    games = core.play_games(engine.core, 20, 1, 40, 8, 0.1, 1)
    size = trained.SHAPE[0] * trained.SHAPE[1]
    weights, gradients = (
        memoryview(array("f", [0.0]) * size).cast("B").cast("f", trained.SHAPE) for _ in range(2)
    )
    game_loss = trained.GameLoss(engine.core.ruleset.options)
    loss, positions = game_loss.add_gradients(games, weights, gradients, 0.9, 50.0)
    assert loss > 0 < positions
    ruleset = core.Ruleset(
        engine.core.ruleset.options,
        lambda _: engine.core.ruleset.moves,
        lambda: array("h", [1]) * size,
    )
    assert core.Engine(ruleset, 1).evaluate(Board(game[0], **game[1]), 1) == 0


def qubic_solver() -> None:
    """Proof threads over one small table, with reports; a strategy and its verification."""
    solver = QubicSolver(hash=8, threads=THREADS)
    board = Board("qubic")
    reports: list[Solution] = []
    assert solver.solve(board, time=2, no_book=True, on_info=reports.append).nodes
    assert reports
    board.push_moves("111 444 222 333 122 133")
    assert solver.solve(board, nodes=100_000, no_book=True).nodes
    verify_strategy(prove_win(board, hash=8, threads=THREADS, nodes=50_000_000)[0], hash=8)
    solver.core.clear()
    assert solver.solve(board.playout(1)).value != "unknown"


def nineboard_solver() -> None:
    """Proof threads over one small table, and the trainer that learns from it."""
    solver = NineboardSolver(hash=1, threads=THREADS)
    board = Board("nineboard")
    reports: list[Solution] = []
    assert solver.solve(board, time=2, on_info=reports.append).nodes
    assert reports
    board.push_moves("55 51 15 52 25 57 78 86 69 96 62")
    assert solver.solve(board, nodes=300_000).nodes
    rows, units = nineboard.SHAPE
    weights = array("h", [0]) * (rows * units)
    trainer = nineboard.Trainer(nineboard.Solver(False, 1, 1, weights), 5_000, 1)
    trainer.add_solved(solver.core.safe_moves(20, 1), 20_000, 100)
    trainer.fit(1, 0.05, 20)


def positions(game: Game) -> list[Board]:
    """The start position and one from the middle of a game."""
    middle = Board(game[0], **game[1]).playout(3)
    for _ in range(len(middle.moves) // 2 + 1):
        middle.pop()
    return [Board(game[0], **game[1]), middle]


def small_engine(game: Game, evaluation: str = "default", selective: bool = True) -> Engine:
    return Engine(
        game[0], hash=1, threads=THREADS, evaluation=evaluation, selective=selective, **game[1]
    )


if __name__ == "__main__":
    main()
