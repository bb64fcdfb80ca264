"""Matches: plays a series of games, saves each game and reports the result.

>>> from ttt.matches.match import play_match
>>> play_match("tictactoe", "minimax", "first", games=2)
<MatchResult: tictactoe, 2 of 2 games: minimax 2, first 0>
"""

from collections.abc import Callable, Generator
from typing import Any

from ttt.board import Board
from ttt.limits import check_whole
from ttt.matches.game import play_game
from ttt.matches.progress import Progress
from ttt.matches.rating import Sprt
from ttt.matches.record import Recorder, SavedGame
from ttt.matches.result import MatchResult
from ttt.matches.series import Series, read_openings
from ttt.matches.standings import independent_scores
from ttt.matches.workers import play_in_processes
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
    sprt, progress, on_game.
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
    sprt: Sprt | None = None,
    progress: bool = False,
    on_game: Callable[[SavedGame], None] | None = None,
    players: list[Player] | None = None,
) -> MatchResult:
    """Plays the games of a series. Ctrl-C ends it and returns the games played so far.

    `out` is a file to which each game is appended; `resume` plays only the games missing there.
    `sprt` ends the series as soon as the test is decided; `progress` shows the progress on stderr;
    `on_game` is called with each finished game. `players` are objects that play instead of the
    players named in the series; they play in this process.
    """
    series.check(named=players is None)
    if resume and not out:
        raise ValueError("--resume needs --out FILE, the file to continue")
    if sprt and len(series.players) != 2:
        raise ValueError("a sequential test needs exactly two players")
    check_whole("processes", processes, 1024)
    recorder = Recorder(out, series.settings(), resume) if out else None
    done = {game["game"]: game for game in (recorder.games if recorder else ())}
    missing = [number for number in range(1, series.total + 1) if number not in done]
    bar = Progress(series, list(done.values())) if progress else None
    stopped = ""
    games = play_games(series, missing, processes, players)
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
            if bar:
                bar.show(game)
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
    return MatchResult(series, [done[number] for number in sorted(done)], stopped, sprt)


def play_games(
    series: Series, numbers: list[int], processes: int = 1, players: list[Player] | None = None
) -> Generator[SavedGame, None, None]:
    """Plays the games with these numbers and yields each as it finishes."""
    if processes > 1 and players is None:
        yield from play_in_processes(series, numbers, min(processes, max(len(numbers), 1)))
        return
    board = series.board()
    ready = players or [make_player(text, board, series.time) for text in series.players]
    by_number = dict(enumerate(ready, 1))
    for number in numbers:
        yield play_game(series.fixture(number), series.board(), by_number, series.time)
