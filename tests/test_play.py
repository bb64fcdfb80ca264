"""`ttt play`: by pipes and in a terminal, with everything that can be typed."""

import os
import random
import re
import signal
import subprocess
from functools import partial
from pathlib import Path

import pytest

import ttt
from support import commands, inprocess
from support.terminal import Terminal
from ttt import Board

LINES = int(os.environ.get("TTT_RANDOM_LINES", "300"))
"""Random lines typed into every game; `make test-input` types 10,000."""

PLAY = [*commands.TTT, "play"]

run = partial(inprocess.run, "play")


def test_a_game_against_the_random_player() -> None:
    typed = (
        "tictactoe\nmaybe\nX\n5\n5\nfoo\n\nhelp\nmoves\nhint\nundo\n"
        + "\n".join("123456789")
        + "\nn\nn\n"
    )
    done = run("--player", "random", "--seed", "3", text=typed)
    assert done.returncode == 0
    moves = done.stdout.split()
    assert len(moves) >= 3
    assert all(f"o plays {move}" in done.stderr for move in moves)
    assert done.stdout == run("--player", "random", "--seed", "3", text=typed).stdout
    others = {run("--player", "random", "--seed", str(i), text=typed).stdout for i in range(4, 8)}
    assert len({done.stdout, *others}) > 2
    for words in (
        "unknown answer 'maybe'; choose from x, o",
        "that cell is taken",
        "'foo' is not a move",
        "Legal moves: ",
        "Hint: ",
        "Another game?",
    ):
        assert words in done.stderr
    assert "wins" in done.stderr or "a draw" in done.stderr


def test_undo_takes_both_moves_back() -> None:
    done = run("tictactoe", "--as", "x", "--seed", "3", text="5\nundo\nquit\n")
    assert done.stderr.count(" 1 2 3\n 4 5 6\n 7 8 9\n") == 2
    done = run("tictactoe", "--opponent", "human", text="5\n1\nundo\nquit\n")
    assert done.stderr.count(" 1 2 3\n 4(X)6\n 7 8 9\n") == 2
    for side in ("x", "o"):
        done = run("tictactoe", "--as", side, "--level", "1", text="undo\nundo\nquit\n")
        assert done.stderr.count("No move to take back") == 2


def test_two_people_and_again() -> None:
    game = "1\n2\n3\n4\n5\n6\n7\n"
    done = run("tictactoe", "--opponent", "human", text=game + "y\n" + game + "n\n")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.count("x wins: 3 5 7\n") == 2
    assert " X O*X*\n O*X*O\n*X*8 9\n".replace("8 9", ". .") in done.stderr


def test_hints_before_each_move() -> None:
    done = run("tictactoe", "--opponent", "human", "--hints", text="1\n4\n2\nquit\n")
    assert done.stderr.count("Hint: ") == 4
    assert "Hint: 3 (" in done.stderr  # x threatens to win there


def test_level_of_a_player_with_options() -> None:
    done = run("tictactoe", "--as", "o", "--player", "level-2:playouts=2", text="quit\n")
    assert (done.returncode, done.stderr.endswith("Bye.\n")) == (0, True)
    assert "You are o. The computer is x: level-2:playouts=2.\n" in done.stderr
    done = run("tictactoe", "--as", "o", "--level", "2", text="quit\n")
    assert "You are o. The computer is x: level 2 of 10.\n" in done.stderr
    done = run("tictactoe", "--as", "o", "--level", "2", "--summary", text="quit\n")
    assert "The computer is x: level-2 (montecarlo:playouts=1).\n" in done.stderr


def test_resigning() -> None:
    done = run("connect4", "--as", "x", "--level", "1", "--games", "1", text="4\nresign\n")
    assert done.stderr.endswith("x resigns: o wins. You lose.\n")
    done = run("connect4", "--opponent", "human", text="4\nRESIGN\nno\n")
    assert "o resigns: x wins\n" in done.stderr


def test_the_search_summary_follows_each_move() -> None:
    arguments = ["nineboard", "--as", "x", "--player", "nine-d", "--games", "1", "--summary"]
    done = run(*arguments, text="1 3\nquit\n")
    assert re.search(
        r"o plays 3 \d\n  depth 7, [\d,]+ nodes \([\d,]+ terminal, [\d,]+ horizon\), "
        r"best utility [+-]\d+, \d+ ms\n",
        done.stderr,
    )
    assert re.fullmatch(r"3 \d\n", done.stdout)
    done = run("connect4", "--as", "x", "--level", "6", "--summary", text="4\nquit\n")
    assert "500 simulations" in done.stderr
    done = run(*arguments[:-1], text="1 3\nquit\n")
    assert "horizon" not in done.stderr


def test_two_computers_play_by_themselves() -> None:
    done = run("connect4", "--player", "level-3", "--opponent", "random", "--games", "2")
    assert (done.returncode, done.stderr.count(" wins")) == (0, 2)
    board = Board("connect4")
    for move in done.stdout.split():
        if board.is_game_over():
            board = Board("connect4")
        board.push(move)
    assert board.is_game_over()
    assert "x is level 3 of 10, o is random.\n" in done.stderr
    swapped = run("connect4", "--player", "level-3", "--opponent", "random", "--as", "o")
    assert "o is level 3 of 10.\n" in swapped.stderr
    against_level = run("tictactoe", "--level", "2", "--opponent", "human", "--as", "o", text="")
    assert "The computer is x: level 2 of 10.\n" in against_level.stderr


def test_players_that_fail_lose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "failing_players.py").write_text(
        "def error(board): raise RuntimeError('boo')\ndef illegal(board): return 'z'\n"
        "class Unready:\n"
        "    def new_game(self, seed): raise RuntimeError('boo')\n"
        "    def choose(self, board): return '1'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("error", "illegal"):
        done = run(
            "tictactoe",
            "--as",
            "x",
            "--player",
            f"failing_players:{name}",
            "--games",
            "1",
            text="5\n",
        )
        assert done.returncode == 0
        assert "x wins. You win!" in done.stderr
        assert "Traceback" not in done.stderr
    done = run("tictactoe", "--as", "x", "--player", "failing_players:Unready")
    assert (done.returncode, "RuntimeError: boo" in done.stderr) == (2, True)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["tictactoe", "--as", "z"],
        ["chess"],
        ["tictactoe", "--level", "0"],
        ["tictactoe", "--level", "11"],
        ["tictactoe", "--level", "-1"],
        ["tictactoe", "--level", "3", "--player", "random"],
        ["tictactoe", "--player", "nobody"],
        ["tictactoe", "--player", "advanced"],
        ["tictactoe", "--time", "nan"],
        ["tictactoe", "--time", "-1", "--player", "engine"],
        ["tictactoe", "--games", "0"],
        ["tictactoe", "--set", "x=1"],
    ],
)
def test_bad_use(arguments: list[str]) -> None:
    done = run(*arguments, text="x\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("ttt play: ")


@pytest.mark.parametrize("game", ttt.games())
def test_the_end_of_the_input(game: str) -> None:
    for text in ("", "quit\n", "garbage\n\x00\n🙂\n" * 5, "x" * 100_000, "5"):
        done = run(game, "--as", "o", "--level", "1", "--seed", "1", text=text)
        assert done.returncode == 0
        assert done.stderr.endswith("Bye.\n")
        assert "Traceback" not in done.stderr
        assert len(done.stderr) < 20_000


# --- anything at all -----------------------------------------------------------------------------


def random_line(source: random.Random) -> str:
    """Random input that does not end the session."""
    kind = source.randrange(6)
    if kind == 0:
        return "".join(source.choices("123456789 ,.-", k=source.randrange(8)))
    if kind == 1:
        return source.choice(["moves", "help", "undo", "UNDO", "Moves ", "y", "x", "o", ""])
    if kind == 2:
        return "".join(source.choices("abcdefgh12345678", k=source.randrange(4)))
    if kind == 3:
        return "".join(chr(source.randrange(0x20, 0x3000)) for _ in range(source.randrange(30)))
    if kind == 4:
        return "".join(chr(source.choice([*range(10), *range(14, 32), 127])) for _ in range(5))
    return "9" * source.randrange(1, 6000)


@pytest.mark.parametrize("game", ttt.games())
def test_random_lines(game: str) -> None:
    """No line of input breaks the session: the game can still be played to its end."""
    source = random.Random(game)
    lines = [random_line(source).replace("\n", " ").replace("\r", " ") for _ in range(LINES)]
    lines = [line for line in lines if line.strip().lower() not in ("q", "quit", "exit", "n", "no")]
    typed = "\n".join(lines) + "\nresign\ny\n"
    # Every move of the game, over and over: some are legal.
    moves = [str(move) for move in Board(game).ruleset.moves]
    typed += "\n".join(moves * 9) + "\nresign\nn\nn\nquit\n"
    done = run(game, "--as", "x", "--player", "random", "--seed", "5", text=typed)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert done.stderr.count("wins") + done.stderr.count("a draw") >= 2
    prompts = len(re.findall(r"Your move.* \(x\): |Another game\? \(.*\) ", done.stderr))
    assert prompts > len(lines)
    assert all(move in moves for move in done.stdout.splitlines())
    assert len(done.stdout.splitlines()) >= 2


# --- other programs ------------------------------------------------------------------------------


def test_two_programs_piped_to_each_other(tmp_path: Path) -> None:
    """The input of one is the output of the other: it plays as one side and reads the other's."""
    back = tmp_path / "back"
    os.mkfifo(back)
    command = " ".join(PLAY)
    line = (
        f"{command} nineboard --as o --level 3 --seed 1 --games 1 < {back} 2>{tmp_path}/first | "
        f"{command} nineboard --as x --level 3 --seed 2 --games 1 > {back} 2>{tmp_path}/second"
    )
    subprocess.run(["bash", "-o", "pipefail", "-c", line], check=True, timeout=300)
    first, second = ((tmp_path / name).read_text() for name in ("first", "second"))
    endings = [re.findall(r"[xo] wins: [\d -]+|a draw.*", text) for text in (first, second)]
    assert endings[0] == endings[1] != []
    assert "You " in first
    assert "You " in second


def test_a_program_that_replies_to_each_move() -> None:
    process = subprocess.Popen(
        [*PLAY, "connect4", "--as", "o", "--level", "4", "--seed", "2"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={name: os.environ[name] for name in os.environ if name != "PYTHONUNBUFFERED"},
    )
    assert process.stdin
    assert process.stdout
    board = Board("connect4")
    while not board.is_game_over():
        board.push(process.stdout.readline())
        if not board.is_game_over():
            board.push(board.legal_moves[-1])
            process.stdin.write(board.peek() + "\n")
            process.stdin.flush()
    process.stdin.close()
    assert process.wait(timeout=300) == 0
    process.stdout.close()


# --- a terminal ----------------------------------------------------------------------------------


def test_in_a_terminal(terminals: list[Terminal]) -> None:
    terminal = Terminal("play", "--player", "first")
    terminals.append(terminal)
    terminal.wait_for("Number or name:")
    terminal.type("NineBoard\n")
    terminal.wait_for("Your side, x or o?")
    terminal.type("X\n")
    terminal.wait_for("Your move on any board (x):")
    terminal.type("5 5\n")
    shown = terminal.wait_for("Your move on board 1 (x):")
    assert "\x1b[1;31" in shown  # x in red
    assert "\x1b[1;36;4mO\x1b[0m" in shown  # the last move underlined
    assert "│" in shown
    assert "o plays 5 1" in shown
    terminal.type("\x7f1\n")  # the cell alone
    assert "o plays 1 2" in terminal.wait_for("Your move on board 2 (x):")
    terminal.type("quit\n")
    terminal.wait_for("Bye.\r\n")
    assert terminal.status() == 0


def test_the_winning_line_in_a_terminal(terminals: list[Terminal]) -> None:
    terminal = Terminal("play", "tictactoe", "--opponent", "human")
    terminals.append(terminal)
    for move in "12457":
        terminal.wait_for("'s move:")
        terminal.type(move + "\n")
    shown = terminal.wait_for("Another game?")
    assert shown.count("\x1b[1;31;7mX\x1b[0m") == 3
    assert "x wins: 1 4 7" in shown
    terminal.type("\x04")
    terminal.wait_for("Bye.")
    assert terminal.status() == 0


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        ([], {"NO_COLOR": "1"}),
        (["--ascii"], {}),
        ([], {"TERM": "dumb"}),
        ([], {"LC_ALL": "C", "NO_COLOR": "1"}),
    ],
)
def test_terminals_without_colours(
    terminals: list[Terminal], arguments: list[str], environment: dict[str, str]
) -> None:
    terminal = Terminal("play", "ultimate", "--as", "x", "--level", "1", *arguments, **environment)
    terminals.append(terminal)
    terminal.wait_for("Your move on any board (x):")
    terminal.type("5 5\n")
    shown = terminal.wait_for("Your move on ")
    assert not re.search(r"\x1b\[[\d;]*m", shown)
    assert shown.isascii() == (environment != {"NO_COLOR": "1"})
    os.kill(terminal.pid, signal.SIGTERM)
    terminal.status()


def test_ctrl_c_at_the_prompt_leaves(terminals: list[Terminal]) -> None:
    terminal = Terminal("play", "qubic", "--as", "x", "--player", "engine:time=60", "--ascii")
    terminals.append(terminal)
    terminal.wait_for("Your move (x):")
    assert terminal.leave() == 130


def test_ctrl_c_ends_the_search_then_the_game(terminals: list[Terminal]) -> None:
    terminal = Terminal("play", "qubic", "--as", "x", "--player", "engine:time=600")
    terminals.append(terminal)
    terminal.wait_for("Your move (x):")
    terminal.type("111\n")
    shown = terminal.wait_for("Ctrl-C: move now")
    assert re.search(r"thinking(: depth \d+, best so far \d{3})?, \d+ s", shown)
    terminal.interrupt()
    assert re.search(r"o plays \d{3} \(stopped early\)", terminal.wait_for("Your move (x):"))
    assert terminal.leave() == 130


def test_a_second_ctrl_c_leaves_two_computers(terminals: list[Terminal]) -> None:
    names = ("--player", "engine:time=600", "--opponent", "mcts:time=600")
    terminal = Terminal("play", "nineboard", *names)
    terminals.append(terminal)
    terminal.wait_for("Ctrl-C: move now")
    terminal.interrupt()
    terminal.wait_for("(stopped early)")
    terminal.wait_for("Ctrl-C: move now")
    assert terminal.leave() == 130


@pytest.mark.parametrize("game", ttt.games())
def test_the_rules_are_told(game: str) -> None:
    """At the start and on `help`, in lines that fit a terminal of 80 columns."""
    done = run(game, "--as", "x", text="help\nquit\n")
    rules = " ".join(ttt.Board(game).rules().split())
    assert " ".join(done.stderr.split()).count(rules) == 2
    lines = re.sub(r"Your move.* \(x\): ", "", done.stderr).splitlines()
    assert max(map(len, lines)) < 80
