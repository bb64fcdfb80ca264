"""The command line: what it prints, its exit codes, and that nothing typed gets a traceback."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import ttt
from support.commands import interrupt
from support.inprocess import run
from ttt.cli.main import VERBS, main


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["verify", "nowhere"], "nowhere: No such file"),
        (["verify", "/"], "/: Is a directory"),
        (["solve", "tictactoe", "--file", "nowhere"], "nowhere: No such file"),
        (["solve", "connect4", "--file", "/dev/null", "--out", "no/where"], "no/where: No such"),
        (["solve", "connect4", "--file", "/dev/null", "--out", "/dev/full"], "not a regular file"),
        (["solve", "nineboard", "--checkpoint", "no/where"], "there is no folder"),
        (["solve", "nineboard", "--checkpoint", "/"], "it is a folder"),
        (["prove", "qubic", "--out", "/"], "it is a folder"),
        (["prove", "qubic", "--out", __file__], "refusing to overwrite: not a strategy file"),
        (["replay", "nowhere"], "nowhere"),
    ],
)
def test_files_that_cannot_be_used(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    """Before any work is done, in one line, with the name."""
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert words in output.err
    assert output.err.count("\n") == 1


def test_a_plain_search_that_a_limit_ends(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["analyse", "qubic", "--algorithm", "minimax", "--depth", "6", "--nodes", "1000"]
    assert main(arguments) == 0
    assert (
        "the limit ended the search before its first move was finished" in capsys.readouterr().out
    )
    for option in ("--threads", "--hash", "--multipv"):
        assert main([*arguments, option, "2"]) == 2
        assert f"{option} needs --algorithm engine" in capsys.readouterr().err


def test_no_bench_to_depth_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "connect4", "--depth", "0"]) == 2
    assert "depth=0: expected a whole number from 1 to 255" in capsys.readouterr().err


def test_version_loads_nothing_heavy() -> None:
    listing = (
        "import sys; from ttt.cli.main import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True)
    loaded = done.stdout.split()
    assert loaded[:2] == ["ttt", ttt.__version__]
    assert not {"numpy", "rich", "json", "inspect", "asyncio"} & set(loaded)
    assert not any(name.startswith("ttt_core.games.") for name in loaded)


def test_games(capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys, "games")["games"]
    assert isinstance(found, list)
    assert [entry["game"] for entry in found] == list(ttt.games())
    assert main(["games"]) == 0
    listed = capsys.readouterr().out
    assert all(game in listed for game in ttt.games())


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "tictactoe", "--moves", "5 1"]) == 0
    assert capsys.readouterr().out == " O 2 3\n 4 X 6\n 7 8 9\nx to move\ntictactoe o../.x./... x\n"
    assert main(["show", "tictactoe", "--position", "x../.../... o"]) == 0
    assert capsys.readouterr().out.endswith("tictactoe x../.../... o\n")
    found = report(capsys, "show", "tictactoe", "--position", "tictactoe xxx/oo./... o")
    assert found["outcome"] == {"winner": "x", "termination": "line", "line": [0, 1, 2]}
    assert main(["show", "qubic", "--svg"]) == 0
    assert capsys.readouterr().out.startswith("<svg ")


def test_perft(capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys, "perft", "nineboard", "4", "--set", "full=draw")
    assert found["game"] == "nineboard"
    assert found["options"] == {"full": "draw"}
    assert (found["depth"], found["nodes"]) == (4, 55_080)
    assert found["nodes_per_second"] == pytest.approx(55_080 / float(str(found["seconds"])))
    divided = report(capsys, "perft", "connect4", "3", "--moves", "44", "--divide")
    assert divided["divide"] == dict.fromkeys("1234567", 49)
    assert main(["perft", "connect4", "2", "--divide"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        *(f"{column}: 7" for column in range(1, 8)),
        "49 sequences of 2 plies",
    ]


def test_playouts(capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys, "playouts", "ultimate", "500", "--seed", "9")
    assert found["games"] == 500
    assert found["x"] + found["o"] + found["draw"] == 500  # type: ignore[operator]
    again = report(capsys, "playouts", "ultimate", "500", "--seed", "9")
    assert [found[name] for name in ("x", "o", "draw", "plies")] == [
        again[name] for name in ("x", "o", "draw", "plies")
    ]
    assert main(["playouts", "tictactoe", "0"]) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["frobnicate"],
        ["perft"],
        ["perft", "chess", "3"],
        ["perft", "tictactoe", "-1"],
        ["perft", "tictactoe", "three"],
        ["perft", "tictactoe", "9" * 40],
        ["perft", "tictactoe", "999999999999999999"],
        ["playouts", "connect4", "3000000000"],
        ["show", "tictactoe", "--svg", "--json"],
        ["perft", "tictactoe", "0", "--divide"],
        ["perft", "tictactoe", "3", "--moves", "55"],
        ["perft", "tictactoe", "3", "--moves", "nonsense"],
        ["perft", "tictactoe", "3", "--position", "mnk .../.../... x"],
        ["perft", "tictactoe", "3", "--position", "\x01"],
        ["perft", "mnk", "3", "--set", "m=99"],
        ["perft", "mnk", "3", "--set", "m"],
        ["perft", "mnk", "3", "--set", "m=3", "--set", "m=4"],
        ["perft", "mnk", "3", "--set", "m=4", "--position", "mnk .../.../... x"],
        ["playouts", "connect4", "1e9"],
        ["play", "tictactoe", "--as", "z"],
        ["play", "chess"],
        ["show", "tictactoe", "--set", "full=draw"],
    ],
)
def test_bad_use_is_one_line_and_status_2(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("ttt")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["frobnicate"],
            "ttt: unknown verb 'frobnicate'; choose from " + ", ".join(VERBS) + " (see ttt --help)",
        ),
        (
            ["perft", "tictactoe", "three"],
            "ttt perft: argument DEPTH: 'three' is not a whole number from 0 to 2147483647 "
            "(see ttt perft --help)",
        ),
        (
            ["analyse", "tictactoe", "--time", "soon"],
            "ttt analyse: argument --time: 'soon' is not a number of seconds above 0 "
            "(see ttt analyse --help)",
        ),
        (
            ["perft", "tictactoe", "0", "--divide"],
            "ttt perft: --divide needs a DEPTH of at least 1",
        ),
        (
            ["show", "mnk", "--set", "m=4", "--position", "mnk .../.../... x"],
            "ttt show: --set cannot be combined with --position, which names the options",
        ),
        (
            ["solve", "tictactoe", "--weak"],
            "ttt solve: --weak is not available for tictactoe with these options; "
            "it has no settings",
        ),
        (["solve", "tictactoe", "--out", "x"], "ttt solve: --out needs --file"),
        (
            ["solve", "tictactoe", "--file", "-", "--moves", "5"],
            "ttt solve: --file cannot be combined with --moves or --position",
        ),
        (["play", "--games", "0"], "ttt play: --games must be at least 1"),
        (
            ["match", "tictactoe", "first", "random", "--resume"],
            "ttt match: --resume needs --out FILE",
        ),
    ],
)
def test_messages(arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message + "\n")


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_help_fits_the_terminal(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = run(*filter(None, [verb]), "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: ttt {verb}".rstrip())
    assert max(map(len, done.stdout.splitlines())) <= 80
    if not verb:
        listed = [line.split()[0] for line in done.stdout.splitlines() if line[:4] == "    "]
        assert listed == list(VERBS)


def test_only_the_verb_asked_for_is_imported() -> None:
    listing = "import sys; from ttt.cli.main import main; main(sys.argv[1:]); print(*sys.modules)"
    for verb in ("games", "show"):
        arguments = [verb, "tictactoe"] if verb == "show" else [verb]
        command = [sys.executable, "-c", listing, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        loaded = {name for name in VERBS if f"ttt.cli.{name}" in done.stdout.split()}
        assert loaded == {verb}


def test_every_module_of_a_verb_is_registered() -> None:
    folder = Path(import_module("ttt.cli").__path__[0])
    modules = [import_module(f"ttt.cli.{path.stem}") for path in folder.glob("[!_]*.py")]
    verbs = {name.__name__.split(".")[-1] for name in modules if hasattr(name, "add_parser")}
    assert verbs == set(VERBS)


def test_players(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from ttt.players.builtin import PLAYERS

    found = report(capsys, "players")
    assert found["players"].keys() == PLAYERS.keys()  # type: ignore[attr-defined]
    assert len(found["levels"]) == 10  # type: ignore[arg-type]
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["players"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {*PLAYERS, "human", "level-10", "module:name"} <= {line.split()[0] for line in lines}
    assert max(map(len, lines)) < 80


@pytest.mark.parametrize(
    ("raised", "status", "printed"),
    [
        (KeyboardInterrupt(), 130, "\n"),
        (BrokenPipeError(), 141, ""),
        (OSError(5, "Input/output error"), 1, "ttt games: Input/output error\n"),
        (FileNotFoundError(2, "No such file", "x"), 2, "ttt games: x: No such file\n"),
        (ValueError("wrong"), 2, "ttt games: wrong\n"),
    ],
)
def test_exit_status(
    monkeypatch: pytest.MonkeyPatch, raised: BaseException, status: int, printed: str
) -> None:
    def fail(*_: object) -> None:
        raise raised

    monkeypatch.setattr("ttt.cli.games.run", fail)
    done = run("games")
    assert (done.returncode, done.stderr) == (status, printed)


def test_closed_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    assert main(["games"]) == 0
    assert main(["frobnicate"]) == 2
    for name in ("stdin", "stdout", "stderr"):
        getattr(sys, name).close()


def test_a_reader_that_leaves_is_no_error() -> None:
    command = f"{sys.executable} -m ttt show qubic --svg; echo $? >&2"
    shell = f"({command}) | true"
    done = subprocess.run(shell, shell=True, capture_output=True, text=True)
    assert done.stderr in ("141\n", "0\n")  # 0: all was written before the reader left
    with open("/dev/full", "w") as full:
        arguments = [sys.executable, "-m", "ttt", "show", "tictactoe"]
        done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "ttt show: No space left on device\n")


@pytest.mark.parametrize(
    "arguments", [["perft", "qubic", "12"], ["playouts", "ultimate", "2000000000"], ["play"]]
)
def test_ctrl_c_stops_at_once(arguments: list[str]) -> None:
    status, errors = interrupt(*arguments)
    assert status == 130
    assert "Traceback" not in errors
    assert errors.endswith("\n")
