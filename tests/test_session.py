"""What `ttt play` asks, says and keeps: menus, words, saved and unfinished games, the review."""

import json
import os
import re
import signal
import time
from functools import partial
from pathlib import Path

import pytest

import ttt
from support import commands, inprocess
from support.processes import wait_until
from support.terminal import Terminal
from ttt import Board, Game, Score
from ttt.cli import unfinished
from ttt.cli.prompts import find_choice
from ttt.cli.words import outlook, prospect

run = partial(inprocess.run, "play")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty state folder; returns the folder of unfinished games."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state/ttt/play"


# --- questions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["3", "nineboard", "NineBoard", "n", "N"])
def test_the_menu_takes_numbers_names_and_prefixes(typed: str) -> None:
    done = run("--player", "first", text=f"{typed}\nx\nquit\n")
    assert done.returncode == 0
    assert "Nine-board tic-tac-toe\n" in done.stderr
    assert all(f"  {i}  {game}" in done.stderr for i, game in enumerate(ttt.games(), 1))


def test_the_menu_explains_what_it_does_not_understand() -> None:
    done = run("--player", "first", text="\n0\n7\n99999999999\nchess\n\x00\nconnect4\nx\nquit\n")
    assert "Connect Four\n" in done.stderr
    for answer in ("", "0", "7", "99999999999", "chess"):
        assert f"unknown answer {answer!r}; choose from connect4, mnk" in done.stderr
    with pytest.raises(ValueError, match="'t' could be tic or tac"):
        find_choice("t", ["tic", "tac"])


def test_mnk_asks_for_its_board() -> None:
    done = run("--player", "first", text="mnk\n7\n1 1 5\n6x5 4\nx\nquit\n")
    assert "Type three numbers, such as 7 7 5." in done.stderr
    assert "no line of 5 fits" in done.stderr or "fits" in done.stderr
    assert "a 6 x 5 board" in done.stderr
    assert "4 marks in a row" in done.stderr
    done = run("--player", "first", text="mnk\n\nx\nquit\n")
    assert "a 5 x 5 board" in done.stderr
    for arguments in (["mnk"], ["mnk:m=4,n=4,k=4"], ["mnk", "--set", "m=4"]):
        assert "Columns" not in run(*arguments, "--as", "x", text="quit\n").stderr


def test_the_level_is_asked_in_a_terminal_only(terminals: list[Terminal]) -> None:
    assert "level 5 of 10" in run("connect4", "--as", "x", text="quit\n").stderr
    for typed, level in (("EASY\n", 2), ("\n", 5), ("h\n", 8), ("nonsense\n7\n", 7)):
        terminal = Terminal("play", "connect4", "--as", "x")
        terminals.append(terminal)
        terminal.wait_for("Level (Enter: medium):")
        terminal.type(typed)
        terminal.wait_for(f"level {level} of 10")
        terminal.wait_for("Your move (x):")
        assert terminal.leave() == 130


def test_help_rules_and_an_empty_line() -> None:
    rules = Board("ultimate").rules()
    done = run("ultimate", "--as", "x", text="?\nh\nHELP\nrules\n\nquit\n")
    assert done.stderr.count(rules) == 1 + 3 + 1
    assert done.stderr.count("save FILE") == 3
    assert done.stderr.count("[1 2 3]|[1 2 3]|[1 2 3]\n") == 3 * 2  # two boards


def test_a_bare_cell_where_the_board_is_forced() -> None:
    done = run("nineboard", "--player", "first", "--as", "x", text="5\n5 5\n9\n10\nquit\n")
    assert "'5' is not a move" in done.stderr  # any board
    assert done.stdout == "5 1\n9 1\n"  # 9 was played on board 1
    assert "'10' is not a move" in done.stderr


def test_a_position_to_begin_with() -> None:
    done = run("tictactoe", "--moves", "1 4 2 5", "--as", "x", text="3\nno\n")
    assert "x wins: 1 2 3. You win!" in done.stderr
    done = run("--position", "tictactoe xx./oo./... x", "--as", "x", text="3\nyes\n3\nno\n")
    assert done.stderr.count("x wins: 1 2 3. You win!") == 2
    done = run("tictactoe", "--moves", "1 4 2 5 3", "--as", "x")
    assert (done.returncode, done.stderr) == (2, "ttt play: the game is over: x wins: 1 2 3\n")
    done = run("--position", "xx./oo./... x")
    assert (done.returncode, "give GAME" in done.stderr) == (2, True)
    done = run("nineboard:full=draw", "--as", "x", text="rules\nquit\n")
    assert "draws the game" in done.stderr


# --- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "proven", "words"),
    [
        (Score.win(1), True, ""),
        (Score.win(3), True, "I will win with my next move."),
        (Score.win(7), True, "I will win in 3 more moves."),
        (Score.win(7, exact=False), True, "I will win in at most 3 more moves."),
        (Score.win(), True, "I will win."),
        (Score.loss(4), True, "You are winning."),
        (Score(0), True, "I expect a draw."),
        (Score(0), False, ""),
        (Score(300), False, "I think I am winning."),
        (Score(100), False, "I like my position."),
        (Score(-100), False, "You are doing well."),
        (Score(-300), False, "I think you are winning."),
    ],
)
def test_beginners_words(score: Score, proven: bool, words: str) -> None:
    assert outlook(score, proven, scale=100) == words


def test_prospects() -> None:
    assert prospect(Score.win(1), True) == "wins at once"
    assert prospect(Score.win(5), True) == "wins in 3 moves"
    assert prospect(Score.win(5, exact=False), True) == "wins in at most 3 moves"
    assert prospect(Score.loss(2), True) == "the best defence"
    assert prospect(Score(0), True) == "leads to a draw"
    assert prospect(Score(7), False) == ""


def test_words_after_a_move() -> None:
    """After 1 4 2 o must block; x blunders and o announces its win."""
    done = run("tictactoe", "--moves", "1 5 2 3", "--as", "x", "--level", "9", text="4\nno\n")
    assert "o plays 7\n" in done.stderr  # the game is over: nothing to announce
    done = run("tictactoe", "--moves", "1 5 9", "--as", "o", "--player", "engine", text="3\nquit\n")
    assert "x plays 7. I will win with my next move.\n" in done.stderr
    done = run("tictactoe", "--as", "x", "--level", "9", text="5\nquit\n")
    assert re.search(r"o plays \d\. I expect a draw\.\n", done.stderr)


def test_time_with_a_level_is_refused() -> None:
    for arguments in (["--level", "10"], []):
        done = run("tictactoe", *arguments, "--time", "0.1")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            "ttt play: --time needs --player; a level has its own limits"
            " (--player engine --time 0.1 is the strongest)\n"
        )
    done = run("tictactoe", "--player", "random", "--time", "1")
    assert done.stderr == ("ttt play: --time has no effect: random cannot be limited by time\n")
    done = run("tictactoe", "--player", "engine", "--time", "0.1", "--as", "x", text="quit\n")
    assert "The computer is o: engine (0.1 s per move).\n" in done.stderr


# --- files ---------------------------------------------------------------------------------------


def test_save_and_load(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    arguments = ["nineboard:full=draw", "--as", "x", "--player", "first"]
    done = run(*arguments, text=f"5 5\n9\nsave {path}\nquit\n")
    assert f"Saved to {path}.\n" in done.stderr
    game = Game.load(path)
    assert game.headers == {
        "Game": "nineboard",
        "Options": "full=draw",
        "X": "human",
        "O": "first",
        "Result": "*",
    }
    assert game.moves == ["5 5", "5 1", "1 9", "9 1"]
    done = run("tictactoe", "--as", "o", "--player", "random", text=f"load {path}\n5\nquit\n")
    assert "Nine-board tic-tac-toe\n" in done.stderr
    assert "You are x. The computer is o: first.\n" in done.stderr
    assert done.stdout.splitlines()[-1] == "5 2"


def test_files_that_cannot_be_saved_or_loaded(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("precious")
    over = tmp_path / "over.txt"
    board = Board("tictactoe")
    board.push_moves("1 4 2 5 3")
    board.save(over)
    typed = (
        f"save\nload\nsave {other}\nload {other}\nload {over}\nload {tmp_path}\nsave /dev/full\n"
    )
    done = run(
        "tictactoe", "--as", "x", "--level", "1", text=f"{typed}save {tmp_path}/no/x\nquit\n"
    )
    assert (done.returncode, other.read_text()) == (0, "precious")
    said = " ".join(done.stderr.split())
    assert said.count("cannot save the game: ") == 4
    assert said.count("cannot load the game: ") == 4
    assert "the game is over: x wins" in said
    assert "no such folder" in said
    assert "/dev/full: not a regular file" in said
    assert done.stderr.endswith("Bye.\n")


def test_a_resigned_game_is_saved_with_its_result(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    run("tictactoe", "--as", "x", "--level", "1", text=f"5\nresign\nsave {path}\nno\n")
    assert Game.load(path).headers["Result"] == "0-1"


# --- unfinished games ----------------------------------------------------------------------------


def test_a_game_that_was_left_is_resumed(state: Path) -> None:
    done = run("connect4", "--as", "o", "--player", "first", text="4\nquit\n")
    assert "Your game is saved: `ttt play --resume` continues it.\nBye.\n" in done.stderr
    done = run("--resume", text="")
    assert "Your game goes on after 3 moves.\n" in done.stderr
    assert "You are o. The computer is x: first.\n" in done.stderr
    assert "1 2 3 4" in done.stderr
    done = run("--resume", text="resign\nno\n")
    assert "o resigns: x wins. You lose.\n" in done.stderr
    assert list(state.iterdir()) == []
    done = run("--resume")
    assert (done.returncode, done.stderr) == (2, "ttt play: no unfinished game\n")


def test_undo_and_finished_games_are_kept_too(state: Path) -> None:
    run("tictactoe", "--opponent", "human", text="5\n1\nundo\nquit\n")
    assert "(X)" in run("--resume", text="quit\n").stderr
    done = run("tictactoe", "--resume", text="1\n2\n3\n8\nno\n")
    assert "x wins: 2 5 8" in done.stderr
    assert list(state.iterdir()) == []


def test_the_newest_game_is_resumed_or_the_newest_of_a_game(state: Path) -> None:
    for game, move in (("tictactoe", "5"), ("connect4", "4")):
        run(game, "--opponent", "human", text=f"{move}\nquit\n")
        time.sleep(0.02)
    assert "Connect Four\n" in run("--resume", text="quit\n").stderr
    assert "Tic-tac-toe\n" in run("tictactoe", "--resume", text="quit\n").stderr
    done = run("qubic", "--resume")
    assert (done.returncode, done.stderr) == (2, "ttt play: no unfinished game of qubic\n")
    done = run("--resume", "--level", "3")
    assert done.stderr == "ttt play: --resume cannot be combined with --level\n"


def test_a_game_in_use_and_damaged_files_are_passed_over(state: Path) -> None:
    run("tictactoe", "--opponent", "human", text="5\nquit\n")
    found = unfinished.latest()
    assert found is not None
    assert unfinished.latest() is None  # locked by this process
    found[1].close()
    path = next(state.iterdir())
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:20])  # torn when its writer was killed
    assert "Tic-tac-toe" in run("--resume", text="quit\n").stderr
    path.write_bytes(whole.replace(b"Tic", b"Tac").replace(b"tic", b"tac"))
    assert run("--resume").stderr == "ttt play: no unfinished game\n"
    for i in range(70):
        (state / f"old{i}.game").write_bytes(whole)
    run("tictactoe", "--opponent", "human", text="5\nquit\n")
    assert len(list(state.glob("*.game"))) == unfinished.MOST


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGINT])
def test_a_killed_game_is_resumed(state: Path, number: int) -> None:
    process = commands.start("play", "nineboard", "--as", "x", "--player", "first")
    assert process.stdin
    assert process.stdout
    process.stdin.write("5 5\n")
    process.stdin.flush()
    assert process.stdout.readline() == "5 1\n"
    wait_until(lambda: any(b"5-1" in path.read_bytes() for path in state.glob("*.game")))
    os.kill(process.pid, number)
    process.communicate(timeout=300)
    done = run("--resume", text="9\nquit\n")
    assert "Your game goes on after 2 moves.\n" in done.stderr
    assert done.stdout == "9 1\n"


def test_a_closed_terminal_loses_nothing(state: Path, terminals: list[Terminal]) -> None:
    terminal = Terminal("play", "tictactoe", "--as", "x", "--player", "first")
    terminal.wait_for("Your move (x):")
    terminal.type("5\n")
    terminal.wait_for("Your move (x):")
    os.close(terminal.file)  # hangs up
    os.waitpid(terminal.pid, 0)
    assert "after 2 moves" in run("--resume", text="quit\n").stderr
    terminal = Terminal("play", "tictactoe", "--as", "x", "--player", "first")
    terminals.append(terminal)
    assert "You have an unfinished game" in terminal.wait_for("Your move (x):")
    assert terminal.leave() == 130


def test_a_game_that_cannot_be_kept_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    done = run("tictactoe", "--as", "x", "--level", "1", text="5\nquit\n")
    assert (done.returncode, "is saved" in done.stderr) == (0, False)
    assert done.stderr.endswith("Bye.\n")
    assert run("--resume").stderr == "ttt play: no unfinished game\n"


# --- review --------------------------------------------------------------------------------------

LOST = "1. x 1  draws\n2. o 5  draws\n3. x 2  draws\n4. o 3  draws\n"
LOST += (
    "5. x 4  loses  blunder: 7 draws\n6. o 7  wins\nThe game was lost with move 5, x 4; 7 draws.\n"
)


def test_the_review_after_a_game() -> None:
    done = run("tictactoe", "--opponent", "human", text="1\n5\n2\n3\nreview\n4\n7\nREVIEW\nno\n")
    assert "A review comes after the game." in done.stderr
    assert LOST in done.stderr


def test_the_review_of_a_won_game_that_was_resigned() -> None:
    """x blundered, but it was o who gave up."""
    done = run("tictactoe", "--opponent", "human", text="1\n5\n2\n3\n4\nresign\nreview\nno\n")
    assert "o resigns: x wins" in done.stderr
    assert "x has been losing since move 5, x 4; 7 draws.\n" in done.stderr
    assert "The game was lost" not in done.stderr


def test_ttt_review(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    board = Board("tictactoe")
    board.push_moves("1 5 2 3 4 7")
    board.save(path)
    done = inprocess.run("review", str(path))
    assert (done.returncode, done.stdout) == (0, LOST)
    found = json.loads(inprocess.run("review", str(path), "--json").stdout)
    assert (found["game"], found["result"], found["turning_point"]) == ("tictactoe", "0-1", 5)
    assert found["moves"][4] == {
        "ply": 5,
        "side": "x",
        "move": "4",
        "score": "loss in 2",
        "proven": True,
        "best": "7",
        "best_score": "draw",
        "best_proven": True,
        "loss": 0.5,
        "label": "blunder",
    }
    games = tmp_path / "games.txt"
    arguments = ["match", "connect4", "random", "level-9", "--games", "2", "--out", str(games)]
    assert inprocess.run(*arguments).returncode == 0
    done = inprocess.run("review", str(games))
    assert (done.returncode, "2 games; choose one with --game K" in done.stderr) == (2, True)
    done = inprocess.run("review", str(games), "--game", "2", "--nodes", "20000")
    assert "The game was lost with move " in done.stdout
    assert max(map(len, done.stdout.splitlines())) < 80


# --- a terminal ----------------------------------------------------------------------------------


def test_line_editing_history_and_a_resize(terminals: list[Terminal]) -> None:
    terminal = Terminal("play", "tictactoe", "--as", "x", "--player", "first")
    terminals.append(terminal)
    terminal.wait_for("Your move (x):")
    terminal.type("mov")
    terminal.resize(40, 12)
    terminal.type("\t\n")  # completes `moves`
    terminal.wait_for("Legal moves: 1, 2, 3")
    terminal.wait_for("Your move (x):")
    terminal.type("\x1b[A\x01\x0b")  # up: the last line; then delete it
    terminal.resize(120, 40)
    terminal.type("99\x1b[D\x7f\n")  # left and backspace: 9 remains
    terminal.wait_for("o plays 1")
    terminal.wait_for("Your move (x):")
    terminal.type("\x1b[A\n")  # 9 again
    terminal.wait_for("9 cannot be played")
    terminal.wait_for("Your move (x):")
    terminal.type("quit\n")
    assert terminal.status() == 0
