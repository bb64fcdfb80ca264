"""The command line: what it prints, its exit codes, and that nothing typed gets a traceback."""

import json
import subprocess
import sys

import pytest

import ttt
from support.commands import interrupt, run
from ttt.cli.main import main


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
        (["solve", "connect4", "--file", "/dev/null", "--out", "/dev/full"], "no ordinary file"),
        (["solve", "nineboard", "--checkpoint", "no/where"], "there is no folder"),
        (["solve", "nineboard", "--checkpoint", "/"], "it is a folder"),
        (["prove", "qubic", "--out", "/"], "it is a folder"),
        (["prove", "qubic", "--out", __file__], "is no strategy: left alone"),
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
    assert "no move was searched to the end within the limits" in capsys.readouterr().out
    for option in ("--threads", "--hash", "--multipv"):
        assert main([*arguments, option, "2"]) == 2
        assert f"{option} goes with --algorithm engine" in capsys.readouterr().err


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
