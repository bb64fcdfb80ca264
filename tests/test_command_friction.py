"""Small things that users met on the command line and in Python."""

import inspect
import json
from pathlib import Path

import pytest

from support import commands, inprocess
from ttt import Board, Engine
from ttt.players.spec import describe_player, ignores_time

BOT = """
import os, sys
print("imported")
class Bot:
    def __init__(self): print("made")
    def new_game(self, seed): print("new game")
    def choose(self, board):
        print("thinking")
        os.system("echo from a program")
        return board.legal_moves[0]
    def summary(self):
        print("summing up")
        return "done"
"""


@pytest.fixture
def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "loudbot.py").write_text(BOT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return "loudbot:Bot"


# --- what players print --------------------------------------------------------------------------


@pytest.mark.parametrize("processes", ["1", "2"])
def test_players_do_not_spoil_the_json_of_a_match(bot: str, processes: str) -> None:
    command = ("match", "tictactoe", bot, "first", "--games", "2", "--json")
    done = commands.run(*command, "--processes", processes)
    assert json.loads(done.stdout)["played"] == 2
    assert "thinking" in done.stderr
    assert "from a program" in done.stderr


def test_players_do_not_spoil_the_moves_of_play(bot: str) -> None:
    done = commands.run("play", "tictactoe", "--player", bot, "--opponent", "first", "--games", "1")
    assert done.stdout.split() == ["1", "2", "3", "4", "5", "6", "7"]
    for word in ("imported", "made", "new game", "thinking", "from a program"):
        assert word in done.stderr


# --- arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["analyse connect4", "solve connect4", "analyze connect4"])
def test_large_numbers_of_nodes(command: str) -> None:
    for nodes in (3_000_000_000, 10**30):
        done = inprocess.run(*command.split(), "--nodes", str(nodes), "--time", "0.01")
        assert done.returncode == 0


@pytest.mark.parametrize("wrong", ["0", "-1", "257", "9999999999999", "x", "", "1.5"])
def test_one_message_for_every_wrong_number_of_threads(wrong: str) -> None:
    done = inprocess.run("analyse", "tictactoe", f"--threads={wrong}")
    assert done.returncode == 2
    assert f"--threads: {wrong!r}: expected a whole number from 1 to 256 " in done.stderr


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--nodes=0", "a whole number from 1 up"),
        ("--hash=0", "a whole number from 1 up"),
        ("--multipv=0", "a whole number from 1 up"),
        ("--time=inf", "a number of seconds above 0, at most 1,000,000,000"),
        ("--time=0", "a number of seconds above 0, at most 1,000,000,000"),
    ],
)
def test_other_numbers(option: str, words: str) -> None:
    done = inprocess.run("analyse", "tictactoe", option)
    assert done.returncode == 2
    assert f"expected {words} " in done.stderr


def test_the_game_may_name_its_options() -> None:
    """As in a position, everywhere."""
    start = Board("nineboard", full="draw")
    assert inprocess.run("show", "nineboard:full=draw").stdout.endswith(f"{start.text()}\n")
    perft = inprocess.run("perft", "mnk:m=4,n=3", "2", "--set", "k=3", "--json")
    assert json.loads(perft.stdout)["options"] == {"m": 4, "n": 3, "k": 3}
    played = inprocess.run("match", "nineboard:full=draw", "first", "first", "--games=2", "--json")
    assert json.loads(played.stdout)["options"] == {"full": "draw"}
    position = inprocess.run("show", "mnk:m=4,n=3", "--position", "..../..../.... x")
    assert position.stdout.endswith("mnk:m=4 ..../..../.... x\n")
    game = inprocess.run("play", "mnk:m=4,n=3,k=3", "--player", "first", "--opponent", "first")
    assert game.returncode == 0
    for wrong, words in (
        (["show", "nineboard:full=maybe"], "option full='maybe': expected any or draw"),
        (["show", "nineboard:full"], "invalid option 'full'; write name=value"),
        (["show", "tictactoe:m=4"], "tictactoe: unknown option 'm'"),
        (["show", "mnk:m=4", "--set", "m=4"], "option 'm' is given twice"),
        (["show", ":"], "unknown game ''"),
        (["show", "mnk:m=4", "--position", "mnk .../.../... x"], "cannot be combined"),
    ):
        done = inprocess.run(*wrong)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert words in done.stderr


def test_american_spelling() -> None:
    assert inprocess.run("analyze", "tictactoe", "--depth", "2").returncode == 0
    assert inprocess.run("analyze", "--help").stdout.startswith("usage: ttt analyse")


# --- what is said --------------------------------------------------------------------------------


def test_players_are_announced_as_they_are() -> None:
    for spec, time, text in (
        ("level-10", None, "engine:nodes=3000000"),
        ("level-8", 0.5, "engine:nodes=50000,time=0.5"),
        ("level-1", 0.5, "random"),
        ("engine", None, "engine:time=1"),
        ("engine", 3.0, "engine:time=3"),
        ("engine:time=7", 3.0, "engine:time=7"),
        ("engine:depth=7", None, "engine:depth=7"),
        ("mybot:pick", 3.0, "mybot:pick"),
        ("mybot:pick:a=b", 3.0, "mybot:pick:a=b"),
    ):
        assert describe_player(spec, time) == text
    for spec, ignored in (("level-1", True), ("level-5", False), ("x.y:z", True), ("first", True)):
        assert ignores_time(spec) == ignored


def test_play_says_what_the_time_does() -> None:
    command = ("play", "tictactoe", "--time", "0.01", "--games", "1")
    done = inprocess.run(*command, "--level", "10")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "a level has its own limits" in done.stderr
    done = inprocess.run(*command, "--player", "random", "--opponent", "first")
    assert "--time has no effect" in done.stderr
    done = inprocess.run(*command, "--player", "engine", "--opponent", "first")
    assert "engine (0.01 s per move)" in done.stderr


def test_a_match_says_how_long_the_engine_thinks() -> None:
    command = ("match", "tictactoe", "engine", "first", "--games", "1")
    assert "engine is engine:time=1, in seconds per move\n" in inprocess.run(*command).stderr
    assert "engine is" not in inprocess.run(*command, "--time", "1").stderr


def test_bounds_are_called_bounds() -> None:
    """Qubic's plies are upper bounds, in `solve` as in `prove`; Connect Four's are exact."""
    assert inprocess.run("solve", "qubic").stdout.startswith("win in at most 59\n")
    assert Engine("qubic").solve(Board("qubic")).verdict() == "win in at most 59"
    board = Board("connect4")
    board.push_moves("71717237375526")
    assert Engine("connect4").solve(board).verdict() == "win in 23"
    late = Board("qubic")
    late.push_moves("111 222 112 333 113 344")
    assert Engine("qubic").solve(late).verdict() == "win in 1"


@pytest.mark.parametrize(
    "command", ["analyse connect4 --moves 27417527644164", "analyse qubic", "analyse tictactoe"]
)
def test_solved_positions_have_whole_lines(command: str) -> None:
    done = inprocess.run(*command.split(), "--json")
    found = json.loads(done.stdout)
    assert len(found["line"]) > 5
    assert found["lines"][0]["line"] == found["line"]
    board = Board.parse(found["position"])
    values = [1 if found["score"].startswith("win") else 0]
    board.push_moves(found["line"])  # legal, all of them
    assert "line: " in inprocess.run(*command.split()).stdout
    assert values


# --- Python --------------------------------------------------------------------------------------


def test_signatures_of_compiled_methods() -> None:
    board = Board("connect4")
    assert str(inspect.signature(board.push)) == "(move)"
    assert str(inspect.signature(board.copy)) == "(*, stack=True)"
    assert str(inspect.signature(board.playouts)) == "(games, seed=0)"
    for name in dir(board):
        if not name.startswith("_") and callable(getattr(board, name)):
            inspect.signature(getattr(board, name))


def test_a_board_lists_what_users_need() -> None:
    board = Board("nineboard")
    names = {name for name in dir(board) if not name.startswith("_")}
    assert {"push", "pop", "legal_moves", "text", "svg", "copy", "reset", "outcome"} <= names
    internal = {"ruleset", "spelling", "layout", "weights_name", "record", "count_leaves"}
    assert not names & internal
    assert all(hasattr(board, name) for name in internal)
    assert "__pyx_vtable__" not in dir(board)
