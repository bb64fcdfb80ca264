"""`ttt ugi`: the engine under the Universal Game Interface."""

import argparse
import sys
from typing import Any

from ttt.cli.common import Parents, add_resources, game_options


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "ugi",
        parents=[parents.options],
        help="serve the engine to another program (UGI)",
        description="Answers the commands of the Universal Game Interface on standard input;"
        " docs/guides/protocols.md has the grammar.",
    )
    parser.add_argument("game", metavar="GAME", help="name of the game; see `ttt games`")
    add_resources(parser, hash=64)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from ttt.protocols.lines import read_lines
    from ttt.protocols.ugi import UgiSession

    def write(*lines: str) -> None:
        print(*lines, sep="\n", flush=True)

    session = UgiSession(arguments.game, game_options(arguments), write)
    session.set_value("Hash", str(arguments.hash))
    session.set_value("Threads", str(arguments.threads))
    session.run(read_lines(sys.stdin))
