"""Matches: fixtures, results, saved games, resuming, ratings, and players that fail."""

import json
import math
import os
import re
import signal
import sys
import threading
import time
from pathlib import Path
from random import Random
from statistics import NormalDist, fmean, pvariance, variance
from types import SimpleNamespace
from typing import Any

import pytest

from support.commands import start
from support.processes import wait_until
from support.reference import reference
from ttt import Board
from ttt.cli.main import main
from ttt.jobs import Shard
from ttt.matches import game as game_module
from ttt.matches.jobs import Games
from ttt.matches.match import play_match, play_series
from ttt.matches.rating import Sprt, elo_of, expected_score, parse_sprt, rate
from ttt.matches.record import SavedGame, read_games, replay
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
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for custom players."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


@pytest.fixture
def bad(outside: Path) -> Path:
    (outside / "bad.py").write_text(BAD)
    return outside


def without_times(games: list[SavedGame]) -> list[dict[str, Any]]:
    return [{**game, "ms": len(game["ms"])} for game in games]


# --- the games of a series -----------------------------------------------------------------------


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
        assert saved["result"] == {"x": "1-0", "o": "0-1", None: "1/2-1/2"}[outcome[0]]
        assert saved["termination"] == outcome[1]
        assert " ".join(board.moves) == saved["moves"]
        assert list(board.marks) == slow.marks
        assert board.result() == saved["result"]
        assert {**board.options, **options} == board.options
    assert main(["replay", path, "--game", "1"]) == 0
    assert replay(header, games[0]).status() in capsys.readouterr().out


# --- players that misbehave ----------------------------------------------------------------------


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


# --- files ---------------------------------------------------------------------------------------


def test_games_are_saved_and_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "games.txt")
    played = play_match("ultimate", "random", "first", 4, out=path, options={"tie": "boards"})
    header, games = read_games(path)
    assert header is not None
    assert games == played.games
    assert header["options"] == {"tie": "boards"}
    assert main(["replay", path]) == 0
    listed = capsys.readouterr().out
    assert [line.split(":")[0] for line in listed.splitlines() if line.startswith("game ")] == [
        f"game {number}" for number in range(1, 5)
    ]
    assert main(["replay", path, "--game", "3"]) == 0
    shown = capsys.readouterr().out
    assert f"x {games[2]['moves'][:3]}" in shown
    board = replay(header, games[2])
    assert board.status() in shown
    assert main(["replay", path, "--json", "--game", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == [games[1]]
    for arguments in (["--game", "9"], ["--game", "0"]):
        assert main(["replay", path, *arguments]) == 2
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


def test_a_function_plays() -> None:
    def last(board: Board) -> str:
        return board.legal_moves[-1]

    played = play_match("connect4", last, "first", 4)
    assert played.standings[0].games == 4
    assert "last" in played.text()
    for wrong in (5, Board, object()):
        with pytest.raises(TypeError, match=r"choose\(board\) or a function"):
            play_match("connect4", wrong, "first", 4)  # type: ignore[arg-type]


def test_the_first_error_is_reported(bad: Path) -> None:
    played = play_match("connect4", "bad:error", "first", 4)
    assert played.standings[0].first_error == "game 1: RuntimeError: boo"
    assert "first error of bad:error: game 1: RuntimeError: boo" in played.text()
    assert played.as_dict()["standings"][1]["first_error"] == ""


def test_a_time_that_would_lose_every_game_is_refused() -> None:
    with pytest.raises(ValueError, match=r"engine:time=1 takes 1 s .* more than 0\.7 s"):
        play_match("connect4", "engine:time=1", "random", 2, time=0.1)
    assert play_match("tictactoe", "engine:time=0.01", "level-10", 2, time=0.1).games


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


# --- ratings -------------------------------------------------------------------------------------


def test_elo() -> None:
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    assert elo_of(0.75) == pytest.approx(190.848, abs=1e-3)
    assert elo_of(expected_score(123.4)) == pytest.approx(123.4)
    assert elo_of(1) == math.inf
    assert elo_of(0) == -math.inf


def test_rating() -> None:
    # Wilson's interval of 80 of 100 is 0.71117 to 0.86664.
    found = rate(80, 0, 20)
    assert found.elo == pytest.approx(240.82, abs=0.01)
    assert expected_score(found.low) == pytest.approx(0.71117, abs=1e-5)
    assert expected_score(found.high) == pytest.approx(0.86664, abs=1e-5)
    assert found.los == pytest.approx(1.0, abs=1e-6)
    # 10 wins to 5: the normal distribution at 5 / sqrt(15).
    assert rate(10, 85, 5).los == pytest.approx(0.9016, abs=1e-3)
    mirrored = rate(20, 0, 80)
    assert mirrored.low == pytest.approx(-found.high)
    # Draws give a narrower interval than wins and losses; a score of 100% has a finite lower end.
    drawish = rate(20, 70, 10)
    assert drawish.high - drawish.low < rate(55, 0, 45).high - rate(55, 0, 45).low
    assert 400 < rate(100, 0, 0).low < 700
    assert rate(0, 0, 0).los == 0.5
    # Pairs that always split have no variance.
    assert rate(50, 0, 50, [0.5] * 48 + [1.0, 0.0]).high < rate(50, 0, 50).high / 3


@pytest.mark.parametrize(
    ("won", "drawn", "lost"),
    [(80, 0, 20), (10, 85, 5), (3, 1, 9), (1, 0, 0), (0, 7, 3), (40, 5, 2)],
)
def test_superiority_by_the_normal_distribution(won: int, drawn: int, lost: int) -> None:
    """(won - lost) / sqrt(won + lost) standard deviations above 0; draws do not matter."""
    expected = NormalDist().cdf((won - lost) / math.sqrt(won + lost))
    assert rate(won, drawn, lost).los == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("won", "drawn", "lost", "pairs"),
    [
        (80, 0, 20, []),
        (30, 50, 20, []),
        (2, 1, 4, []),
        (10, 10, 4, [1.0, 0.75, 0.75, 0.5, 0.5, 1.0, 0.25, 0.75, 0.5, 0.75, 0.5, 0.25]),
    ],
)
def test_ends_of_the_interval_solve_its_definition(
    won: int, drawn: int, lost: int, pairs: list[float]
) -> None:
    """Wilson's interval: the scores p whose distance from the observed one is 1.96 standard
    deviations of p, for the number of decisive games that have the observed variance."""
    games = won + drawn + lost
    results = [1.0] * won + [0.5] * drawn + [0.0] * lost
    spread = 2 * variance(pairs) if pairs else pvariance(results)
    score = fmean(results)
    decisive = games * score * (1 - score) / spread
    found = rate(won, drawn, lost, pairs)
    assert found.score == pytest.approx(score)
    assert expected_score(found.elo) == pytest.approx(score)
    for end, side in ((found.low, -1), (found.high, 1)):
        p = expected_score(end)
        deviation = math.sqrt(p * (1 - p) / decisive)
        assert (p - score) / deviation == pytest.approx(side * NormalDist().inv_cdf(0.975))


def test_the_interval_holds_the_truth() -> None:
    random = Random(1)
    held = 0
    for _ in range(300):
        scores = random.choices((1.0, 0.5, 0.0), (0.4, 0.35, 0.25), k=60)
        found = rate(scores.count(1.0), scores.count(0.5), scores.count(0.0))
        held += found.low <= elo_of(0.575) <= found.high
    assert 270 <= held <= 298


def test_sprt_decides_rightly() -> None:
    random = Random(2)
    sprt = Sprt(0, 60)
    for strength, wanted in ((0.0, "H0"), (60.0, "H1")):
        chance = expected_score(strength)
        accepted = []
        for _ in range(60):
            scores: list[float] = []
            while (found := sprt.accepted(scores)) is None:
                scores += [float(random.random() < chance) for _ in range(20)]
            accepted.append(found)
        assert accepted.count(wanted) >= 51
    for bad in ("", "5", "5,5", "10,0", "nan,1", "0,inf", "0,10,2,2", "0,10,0.05,0.05,1", "x,y"):
        with pytest.raises(ValueError, match="sprt"):
            parse_sprt(bad)


def log_likelihood_ratio(sprt: Sprt, scores: list[float]) -> float:
    """By its definition, with normal distributions of the variance of the scores and one draw."""
    mean = fmean(scores)
    spread = sum((score - mean) ** 2 for score in [*scores, 0.5]) / len(scores)
    low, high = (
        NormalDist(expected_score(elo), math.sqrt(spread)) for elo in (sprt.elo0, sprt.elo1)
    )
    return sum(math.log(high.pdf(score) / low.pdf(score)) for score in scores)


def test_the_log_likelihood_ratio_by_its_definition() -> None:
    random = Random(4)
    for _ in range(100):
        elo0 = random.uniform(-100, 100)
        sprt = Sprt(elo0, elo0 + random.uniform(1, 100))
        scores = random.choices((1.0, 0.75, 0.5, 0.25, 0.0), k=random.randrange(2, 80))
        assert sprt.llr(scores) == pytest.approx(log_likelihood_ratio(sprt, scores))
    # 6 wins and 2 losses: mean 0.75, variance (6/16 + 2 * 9/16 + 1/16) / 8 = 0.1953125;
    # 8 * (p1 - p0) * (2 * 0.75 - p0 - p1) / (2 * 0.1953125), with p0 = 1/2 and p1 = 10/11.
    assert Sprt(0, 400).llr([1.0] * 6 + [0.0] * 2) == pytest.approx(
        8 * (10 / 11 - 1 / 2) * (1.5 - 1 / 2 - 10 / 11) / 0.390625
    )
    assert Sprt(0, 10).llr([]) == Sprt(0, 10).llr([1.0]) == 0


def test_sprt_bounds_are_those_of_wald(monkeypatch: pytest.MonkeyPatch) -> None:
    """H1 from log((1 - beta) / alpha) on, H0 from log(beta / (1 - alpha)) down."""
    sprt = parse_sprt("0,10,0.01,0.2")
    assert sprt == Sprt(0, 10, alpha=0.01, beta=0.2)
    assert Sprt(0, 10)[2:] == (0.05, 0.05)
    for llr, accepted in (
        (4.383, "H1"),  # log(0.8 / 0.01) = 4.3820
        (4.381, None),
        (0.0, None),
        (-1.599, None),  # log(0.2 / 0.99) = -1.5994
        (-1.600, "H0"),
    ):
        monkeypatch.setattr(Sprt, "llr", lambda self, scores, llr=llr: llr)
        assert sprt.accepted([]) == accepted, llr


def test_sprt_errors_are_as_rare_as_asked() -> None:
    """Unequal error rates, with drawn games: at most about alpha and beta of wrong verdicts."""
    random, sprt = Random(6), Sprt(-30, 30, alpha=0.02, beta=0.3)
    for elo, wrong, most in ((-30, "H1", 0.02), (30, "H0", 0.3)):
        win = expected_score(elo) - 0.2
        verdicts = []
        for _ in range(300):
            scores: list[float] = []
            while (found := sprt.accepted(scores)) is None:
                scores += random.choices((1.0, 0.5, 0.0), (win, 0.4, 0.6 - win), k=10)
            verdicts.append(found)
        assert verdicts.count(wrong) <= 300 * most * 1.5
        assert wrong == "H1" or verdicts.count(wrong) > 300 * most / 3


def test_sprt_ends_a_match_early(tmp_path: Path) -> None:
    path = str(tmp_path / "games.txt")
    for resume in (False, True):
        played = play_match(
            *("connect4", "mcts:simulations=200", "random", 500),
            sprt=Sprt(0, 100),
            out=path,
            resume=resume,
        )
        assert played.stopped == "H1"
        assert len(played.games) < 100
        assert played.as_dict()["sprt"]["accepted"] == "H1"
    assert len(read_games(path)[1]) == len(played.games)


# --- the command line ----------------------------------------------------------------------------


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


def test_a_match_in_another_thread() -> None:
    found: list[Any] = []
    thread = threading.Thread(
        target=lambda: found.append(play_match("tictactoe", "random", "first", 2, time=1.0))
    )
    thread.start()
    thread.join()
    assert len(found[0].games) == 2


def test_a_slow_move_loses_without_interval_timers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without interval timers a move cannot be interrupted, but its time is known afterwards."""
    monkeypatch.delattr(signal, "setitimer")

    def slow(board: Board) -> str:
        time.sleep(0.53)
        return board.legal_moves[0]

    played = play_match("tictactoe", slow, "first", 1, time=0.001)
    assert played.standings[0].errors["timeout"] == 1


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


def test_progress_in_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    play_match("tictactoe", "minimax", "first", 2, progress=True)
    last = capsys.readouterr().err.split("\r")[-1]
    assert re.fullmatch(r"\[#{20}\] 2/2 games  \+2 =0 -0, [\d.,]+/s, 0:00\x1b\[K\n", last)


def test_a_report_of_a_sequential_test() -> None:
    played = play_match("tictactoe", "minimax", "first", 2, sprt=Sprt(0, 10))
    assert "SPRT of Elo 0 (H0) against 10 (H1): log-likelihood ratio +0.00, undecided" in (
        played.text()
    )
    assert played.as_dict()["sprt"]["accepted"] is None
    played = play_match("tictactoe", "minimax", "first", 40, sprt=Sprt(0, 100), time=1.0)
    assert "H1 accepted" in played.text()
    assert "1 s per move" in played.text()
    played = play_match("tictactoe", "minimax", "first", 60, sides="fixed", sprt=Sprt(0, 100))
    assert played.stopped == "H1"
    assert "first player is x" in played.text()


def test_series_of_objects_need_no_names() -> None:
    class Last:
        def choose(self, board: Board) -> str:
            return board.legal_moves[-1]

    played = play_series(Series("connect4", ["last", "other"], 2), players=[Last(), Last()])
    assert [standing.player for standing in played.standings] == ["last", "other"]
