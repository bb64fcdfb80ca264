"""`ttt tournament`: a round robin between several players."""

import argparse
import sys
from typing import Any

from ttt.cli.common import Parents, fit, print_json
from ttt.cli.match import add_series, end_series, run_series


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "tournament",
        parents=[parents.options, parents.report],
        help="play a round robin between several players",
    )
    add_series(parser)
    parser.add_argument(
        "players", metavar="PLAYER", nargs="+", help="two or more players; see `ttt players`"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from ttt.matches.tournament import as_dict, text

    played = run_series(arguments)
    if arguments.json:
        print_json(as_dict(played))
    else:
        print(fit(text(played), sys.stdout), flush=True)
    end_series(played)
