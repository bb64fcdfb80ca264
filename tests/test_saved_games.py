"""Saved games: replay, resuming, shards, and what a killed match leaves."""

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from support.commands import start
from support.games import without_times
from support.processes import wait_until
from support.reference import reference
from ttt.cli.main import main
from ttt.jobs import Shard
from ttt.matches.match import play_match, play_series
from ttt.matches.rating import Sprt
from ttt.matches.record import read_games, replay
from ttt.matches.series import Series

RESULTS = {"x": "1-0", "o": "0-1", None: "1/2-1/2"}


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("connect4", {"columns": 5, "rows": 8, "connect": 3}),
        ("mnk", {"m": 6, "n": 4, "k": 4}),
        ("nineboard", {"full": "draw"}),
        ("ultimate", {"tie": "boards"}),
        ("ultimate", {"tie": "boards", "won": "open"}),
        ("qubic", {}),
    ],
)
def test_saved_games_keep_their_options(
    game: str, options: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Moves, marks and results of saved games are those of the slow rules with these options."""
    path = str(tmp_path / "games.txt")
    play_match(game, "random", "random", 12, options=options, out=path)
    header, games = read_games(path)
    assert header is not None
    for saved in games:
        board = replay(header, saved)
        slow = reference(game, **options)
        for move in board.moves:
            slow.play(move.number)
        outcome = slow.outcome()
        assert outcome is not None
        assert saved["result"] == RESULTS[outcome[0]]
        assert saved["termination"] == outcome[1]
        assert " ".join(board.moves) == saved["moves"]
        assert list(board.marks) == slow.marks
        assert board.result() == saved["result"]
        assert {**board.options, **options} == board.options
    assert main(["replay", path, "--game", "1"]) == 0
    assert replay(header, games[0]).status() in capsys.readouterr().out


def test_games_are_saved_and_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file, the list and every picture show the games of the slow rules."""
    path = tmp_path / "games.txt"
    options = {"m": 5, "n": 4, "k": 3}
    names = [f"{column}{row}" for row in "1234" for column in "abcde"]
    played = play_match("mnk", "random", "first", 4, out=str(path), options=options)
    header, *games = map(json.loads, path.read_text().splitlines())
    assert (header["game"], header["players"]) == ("mnk", ["random", "first"])
    assert header["options"] == options
    assert [game["game"] for game in games] == [1, 2, 3, 4]
    assert len({game["moves"] for game in games}) == 4
    for game in games:
        assert game.pop("crc")
    assert games == played.games
    assert main(["replay", str(path)]) == 0
    listed = capsys.readouterr().out.splitlines()
    for game in games:
        moves = game["moves"].split()
        assert (game["x"], game["o"]) == ((1, 2) if game["game"] % 2 else (2, 1))
        assert len(game["ms"]) == len(moves)
        assert main(["replay", str(path), "--game", str(game["game"])]) == 0
        shown = capsys.readouterr().out.splitlines()
        assert listed[:2] == [shown[0], f"  {game['moves']}"]
        del listed[:2]
        assert shown[1] == f"x to move; {len(moves)} moves follow"
        slow = reference("mnk", **options)
        for number, move in enumerate(moves, 1):
            if header["players"][game[slow.turn] - 1] == "first":
                assert move == names[slow.legal()[0]]
            note, _, *rows = shown[1 + 6 * number : 7 + 6 * number]
            assert re.match(rf"{number}\. {slow.turn} {move}(;|$)", note)
            slow.play(names.index(move))
            assert [sign for row in rows for sign in re.findall("[.XO]", row)] == [
                mark.upper() for mark in slow.marks
            ]
        outcome = slow.outcome()
        assert outcome is not None
        assert (game["result"], game["termination"]) == (RESULTS[outcome[0]], outcome[1])
        words = {"x": "x wins: ", "o": "o wins: ", None: "draw"}[outcome[0]]
        assert shown[0].startswith(
            f"game {game['game']}: x {header['players'][game['x'] - 1]},"
            f" o {header['players'][game['o'] - 1]}; {game['result']} ({words}"
        )
        assert len(shown) == 7 + 6 * len(moves)
    assert listed == []
    assert main(["replay", str(path), "--json", "--game", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == [games[1]]
    for arguments in (["--game", "9"], ["--game", "0"]):
        assert main(["replay", str(path), *arguments]) == 2
    assert main(["replay", str(tmp_path / "none.txt")]) == 2


def test_resume_plays_the_missing_games(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    settings: dict[str, Any] = {"games": 10, "seed": 1, "openings": "random:2"}
    whole = play_match("connect4", "random", "montecarlo:playouts=2", **settings)
    play_match("connect4", "random", "montecarlo:playouts=2", out=str(path), **settings)
    lines = path.read_bytes().split(b"\n")
    # Lines 2, 5 and 6 were never written, and the last one is torn.
    torn = b"\n".join(lines[:2] + lines[3:5] + lines[7:9]) + b"\n" + lines[9][:30]
    path.write_bytes(torn)
    new: list[int] = []
    played = play_match(
        "connect4",
        "random",
        "montecarlo:playouts=2",
        out=str(path),
        resume=True,
        on_game=lambda game: new.append(game["game"]),
        **settings,
    )
    assert sorted(new) == [2, 5, 6, 9, 10]
    assert without_times(played.games) == without_times(whole.games)
    assert sorted(game["game"] for game in read_games(str(path))[1]) == list(range(1, 11))
    before = path.read_bytes()
    play_match(
        "connect4", "random", "montecarlo:playouts=2", out=str(path), resume=True, **settings
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize("sides", ["swap", "random"])
def test_a_match_can_be_extended(tmp_path: Path, sides: str) -> None:
    """More games of the same match: those of a match that had them from the start."""
    path = str(tmp_path / "games")
    settings: dict[str, Any] = {"openings": "random:2", "sides": sides, "seed": 5}
    play_match("connect4", "random", "first", 3, **settings, out=path)
    for games in (6, 6, 11):
        whole = play_match("connect4", "random", "first", games, **settings)
        found = play_match("connect4", "random", "first", games, **settings, out=path, resume=True)
        assert without_times(found.games) == without_times(whole.games)
        header, saved = read_games(path)
        assert header is not None
        assert header["games"] == games
        assert without_times(saved) == without_times(whole.games)
    with pytest.raises(ValueError, match="different games"):
        play_match("connect4", "random", "first", 6, **settings, out=path, resume=True)


def test_a_tournament_cannot_be_extended(tmp_path: Path) -> None:
    """Its games would get other numbers, and with them other seeds."""
    path = str(tmp_path / "games")
    players = ["random", "first", "montecarlo:playouts=1"]
    play_series(Series("tictactoe", players, 2), out=path)
    with pytest.raises(ValueError, match="different games"):
        play_series(Series("tictactoe", players, 4), out=path, resume=True)


def test_resume_refuses_another_match(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    play_match("connect4", "random", "first", 4, out=str(path))
    with pytest.raises(ValueError, match="--resume"):
        play_match("connect4", "random", "first", 4, out=str(path))
    for change, words in (
        ({"seed": 9}, "seed"),
        ({"games": 2}, "games"),
        ({"sides": "fixed"}, "sides"),
        ({"time": 1.0}, "time"),
        ({"first": "first"}, "players"),
        ({"game": "tictactoe"}, "game"),
    ):
        settings: dict[str, Any] = {
            "game": "connect4",
            "first": "random",
            "second": "first",
            "games": 4,
            **change,
        }
        with pytest.raises(ValueError, match=f"different .*{words}"):
            play_match(**settings, out=str(path), resume=True)
    whole = path.read_bytes()
    for content in (b"hello\n", b"\xff\xfe\n", b"{}\n", whole + b"{}\n", whole + b"x\n", b"hello"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"games\.txt"):
            play_match("connect4", "random", "first", 4, out=str(path), resume=True)
        assert path.read_bytes() == content
    for beginning in (b"", whole[:20]):
        path.write_bytes(beginning)
        play_match("connect4", "random", "first", 4, out=str(path), resume=True)
        assert without_times(read_games(str(path))[1])
    with pytest.raises(ValueError, match="cannot write"):
        play_match("connect4", "random", "first", 4, out=str(tmp_path / "no" / "where.txt"))
    with pytest.raises(ValueError, match="cannot write"):
        play_match("connect4", "random", "first", 4, out=str(tmp_path), resume=True)
    with pytest.raises(ValueError, match="--out"):
        play_match("connect4", "random", "first", 4, resume=True)


def test_shards_are_joined_by_cat(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"games": 11, "seed": 5}
    whole = play_match("connect4", "random", "first", **settings)
    content = b""
    for number in (1, 2, 3):
        path, shard = tmp_path / f"{number}.txt", Shard(number, 3)
        for resume in (False, True):
            part = play_match(
                *("connect4", "random", "first"),
                out=str(path),
                resume=resume,
                shard=shard,
                **settings,
            )
            assert [game["game"] for game in part.games] == [*range(number, 12, 3)]
        content += path.read_bytes()
    joined = tmp_path / "all.txt"
    joined.write_bytes(content)
    played = play_match("connect4", "random", "first", out=str(joined), resume=True, **settings)
    assert without_times(played.games) == without_times(whole.games)
    assert joined.read_bytes() == content
    path.write_bytes(content.replace(b'"seed":5', b'"seed":6', 1))
    with pytest.raises(ValueError, match=r"line 1: damaged"):
        read_games(str(path))
    with pytest.raises(ValueError, match="cannot be combined with a shard"):
        play_match("connect4", "random", "first", sprt=Sprt(0, 10), shard=Shard(1, 2))
    with pytest.raises(ValueError, match="named by texts"):
        play_match("connect4", lambda board: "1", "first", cluster="tcp://localhost:1")


def wait_for_lines(path: Path, count: int) -> None:
    wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") >= count)


PATIENT = """
import time
from pathlib import Path
def last(board):
    here = Path(__file__).parent
    while not (here / "gate").exists() and (here / "games.txt").read_bytes().count(b"\\n") > 3:
        time.sleep(0.01)
    return board.legal_moves[-1]
"""
"""A player that waits at a gate once three games are saved."""


@pytest.mark.parametrize("processes", ["1", "2"])
def test_kill_and_resume(outside: Path, processes: str) -> None:
    (outside / "patient.py").write_text(PATIENT)
    path = outside / "games.txt"
    players = ("mcts:simulations=50", "patient:last")
    arguments = ["match", "ultimate", *players, "--games", "12"]
    arguments += ["--out", str(path), "--processes", processes]
    process = start(*arguments)
    wait_for_lines(path, 4)
    process.kill()
    process.communicate()
    saved = read_games(str(path))[1]
    assert 3 <= len(saved) < 12
    (outside / "gate").touch()
    done = start(*arguments, "--resume", "--json")
    report = json.loads(done.communicate(timeout=300)[0])
    assert (report["played"], report["stopped"]) == (12, "")
    assert read_games(str(path))[1][: len(saved)] == saved
    whole = play_match("ultimate", *players, 12)
    games = sorted(read_games(str(path))[1], key=lambda game: int(game["game"]))
    assert without_times(games) == without_times(whole.games)


@pytest.mark.parametrize("processes", ["1", "2"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_keeps_the_games(tmp_path: Path, processes: str, number: int) -> None:
    path = tmp_path / "games.txt"
    process = start(
        *("match", "ultimate", "mcts:simulations=2000", "random", "--games", "1000"),
        *("--out", str(path), "--processes", processes, "--json"),
    )
    wait_for_lines(path, 3)
    os.kill(process.pid, number)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 128 + number
    assert "Traceback" not in errors
    report = json.loads(output)
    assert report["stopped"] == "interrupted"
    assert report["played"] == len(read_games(str(path))[1]) >= 2


def test_a_file_serves_one_match_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    arguments = ["match", "ultimate", "mcts:simulations=2000", "random", "--games", "1000"]
    process = start(*arguments, "--out", str(path))
    try:
        wait_for_lines(path, 2)
        other = start(*arguments, "--out", str(path), "--resume")
        assert "another process is writing it" in other.communicate(timeout=300)[1]
        assert other.returncode == 2
    finally:
        process.kill()
        process.communicate()
