"""Files are the same bytes on every platform: those in `golden` are written again and read back."""

import lzma
import struct
from array import array
from pathlib import Path

import pytest

from support.golden import FILES, late_board
from ttt import Board, Game
from ttt.matches.record import read_games, replay
from ttt.proofs.log import Leaf, ProofLog
from ttt.solvers.book import Book
from ttt.solvers.certificate import Certificate, board_of
from ttt.solvers.checkpoint import Checkpoint, little_endian
from ttt.solvers.connect4 import Connect4Solver
from ttt.solvers.nineboard import NineboardSolver
from ttt.solvers.strategy import Strategy
from ttt.storage.lines import read_lines
from ttt.storage.weights import read_weights

GOLDEN = Path(__file__).parent / "golden"


def test_every_file_has_its_writer() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {*FILES}


@pytest.mark.parametrize("name", FILES)
def test_files_are_written_the_same(name: str, tmp_path: Path) -> None:
    """Compressors may differ in their versions, so of a compressed file the content counts."""
    FILES[name](tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    unpack = lzma.decompress if name.endswith(".xz") else bytes
    assert unpack((tmp_path / name).read_bytes()) == unpack((GOLDEN / name).read_bytes())


def test_a_game() -> None:
    game = Game.load(GOLDEN / "ultimate.game")
    assert game.headers["X"] == 'Ünïcode "quoted"'
    board = Board("ultimate", tie="boards")
    board.push_moves("55 54 44 41 11 12 21")
    assert game.board() == board
    assert b"\r" not in (GOLDEN / "ultimate.game").read_bytes()


def test_lines_and_saved_games() -> None:
    assert read_lines(str(GOLDEN / "text.lines"))[2] == "tabs\tin it"
    header, games = read_games(str(GOLDEN / "connect4.games"))
    assert header is not None
    assert replay(header, games[0]).result() == games[0]["result"] == "1-0"


def test_weights() -> None:
    found = read_weights(GOLDEN / "small.weights", "small")
    assert [*found.weights] == [1, -2, 3, -32768, 32767, 0]


def test_a_book() -> None:
    book = Book.load(GOLDEN / "connect4.book")
    solver = Connect4Solver(columns=5, rows=4)
    board = book.start()
    for move in ("3", "2"):
        assert book.find(board) == book.find(board.mirror()) == solver.solve(board).game_score
        board.push(move)


def test_a_strategy() -> None:
    found = Strategy.load(GOLDEN / "qubic.strategy")
    assert (found.winner, found.root, len(found)) == ("x", (1 << 63, 2), 2)
    assert found.find(1 << 63 | 1, 1 << 42 | 2) is not None
    for (mine, theirs), advice in found.moves().items():
        assert found.find(mine, theirs) == advice


def test_a_certificate() -> None:
    found = Certificate.load(GOLDEN / "nineboard.certificate")
    assert found.conditions == (3, 2, 0x89ABCDEF, 256)
    assert [record.nodes for record in found.records] == [None, 1, 127, 128, 1 << 40]
    assert board_of(found.first) == late_board()


def test_a_checkpoint(tmp_path: Path) -> None:
    """Its entries go into a table and come out again."""
    path = tmp_path / "checkpoint"
    path.write_bytes((GOLDEN / "nineboard.checkpoint").read_bytes())
    solver = NineboardSolver(hash=1, full="draw")
    file = Checkpoint(str(path), late_board().text())
    entries = file.entries
    assert len(entries) == 16 * 100
    file.load(solver.core)
    file.close()
    found = little_endian(solver.core.entries(0, 63, 0, solver.core.slots))
    words = [*struct.iter_unpack("<QQ", entries)]
    assert sorted(struct.iter_unpack("<QQ", found)) == sorted(words)
    assert all(data >> 56 & 63 >= 1 for _, data in words)  # the work that an entry took


def test_checkpoints_of_big_endian_machines() -> None:
    words = array("Q", [1, 2**63, 0x0123456789ABCDEF, 0])
    assert little_endian(words.tobytes(), "little") == words.tobytes()
    swapped = little_endian(words.tobytes(), "big")
    assert swapped == b"".join(words.tobytes()[i : i + 8][::-1] for i in range(0, 32, 8))
    assert little_endian(swapped, "big") == words.tobytes()


def test_logs(tmp_path: Path) -> None:
    for name in ("nineboard.log", "nineboard.log.xz"):
        kept = tmp_path / {"nineboard.log": "run-1-of-2.log"}.get(name, "log.xz")
        kept.write_bytes((GOLDEN / name).read_bytes())
    log = ProofLog(tmp_path, {"leaf_ply": 26}, "2/2")
    assert [*log.moves.values()] == [[12]]
    assert [*log.leaves.values()] == [Leaf("win", 123_456_789, 12)]
    log.close()
