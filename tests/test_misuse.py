"""Misuse that could crash, hang or mislead: each must be refused or be harmless."""

import copy
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import ttt
from ttt import BadNotation, Board, Engine, Game, Limit, Score
from ttt.boards.tictactoe import TicTacToeBoard
from ttt_core.games import mnk, nineboard


@pytest.mark.parametrize("names", [["a"], [str(i) for i in range(99)], ["a"] * 9, []])
def test_rulesets_need_a_name_for_every_move(names: list[str]) -> None:
    with pytest.raises(ValueError, match="9 moves"):
        mnk.Ruleset((3, 3, 3), lambda _: names)  # type: ignore[arg-type,return-value]
    with pytest.raises(ValueError, match="81 moves"):
        nineboard.Ruleset((0,), lambda _: names)  # type: ignore[arg-type,return-value]
    with pytest.raises(BadNotation):
        mnk.Ruleset((99, 99, 99), lambda _: names)  # type: ignore[arg-type,return-value]


def test_positions_need_a_ruleset() -> None:
    class Nothing(TicTacToeBoard):
        make_ruleset = classmethod(lambda cls, **options: None)  # type: ignore[assignment]

    with pytest.raises(TypeError):
        Nothing()
    with pytest.raises((TypeError, AttributeError)):
        mnk.Position()
    with pytest.raises(TypeError, match="options by name"):
        TicTacToeBoard(Board("mnk").ruleset)


def test_overridden_methods_do_no_harm() -> None:
    class Odd(TicTacToeBoard):
        def peek(self) -> Any:
            return "q"

        def copy(self, *, stack: bool = True) -> Any:
            return None

    board = Odd()
    with pytest.raises(IndexError):
        board.pop()
    assert board.playout(1).is_game_over()
    assert sum(board.divide(2).values()) == 72


def test_subclasses_keep_their_type() -> None:
    class Mine(TicTacToeBoard):
        pass

    Mine.__qualname__ = "Mine"
    globals()["Mine"] = Mine
    board = Mine()
    board.push("5")
    for twin in (copy.copy(board), copy.deepcopy(board), pickle.loads(pickle.dumps(board))):
        assert type(twin) is Mine
        assert twin == board
    assert type(Mine.parse(board.text())) is Mine


@pytest.mark.parametrize("depth", [2.9, Fraction(5, 2), "3", None])
def test_depths_are_whole_numbers(depth: object) -> None:
    board = Board("tictactoe")
    for method in (board.perft, board.divide, board.playouts, board.transform, board.playout):
        with pytest.raises(TypeError):
            method(depth)  # type: ignore[arg-type]


def test_options_are_read_as_they_stand() -> None:
    assert Board("mnk", m="0000000045"[-2:], n=1, k=3).options["m"] == 45
    assert Board("mnk", m="0000000005", n=5, k=3).options["m"] == 5

    class Loud(int):
        def __format__(self, spec: str) -> str:
            return "boo"

    assert Board("mnk", m=Loud(4), n=4, k=3).text() == Board("mnk", m=4, n=4, k=3).text()
    for name in ("cls", "self", "ruleset", "game"):
        with pytest.raises((BadNotation, TypeError)):
            Board("mnk", **{name: 3})
        with pytest.raises(BadNotation):
            Board.parse(f"mnk:{name}=3 .../.../... x")


@pytest.mark.parametrize("blank", ["\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u2028"])
def test_blanks_of_all_kinds(blank: str) -> None:
    board = Board("tictactoe")
    with pytest.raises(BadNotation):
        board.push(blank)
    board.push(f"5{blank}")
    assert board.moves == ["5"]


def test_long_texts_are_quick_and_not_echoed() -> None:
    board = Board("qubic")
    with pytest.raises(BadNotation) as caught:
        board.push("z" * 10**6)
    assert len(str(caught.value)) < 300
    with pytest.raises(ValueError, match="taken"):
        board.push_moves("111 " * 100_000)
    with pytest.raises(BadNotation) as caught:
        Board("a" * 10**6)
    assert len(str(caught.value)) < 300


def test_texts_are_texts() -> None:
    for bad in ([5, 1], None, 5, b"51"):
        with pytest.raises(TypeError, match="expected"):
            Board("tictactoe").push_moves(bad)  # type: ignore[arg-type]
    with pytest.raises(BadNotation, match="not a move of this game"):
        Board("tictactoe").ruleset.image(0, "zz")


def test_pictures_refuse_fields_the_game_lacks() -> None:
    with pytest.raises(BadNotation, match="no board in force"):
        Board("connect4").set_picture("." * 42, board=5)
    with pytest.raises(BadNotation, match="no owners"):
        Board("nineboard").set_picture("." * 81, "*", owners="." * 9)


@pytest.mark.parametrize("game", ["qubic", "connect4", "nineboard", "ultimate"])
def test_no_game_lasts_that_long(game: str) -> None:
    assert Board(game).perft(10**9) == 0


def test_playouts_of_a_board_that_moves() -> None:
    board = Board("connect4")
    board.push_moves("44")
    expected = [board.playouts(20_000, 1)]
    board.push("7")
    expected.append(board.playouts(20_000, 1))
    board.pop()
    done = threading.Event()

    def fiddle() -> None:
        while not done.is_set():
            board.push("7")
            board.pop()

    thread = threading.Thread(target=fiddle)
    thread.start()
    try:
        for _ in range(20):
            assert board.playouts(20_000, 1) in expected
    finally:
        done.set()
        thread.join()


def shell(command: str) -> subprocess.CompletedProcess[str]:
    line = f"env -u PYTHONUNBUFFERED {command}".replace("ttt ", f"{sys.executable} -m ttt ", 1)
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("ttt show tictactoe >/dev/full", 1),
        ("ttt --help >/dev/full", 1),
        ("ttt games >&-", 0),
        ("ttt play tictactoe <&-", 0),
        ("ttt perft tictactoe x 2>&-", 2),
        ("ttt perft tictactoe 3 2>/dev/full", 1),
        ("ttt show mnk --set cls=3", 2),
        ("ttt show mnk --set $'m=3\\n4'", 2),
        ("ttt show tictactoe --moves $'\\v'", 0),
        ("ttt show tictactoe $'a\\nb'", 2),
    ],
)
def test_streams_and_options_that_are_not(command: str, status: int) -> None:
    done = shell(command)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert len(done.stderr.splitlines()) <= 12
    if status == 2:
        assert done.stdout == ""
        assert len(done.stderr.splitlines()) <= 1


def test_ascii_terminals() -> None:
    done = shell("LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0 PYTHONIOENCODING=ascii ttt games")
    assert (done.returncode, done.stderr) == (0, "")
    done = shell("PYTHONIOENCODING=utf-8:strict ttt play tictactoe --as x <<< $'\\xff\\n5'")
    assert done.returncode == 0
    assert done.stderr.endswith("Bye.\n")


def test_boards_of_no_game_say_so() -> None:
    class Mine(Board):
        pass

    with pytest.raises(TypeError, match="Mine is not the board of a game"):
        Mine()


def test_a_subclass_may_have_its_own_name() -> None:
    class House(TicTacToeBoard):
        game = "house"

    board = House()
    board.push("5")
    assert board.text() == "house .../.x./... o"
    with pytest.raises(ValueError, match="the board is house"):
        Engine("tictactoe", hash=1).search(board)


@pytest.mark.parametrize("game", ttt.games())
def test_unknown_settings_name_the_valid_ones(game: str) -> None:
    board, engine = Board(game), Engine(game, hash=1)
    for call in (engine.solve, engine.solve_moves, engine.solver.solve):
        with pytest.raises(TypeError, match="unknown setting 'nonsense'; choose from nodes, time"):
            call(board, nonsense=1)
    with pytest.raises(TypeError, match="unknown setting 'nonsense'; choose from hash, threads"):
        Engine(game, nonsense=1)
    with pytest.raises(BadNotation, match="unknown option 'nonsense'; "):
        Board(game, nonsense=1)
    with pytest.raises(TypeError, match="expected a list of boards or texts of moves"):
        engine.solve_many("4455")


def test_solve_many_checks_its_settings() -> None:
    engine = Engine("connect4", hash=1)
    with pytest.raises(TypeError, match="unknown setting 'quick'; choose from nodes, time, weak"):
        engine.solve_many(["4455"], quick=True)
    with pytest.raises(TypeError, match="expected a list"):
        engine.solver.solve_many(Board("connect4"))  # type: ignore[arg-type]


def test_engines_are_resources() -> None:
    with Engine("tictactoe", hash=1, threads=2) as engine:
        assert repr(engine) == "Engine('tictactoe', hash=1, threads=2)"
        assert engine.play(Board("tictactoe"), Limit(depth=2)) in Board("tictactoe").legal_moves
        for twin in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="cannot be copied or pickled"):
                twin(engine)
    with pytest.raises(ValueError, match="the engine is closed"):
        engine.search(Board("tictactoe"))
    over = Board("tictactoe")
    over.push_moves("14253")
    with pytest.raises(ValueError, match="the game is over"):
        Engine("tictactoe", hash=1).play(over)
    with pytest.raises(TypeError, match="expected a list of moves"):
        Engine("tictactoe", hash=1).search(Board("tictactoe"), moves="5")


def test_a_closed_engine() -> None:
    engine = Engine("connect4", hash=1)
    engine.close()
    calls = [lambda: engine.solve_many(["44"]), lambda: engine.resize(2), engine.__enter__]
    for call in calls:
        with pytest.raises(ValueError, match="the engine is closed"):
            call()


def test_finished_boards_with_other_options() -> None:
    engine = Engine("connect4", hash=1)
    board = Board("connect4", columns=6).playout(seed=1)
    for call in (engine.search, engine.analyse_moves, engine.solve_moves):
        with pytest.raises(ValueError, match="other options"):
            call(board)


@pytest.mark.parametrize(
    "call",
    [
        lambda: Engine(None),  # type: ignore[arg-type]
        lambda: Game.parse(None),  # type: ignore[arg-type]
        lambda: Score(1.5),  # type: ignore[arg-type]
        lambda: Score("5"),  # type: ignore[arg-type]
        lambda: Score.win(1.5),  # type: ignore[arg-type]
        lambda: Limit(depth=3)._replace(depth="5"),  # type: ignore[arg-type]
    ],
)
def test_wrong_types(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match="expected"):
        call()


def test_replaced_limits_are_checked() -> None:
    with pytest.raises(ValueError, match="depth=-5"):
        Limit(depth=3)._replace(depth=-5)
