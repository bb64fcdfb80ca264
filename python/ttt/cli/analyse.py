"""`ttt analyse` and `ttt bench`: searches shown to people, or as JSON."""

import argparse
import json
import sys
from typing import Any

from ttt.board import Board
from ttt.engine import Engine
from ttt.limits import Limit, parse_depth
from ttt.search.minimax import minimax_search
from ttt.search.result import Result
from ttt.solvers.base import solver_class
from ttt_core.errors import shorten


def describe(result: Result) -> str:
    """One line of a running search."""
    return (
        f"depth {result.depth:>2}/{result.selective_depth:<2} {result.verdict():>10} "
        f"{result.nodes:>13,} nodes {result.nodes_per_second / 1e6:6.2f} M/s  "
        + " ".join(move.replace(" ", "-") for move in result.line[:12])
    )


def record(board: Board, algorithm: str, result: Result) -> dict[str, Any]:
    """What --json prints."""
    return {
        "game": board.game,
        "position": board.text(),
        "algorithm": algorithm,
        "move": result.move,
        "score": str(result.score),
        "evaluation": result.score.evaluation,
        "proven": result.proven,
        "plies": result.plies,
        "depth": result.depth,
        "line": result.line,
        "lines": [{"score": str(line.score), "moves": line.moves} for line in result.lines],
        "nodes": result.nodes,
        "terminal": result.terminal,
        "horizon": result.horizon,
        "seconds": result.seconds,
        "nodes_per_second": result.nodes_per_second,
    }


def summary(board: Board, result: Result) -> str:
    """The end of an analysis for people."""
    if result.move is not None:
        lines = [f"best move: {result.move} ({result.verdict()})"]
    elif board.is_game_over():
        lines = [f"best move: none, the game is over ({result.verdict()})"]
    else:
        lines = ["best move: none, no move was searched to the end within the limits"]
    for i, line in enumerate(result.lines[1:], 2):
        moves = " ".join(move.replace(" ", "-") for move in line.moves[:12])
        lines.append(f"line {i}: {line.score}  {moves}")
    lines.append(
        f"depth {result.depth}, {result.nodes:,} nodes ({result.terminal:,} terminal, "
        f"{result.horizon:,} horizon), {result.seconds * 1000:.0f} ms"
    )
    return "\n".join(lines)


def read_depth(text: str | None, rules: bool) -> int | str | None:
    try:
        return None if text is None else parse_depth(text, rules)
    except ValueError as error:
        raise ValueError(f"--depth {shorten(text)}: {error}") from None


def analyse_board(board: Board, arguments: argparse.Namespace) -> None:
    """Searches a position and reports depth by depth on stderr, then the result on stdout."""
    depth = read_depth(arguments.depth, arguments.algorithm != "engine")
    if arguments.algorithm != "engine":
        for name, default in (("threads", 1), ("hash", 64), ("multipv", 1)):
            if getattr(arguments, name) != default:
                raise ValueError(f"--{name} goes with --algorithm engine")
        result = minimax_search(
            board, arguments.algorithm, depth or 4, arguments.eval, arguments.nodes, arguments.time
        )
    else:
        result = engine_analysis(board, depth, arguments)
    found = record(board, arguments.algorithm, result)
    solver = solver_class(board.game)
    if solver is not None and solver.has_threats:
        found["threats"] = solver(hash=8).threats(board)
    if arguments.json:
        print(json.dumps(found))
        return
    print(summary(board, result))
    if found.get("threats"):
        print("wins by threats: " + " ".join(found["threats"]))


def engine_analysis(board: Board, depth: Any, arguments: argparse.Namespace) -> Result:
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
            time=arguments.time if limited else 5.0,
            multipv=arguments.multipv,
            on_info=None if arguments.json else lambda result: live(result),
        )
    except KeyboardInterrupt:
        if engine.result is None:
            raise
        return engine.result


def live(result: Result) -> None:
    print(describe(result), file=sys.stderr, flush=True)


def bench_games(classes: list[type[Board]], depth: int | None, as_json: bool) -> None:
    """Searches each game's bench positions, one thread, an empty table each: the node counts are
    the signature of the search, the same on every machine."""
    found = []
    Limit(depth=depth)
    for kind in classes:
        own_depth, openings = kind.bench
        nodes, seconds = 0, 0.0
        for opening in openings:
            board = kind()
            board.push_moves(opening)
            result = Engine(kind.game, hash=16).search(board, depth=depth or own_depth)
            nodes += result.nodes
            seconds += result.seconds
        found.append({"game": kind.game, "nodes": nodes, "seconds": seconds})
        if not as_json:
            print(
                f"{kind.game:<10} {nodes:>12,} nodes {nodes / seconds / 1e6:7.2f} M/s", flush=True
            )
    nodes = sum(int(str(entry["nodes"])) for entry in found)
    seconds = sum(float(str(entry["seconds"])) for entry in found)
    if as_json:
        report = {"games": found, "nodes": nodes, "seconds": seconds}
        print(json.dumps({**report, "nodes_per_second": nodes / seconds}))
    else:
        print(f"{'signature':<10} {nodes:>12,} nodes {nodes / seconds / 1e6:7.2f} M/s")
