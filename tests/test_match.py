"""Matches: the games of a series, players that fail, the command line."""

import json
import math
import re
import signal
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support.games import without_times
from ttt import Board
from ttt.cli.main import main
from ttt.matches import game as game_module
from ttt.matches.jobs import Games
from ttt.matches.match import play_match, play_series
from ttt.matches.rating import Sprt
from ttt.matches.record import SavedGame
from ttt.matches.series import Series

BAD = """
import os, sys, time
def illegal(board): return "nonsense"
def nothing(board): return None
def taken(board): return board.moves[-1] if board.moves else "5"
def error(board): raise RuntimeError("boo")
def leave(board): sys.exit(3)
def slow(board):
    while True:
        time.sleep(0.01)
def die(board): os._exit(7)
def noisy(board):
    print("chatter", flush=True)
    board.push(board.legal_moves[0])
    return board.moves[-1]
class Forgetful:
    def new_game(self, seed): raise ValueError("no")
    def choose(self, board): return board.legal_moves[0]
"""


@pytest.fixture
def bad(outside: Path) -> Path:
    (outside / "bad.py").write_text(BAD)
    return outside


# --- the games of a series ------------------------------------------------------------------------


def test_pairs_share_an_opening_and_swap_sides() -> None:
    series = Series("connect4", ["random", "first"], 20, openings="random:4", seed=7)
    fixtures = [series.fixture(number) for number in range(1, 21)]
    for first, second in zip(fixtures[::2], fixtures[1::2], strict=True):
        assert first.opening == second.opening
        assert (first.x, first.o) == (1, 2)
        assert (second.x, second.o) == (2, 1)
    assert len({fixture.opening for fixture in fixtures}) > 5
    assert len({fixture.seed for fixture in fixtures}) == 20
    for fixture in fixtures:
        board = Board("connect4")
        board.push_moves(fixture.opening)
        assert board.ply == 4
        assert not any(map(board.is_legal, board.wins()))
    assert (
        fixtures[0].opening
        != Series("connect4", ["random", "first"], 20, openings="random:4", seed=8)
        .fixture(1)
        .opening
    )


def test_random_openings_leave_the_game_open() -> None:
    series = Series("nineboard", ["random", "first"], 60, openings="random:8")
    for number in range(30):
        board = Board("nineboard")
        board.push_moves(series.opening(number))
        assert board.ply == 8
        assert not any(map(board.is_legal, board.wins()))
        assert board.safe_moves()


def test_sides_fixed_or_random() -> None:
    fixed = Series("qubic", ["random", "first"], 50, sides="fixed")
    assert {fixed.fixture(number).x for number in range(1, 51)} == {1}
    drawn = Series("qubic", ["random", "first"], 200, sides="random")
    assert 70 < sum(drawn.fixture(number).x == 1 for number in range(1, 201)) < 130


def test_openings_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text("# two\n4 4\n\n3 5 3 # comment\n")
    played = play_match("connect4", "random", "random", 6, openings=str(path))
    starts = [game["moves"].split()[: game["opening"]] for game in played.games]
    assert starts == [["4", "4"]] * 2 + [["3", "5", "3"]] * 2 + [["4", "4"]] * 2
    for content, words in (
        ("8\n", "not a move"),
        ("4 4 4 4 4 4 4\n", "full"),
        ("1212121\n", "ends the game"),
        ("\n#\n", "no moves"),
    ):
        path.write_text(content)
        with pytest.raises(ValueError, match=words):
            play_match("connect4", "random", "random", 2, openings=str(path))


def test_games_do_not_depend_on_the_processes(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"games": 8, "seed": 3, "openings": "random:2"}
    one = play_match("nineboard", "mcts:simulations=30", "random", **settings)
    two = play_match("nineboard", "mcts:simulations=30", "random", processes=2, **settings)
    assert without_times(one.games) == without_times(two.games)
    other = play_match("nineboard", "mcts:simulations=30", "random", **{**settings, "seed": 4})
    assert without_times(one.games) != without_times(other.games)


def test_every_game_has_its_own_seed() -> None:
    """Without openings, only the seeds tell the games of a match apart."""

    class Listener:
        def __init__(self) -> None:
            self.seeds: list[int] = []

        def new_game(self, seed: int) -> None:
            self.seeds.append(seed)

        def choose(self, board: Board) -> str:
            return board.legal_moves[0]

    def seeds(seed: int) -> list[list[int]]:
        first, second = Listener(), Listener()
        play_match("tictactoe", first, second, 12, seed=seed)
        return [first.seeds, second.seeds]

    first, second = seeds(1)
    assert len({*first, *second}) == 24
    assert seeds(1) == [first, second]
    assert not {*first, *second} & {number for found in seeds(2) for number in found}


@pytest.mark.parametrize(
    "player", ["random", "montecarlo:playouts=2", "mcts:simulations=20", "level-1"]
)
def test_games_of_a_match_differ(player: str) -> None:
    def games(seed: int) -> list[str]:
        return [game["moves"] for game in play_match("qubic", player, player, 8, seed=seed).games]

    found = games(1)
    assert len({*found}) == 8
    assert games(1) == found
    assert not {*games(2)} & {*found}


def test_counts_and_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that runs only while a player thinks: 1, 2, 3, ... ms for each move of one player,
    none for the other."""
    now = [0.0]
    monkeypatch.setattr(game_module, "clock", SimpleNamespace(perf_counter=lambda: now[0]))

    class Slower:
        moves = 0

        def choose(self, board: Board) -> str:
            self.moves += 1
            now[0] += self.moves / 1000
            return board.legal_moves[0]

    player = Slower()
    played = play_match("tictactoe", player, "random:seed=2", 10, openings="random:1")
    slower, other = played.standings
    assert slower.games == other.games == 10
    assert (slower.won, slower.drawn, slower.lost) == (other.lost, other.drawn, other.won)
    assert slower.points == slower.won + slower.drawn / 2
    assert sum(slower.as_x) == sum(slower.as_o) == 5
    results = [(game["x"], game["result"]) for game in played.games]
    assert slower.as_x == [results.count((1, text)) for text in ("1-0", "1/2-1/2", "0-1")]
    assert slower.as_o == [results.count((2, text)) for text in ("0-1", "1/2-1/2", "1-0")]
    assert slower.ms == pytest.approx(range(1, player.moves + 1))
    assert slower.mean_ms == pytest.approx((player.moves + 1) / 2)
    assert slower.p95_ms == pytest.approx(math.ceil(0.95 * player.moves))
    moves = sum(len(game["moves"].split()) - 1 for game in played.games)
    assert other.ms == [0.0] * (moves - player.moves)


def test_a_function_plays() -> None:
    def last(board: Board) -> str:
        return board.legal_moves[-1]

    played = play_match("connect4", last, "first", 4)
    assert played.standings[0].games == 4
    assert "last" in played.text()
    for wrong in (5, Board, object()):
        with pytest.raises(TypeError, match=r"choose\(board\) or a function"):
            play_match("connect4", wrong, "first", 4)  # type: ignore[arg-type]


def test_a_match_in_another_thread() -> None:
    found: list[Any] = []
    thread = threading.Thread(
        target=lambda: found.append(play_match("tictactoe", "random", "first", 2, time=1.0))
    )
    thread.start()
    thread.join()
    assert len(found[0].games) == 2


def test_an_interrupted_series_keeps_its_games() -> None:
    def interrupted(board: Board) -> str:
        if len(finished) == 3:
            raise KeyboardInterrupt
        return board.legal_moves[0]

    finished: list[SavedGame] = []
    played = play_match("tictactoe", interrupted, "first", 9, on_game=finished.append)
    assert (played.stopped, played.games) == ("interrupted", finished)


def test_a_result_has_a_short_repr() -> None:
    played = play_match("tictactoe", "minimax", "first", 4)
    assert repr(played) == "<MatchResult: tictactoe, 4 of 4 games: minimax 4, first 0>"


def test_settings_that_cannot_be_played(tmp_path: Path) -> None:
    for settings, words in (
        ({"sides": "draw"}, "unknown sides 'draw'; choose from swap, fixed, random"),
        ({"games": 0}, "games=0: expected at least 1"),
        ({"games": 10**7}, "1,000,000 in all"),
        ({"time": 0.0}, "time=0.0: expected seconds, more than 0"),
        ({"openings": "random:9"}, "expected random:K with K from 0 to 8"),
        ({"openings": "random:8", "options": {}}, ""),
        ({"processes": 2000}, "processes=2000: expected a whole number from 1 to 1024"),
    ):
        given: dict[str, Any] = {"games": 2, **settings}
        if words:
            with pytest.raises(ValueError, match=words):
                play_match("tictactoe", "random", "first", **given)
        else:
            assert len(play_match("tictactoe", "random", "first", **given).games) == 2
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="not a text file"):
        play_match("tictactoe", "random", "first", 2, openings=str(tmp_path / "binary"))
    with pytest.raises(ValueError, match="exactly two players"):
        play_series(Series("tictactoe", ["first"] * 3, 2), sprt=Sprt(0, 10))
    with pytest.raises(ValueError, match="always end the game"):
        play_match("mnk", "first", "random", 2, openings="random:2", options={"m": 2, "k": 1})


def test_games_note_their_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    series = Series("tictactoe", ["first", "first"], 2)
    noted: list[Any] = []
    monkeypatch.setattr("ttt.matches.jobs.note", noted.append)
    play = Games(series.settings())
    games = [play(number) for number in (1, 2)]
    assert without_times(games) == without_times(play_series(series).games)
    assert noted[:3] == ["", "1", "1 2"]
    assert len(noted) >= sum(len(game["moves"].split()) for game in games)
    crashed = play.after_crash(1, "1 2", -9)
    assert (crashed["result"], crashed["termination"]) == ("0-1", "crash")
    assert crashed["error"] == "its process ended with status -9"
    assert crashed["moves"] == "1 2"
    assert play.after_crash(2, None, 7)["moves"] == ""


def test_series_of_objects_need_no_names() -> None:
    class Last:
        def choose(self, board: Board) -> str:
            return board.legal_moves[-1]

    played = play_series(Series("connect4", ["last", "other"], 2), players=[Last(), Last()])
    assert [standing.player for standing in played.standings] == ["last", "other"]


# --- players that misbehave -----------------------------------------------------------------------


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("illegal", "illegal"),
        ("nothing", "illegal"),
        ("taken", "illegal"),
        ("error", "exception"),
        ("leave", "exception"),
        ("Forgetful", "exception"),
        ("slow", "timeout"),
        ("die", "crash"),
        ("noisy", ""),
    ],
)
def test_errors_lose_the_game_and_are_counted(
    bad: Path, name: str, kind: str, processes: int
) -> None:
    if kind == "crash" and processes == 1:
        pytest.skip("it would end the test process")
    settings: dict[str, Any] = {"processes": processes}
    if kind == "timeout":
        settings.update(time=0.01, sides="fixed")  # `first`, too, would lose on a stalled machine
    played = play_match("tictactoe", f"bad:{name}", "first", 2, **settings)
    standing = played.standings[0]
    assert len(played.games) == 2
    expected = {"illegal": 0, "exception": 0, "timeout": 0, "crash": 0}
    if kind:
        expected[kind] = 2
        assert standing.lost == 2
        assert all(game["error"] for game in played.games)
    assert standing.errors == expected
    assert not any(played.standings[1].errors.values())


def test_the_first_error_is_reported(bad: Path) -> None:
    played = play_match("connect4", "bad:error", "first", 4)
    assert played.standings[0].first_error == "game 1: RuntimeError: boo"
    assert "first error of bad:error: game 1: RuntimeError: boo" in played.text()
    assert played.as_dict()["standings"][1]["first_error"] == ""


def test_a_slow_move_loses_without_interval_timers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without interval timers a move that never ends is interrupted too."""
    monkeypatch.delattr(signal, "setitimer")

    def slow(board: Board) -> str:
        while True:
            pass

    played = play_match("tictactoe", slow, "first", 1, time=0.001)
    assert played.standings[0].errors["timeout"] == 1


def test_a_slow_move_loses_outside_the_main_thread() -> None:
    """There it cannot be interrupted, but its time is known afterwards."""
    found: list[int] = []

    def slow(board: Board) -> str:
        time.sleep(0.53)
        return board.legal_moves[0]

    def play() -> None:
        played = play_match("tictactoe", slow, "first", 1, time=0.001)
        found.append(played.standings[0].errors["timeout"])

    thread = threading.Thread(target=play)
    thread.start()
    thread.join()
    assert found == [1]


def test_a_time_that_would_lose_every_game_is_refused() -> None:
    with pytest.raises(ValueError, match=r"engine:time=1 takes 1 s .* more than 0\.7 s"):
        play_match("connect4", "engine:time=1", "random", 2, time=0.1)
    assert play_match("tictactoe", "engine:time=0.01", "level-10", 2, time=0.1).games


# --- the command line -----------------------------------------------------------------------------


def test_match_reports(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["match", "connect4", "level-3", "random", "--games", "6", "--seed", "1"]
    assert main([*arguments, "--json"]) == 0
    output = capsys.readouterr()
    report = json.loads(output.out)
    assert output.err.splitlines()[-1].startswith("6/6 games")
    first = report["standings"][0]
    assert first["won"] + first["drawn"] + first["lost"] == report["played"] == 6
    assert min(first["moves"], first["mean_ms"], first["p95_ms"]) > 0
    assert report["score"] == pytest.approx(first["points"] / 6)
    assert main(arguments) == 0
    text = capsys.readouterr().out
    for words in ("connect4: 6 of 6 games", "level-3", "p95", "Elo", "95%", "superiority"):
        assert words in text
    assert main([*arguments[:6], "--set", "rows=5", "--sides", "fixed"]) == 0


def test_tournament(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["tournament", "tictactoe", "minimax", "random", "first", "--games", "4"]
    assert main([*arguments, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["played"] == report["games"] == 12
    table = report["table"]
    for i in range(3):
        assert table[i][i] is None
        for j in range(i):
            assert table[i][j] + table[j][i] == 4
    assert [sum(cell or 0 for cell in row) for row in table] == [
        standing["points"] for standing in report["standings"]
    ]
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split()[:2] == ["1", "minimax"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["match", "connect4", "random"],
        ["match", "chess", "random", "random"],
        ["match", "connect4", "random", "human"],
        ["match", "connect4", "random", "nobody"],
        ["match", "connect4", "random", "random", "--games", "0"],
        ["match", "connect4", "random", "random", "--games", "-4"],
        ["match", "connect4", "random", "random", "--time", "nan"],
        ["match", "connect4", "random", "random", "--time", "-1"],
        ["match", "connect4", "random", "random", "--time", "inf"],
        ["match", "connect4", "random", "random", "--processes", "0"],
        ["match", "connect4", "random", "random", "--resume"],
        ["match", "connect4", "random", "random", "--openings", "random:x"],
        ["match", "connect4", "random", "random", "--openings", "random:99"],
        ["match", "connect4", "random", "random", "--openings", "/no/such/file"],
        ["match", "connect4", "random", "random", "--openings", "/dev"],
        ["match", "connect4", "random", "random", "--sprt", "5"],
        ["match", "connect4", "random", "random", "--sides", "both"],
        ["match", "connect4", "random", "random", "--out", "/proc/nope"],
        ["match", "tictactoe", "random", "random", "--set", "full=draw"],
        ["tournament", "connect4", "random"],
        ["replay", "/no/such/file"],
        ["replay", "/dev/null"],
        ["replay", "/dev"],
    ],
)
def test_bad_use(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main(arguments)
    except SystemExit as leave:
        status = int(str(leave.code))
    found = capsys.readouterr()
    assert (status, found.out) == (2, "")
    assert len(found.err.splitlines()) == 1


def test_progress_in_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    play_match("tictactoe", "minimax", "first", 2, progress=True)
    last = capsys.readouterr().err.split("\r")[-1]
    assert re.fullmatch(r"\[#{20}\] 2/2 games  \+2 =0 -0, [\d.,]+/s, 0:00\x1b\[K\n", last)
