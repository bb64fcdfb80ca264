"""`ttt replay`: keys in a terminal, plain text elsewhere."""

import os
from itertools import takewhile
from pathlib import Path
from threading import Timer

import pytest

from support.inprocess import run
from support.terminal import Terminal
from ttt import Board
from ttt.cli import stepper


@pytest.fixture
def game(tmp_path: Path) -> str:
    board = Board("tictactoe")
    board.push_moves("1 4 2 5 3")
    path = tmp_path / "game.txt"
    board.save(path, X="me", O="you")
    return str(path)


def test_stepping_with_keys(game: str, terminals: list[Terminal]) -> None:
    terminal = Terminal("replay", game)
    terminals.append(terminal)
    assert "X: me, O: you" in terminal.wait_for("x to move; 5 moves follow")
    for keys, note in (
        ("n", "1. x 1"),
        (" ", "2. o 4"),
        ("\x1b[C", "3. x 2"),  # right
        ("b", "2. o 4"),
        ("\x1b[D", "1. x 1"),  # left
        ("l", "5. x 3; x wins: 1 2 3"),
        ("n", "5. x 3"),  # there is no next one
        ("f", "x to move; 5 moves follow"),
        ("\x1b[D", "x to move; 5 moves follow"),
        ("\x1b[F", "5. x 3"),  # End
        ("\x1bOH", "x to move"),  # Home
        ("\x1b[B", "5. x 3"),  # down
        ("\x1b[A", "x to move"),  # up
        ("nnn", "3. x 2"),
        ("z\x1b[99~\x1bx?n", "4. o 5"),  # unknown keys do nothing
    ):
        terminal.type(keys)
        shown = terminal.wait_for(note)
        assert "\x1b[H\x1b[2J" in shown
        terminal.wait_for("q quit")
    terminal.resize(100, 30)
    terminal.wait_for("q quit")  # drawn again
    terminal.type("q")
    shown = terminal.wait_for("4. o 5")  # stays on the screen
    assert "\x1b[?1049l" in shown
    assert terminal.status() == 0


def test_a_split_escape_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stepper, "ESCAPE_WAIT", 60.0)
    ours, theirs = os.pipe()
    found = stepper.actions(ours)
    os.write(theirs, b"n\x1b[")
    rest = Timer(0.2, os.write, (theirs, b"Dq"))
    rest.start()
    assert list(takewhile(lambda action: action != "quit", found)) == ["next", "back"]
    rest.join()
    os.close(theirs)
    assert next(found) == "quit"  # the end of the input
    os.close(ours)


def test_ctrl_c_restores_the_screen(game: str, terminals: list[Terminal]) -> None:
    terminal = Terminal("replay", game)
    terminals.append(terminal)
    terminal.wait_for("q quit")
    assert terminal.leave() == 130
    assert "\x1b[?1049l" in terminal.seen


@pytest.mark.parametrize("extra", [["--all"], []])
def test_all_positions_at_once(game: str, extra: list[str], terminals: list[Terminal]) -> None:
    terminal = Terminal("replay", game, *extra, TERM="xterm" if extra else "dumb")
    terminals.append(terminal)
    assert terminal.status() == 0
    assert "3. x 2\r\n" in terminal.seen
    assert ("│" in terminal.seen) == bool(extra)


def test_marks_without_a_terminal(game: str) -> None:
    done = run("replay", game)
    assert "2. o 4\n X 2 3\n(O)5 6\n 7 8 9\n" in done.stdout
    assert done.stdout.endswith("5. x 3; x wins: 1 2 3\n*X*X*X*\n O O .\n . . .\n")


def test_the_games_of_a_match_are_listed(tmp_path: Path) -> None:
    path = str(tmp_path / "games.txt")
    run("match", "nineboard", "random", "first", "--games", "2", "--out", path)
    done = run("replay", path)
    assert max(map(len, done.stdout.splitlines())) < 80
    assert done.stdout.count("game ") == 2
    done = run("replay", path, "--game", "2")
    assert "(X)" in done.stdout
