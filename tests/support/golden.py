"""Small files of every kind, always with the same content: `python tests/support/golden.py FOLDER`
writes them. Those in `tests/golden` were written on x86-64; every platform must write the same."""

import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from ttt import Board, Game
from ttt.matches.record import Recorder
from ttt.proofs.log import Leaf, ProofLog
from ttt.solvers import checkpoint
from ttt.solvers.book import Book
from ttt.solvers.certificate import Certificate, Conditions, Record, position_of
from ttt.solvers.checkpoint import Checkpoint, Core
from ttt.solvers.connect4 import Connect4Solver
from ttt.solvers.nineboard import NineboardSolver
from ttt.solvers.strategy import Strategy
from ttt.storage.lines import LineFile
from ttt.storage.weights import write_weights
from ttt_core.solvers.nineboard import solver as core
from ttt_core.solvers.qubic.solver import canonical

LATE = "86 62 28 84 42 27 74 46 61 18 88 82 21 14 49 95 56 63 32 25 59 97"
"""Moves of nine-board to a position that x wins."""
NODES, ENTRIES = 3_000, 100
"""Of the search whose checkpoint is written."""


def late_board() -> Board:
    board = Board("nineboard", full="draw")
    board.push_moves(LATE)
    return board


def write_game(path: Path) -> None:
    board = Board("ultimate", tie="boards")
    board.push_moves("55 54 44 41 11 12 21")
    Game.from_board(board, X='Ünïcode "quoted"', Result="0-1").save(path)


def write_lines(path: Path) -> None:
    with LineFile(str(path)) as file:
        for line in ("text", "", "tabs\tin it", '{"a":[1,2.5,"é"]}'):
            file.append(line)


def write_games(path: Path) -> None:
    options = {"columns": "4", "rows": "4"}
    players = ["first", "level-3"]
    header = {"game": "connect4", "options": options, "players": players, "games": 1, "seed": 7}
    recorder = Recorder(str(path), header, resume=False)
    recorder.add({"game": 1, "x": 1, "o": 2, "opening": 1, "moves": "1 2 1 2 1 2 1",
                  "result": "1-0", "termination": "line", "ms": [0.125, 3.0, 1.5]})  # fmt: skip
    recorder.close()


def write_small_weights(path: Path) -> None:
    write_weights(path, "small", 7, [[1, -2, 3], [-32768, 32767, 0]], "made by hand, ΣReLU")


def write_book(path: Path) -> None:
    """Every position of the first two plies on five columns, with the solver's scores."""
    solver = Connect4Solver(columns=5, rows=4)
    scores: dict[int, int] = {}
    start = Board("connect4", columns=5, rows=4)
    found = [start]
    for board in found:
        score = solver.solve(board).game_score
        assert score is not None
        scores[board.canonical_key()] = score
        if board.ply < 2:
            for move in board.legal_moves:
                child = board.copy()
                child.push(move)
                found.append(child)
    Book.build(5, 4, 2, scores).save(path)


def write_strategy(path: Path) -> None:
    positions = {(1 << 63 | 1, 1 << 42 | 2): (21, 9), (0x8000_0000_0000_0421, 0x1E): (22, 3)}
    moves = {canonical(*position)[:2]: advice for position, advice in positions.items()}
    Strategy.build("x", (1 << 63, 2), moves).save(path)


def write_certificate(path: Path) -> None:
    records = [Record(40, None), Record(80, 1), Record(0, 127), Record(9, 128), Record(5, 1 << 40)]
    position = position_of(late_board())
    Certificate(position, Conditions(3, 2, 0x89ABCDEF, 256), records).save(path)


def write_checkpoint(path: Path) -> None:
    write = Checkpoint.write

    def write_without_time(
        file: Checkpoint, table: Core, nodes: int, seconds: float, now: bool
    ) -> None:
        write(file, table, nodes, 0.0, now)

    with (
        mock.patch.object(checkpoint, "KEPT", ENTRIES),
        mock.patch.object(Checkpoint, "write", write_without_time),
    ):
        NineboardSolver(hash=1, full="draw").solve(late_board(), nodes=NODES, checkpoint=str(path))


def write_log(path: Path) -> None:
    """The log of a shard: not compressed, because compressors differ."""
    log = ProofLog(path.parent / "shard", {"leaf_ply": 26}, "1/2")
    log.add_move(position_of(late_board()), 12)
    log.close()
    (path.parent / "shard/run-1-of-2.log").rename(path)
    (path.parent / "shard").rmdir()


def write_packed_log(path: Path) -> None:
    log = ProofLog(path.parent / "packed", {"leaf_ply": 26})
    log.add_leaf(core.canonical(position_of(late_board()))[0], Leaf("win", 123_456_789, 12))
    log.close()
    (path.parent / "packed/log.xz").rename(path)
    (path.parent / "packed").rmdir()


FILES: dict[str, Callable[[Path], None]] = {
    "ultimate.game": write_game,
    "text.lines": write_lines,
    "connect4.games": write_games,
    "small.weights": write_small_weights,
    "connect4.book": write_book,
    "qubic.strategy": write_strategy,
    "nineboard.certificate": write_certificate,
    "nineboard.checkpoint": write_checkpoint,
    "nineboard.log": write_log,
    "nineboard.log.xz": write_packed_log,
}


def write_all(folder: Path) -> None:
    for name, write in FILES.items():
        (folder / name).unlink(missing_ok=True)
        write(folder / name)


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
