"""`ttt analyse`: searches a position; progress goes to stderr, the result to stdout."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ttt.board import Board
from ttt.cli.common import (
    Parents,
    add_resources,
    columns,
    fit,
    make_board,
    positive,
    print_json,
    seconds,
)

if TYPE_CHECKING:
    from ttt.engine import Engine
    from ttt.limits import Limit
    from ttt.search.result import MoveAnalysis, Result

DEFAULT_SECONDS = 5.0
DEFAULT_DEPTH = 4
LINE_SECONDS = 0.5
"""At most this long, the line of a proven result is continued."""


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
    parser.add_argument("--nodes", metavar="N", type=positive, help="maximum number of nodes")
    parser.add_argument(
        "--time",
        metavar="S",
        type=seconds,
        help=f"maximum number of seconds (default {DEFAULT_SECONDS:g} if there is no other limit)",
    )
    add_resources(parser, hash=64)
    parser.add_argument("--all-moves", action="store_true", help="score every legal move")
    parser.add_argument(
        "--multipv", metavar="K", type=positive, default=1, help="number of best lines (default 1)"
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
    from ttt.cli import all_moves
    from ttt.limits import Limit

    board = make_board(arguments)
    textbook = arguments.algorithm != "engine"
    depth = read_depth(arguments.depth, rules=textbook)
    check_combination(arguments)
    if textbook:
        report(board, arguments, search_textbook(board, depth, arguments))
        return
    assert not isinstance(depth, str)
    limit = Limit(depth=depth, nodes=arguments.nodes, time=arguments.time) or Limit(
        time=DEFAULT_SECONDS
    )
    with make_engine(board, arguments) as engine:
        if not arguments.all_moves:
            report(board, arguments, search(engine, board, limit, arguments))
            return
        analysis = analyse_moves(engine, board, limit, quiet=arguments.json)
    if arguments.json:
        print_json({**all_moves.json_fields(board, analysis), "algorithm": "engine"})
    else:
        print(all_moves.summary(analysis))


def read_depth(text: str | None, rules: bool) -> int | str | None:
    """The value of --depth."""
    from ttt.limits import parse_depth
    from ttt_core.errors import shorten

    try:
        return None if text is None else parse_depth(text, rules)
    except ValueError as error:
        raise ValueError(f"--depth {shorten(text)}: expected {error}") from None


def check_combination(arguments: argparse.Namespace) -> None:
    """Raises ValueError if arguments cannot be combined."""
    if arguments.algorithm != "engine":
        for name, default in (("threads", 1), ("hash", 64), ("multipv", 1), ("all_moves", False)):
            if getattr(arguments, name) != default:
                raise ValueError(f"--{name.replace('_', '-')} needs --algorithm engine")
    if arguments.all_moves and arguments.multipv != 1:
        raise ValueError("--all-moves cannot be combined with --multipv")


def search_textbook(board: Board, depth: Any, arguments: argparse.Namespace) -> "Result":
    """Textbook minimax or alpha-beta."""
    from ttt.search.minimax import minimax_search

    return minimax_search(
        board,
        arguments.algorithm,
        depth or DEFAULT_DEPTH,
        arguments.eval,
        arguments.nodes,
        arguments.time,
    )


def make_engine(board: Board, arguments: argparse.Namespace) -> "Engine":
    from ttt.engine import Engine

    return Engine(
        board.game,
        hash=arguments.hash,
        threads=arguments.threads,
        evaluation=arguments.eval,
        **board.options,
    )


def search(
    engine: "Engine", board: Board, limit: "Limit", arguments: argparse.Namespace
) -> "Result":
    """The best move; Ctrl-C ends the search with the result so far."""
    inform = None if arguments.json else show_progress
    try:
        found = engine.search(board, limit, multipv=arguments.multipv, on_info=inform)
        return with_whole_lines(engine, board, found)
    except KeyboardInterrupt:
        if engine.result is None:
            raise
        return engine.result


def with_whole_lines(engine: "Engine", board: Board, result: "Result") -> "Result":
    """Continues the line of a proven result, which may be its best move alone."""
    from ttt.analysis import extend_line
    from ttt.cli.all_moves import LINE_MOVES

    if not result.proven or not result.line:
        return result
    line = extend_line(engine, board, result.line, LINE_MOVES, LINE_SECONDS)
    lines = [result.lines[0]._replace(moves=line), *result.lines[1:]]
    return result._replace(line=line, lines=lines)


def analyse_moves(engine: "Engine", board: Board, limit: "Limit", quiet: bool) -> "MoveAnalysis":
    """The score of every move; Ctrl-C ends the search with the scores so far."""
    from ttt.cli.all_moves import LiveTable

    live = LiveTable()
    try:
        return engine.analyse_moves(board, limit, on_info=None if quiet else live.show)
    except KeyboardInterrupt:
        if engine.analysis is None:
            raise
        return engine.analysis
    finally:
        live.clear()


def show_progress(result: "Result") -> None:
    """Prints one line for a finished depth."""
    from ttt.cli.all_moves import line_text

    counters = (
        f"depth {result.depth:>2}/{result.selective_depth:<2} {result.verdict():>10} "
        f"{result.nodes:>13,} nodes {result.nodes_per_second / 1e6:6.2f} M/s  "
    )
    line = line_text(result.line, columns() - len(counters))
    print(counters + line, file=sys.stderr, flush=True)


def report(board: Board, arguments: argparse.Namespace, result: "Result") -> None:
    """Prints the result and, if the game has a threat search, a win by threats."""
    from ttt.solvers.base import solver_class

    solver = solver_class(board.game)
    found = json_fields(board, arguments.algorithm, result)
    if solver is not None and solver.has_threats:
        found["threats"] = solver(hash=8).threats(board)
    if arguments.json:
        print_json(found)
        return
    print(summary(board, result))
    if found.get("threats"):
        print(fit("win by threats: " + " ".join(found["threats"]), sys.stdout))


def json_fields(board: Board, algorithm: str, result: "Result") -> dict[str, Any]:
    """What --json prints."""
    return {
        "game": board.game,
        "position": board.text(),
        "algorithm": algorithm,
        "move": result.move,
        "score": result.verdict(),
        "evaluation": result.score.evaluation,
        "proven": result.proven,
        "plies": result.plies,
        "exact": result.score.exact,
        "depth": result.depth,
        "line": result.line,
        "lines": [
            {
                "score": str(line.score) if i else result.verdict(),
                "evaluation": line.score.evaluation,
                "plies": line.score.plies,
                "exact": line.score.exact,
                "line": line.moves,
            }
            for i, line in enumerate(result.lines)
        ],
        "nodes": result.nodes,
        "terminal": result.terminal,
        "horizon": result.horizon,
        "seconds": result.seconds,
        "nodes_per_second": result.nodes_per_second,
    }


def summary(board: Board, result: "Result") -> str:
    """The result for people."""
    from ttt.cli.all_moves import line_text

    if result.move is not None:
        lines = [f"best move: {result.move} ({result.verdict()})"]
    elif board.is_game_over():
        lines = [f"best move: none, the game is over ({result.verdict()})"]
    else:
        lines = ["best move: none, a limit ended the search before the first move was finished"]
    if len(result.line) > 1:
        lines.append(f"line: {line_text(result.line)}")
    for i, line in enumerate(result.lines[1:], 2):
        begin = f"line {i}: {line.score}  "
        lines.append(begin + line_text(line.moves, columns() - len(begin)))
    lines.append(
        f"depth {result.depth}, {result.nodes:,} nodes ({result.terminal:,} terminal, "
        f"{result.horizon:,} horizon), {result.seconds * 1000:.0f} ms"
    )
    return "\n".join(lines)
