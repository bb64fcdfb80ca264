"""The command line: `ttt VERB`. Each verb imports what it needs: starting stays quick.

Exit status: 0 good, 1 a file or device failed, 2 bad use, 130 Ctrl-C, 141 the reader has gone.
"""

import argparse
import contextlib
import io
import os
import sys
import time
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from ttt.version import __version__

if TYPE_CHECKING:
    from ttt.board import Board


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {' '.join(message.split())} (see {self.prog} --help)\n")


MOST = 2**31 - 1


def whole(text: str) -> int:
    """A whole number from 0 up, for an argument."""
    if not (text.isascii() and text.isdigit()) or len(text) > 10 or int(text) > MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 to {MOST}")
    return int(text)


def _emit(record: dict[str, Any]) -> None:
    import json

    print(json.dumps(record))


def make_board(arguments: argparse.Namespace) -> "Board":
    """The board that GAME, --set, --position and --moves describe."""
    from ttt.board import Board, board_class, games, parse_options

    options = parse_options(",".join(arguments.set or []))
    if arguments.position is None:
        board = Board(arguments.game, **options)
    else:
        if options:
            raise ValueError("--set does not go with --position, which tells the options")
        text = arguments.position
        if text.lower().partition(" ")[0].partition(":")[0] not in games():
            text = f"{arguments.game} {text}"
        board = board_class(arguments.game).parse(text)
    if arguments.moves:
        board.push_moves(arguments.moves)
    return board


def list_games(arguments: argparse.Namespace) -> None:
    from ttt.board import board_class, games

    classes = [board_class(game) for game in games()]
    if arguments.json:
        _emit(
            {
                "games": [
                    {
                        "game": cls.game,
                        "title": cls.title,
                        "goal": cls.goal,
                        "options": {choice.name: choice.default for choice in cls.choices},
                    }
                    for cls in classes
                ]
            }
        )
        return
    for cls in classes:
        print(f"{cls.game:<11}{cls.title}: {cls.goal}")
        print(f"{'':<11}moves: {cls().spelling.help}")
        for choice in cls.choices:
            print(f"{'':<11}--set {choice.name}=: {choice.help}")


def show(arguments: argparse.Namespace) -> None:
    board = make_board(arguments)
    if arguments.json:
        outcome = board.outcome()
        _emit(
            {
                "game": board.game,
                "options": board.options,
                "position": board.text(),
                "turn": board.turn,
                "ply": board.ply,
                "moves": board.moves,
                "legal": board.legal_moves,
                "outcome": outcome and outcome._asdict(),
            }
        )
    elif arguments.svg:
        print(board.svg(), end="")
    else:
        print(board)
        print(board.status())
        print(board.text())


def perft(arguments: argparse.Namespace) -> None:
    board = make_board(arguments)
    began = time.perf_counter()
    divided: dict[Any, int] = {}
    if arguments.divide:
        if arguments.depth < 1:
            raise ValueError("--divide needs a depth of at least 1")
        divided = board.divide(arguments.depth)
        nodes = sum(divided.values())
    else:
        nodes = board.perft(arguments.depth)
    seconds = time.perf_counter() - began
    if arguments.json:
        record: dict[str, Any] = {
            "game": board.game,
            "options": board.options,
            "depth": arguments.depth,
            "nodes": nodes,
            "seconds": seconds,
            "nodes_per_second": nodes / seconds,
        }
        if arguments.divide:
            record["divide"] = divided
        _emit(record)
        return
    for move, count in divided.items():
        print(f"{move}: {count:,}")
    print(f"{nodes:,} sequences of {arguments.depth} plies")
    print(f"{seconds:.3f} s, {nodes / seconds:,.0f} a second", file=sys.stderr)


def playouts(arguments: argparse.Namespace) -> None:
    board = make_board(arguments)
    began = time.perf_counter()
    found = board.playouts(arguments.games, arguments.seed)
    seconds = time.perf_counter() - began
    if arguments.json:
        _emit(
            {
                "game": board.game,
                "options": board.options,
                "games": arguments.games,
                "seed": arguments.seed,
                **found,
                "seconds": seconds,
                "games_per_second": arguments.games / seconds,
            }
        )
        return
    games = max(arguments.games, 1)
    for name, label in (("x", "x wins"), ("o", "o wins"), ("draw", "drawn")):
        print(f"{label:<7}{found[name]:>14,} {found[name] / games:7.2%}")
    print(f"{found['plies'] / games:.1f} plies a game")
    print(f"{seconds:.3f} s, {arguments.games / seconds:,.0f} games a second", file=sys.stderr)


def analyse(arguments: argparse.Namespace) -> None:
    from ttt.cli.analyse import analyse_board

    analyse_board(make_board(arguments), arguments)


def solve(arguments: argparse.Namespace) -> None:
    from ttt.cli.solve import solve_verb

    solve_verb(arguments, make_board(arguments))


def bench(arguments: argparse.Namespace) -> None:
    from ttt.board import board_class, games
    from ttt.cli.analyse import bench_games

    chosen = [arguments.game] if arguments.game else games()
    bench_games([board_class(game) for game in chosen], arguments.depth, arguments.json)


def prove(arguments: argparse.Namespace) -> None:
    from ttt.cli.prove import prove_board

    prove_board(make_board(arguments), arguments)


def verify(arguments: argparse.Namespace) -> None:
    from ttt.cli.prove import verify_file

    verify_file(arguments)


def play(arguments: argparse.Namespace) -> None:
    from ttt.cli.play import session

    session(
        arguments.game,
        arguments.set or [],
        side=arguments.side,
        player=arguments.player,
        opponent=arguments.opponent,
        level=arguments.level,
        time=arguments.time,
        hints=arguments.hints,
        seed=arguments.seed,
        rounds=arguments.games,
        plain=arguments.ascii,
    )


def make_parser(given: list[str]) -> Parser:
    """The parser; the verb that is given may add what only it knows."""
    parser = Parser(prog="ttt", description="The engine of the tic-tac-toe family.")
    parser.add_argument("--version", action="version", version=f"ttt {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)

    position = Parser(add_help=False)
    position.add_argument("game", metavar="GAME", help="one of `ttt games`")
    position.add_argument("--moves", metavar="MOVES", help='moves to play first, such as "5 1 9"')
    position.add_argument(
        "--position",
        metavar="TEXT",
        help='start from this, such as "x../.o./... x": the last line of `ttt show`',
    )
    options = Parser(add_help=False)
    options.add_argument(
        "--set", metavar="NAME=VALUE", action="append", help="an option of the game; repeatable"
    )
    report = Parser(add_help=False)
    report.add_argument("--json", action="store_true", help="one JSON object on stdout")

    verb = verbs.add_parser("games", parents=[report], help="the games and their options")
    verb.set_defaults(run=list_games)

    verb = verbs.add_parser("show", parents=[position, options], help="draw a position")
    form = verb.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object on stdout")
    form.add_argument("--svg", action="store_true", help="an SVG picture on stdout")
    verb.set_defaults(run=show)

    verb = verbs.add_parser(
        "perft", parents=[position, options, report], help="count move sequences"
    )
    verb.add_argument("depth", metavar="DEPTH", type=whole, help="plies")
    verb.add_argument("--divide", action="store_true", help="the count of each first move")
    verb.set_defaults(run=perft)

    verb = verbs.add_parser(
        "playouts", parents=[position, options, report], help="play random games"
    )
    verb.add_argument("games", metavar="N", type=whole, help="games")
    verb.add_argument("--seed", metavar="S", type=whole, default=0, help="default 0")
    verb.set_defaults(run=playouts)

    verb = verbs.add_parser(
        "analyse", parents=[position, options, report], help="search a position for the best move"
    )
    verb.add_argument(
        "--depth", metavar="D", help="plies; for the plain algorithms also: adaptive, filling"
    )
    verb.add_argument("--nodes", metavar="N", type=whole, help="positions")
    verb.add_argument("--time", metavar="S", type=float, help="seconds; 5 if there is no limit")
    verb.add_argument("--threads", metavar="N", type=whole, default=1, help="default 1")
    verb.add_argument("--hash", metavar="MIB", type=whole, default=64, help="table; default 64")
    verb.add_argument("--multipv", metavar="K", type=whole, default=1, help="best lines; default 1")
    verb.add_argument("--algorithm", choices=("engine", "alphabeta", "minimax"), default="engine")
    verb.add_argument("--eval", metavar="NAME", default="default", help="evaluation of the game")
    verb.set_defaults(run=analyse)

    work = Parser(add_help=False)
    work.add_argument("--nodes", metavar="N", type=whole, help="at most so many positions")
    work.add_argument("--time", metavar="S", type=float, help="at most so many seconds")
    work.add_argument("--threads", metavar="N", type=whole, default=1, help="default 1")
    work.add_argument("--hash", metavar="MIB", type=whole, help="table; default: the solver's own")

    verb = verbs.add_parser(
        "prove", parents=[position, options, report, work], help="write a winning strategy (qubic)"
    )
    verb.add_argument("--out", metavar="FILE", required=True, help="the file to write")
    verb.set_defaults(run=prove)

    verb = verbs.add_parser("verify", parents=[report], help="check a strategy over all replies")
    verb.add_argument("file", metavar="FILE", help="what `ttt prove` wrote")
    verb.set_defaults(run=verify)

    verb = verbs.add_parser(
        "solve", parents=[position, options, report, work], help="the true value of a position"
    )
    verb.add_argument(
        "--file", metavar="F", help="solve each line, moves or a position, limits each; - is stdin"
    )
    verb.add_argument(
        "--out", metavar="F", help="with --file: append to this file, going on where it ends"
    )
    if given[:1] == ["solve"]:
        from ttt.cli.solve import add_flags

        add_flags(verb)
    verb.set_defaults(run=solve)

    verb = verbs.add_parser(
        "bench", parents=[report], help="search fixed positions: nodes, and nodes a second"
    )
    verb.add_argument("game", metavar="GAME", nargs="?", help="one of `ttt games`; all if left out")
    verb.add_argument("--depth", metavar="D", type=whole, help="plies instead of each game's own")
    verb.set_defaults(run=bench)

    from ttt.cli.contest import add_verbs

    add_verbs(verbs, options, report, whole)

    from ttt.cli.train import add_parser as add_train

    add_train(verbs, None)

    verb = verbs.add_parser("play", parents=[options], help="play a game in the terminal")
    verb.add_argument(
        "game", metavar="GAME", nargs="?", help="one of `ttt games`; asked if left out"
    )
    verb.add_argument("--as", dest="side", type=str.lower, choices=("x", "o"), help="your side")
    strength = verb.add_mutually_exclusive_group()
    strength.add_argument(
        "--level", metavar="N", type=whole, help="of the computer, 1 (easy) to 10; default 5"
    )
    strength.add_argument(
        "--player", metavar="PLAYER", help="one of `ttt players` to play against you"
    )
    verb.add_argument(
        "--opponent",
        metavar="PLAYER",
        help="the same; with --player or --level the two play each other; human: two people play",
    )
    verb.add_argument("--time", metavar="S", type=float, help="seconds a move for the computer")
    verb.add_argument("--hints", action="store_true", help="a hint before each of your moves")
    verb.add_argument("--seed", metavar="S", type=whole, help="makes the computer repeatable")
    verb.add_argument("--games", metavar="N", type=whole, help="play so many, ask for no more")
    verb.add_argument("--ascii", action="store_true", help="no colours, plain characters only")
    verb.set_defaults(run=play)
    return parser


def complain(text: str) -> None:
    """A line on stderr, if that can still be written to."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def mute(stream: TextIO) -> None:
    """Points a stream that failed at nothing: the exit of Python must not try it once more."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def open_streams() -> None:
    """Gives a program that was started without stdin, stdout or stderr empty ones."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns its exit status."""
    open_streams()
    verb = "ttt"
    try:
        try:
            parsed = make_parser(sys.argv[1:] if arguments is None else arguments).parse_args(
                arguments
            )
            verb = f"ttt {parsed.verb}"
            parsed.run(parsed)
        finally:
            sys.stdout.flush()
    except ValueError as error:
        complain(f"{verb}: {error}")
        return 2
    except KeyboardInterrupt:
        complain("")
        return 130
    except OSError as error:
        mute(sys.stdout)
        if isinstance(error, BrokenPipeError):
            return 141
        named = error.filename is not None  # a file that the user named, not a stream
        complain(f"{verb}: {f'{error.filename}: ' if named else ''}{error.strerror}")
        mute(sys.stderr)
        return 2 if named else 1
    return 0
