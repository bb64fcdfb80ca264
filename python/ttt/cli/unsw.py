"""`ttt unsw`: the agent and the server of the UNSW course's nine-board protocol."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from ttt.cli.codingame import add_thinker, complain, make_thinker
from ttt.cli.common import Parents, print_json, whole

if TYPE_CHECKING:
    from ttt.protocols.connection import Connection
    from ttt.protocols.unsw_server import RefereedGame, Seat

DEFAULT_PORT = 31_415
DEFAULT_CLOCK = "30+2"


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser("unsw", help="play nine-board by the UNSW protocol (agent, server)")
    roles = parser.add_subparsers(dest="role", metavar="ROLE", title="roles", required=True)
    agent = roles.add_parser("agent", help="connect to a server and play")
    agent.add_argument(
        "--host", metavar="HOST", default="localhost", help="the server (default localhost)"
    )
    add_thinker(agent)
    server = roles.add_parser(
        "server", parents=[parents.report], help="referee games of agents that connect"
    )
    server.add_argument(
        "--host",
        metavar="HOST",
        default="127.0.0.1",
        help="address to listen on (default 127.0.0.1: this machine only; 0.0.0.0: all)",
    )
    server.add_argument(
        "-n", "--games", metavar="N", type=whole, default=1, help="number of games (default 1)"
    )
    for side in "xo":
        server.add_argument(
            f"--{side}",
            metavar="PLAYER",
            help=f"player that plays {side} in this process (default: an agent that connects)",
        )
    server.add_argument("--swap", action="store_true", help="swap sides after each game")
    server.add_argument(
        "--first", metavar="MOVE", help='first move of every game, e.g. "5 3" (default: random)'
    )
    server.add_argument(
        "--seed", metavar="S", type=whole, default=0, help="seed of the first moves (default 0)"
    )
    for role, run in ((agent, run_agent), (server, run_server)):
        role.add_argument(
            "-p",
            "--port",
            metavar="PORT",
            type=whole,
            default=DEFAULT_PORT,
            help=f"port of the server (default {DEFAULT_PORT})",
        )
        role.add_argument(
            "--clock",
            metavar="S+S",
            default=DEFAULT_CLOCK,
            help=f"seconds for a game and for each move (default {DEFAULT_CLOCK})",
        )
        role.set_defaults(run=run)


def run_agent(arguments: argparse.Namespace) -> None:
    from ttt.board import Board
    from ttt.protocols.clock import parse_clock
    from ttt.protocols.connection import connect
    from ttt.protocols.unsw import GAME, OPTIONS, UnswAgent

    clock = parse_clock(arguments.clock)
    agent = UnswAgent(make_thinker(arguments, Board(GAME, **OPTIONS)), complain, clock)
    connection = connect(arguments.host, arguments.port)
    try:
        agent.run(messages(connection), connection.send)
    finally:
        connection.close()


def messages(connection: "Connection") -> Iterator[str]:
    """The lines of a connection until its end."""
    while True:
        try:
            yield connection.read(None)
        except EOFError:
            return


def run_server(arguments: argparse.Namespace) -> None:
    from ttt.board import Board
    from ttt.limits import check_whole
    from ttt.protocols.clock import parse_clock
    from ttt.protocols.unsw import GAME, OPTIONS
    from ttt.protocols.unsw_server import first_move, referee

    clock = parse_clock(arguments.clock)
    check_whole("games", arguments.games, 10**6)
    start = Board(GAME, **OPTIONS)
    first = None if arguments.first is None else start.parse_move(arguments.first)
    stream = sys.stderr if arguments.json else sys.stdout

    def log(line: str) -> None:
        print(line, file=stream, flush=True)

    with ExitStack() as resources:
        seats = take_seats(arguments, start, log, resources)
        played = []
        for number in range(1, arguments.games + 1):
            opening = first or first_move(number, arguments.seed)
            played.append(referee(number, seats, opening, clock, log))
            board = start.copy()
            board.push_moves(played[-1]["moves"])
            log(str(board))
            if arguments.swap:
                seats = {"x": seats["o"], "o": seats["x"]}
        names = [seats[side].name for side in "xo"]
        for side in "xo":
            seats[side].tell("end.")
    report(played, names, arguments.json)


def take_seats(
    arguments: argparse.Namespace, start: Any, log: Callable[[str], None], resources: ExitStack
) -> "dict[str, Seat]":
    """The players that are named, and agents that connect for the other sides."""
    from ttt.players.spec import make_player
    from ttt.protocols.connection import Connection, listen
    from ttt.protocols.unsw_server import AgentSeat, PlayerSeat

    named = {"x": arguments.x, "o": arguments.o}
    seats: dict[str, Seat] = {
        side: PlayerSeat(text, make_player(text, start))
        for side, text in named.items()
        if text is not None
    }
    missing = [side for side in "xo" if side not in seats]
    if not missing:
        return seats
    with listen(arguments.host, arguments.port) as server:
        host, port = server.getsockname()[:2]
        log(f"listening on {host} port {port} for {' and '.join(missing)}")
        for side in missing:
            link, (host, port, *_) = server.accept()
            connection = Connection(link)
            resources.callback(connection.close)
            connection.send("init.")
            seats[side] = AgentSeat(f"agent {host}:{port}", connection)
            log(f"{side}: {seats[side].name}")
    return seats


def report(played: "list[RefereedGame]", names: list[str], json: bool) -> None:
    """Prints the games as JSON, or how many each player has won."""
    if json:
        print_json({"games": played})
        return
    won = Counter[str]()
    for game in played:
        won[{"1-0": game["x"], "0-1": game["o"]}.get(game["result"], "")] += 1
    parts = [f"{name} {won[name]}" for name in dict.fromkeys(names)]
    print(f"{len(played)} games: {', '.join(parts)}, drawn {won['']}", flush=True)
