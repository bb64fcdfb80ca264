"""`ttt match`: a series of games between two players."""

import argparse
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ttt.board import Board
from ttt.cli.common import (
    Parents,
    add_game,
    add_jobs_arguments,
    add_move_time,
    add_seed,
    fit,
    game_options,
    players_print_to_stderr,
    print_json,
    whole,
)

if TYPE_CHECKING:
    from ttt.matches.result import MatchResult


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "match",
        parents=[parents.options, parents.report],
        help="play a series of games between two players",
    )
    add_series(parser)
    parser.add_argument("players", metavar="PLAYER", nargs=2, help="two players; see `ttt players`")
    parser.add_argument(
        "--sprt",
        metavar="ELO0,ELO1",
        help="stop as soon as a sequential test accepts one of these two Elo differences",
    )
    parser.set_defaults(run=run)


def add_series(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of a series of games, which match and tournament share."""
    add_game(parser)
    parser.add_argument(
        "--games",
        metavar="N",
        type=whole,
        default=100,
        help="number of games per pair of players (default 100)",
    )
    add_seed(parser)
    parser.add_argument(
        "--openings",
        metavar="random:K|FILE",
        default="",
        help="start with K random moves, or with the moves on each line of FILE",
    )
    parser.add_argument(
        "--sides",
        choices=("swap", "fixed", "random"),
        default="swap",
        help="play every opening twice with sides swapped (default), the first player always as x,"
        " or with random sides",
    )
    add_move_time(parser, "loses the game")
    add_jobs_arguments(parser)
    parser.add_argument("--out", metavar="FILE", help="save each game to FILE when it ends")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue the series that was saved in FILE; a match of two players may get more"
        " --games",
    )


def run(arguments: argparse.Namespace) -> None:
    from ttt.matches.rating import parse_sprt

    played = run_series(arguments, parse_sprt(arguments.sprt) if arguments.sprt else None)
    if arguments.json:
        print_json(played.as_dict())
    else:
        print(fit(played.text(), sys.stdout), flush=True)
    end_series(played)


def run_series(arguments: argparse.Namespace, sprt: Any = None) -> "MatchResult":
    """Plays the games that the arguments describe, with progress on stderr."""
    from ttt.matches.match import play_series
    from ttt.matches.series import Series, read_openings

    if arguments.resume and not arguments.out:
        raise ValueError("--resume needs --out FILE")
    name, lines = read_openings(arguments.openings)
    series = Series(
        game=arguments.game,
        players=arguments.players,
        games=arguments.games,
        options=Board(arguments.game, **game_options(arguments)).options,
        seed=arguments.seed,
        openings=name,
        lines=lines,
        sides=arguments.sides,
        time=arguments.time,
    )
    tell_default_times(arguments)
    with players_print_to_stderr():
        return play_series(
            series,
            out=arguments.out,
            resume=arguments.resume,
            processes=arguments.processes,
            cluster=arguments.cluster,
            shard=arguments.shard,
            sprt=sprt,
            progress=True,
        )


def tell_default_times(arguments: argparse.Namespace) -> None:
    """Says on stderr how long players think whose time is not given."""
    from ttt.players.spec import describe_player

    for player in dict.fromkeys(arguments.players):
        with suppress(ValueError):  # an unknown player is refused below
            meaning = describe_player(player, arguments.time)
            if "time=" in meaning and "time=" not in player and arguments.time is None:
                print(f"{player} is {meaning}, in seconds per move", file=sys.stderr)


def end_series(played: "MatchResult") -> None:
    """Passes on the Ctrl-C that ended a series early, after its report."""
    if played.stopped == "interrupted":
        raise KeyboardInterrupt
