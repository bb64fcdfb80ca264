"""Depth-limited searches on a warm table against the same on a cold one.

    python bench/warm.py [--positions 200] [--depth 4] [GAME ...]

For each position, the search runs on an empty table, and on a table warmed up by a search of
100,000 nodes: of the same position, or of the position two plies before, as in a game. Where the
moves differ, a search of a million nodes on an engine of its own says which of the two is better.
Positions that the warm-up proves are counted apart: the engine then returns the proven result.
"""

import argparse
from random import Random
from typing import Any

import ttt
from ttt import Board, Engine

WARM_NODES, JUDGE_NODES = 100_000, 1_000_000
OPTIONS: dict[str, dict[str, Any]] = {"mnk": {"m": 6, "n": 6, "k": 4}}


def positions(game: str, count: int) -> list[Board]:
    """Random positions without a win in one, in the first two thirds of random games."""
    found: list[Board] = []
    random = Random(game)
    while len(found) < count:
        board = Board(game, **OPTIONS.get(game, {})).playout(random.getrandbits(60))
        keep = random.randint(2, max(2, 2 * board.ply // 3))
        while board.ply > keep:
            board.pop()
        if len(board.safe_moves()) > 1 and not any(map(board.is_legal, board.wins())):
            found.append(board)
    return found


def better(judge: Engine, board: Board, first: str, second: str) -> int:
    """1 if the first move is better than the second, -1 if it is worse, 0 if they are equal."""
    judge.clear()
    lines = judge.search(board, nodes=JUDGE_NODES, moves=[first, second], multipv=2).lines
    scores = {str(line.moves[0]): line.score for line in lines}
    if len(scores) < 2 or scores[first] == scores[second]:
        return 0
    return 1 if scores[first] > scores[second] else -1


def compare(game: str, count: int, depth: int, before: int) -> str:
    options = OPTIONS.get(game, {})
    engine, judge = (Engine(game, hash=16, solver=False, **options) for _ in range(2))
    proven = same = warm_better = cold_better = equal = cold_nodes = warm_nodes = 0
    for board in positions(game, count):
        engine.clear()
        cold = engine.search(board, depth=depth)
        engine.clear()
        earlier = board.copy()
        for _ in range(before):
            earlier.pop()
        engine.search(earlier, depth=1)  # without a node limit, so that the whole table is in use
        known = engine.search(earlier, nodes=WARM_NODES).proven and not before
        warm = engine.search(board, depth=depth)
        proven += known
        if known:
            continue
        cold_nodes += cold.nodes
        warm_nodes += warm.nodes
        if warm.move == cold.move:
            same += 1
            continue
        assert warm.move is not None
        assert cold.move is not None
        verdict = better(judge, board, warm.move, cold.move)
        warm_better += verdict > 0
        cold_better += verdict < 0
        equal += verdict == 0
    ratio = warm_nodes / max(cold_nodes, 1)
    where = "same position" if not before else "two plies before"
    return (
        f"| {game} | {where} | {proven} | {same} | {warm_better} | {cold_better} | {equal} |"
        f" {ratio:.2f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--depth", type=int, default=4)
    arguments = parser.parse_args()
    print(
        "| game | warmed up with | proven | same move | warm better | cold better | equal | nodes |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for game in arguments.games or ttt.games():
        for before in (0, 2):
            print(compare(game, arguments.positions, arguments.depth, before), flush=True)


if __name__ == "__main__":
    main()
