"""`ttt web`: serves the page to play, analyse, review and solve puzzles."""

import argparse
from importlib.util import find_spec
from typing import Any

from ttt.cli.common import Parents, seconds, whole


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser("web", help="serve a web page to play, analyse and review")
    parser.add_argument(
        "--port", metavar="N", type=whole, default=8000, help="port (default 8000; 0: any free one)"
    )
    parser.add_argument(
        "--host",
        metavar="HOST",
        default="127.0.0.1",
        help="address to listen on (default 127.0.0.1: this machine only; 0.0.0.0: all)",
    )
    parser.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="another name under which browsers reach this server (repeatable)",
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.add_argument(
        "--searches", metavar="N", type=whole, help="searches at the same time (default 8)"
    )
    parser.add_argument(
        "--seconds", metavar="S", type=seconds, help="longest analysis, in seconds (default 60)"
    )
    parser.add_argument(
        "--player",
        metavar="NAME=PLAYER",
        action="append",
        default=[],
        help="let visitors play against this player, of any kind, by its name (repeatable), such as"
        " stock=program:./bot,protocol=ugi",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise ValueError(f"{' and '.join(missing)} missing: run pip install 'ttt-engine[web]'")
    if arguments.port > 65535:
        raise ValueError(f"--port {arguments.port}: expected 0 to 65535")
    from ttt.limits import check_whole
    from ttt.web import server
    from ttt.web.guests import parse_guests
    from ttt.web.limits import DEFAULT_LIMITS

    limits = DEFAULT_LIMITS
    if arguments.searches is not None:
        check_whole("searches", arguments.searches, 256)
        limits = limits._replace(searches=arguments.searches)
    if arguments.seconds is not None:
        limits = limits._replace(seconds=arguments.seconds)
    players = parse_guests(arguments.player)
    server.run(
        arguments.host, arguments.port, limits, arguments.allow_host, arguments.open, players
    )
