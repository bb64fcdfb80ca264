"""The verbs of contests: `ttt players`, `ttt match`, `ttt tournament`, `ttt replay`."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ttt.matches.match import Played


def _emit(record: dict[str, Any]) -> None:
    import json

    print(json.dumps(record), flush=True)


def add_verbs(verbs: Any, options: Any, report: Any, whole: Any) -> None:
    """Tells the parser of the command line about them."""
    verb = verbs.add_parser("players", parents=[report], help="the players and their options")
    verb.set_defaults(run=list_players)

    series = argparse.ArgumentParser(add_help=False)
    series.add_argument(
        "--games", metavar="N", type=whole, default=100, help="games of every two players; 100"
    )
    series.add_argument("--seed", metavar="S", type=whole, default=0, help="default 0")
    series.add_argument(
        "--openings",
        metavar="random:K|FILE",
        default="",
        help="K random moves first, or the lines of a file, moves each",
    )
    sides = series.add_mutually_exclusive_group()
    sides.add_argument(
        "--swap",
        dest="sides",
        action="store_const",
        const="swap",
        default="swap",
        help="every opening twice, sides exchanged (the default)",
    )
    sides.add_argument(
        "--no-swap", dest="sides", action="store_const", const="keep", help="the first player is x"
    )
    sides.add_argument(
        "--draw-sides", dest="sides", action="store_const", const="draw", help="sides by lot"
    )
    series.add_argument(
        "--time",
        metavar="S",
        type=float,
        help="seconds a move, for levels and players without time=; over twice that and 0.5 s more "
        "loses the game",
    )
    series.add_argument(
        "--processes", metavar="P", type=whole, default=1, help="games at a time; default 1"
    )
    series.add_argument("--out", metavar="FILE", help="save every game as it finishes")
    series.add_argument("--resume", action="store_true", help="play what FILE has not yet")

    verb = verbs.add_parser(
        "match",
        parents=[series, options, report],
        help="play a series of games between two players",
    )
    verb.add_argument("game", metavar="GAME", help="one of `ttt games`")
    verb.add_argument("players", metavar="PLAYER", nargs=2, help="two of `ttt players`")
    verb.add_argument(
        "--sprt",
        metavar="ELO0,ELO1",
        help="stop as soon as the games speak for one of the two differences",
    )
    verb.set_defaults(run=match)

    verb = verbs.add_parser(
        "tournament", parents=[series, options, report], help="everyone against everyone"
    )
    verb.add_argument("game", metavar="GAME", help="one of `ttt games`")
    verb.add_argument("players", metavar="PLAYER", nargs="+", help="of `ttt players`")
    verb.set_defaults(run=tournament, sprt=None)

    verb = verbs.add_parser("replay", parents=[report], help="show saved games")
    verb.add_argument("file", metavar="FILE", help="what --out has written")
    verb.add_argument("--game", metavar="K", type=whole, help="move by move; all games if left out")
    verb.set_defaults(run=replay)


def list_players(arguments: argparse.Namespace) -> None:
    from ttt.players.builtin import PLAYERS
    from ttt.players.presets import LEVELS, PRESETS
    from ttt.players.spec import options_of

    if arguments.json:
        _emit(
            {
                "players": {name: options_of(kind) for name, kind in PLAYERS.items()},
                "presets": {
                    name: {"game": game, "player": text} for name, (game, text) in PRESETS.items()
                },
                "levels": LEVELS,
            }
        )
        return
    print(f"{'human':<14}you, in `ttt play`")
    for name, kind in PLAYERS.items():
        options = ", ".join(
            option if default is None else f"{option}={default}"
            for option, default in options_of(kind).items()
        )
        print(f"{name:<14}{kind.__doc__}" + (f"\n{'':<14}options: {options}" if options else ""))
    for name, (game, text) in PRESETS.items():
        print(f"{name:<14}{game}: {text}")
    for level, text in enumerate(LEVELS, 1):
        print(f"{f'level-{level}':<14}{text}")
    print(f"{'module:thing':<14}yours: a class or an object with choose(board), or such a function")


def _run(arguments: argparse.Namespace) -> "Played":
    from ttt.board import Board
    from ttt.matches.match import run_series
    from ttt.matches.rating import parse_sprt
    from ttt.matches.series import Series, read_openings
    from ttt.notation import parse_options

    options = parse_options(",".join(arguments.set or []))
    name, lines = read_openings(arguments.openings)
    series = Series(
        game=arguments.game,
        players=arguments.players,
        games=arguments.games,
        options=Board(arguments.game, **options).options,
        seed=arguments.seed,
        openings=name,
        lines=lines,
        sides=arguments.sides,
        time=arguments.time,
    )
    return run_series(
        series,
        out=arguments.out,
        resume=arguments.resume,
        processes=arguments.processes,
        sprt=parse_sprt(arguments.sprt) if arguments.sprt else None,
        progress=True,
    )


def match(arguments: argparse.Namespace) -> None:
    played = _run(arguments)
    if arguments.json:
        _emit(played.record())
    else:
        print(played.text(), flush=True)
    if played.stopped == "interrupted":
        raise KeyboardInterrupt


def tournament(arguments: argparse.Namespace) -> None:
    from ttt.matches.tournament import record, text

    played = _run(arguments)
    if arguments.json:
        _emit(record(played))
    else:
        print(text(played), flush=True)
    if played.stopped == "interrupted":
        raise KeyboardInterrupt


def replay(arguments: argparse.Namespace) -> None:
    from ttt.board import Board
    from ttt.matches import record

    try:
        header, games, _ = record.read_games(arguments.file)
    except OSError as error:
        raise ValueError(f"{arguments.file}: {error.strerror}") from None
    chosen = [game for game in games if arguments.game in (None, game["game"])]
    if header is None or (arguments.game is not None and not chosen):
        wanted = "" if arguments.game is None else f" {arguments.game}"
        raise ValueError(f"{arguments.file} has no game{wanted}: it has {len(games)}")
    if arguments.json:
        _emit({**header, "games": chosen})
        return
    for game in sorted(chosen, key=lambda game: game["game"]):
        board = record.replay(header, game)
        x, o = (header["players"][game[side] - 1] for side in "xo")
        how = board.status() if board.is_game_over() else f"{game['by']}: {game.get('error')}"
        print(f"game {game['game']}: x {x}, o {o}; {game['result']} ({how})")
        if arguments.game is None:
            print(f"  {game['moves']}")
            continue
        step: Board = board.root()
        print(step)
        for number, move in enumerate(board.moves, 1):
            given = " (opening)" if number <= game["opening"] else ""
            print(f"{number}. {step.turn} {move}{given}")
            step.push(move)
            print(step)
        print(how)
