"""`ttt play`: games in the terminal, against the computer, another person, or between computers."""

import argparse
import os
from typing import TYPE_CHECKING, Any

from ttt.board import Board
from ttt.cli.common import Parents, add_game, add_start, game_options, make_board, seconds, whole

if TYPE_CHECKING:
    from ttt.cli.session import Session

EXAMPLES = """\
examples:
  ttt play                             asks for game, side and level
  ttt play nineboard --as o --level 3  you are o, the computer is weak
  ttt play connect4 --opponent human   two people
  ttt play --resume                    go on with the last unfinished game"""
FIXED_BY_RESUME = ("set", "moves", "position", "side", "level", "player", "opponent", "time")
"""Arguments that a game to be resumed has already."""


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "play", parents=[parents.options], help="play in the terminal", epilog=EXAMPLES
    )
    add_game(parser, "name of the game; asks if omitted", nargs="?")
    add_start(parser)
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on with the last unfinished game, or the last one of GAME",
    )
    parser.add_argument(
        "--as",
        dest="side",
        type=str.lower,
        choices=("x", "o"),
        help="your side; asks if omitted",
    )
    strength = parser.add_mutually_exclusive_group()
    strength.add_argument(
        "--level",
        metavar="N",
        type=whole,
        help="strength of the computer, from 1 (easy) to 10; asks in a terminal, otherwise 5",
    )
    strength.add_argument(
        "--player", metavar="PLAYER", help="player to play against; see `ttt players`"
    )
    parser.add_argument(
        "--opponent",
        metavar="PLAYER",
        help="let this player play against --player or --level instead of you; `human` alone is a"
        " game of two people",
    )
    parser.add_argument(
        "--time", metavar="S", type=seconds, help="seconds per move for --player and --opponent"
    )
    parser.add_argument(
        "--hints", action="store_true", help="show a hint before each of your moves"
    )
    parser.add_argument(
        "--summary",
        action="store_true",
        help="after each move of the computer: depth, nodes, value and time of its search",
    )
    parser.add_argument(
        "--seed", metavar="S", type=whole, help="random seed of the computer (default: random)"
    )
    parser.add_argument(
        "--games", metavar="N", type=whole, help="number of games (default: ask after each game)"
    )
    parser.add_argument("--ascii", action="store_true", help="plain ASCII without colours")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from ttt.cli.prompts import Quit, say

    if arguments.games == 0:
        raise ValueError("--games 0: expected at least 1")
    try:
        session = resume(arguments) if arguments.resume else start(arguments)
    except Quit:
        say("Bye.")
    else:
        session.introduce()
        session.play_games(arguments.games)


def make_session(arguments: argparse.Namespace, board: Board, seats: Any) -> "Session":
    from ttt.cli.session import Session, View

    view = View(arguments.hints, arguments.summary, arguments.ascii)
    seed = int.from_bytes(os.urandom(7), "big") if arguments.seed is None else arguments.seed << 20
    return Session(board, seats, view, seed)


def start(arguments: argparse.Namespace) -> "Session":
    """A session that begins a new game; asks for what is not given."""
    from ttt.cli.prompts import ask_game, ask_sizes, is_interactive, say
    from ttt.cli.seats import take_seats
    from ttt.cli.unfinished import files

    if is_interactive() and files():
        say("You have an unfinished game: `ttt play --resume` continues it.")
    asked = arguments.game is None and arguments.position is None
    options = game_options(arguments)
    if asked:
        arguments.game = ask_game()
    sized = bool(options) or arguments.position is not None or arguments.moves is not None
    if arguments.game == "mnk" and not sized and (asked or is_interactive()):
        arguments.set = [f"{name}={size}" for name, size in ask_sizes().items()]
    board = make_board(arguments)
    if board.is_game_over():
        raise ValueError(f"the game is over: {board.status()}")
    return make_session(arguments, board, take_seats(arguments, board))


def resume(arguments: argparse.Namespace) -> "Session":
    """A session that goes on with an unfinished game."""
    from ttt.board import board_class
    from ttt.cli.prompts import say
    from ttt.cli.seats import seats_of
    from ttt.cli.unfinished import latest

    for name in FIXED_BY_RESUME:
        if getattr(arguments, name) is not None:
            option = "as" if name == "side" else name
            raise ValueError(f"--resume cannot be combined with --{option}")
    if arguments.game is not None:
        board_class(arguments.game)
    found = latest(arguments.game)
    if found is None:
        raise ValueError(f"no unfinished game{f' of {arguments.game}' * bool(arguments.game)}")
    game, unfinished = found
    board = game.board()
    seats = seats_of(game, board)
    if seats is None:
        raise ValueError(f"{unfinished.path}: its players cannot be found")
    session = make_session(arguments, type(board)(**board.options), seats)
    session.board, session.unfinished = board, unfinished
    say(f"Your game goes on after {len(board.moves)} moves.")
    return session
