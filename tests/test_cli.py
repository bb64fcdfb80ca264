"""The command line: output, exit status, and no traceback for any input."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

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
        (["verify", "/"], "/nineboard.proof: No such file"),
        (["solve", "tictactoe", "--file", "nowhere"], "nowhere: No such file"),
        (["solve", "connect4", "--file", "EMPTY", "--out", "no/where"], "no/where: No such"),
        (["solve", "connect4", "--file", "EMPTY", "--out", "/dev/full"], "not a regular file"),
        (["solve", "nineboard", "--checkpoint", "no/where"], "no such folder"),
        (["solve", "nineboard", "--checkpoint", "/"], "it is a folder"),
        (["prove", "qubic", "--out", "/"], "it is a folder"),
        (["prove", "qubic", "--out", __file__], "refusing to overwrite: not a strategy file"),
        (["replay", "nowhere"], "nowhere"),
    ],
)
def test_files_that_cannot_be_used(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str], words: str
) -> None:
    """Before any work is done, in one line, with the name."""
    empty = tmp_path / "empty"
    empty.touch()
    assert main([str(empty) if word == "EMPTY" else word for word in arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert words in output.err
    assert output.err.count("\n") == 1


def test_a_textbook_search_ended_by_a_limit(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["analyse", "qubic", "--algorithm", "minimax", "--depth", "6", "--nodes", "1000"]
    assert main(arguments) == 0
    assert "a limit ended the search before the first move was finished" in capsys.readouterr().out
    for option in ("--threads", "--hash", "--multipv"):
        assert main([*arguments, option, "2"]) == 2
        assert f"{option} needs --algorithm engine" in capsys.readouterr().err


def test_no_bench_to_depth_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "connect4", "--depth", "0"]) == 2
    assert "depth=0: expected a whole number from 1 to 255" in capsys.readouterr().err


def test_bench(capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys, "bench", "tictactoe")
    assert found["nodes"] == 2276
    assert found["games"] == [
        {"game": "tictactoe", "nodes": 2276, "seconds": pytest.approx(found["seconds"])}
    ]
    assert main(["bench", "mnk"]) == 0
    rows = [line.split()[:3] for line in capsys.readouterr().out.splitlines()]
    assert rows == [["mnk", "2,170", "nodes"], ["signature", "2,170", "nodes"]]


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
    assert capsys.readouterr().out == "(O)2 3\n 4 X 6\n 7 8 9\nx to move\ntictactoe o../.x./... x\n"
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
            "ttt perft: argument DEPTH: 'three': expected a whole number from 0 to 2147483647 "
            "(see ttt perft --help)",
        ),
        (
            ["analyse", "tictactoe", "--time", "soon"],
            "ttt analyse: argument --time: 'soon': expected a number of seconds above 0, at most"
            " 1,000,000,000 (see ttt analyse --help)",
        ),
        (
            ["perft", "tictactoe", "0", "--divide"],
            "ttt perft: --divide needs a DEPTH of at least 1",
        ),
        (
            ["show", "mnk", "--set", "m=4", "--position", "mnk .../.../... x"],
            "ttt show: --set cannot be combined with a --position that names the game",
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
        (
            ["solve", "nineboard", "--all-moves", "--checkpoint", "x"],
            "ttt solve: --all-moves cannot be combined with --checkpoint",
        ),
        (["play", "--games", "0"], "ttt play: --games 0: expected at least 1"),
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


def test_only_the_module_of_the_verb_is_imported() -> None:
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
        (OSError(5, "Input/output error"), 1, "ttt games: standard output: Input/output error\n"),
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


def test_a_closed_pipe_is_not_an_error() -> None:
    command = f"{sys.executable} -m ttt show qubic --svg; echo $? >&2"
    shell = f"({command}) | true"
    done = subprocess.run(shell, shell=True, capture_output=True, text=True)
    assert done.stderr in ("141\n", "0\n")  # 0: all was written before the reader left
    with open("/dev/full", "w") as full:
        arguments = [sys.executable, "-m", "ttt", "show", "tictactoe"]
        done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (
        1,
        "ttt show: standard output: No space left on device\n",
    )


@pytest.mark.parametrize(
    "arguments", [["perft", "qubic", "12"], ["playouts", "ultimate", "2000000000"], ["play"]]
)
def test_ctrl_c_stops_at_once(arguments: list[str]) -> None:
    status, errors = interrupt(*arguments)
    assert status == 130
    assert "Traceback" not in errors
    assert errors.endswith("\n")


# --- all moves -----------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["analyse", "solve"])
def test_all_moves(verb: str) -> None:
    done = run(verb, "tictactoe", "--moves", "1 2", "--all-moves")
    heading, *rows, counters = done.stdout.splitlines()
    assert heading.split() == ["move", "score", "proven", "plies", "line"]
    assert [row.split()[0] for row in rows] == ["4", "5", "7", "3", "6", "8", "9"]
    assert rows[0].startswith("4     win in 5  yes     5      4")
    assert rows[3].startswith("3     draw      yes     -      3 ")
    assert "7 of 7 moves proven" in counters
    assert "moves proven" in done.stderr
    found = json.loads(run(verb, "tictactoe", "--moves", "1 2", "--all-moves", "--json").stdout)
    assert found["proven"] is True
    assert [entry["move"] for entry in found["moves"]] == [row.split()[0] for row in rows]
    best, *_, drawn = found["moves"]
    assert {name: best[name] for name in ("score", "evaluation", "proven", "plies")} == {
        "score": "win in 5",
        "evaluation": None,
        "proven": True,
        "plies": 5,
    }
    assert best["line"][0] == "4"
    assert (drawn["score"], drawn["evaluation"], drawn["plies"]) == ("draw", 0, None)
    assert "game_score" not in best


def test_all_moves_of_connect4_have_game_scores() -> None:
    done = run("solve", "connect4", "--moves", "32164625", "--all-moves")
    assert done.stdout.startswith("move  score       game score  proven  plies  line\n")
    assert [row.split()[0] for row in done.stdout.splitlines()[1:-1]] == list("3456217")
    found = json.loads(
        run("solve", "connect4", "--moves", "32164625", "--all-moves", "--json").stdout
    )
    assert [entry["game_score"] for entry in found["moves"]] == [11, 4, 0, -2, -3, -4, -5]


def test_all_moves_of_many_positions() -> None:
    arguments = ["solve", "connect4", "--file", "-", "--all-moves"]
    done = run(*arguments, "--json", text="32164625\n")
    found = json.loads(done.stdout)
    assert found["game_score"] == 11
    assert {entry["move"]: entry["game_score"] for entry in found["moves"]}["4"] == 4
    done = run(*arguments, text="32164625\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--file with --all-moves needs --json" in done.stderr


def test_all_moves_within_limits() -> None:
    done = run("analyse", "qubic", "--moves", "111", "--all-moves", "--nodes", "500", "--json")
    found = json.loads(done.stdout)
    assert (len(found["moves"]), found["proven"]) == (63, False)
    assert all(isinstance(entry["evaluation"], int) for entry in found["moves"])
    over = run("analyse", "tictactoe", "--moves", "1 4 2 5 3", "--all-moves")
    assert (over.returncode, over.stdout.splitlines()[0]) == (0, "move  score  proven  plies  line")
    for extra in (["--multipv", "2"], ["--algorithm", "minimax"]):
        done = run("analyse", "qubic", "--all-moves", *extra)
        assert (done.returncode, done.stdout) == (2, "")
        assert "--all-moves" in done.stderr


def test_all_moves_are_redrawn_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from ttt.cli import all_moves

    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("LINES", "6")
    monkeypatch.setattr(all_moves, "is_capable_terminal", lambda: True)
    done = run("analyse", "ultimate", "--all-moves", "--depth", "3")
    tables = done.stderr.split("\x1b[5F\x1b[J")  # each is removed before the next one
    assert len(tables) > 2
    assert tables[-1] == ""
    for table in tables[:-1]:
        assert len(table.splitlines()) == 5
        assert max(map(len, table.splitlines())) < 40


def test_ctrl_c_keeps_the_result_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt_after(method: Callable[..., Any]) -> Callable[..., Any]:
        def interrupted(*arguments: Any, **settings: Any) -> None:
            method(*arguments, **settings)
            raise KeyboardInterrupt

        return interrupted

    def interrupt_before(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    search, analyse_moves = ttt.Engine.search, ttt.Engine.analyse_moves
    arguments = ["analyse", "qubic", "--moves", "111 222", "--depth", "2"]
    monkeypatch.setattr(ttt.Engine, "search", interrupt_after(search))
    done = run(*arguments)
    assert (done.returncode, done.stdout[:11]) == (0, "best move: ")
    monkeypatch.setattr(ttt.Engine, "analyse_moves", interrupt_after(analyse_moves))
    done = run(*arguments, "--all-moves")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 64)
    for name, extra in (("search", []), ("analyse_moves", ["--all-moves"])):
        monkeypatch.setattr(ttt.Engine, name, interrupt_before)
        done = run(*arguments, *extra)
        assert (done.returncode, done.stdout) == (130, "")


# --- analyse, prove, replay ----------------------------------------------------------------------


def test_analyse(capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys, "analyse", "tictactoe", "--moves", "1 2 5", "--multipv", "2")
    assert (found["move"], found["score"], found["evaluation"], found["plies"]) == (
        "9",
        "loss in 4",
        None,
        4,
    )
    lines = found["lines"]
    assert isinstance(lines, list)
    assert [line["score"] for line in lines] == ["loss in 4", "loss in 2"]
    assert lines[0]["line"] == found["line"]
    assert main(["analyse", "tictactoe", "--moves", "1 2 5", "--multipv", "2"]) == 0
    output = capsys.readouterr()
    assert output.out.splitlines()[0] == "best move: 9 (loss in 4)"
    assert output.out.splitlines()[1].startswith("line: 9 ")
    assert output.out.splitlines()[2].startswith("line 2: loss in 2  ")
    assert output.err.startswith("depth  1/")
    assert main(["analyse", "tictactoe", "--moves", "1 4 2 5 3"]) == 0
    assert "best move: none, the game is over (loss in 0)" in capsys.readouterr().out
    arguments = ["analyse", "nineboard", "--algorithm", "alphabeta", "--depth"]
    assert main([*arguments, "filling", "--nodes", "5000"]) == 0
    assert main([*arguments, "deep"]) == 2
    message = "ttt analyse: --depth 'deep': expected plies from 1 to 255, adaptive or filling\n"
    assert capsys.readouterr().err.endswith(message)


def test_prove_shows_progress(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from ttt.solvers import proof
    from ttt.solvers.strategy import Strategy

    def prove_win(board: ttt.Board, *_: object, on_info: Any, **__: object) -> Any:
        record = {"expansions": 1, "positions": 2, "threat_nodes": 3_000_000, "seconds": 1.5}
        on_info({**record, "attacker": "x", "proof": 4, "disproof": 5})
        return Strategy("x", (0, 0), b""), record

    monkeypatch.setattr(proof, "prove_win", prove_win)
    out = tmp_path / "strategy"
    assert main(["prove", "qubic", "--out", str(out)]) == 0
    output = capsys.readouterr()
    assert output.out == f"x wins in at most 0 plies\n0 positions written to {out}\n"
    assert output.err == (
        "x attacks: proof 4, disproof 5, 2 positions, 3.0 M nodes, 2.00 M/s\n"
        "3,000,000 nodes, 1.50 s\n"
    )


def test_replay_of_a_single_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board = ttt.Board("tictactoe")
    board.push_moves("1 4 2 5 3")
    path = tmp_path / "game.txt"
    ttt.Game.from_board(board, X="me", O="you").save(path)
    assert main(["replay", str(path)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Game: tictactoe, X: me, O: you, Result: 1-0\n")
    assert "3. x 2\n" in shown
    assert shown.endswith("5. x 3; x wins: 1 2 3\n*X*X*X*\n O O .\n . . .\n")
    found = report(capsys, "replay", str(path), "--game", "1")
    assert found["moves"] == ["1", "4", "2", "5", "3"]
    assert found["headers"] == {"Game": "tictactoe", "X": "me", "O": "you", "Result": "1-0"}
    assert main(["replay", str(path), "--game", "2"]) == 2
    assert "no game 2; it has 1 game" in capsys.readouterr().err
    path.write_text('[Game "chess"]\n\ne4\n')
    assert main(["replay", str(path)]) == 2
    path.write_text("")
    assert main(["replay", str(path)]) == 2
    assert capsys.readouterr().err.endswith("no saved games\n")


# --- solve ---------------------------------------------------------------------------------------


def test_solve_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    from ttt.cli import solve

    monkeypatch.setattr(solve, "QUIET_SECONDS", 0.0)
    done = run("solve", "connect4", "--moves", "32164625")
    assert done.stdout.splitlines()[:2] == ["win in 13, game score +11", "best: 3"]
    done = run("solve", "tictactoe")
    assert done.stdout.splitlines()[:3] == ["draw", f"best: {done.stdout.split()[2]}", "depth: 9"]
    assert done.stderr.startswith("unknown, ")  # the progress of the search
    done = run("solve", "ultimate", "--nodes", "100")
    assert done.stdout.startswith("unknown\nbest so far: ")


def test_solve_file_reports_and_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ttt.jobs.progress.QUIET", 0.0)
    done = run("solve", "tictactoe", "--file", "-", text="1 2 5\n\n5 1\n")
    assert [line.split("\t")[1] for line in done.stdout.splitlines()] == ["loss in 4", "draw"]
    assert re.fullmatch(r"1 positions, [\d.,]+/s, 0:00", done.stderr.splitlines()[0])
    assert done.stderr.splitlines()[-1].startswith("2 solved, 0 already in the file, ")
    text = "1 2 5\nmnk:m=4 ..../..../.... x\n"
    done = run("solve", "mnk", "--file", "-", text="mnk:m=4 ..../..../.... x\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert "line 1: position with other options: mnk:m=4" in done.stderr
    done = run("solve", "tictactoe", "--file", "-", text=text)
    assert (done.returncode, len(done.stdout.splitlines())) == (2, 1)
    assert "line 2: " in done.stderr


def test_ttt_alone_prints_help_with_examples() -> None:
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run("--help").stdout
    assert "examples:\n  ttt play " in done.stdout


def test_other_spellings() -> None:
    found = json.loads(run("analyze", "nineboard:full=draw", "--depth", "2", "--json").stdout)
    assert found["position"].startswith("nineboard:full=draw ")
    done = run("show", "mnk:m=4,n=4,k=4", "--set", "m=5")
    assert (done.returncode, "'m' is given twice" in done.stderr) == (2, True)
    done = run("show", "mnk:m=4,n=3,k=3", "--position", "..../..../.... x")
    assert done.stdout.endswith("mnk:m=4 ..../..../.... x\n")
