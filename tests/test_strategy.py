"""Strategy files: writing, reading, damaged files; the shipped strategy wins every game."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from ttt import Board
from ttt.cli.main import main
from ttt.solvers.proof import prove_win, verify_strategy
from ttt.solvers.qubic import QubicSolver, stones
from ttt.solvers.strategy import DIGEST, ENTRY, HEADER, SHIPPED, BadStrategy, Strategy, shipped

CHECKER = Path(__file__).parent / "strategy/check.c"


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> str:
    program = tmp_path_factory.mktemp("checker") / "check"
    compiler = shutil.which("cc") or "gcc"
    subprocess.run([compiler, "-O2", "-o", str(program), str(CHECKER)], check=True)
    return str(program)


@pytest.fixture(scope="module")
def small() -> Strategy:
    """A complete strategy from a position six moves into the game."""
    board = Board("qubic")
    board.push_moves("111 444 222 333 122 133")
    return prove_win(board, hash=32, nodes=50_000_000)[0]


def rewritten(data: bytes, at: int, value: int) -> bytes:
    """The file with one byte changed and a valid checksum."""
    body = data[:at] + bytes([value]) + data[at + 1 : -DIGEST]
    return body + hashlib.sha256(body).digest()


def test_round_trip(small: Strategy, tmp_path: Path) -> None:
    path = tmp_path / "small"
    small.save(path)
    assert list(tmp_path.iterdir()) == [path]
    again = Strategy.load(path)
    assert (again.winner, again.root, again.entries) == (small.winner, small.root, small.entries)
    assert Strategy.build("x", small.root, small.moves()).entries == small.entries
    assert len(small) > 5


def test_both_verifiers_accept(small: Strategy, checker: str, tmp_path: Path) -> None:
    verify_strategy(small, hash=16)
    small.save(tmp_path / "small")
    done = subprocess.run([checker, str(tmp_path / "small")], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()[0]) == (0, str(len(small)))


def test_both_verifiers_refuse_a_changed_move(
    small: Strategy, checker: str, tmp_path: Path
) -> None:
    path = tmp_path / "small"
    small.save(path)
    data = path.read_bytes()
    random = Random(1)
    for which in random.sample(range(len(small)), 6):
        at = HEADER.size + which * ENTRY.size + 16
        taken = int.from_bytes(data[at - 16 : at - 8], "big")
        taken |= int.from_bytes(data[at - 8 : at], "big")
        free = [cell for cell in range(64) if not taken >> cell & 1 and cell != data[at]]
        path.write_bytes(rewritten(data, at, random.choice(free)))
        with pytest.raises(BadStrategy):
            verify_strategy(Strategy.load(path), hash=16)
        assert subprocess.run([checker, str(path)], stdout=subprocess.DEVNULL).returncode == 1


@pytest.mark.parametrize("change", ["magic", "version", "cut", "longer", "bit", "winner", "empty"])
def test_damaged_files(small: Strategy, tmp_path: Path, change: str) -> None:
    path = tmp_path / "small"
    small.save(path)
    data = path.read_bytes()
    changed = {
        "magic": b"TTTqubic" + data[8:],
        "version": rewritten(data, 9, 2),
        "cut": data[:-1],
        "longer": data + b"\0",
        "bit": data[:100] + bytes([data[100] ^ 1]) + data[101:],
        "winner": rewritten(data, 10, ord("z")),
        "empty": b"",
    }[change]
    path.write_bytes(changed)
    with pytest.raises(BadStrategy):
        Strategy.load(path)
    assert main(["verify", str(path)]) == 2


@pytest.mark.parametrize("root", [(1, 1), (1, 0), (15, 0xF0)])
def test_impossible_first_positions(small: Strategy, root: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"first position|line|move"):
        verify_strategy(Strategy(small.winner, root, small.entries), hash=16)


def test_unproven_positions_write_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "none"
    arguments = ["prove", "qubic", "--moves", "112 111 222", "--nodes", "20000", "--out", str(out)]
    assert main(arguments) == 2
    assert "no win for o was proven" in capsys.readouterr().err
    assert main(["prove", "connect4", "--out", str(out)]) == 2
    assert main(["prove", "qubic", "--out", str(tmp_path / "no/such/folder")]) == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("moves", ["111 444 222 333 122 133", "111 444 222 333 122 133 233"])
def test_prove_and_verify(moves: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """x wins, whoever is to move."""
    out = tmp_path / "out"
    assert main(["prove", "qubic", "--moves", moves, "--out", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["winner"], found["game"]) == ("x", "qubic")
    assert found["entries"] == len(Strategy.load(out))
    assert main(["verify", str(out), "--json"]) == 0
    checked = json.loads(capsys.readouterr().out)
    assert checked["verified"]
    assert checked["longest"] == found["longest"]
    assert main(["verify", str(out)]) == 0
    assert main(["solve", "qubic", "--json"]) == 0
    solved = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (solved["value"], solved["proven"]) == ("win", True)
    assert {"expansions", "positions", "threat_nodes", "seconds", "move"} <= set(solved)


# --- the shipped strategy ------------------------------------------------------------------------


def test_shipped_strategy_is_small_and_from_the_empty_board() -> None:
    strategy = shipped()
    assert strategy is not None
    assert (strategy.winner, strategy.root) == ("x", (0, 0))
    assert SHIPPED.stat().st_size < 300_000


def test_independent_checker_accepts_the_shipped_strategy(checker: str) -> None:
    """A sample; `make verify` runs both verifiers on the whole strategy."""
    done = subprocess.run([checker, str(SHIPPED), "60"], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()[0]) == (0, "60"), done.stdout


@pytest.mark.slow
def test_shipped_strategy_wins() -> None:
    strategy = shipped()
    assert strategy is not None
    verify_strategy(strategy)


def reply(board: Board, kind: str, random: Random, solver: QubicSolver) -> str:
    """A move for o: random, safe if possible ("blocking"), or the longest defence ("longest")."""
    if kind == "longest":
        return str(solver.move(board) or random.choice(board.legal_moves))
    safe = board.safe_moves() if kind == "blocking" else []
    return str(random.choice(safe or board.legal_moves))


@pytest.mark.parametrize("kind", ["random", "blocking", "longest"])
def test_first_player_wins_every_game(kind: str) -> None:
    solver, random = QubicSolver(hash=16), Random(7)
    lengths = []
    for _ in range(3 if kind == "longest" else 25):
        board = Board("qubic")
        while not board.is_game_over():
            if board.turn == "x":
                move = solver.move(board)
                assert move is not None
                board.push(move)
            else:
                board.push(reply(board, kind, random, solver))
        outcome = board.outcome()
        assert outcome is not None
        assert outcome.winner == "x"
        lengths.append(board.ply)
    if kind == "longest":
        assert min(lengths) > 30


def test_games_end_within_the_announced_plies() -> None:
    """Against the longest defence the game ends within the plies that the strategy announced."""
    solver = QubicSolver(hash=16)
    board = Board("qubic")
    announced = solver.solve(board).plies
    while not board.is_game_over():
        move = solver.move(board)
        assert move is not None
        board.push(move)
    assert announced is not None
    assert board.ply <= announced


def test_second_player_keeps_a_won_game() -> None:
    """Against a first player that errs: once the second player has a proven win, it wins."""
    solver, random = QubicSolver(hash=16), Random(9)
    won = 0
    for _ in range(12):
        board = Board("qubic")
        winning = False
        while not board.is_game_over():
            if board.turn == "x":
                board.push(random.choice(board.safe_moves() or board.legal_moves))
                continue
            found = solver.solve(board, nodes=20_000)
            assert not winning or found.value == "win"
            winning = found.value == "win"
            board.push(str(found.move))
        outcome = board.outcome()
        assert outcome is not None
        assert not winning or outcome.winner == "o"
        won += winning
    assert won > 6


def test_stones() -> None:
    board = Board("qubic")
    board.push_moves("111 112 444")
    assert stones(board) == (0b10, 1 | 1 << 63)
