"""`ttt codingame`: ultimate tic-tac-toe as on CodinGame, on standard input and output."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ttt.cli.common import Parents, add_resources

if TYPE_CHECKING:
    from ttt.board import Board
    from ttt.protocols.thinker import Thinker


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "codingame",
        help="play ultimate by CodinGame's protocol",
        description="Reads turns from standard input and answers with moves, as on CodinGame;"
        " docs/guides/protocols.md has the grammar.",
    )
    add_thinker(parser)
    parser.set_defaults(run=run)


def add_thinker(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `make_thinker`."""
    parser.add_argument(
        "--player",
        metavar="PLAYER",
        help="player that chooses the moves (default: the engine, which uses the clock)",
    )
    add_resources(parser, hash=64)


def make_thinker(arguments: argparse.Namespace, board: "Board") -> "Thinker":
    """What chooses the moves, by --player, --hash and --threads."""
    from ttt.players.spec import make_player
    from ttt.protocols.thinker import EngineThinker, PlayerThinker

    if arguments.player is None:
        return EngineThinker(board, arguments.hash, arguments.threads)
    return PlayerThinker(make_player(arguments.player, board))


def complain(text: str) -> None:
    """Reports a problem that does not end the session."""
    print(text, file=sys.stderr, flush=True)


def run(arguments: argparse.Namespace) -> None:
    from ttt.board import Board
    from ttt.protocols.codingame import GAME, OPTIONS, CodingameSession
    from ttt.protocols.lines import read_lines

    thinker = make_thinker(arguments, Board(GAME, **OPTIONS))
    session = CodingameSession(thinker, complain)
    session.run(read_lines(sys.stdin), lambda line: print(line, flush=True))
