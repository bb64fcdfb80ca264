"""Matches: plays a series of games, saves each game and reports the result.

>>> from ttt.matches.match import play_match
>>> play_match("tictactoe", "minimax", "first", games=2)
<MatchResult: tictactoe, 2 of 2 games: minimax 2, first 0>
"""

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any

from ttt.board import Board
from ttt.jobs import Progress, Shard, run_jobs
from ttt.limits import MOST_PROCESSES, check_whole
from ttt.matches.game import play_game
from ttt.matches.jobs import TASK
from ttt.matches.rating import Sprt
from ttt.matches.record import Recorder, SavedGame, read_games, score_of
from ttt.matches.result import MatchResult
from ttt.matches.series import Series, read_openings
from ttt.matches.standings import independent_scores
from ttt.players.spec import Player, as_player, make_player


def play_match(
    game: str,
    first: str | Player | Callable[[Board], str],
    second: str | Player | Callable[[Board], str],
    games: int = 100,
    *,
    seed: int = 0,
    openings: str = "",
    sides: str = "swap",
    time: float | None = None,
    options: dict[str, Any] | None = None,
    **settings: Any,
) -> MatchResult:
    """Plays a match of two players: texts, objects with `choose`, or functions that take the board
    and return the move.

    `openings` is "random:K" or the name of a file of moves; `sides` is "swap", "fixed" or "random";
    `time` is in seconds per move. `settings` are those of `play_series`: out, resume, processes,
    cluster, shard, sprt, progress, on_game.
    """
    name, lines = read_openings(openings)
    players = [
        player if isinstance(player, str) else as_player(player) for player in (first, second)
    ]
    names = [player if isinstance(player, str) else repr(player) for player in players]
    series = Series(game, names, games, options or {}, seed, name, lines, sides, time)
    if not all(isinstance(player, str) for player in players):
        board = series.board()
        settings["players"] = [
            make_player(player, board, time) if isinstance(player, str) else player
            for player in players
        ]
    return play_series(series, **settings)


def play_series(
    series: Series,
    out: str | None = None,
    resume: bool = False,
    processes: int = 1,
    cluster: str | None = None,
    shard: Shard | None = None,
    sprt: Sprt | None = None,
    progress: bool = False,
    on_game: Callable[[SavedGame], None] | None = None,
    players: list[Player] | None = None,
) -> MatchResult:
    """Plays the games of a series. Ctrl-C ends it and returns the games played so far.

    `out` is a file to which each game is appended; `resume` plays only the games missing there.
    `cluster` is the address of a Dask scheduler; `shard` plays a part of the games: see `ttt.jobs`.
    `sprt` ends the series as soon as the test is decided; `progress` shows the progress on stderr;
    `on_game` is called with each finished game. `players` are objects that play instead of the
    players named in the series; they play in this process.
    """
    series.check(named=players is None)
    if resume and not out:
        raise ValueError("--resume needs --out FILE, the file to continue")
    if sprt and len(series.players) != 2:
        raise ValueError("a sequential test needs exactly two players")
    if sprt and shard:
        raise ValueError("a sequential test needs all games: it cannot be combined with a shard")
    if cluster and players:
        raise ValueError("players on a cluster must be named by texts")
    check_whole("processes", processes, MOST_PROCESSES)
    recorder = Recorder(out, series.settings(), resume) if out else None
    done = {game["game"]: game for game in (recorder.games if recorder else ())}
    numbers = (shard or Shard()).select(range(1, series.total + 1))
    missing = [number for number in numbers if number not in done]
    bar = Progress(len(numbers), len(numbers) - len(missing), "games") if progress else None
    scores = Counter(score_of(game, 1) for game in done.values())
    stopped = ""
    games = play_games(series, missing, processes, cluster, players)
    try:
        while True:
            if sprt and (accepted := sprt.accepted(independent_scores(series, [*done.values()]))):
                stopped = accepted
                break
            game = next(games, None)
            if game is None:
                break
            if recorder:
                recorder.add(game)
            done[game["game"]] = game
            scores[score_of(game, 1)] += 1
            if bar:
                detail = f"+{scores[1]} ={scores[0.5]} -{scores[0]}"
                bar.add(detail if len(series.players) == 2 else "")
            if on_game:
                on_game(game)
    except KeyboardInterrupt:
        stopped = "interrupted"
    finally:
        games.close()
        if recorder:
            recorder.close()
        if bar:
            bar.close()
    if stopped == "interrupted" and out:  # perhaps between writing a game and counting it
        done = {game["game"]: game for game in read_games(out)[1]}
    return MatchResult(series, [done[number] for number in sorted(done)], stopped, sprt)


def play_games(
    series: Series,
    numbers: list[int],
    processes: int = 1,
    cluster: str | None = None,
    players: list[Player] | None = None,
) -> Generator[SavedGame, None, None]:
    """Plays the games with these numbers and yields each as it finishes."""
    if players is None:
        settings = series.settings()
        jobs = run_jobs(TASK, settings, numbers, processes=processes, cluster=cluster)
        with closing(jobs):
            for _, game in jobs:
                yield game
        return
    by_number = dict(enumerate(players, 1))
    for number in numbers:
        yield play_game(series.fixture(number), series.board(), by_number, series.time)
