"""`ttt analyse`: searches a position, depth by depth on stderr, the result on stdout."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ttt.board import Board
from ttt.cli.common import Parents, add_resources, make_board, print_json, seconds, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ttt.search.result import Result

DEFAULT_SECONDS = 5.0
DEFAULT_DEPTH = 4
LINE_MOVES = 12
"""The moves of a line that are shown."""


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "analyse",
        parents=[parents.position, parents.options, parents.report],
        help="search a position for the best move",
    )
    parser.add_argument(
        "--depth",
        metavar="D",
        help=f"maximum depth in plies; minimax and alphabeta (default {DEFAULT_DEPTH}) also accept"
        " `adaptive` and `filling`",
    )
    parser.add_argument("--nodes", metavar="N", type=whole, help="maximum number of nodes")
    parser.add_argument(
        "--time",
        metavar="S",
        type=seconds,
        help=f"maximum number of seconds (default {DEFAULT_SECONDS:g} if there is no other limit)",
    )
    add_resources(parser, hash=64)
    parser.add_argument(
        "--multipv", metavar="K", type=whole, default=1, help="number of best lines (default 1)"
    )
    parser.add_argument(
        "--algorithm",
        choices=("engine", "alphabeta", "minimax"),
        default="engine",
        help="search algorithm (default engine)",
    )
    parser.add_argument(
        "--eval", metavar="NAME", default="default", help="name of an evaluation of the game"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from ttt.solvers.base import solver_class

    board = make_board(arguments)
    depth = parse_depth(arguments.depth, arguments.algorithm != "engine")
    search = search_engine if arguments.algorithm == "engine" else search_textbook
    result = search(board, depth, arguments)
    found = record(board, arguments.algorithm, result)
    solver = solver_class(board.game)
    if solver is not None and solver.has_threats:
        found["threats"] = solver(hash=8).threats(board)
    if arguments.json:
        print_json(found)
        return
    print(summary(board, result))
    if found.get("threats"):
        print("win by threats: " + " ".join(found["threats"]))


def parse_depth(text: str | None, textbook: bool) -> int | str | None:
    from ttt_core.errors import shorten

    if text is None or (textbook and text in ("adaptive", "filling")):
        return text
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= 255):
        rules = ", `adaptive` or `filling`" if textbook else ""
        raise ValueError(f"--depth {shorten(text)}: use a number of plies from 1 to 255{rules}")
    return int(text)


def search_textbook(board: Board, depth: Any, arguments: argparse.Namespace) -> "Result":
    """Minimax or alpha-beta as in textbooks."""
    from ttt.search.minimax import plain_search

    for name, default in (("threads", 1), ("hash", 64), ("multipv", 1)):
        if getattr(arguments, name) != default:
            raise ValueError(f"--{name} needs --algorithm engine")
    return plain_search(
        board,
        arguments.algorithm,
        depth or DEFAULT_DEPTH,
        arguments.eval,
        arguments.nodes,
        arguments.time,
    )


def search_engine(board: Board, depth: Any, arguments: argparse.Namespace) -> "Result":
    """The engine's search; Ctrl-C ends it with the result so far."""
    from ttt.engine import Engine

    limited = (depth, arguments.nodes, arguments.time) != (None, None, None)
    engine = Engine(
        board.game,
        hash=arguments.hash,
        threads=arguments.threads,
        evaluation=arguments.eval,
        **board.options,
    )
    try:
        return engine.search(
            board,
            depth=depth,
            nodes=arguments.nodes,
            time=arguments.time if limited else DEFAULT_SECONDS,
            multipv=arguments.multipv,
            on_info=None if arguments.json else show_progress,
        )
    except KeyboardInterrupt:
        if engine.result is None:
            raise
        return engine.result


def show_progress(result: "Result") -> None:
    """Prints one line for a depth that is finished."""
    print(
        f"depth {result.depth:>2}/{result.selective_depth:<2} {result.verdict():>10} "
        f"{result.nodes:>13,} nodes {result.nodes_per_second / 1e6:6.2f} M/s  "
        + line_text(result.line),
        file=sys.stderr,
        flush=True,
    )


def line_text(moves: "Sequence[str]") -> str:
    return " ".join(move.replace(" ", "-") for move in moves[:LINE_MOVES])


def record(board: Board, algorithm: str, result: "Result") -> dict[str, Any]:
    """What --json prints."""
    return {
        "game": board.game,
        "position": board.text(),
        "algorithm": algorithm,
        "move": result.move,
        "score": result.score,
        "proven": result.proven,
        "plies": result.plies,
        "depth": result.depth,
        "line": result.line,
        "lines": [{"score": line.score, "moves": line.moves} for line in result.lines],
        "nodes": result.nodes,
        "terminal": result.terminal,
        "horizon": result.horizon,
        "seconds": result.seconds,
        "nodes_per_second": result.nodes_per_second,
    }


def summary(board: Board, result: "Result") -> str:
    """The result for people."""
    from ttt.score import score_in_words

    if result.move is not None:
        lines = [f"best move: {result.move} ({result.verdict()})"]
    elif board.is_game_over():
        lines = [f"best move: none, the game is over ({result.verdict()})"]
    else:
        lines = ["best move: none, the limit ended the search before its first move was finished"]
    for i, line in enumerate(result.lines[1:], 2):
        lines.append(f"line {i}: {score_in_words(line.score)}  {line_text(line.moves)}")
    lines.append(
        f"depth {result.depth}, {result.nodes:,} nodes ({result.terminal:,} terminal, "
        f"{result.horizon:,} horizon), {result.seconds * 1000:.0f} ms"
    )
    return "\n".join(lines)
