"""The Connect Four solver and BitBully without its book: time and nodes per position, one core.

    python bench/connect4.py SETS [--empty]      SETS: the folder of the published L1_R1.txt ...
    python bench/connect4.py SETS --check        checks every position and every column of the sets
    python bench/connect4.py SETS --threads      speed-up by two threads on L1_R3, wall time

"cold": the tables are emptied before each position, outside the clock; the solvers alternate.
"table kept": the whole set; ttt solves it in one call. Nodes are exact; times are CPU seconds
of one run. BitBully is in the extra [bench].
"""

import argparse
import sys
from array import array
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from ttt.solvers.connect4 import Connect4Solver
from ttt_core.solvers.connect4.solver import Solver

SETS = (
    ("L3_R1", 500, False),
    ("L2_R1", 500, False),
    ("L2_R2", 300, True),
    ("L1_R1", 100, True),
    ("L1_R2", 55, True),
    ("L1_R3", 15, True),
)
UNLIMITED = 2**62


class Ours:
    def __init__(self) -> None:
        self.core = Solver(7, 6, 16)
        self.nodes = 0
        self.solve(self.prepare("4455"))
        self.clear()  # touches all pages of the tables, as BitBully's constructor does
        self.nodes = 0

    def clear(self) -> None:
        self.core.clear()

    def prepare(self, moves: str) -> tuple[int, int]:
        words = self.core.pack_moves(moves)
        assert words is not None
        return words

    def solve(self, words: tuple[int, int]) -> int:
        found = self.core.solve(*words, False, UNLIMITED, 0.0, 1, None)
        self.nodes += found["nodes"]
        return int(found["low"])

    def solve_set(self, positions: list[tuple[str, int]]) -> float:
        """CPU seconds for a whole set."""
        words = [self.prepare(moves) for moves, _ in positions]
        mine, theirs = (array("Q", side) for side in zip(*words, strict=True))
        began = process_time()
        low, _, nodes, _ = self.core.solve_many(mine, theirs, False, UNLIMITED, 0.0, 1)
        spent = process_time() - began
        self.nodes += sum(nodes)
        assert list(low) == [score for _, score in positions]
        return spent


class Theirs:
    def __init__(self) -> None:
        from bitbully import bitbully_core

        self.board: Callable[[], Any] = bitbully_core.BoardCore
        self.core = bitbully_core.BitBullyCore()

    def clear(self) -> None:
        self.core.resetTranspositionTable()

    def prepare(self, moves: str) -> Any:
        board = self.board()
        for column in moves:
            board.play(int(column) - 1)
        return board

    def solve(self, board: Any) -> int:
        return int(self.core.mtdf(board, 0))

    def solve_set(self, positions: list[tuple[str, int]]) -> float:
        boards = [self.prepare(moves) for moves, _ in positions]
        began = process_time()
        found = [self.solve(board) for board in boards]
        spent = process_time() - began
        assert found == [score for _, score in positions]
        return spent

    @property
    def nodes(self) -> int:
        return int(self.core.getNodeCounter())


def read(folder: Path, name: str) -> list[tuple[str, int]]:
    lines = (folder / f"{name}.txt").read_text().splitlines()
    return [(moves, int(score)) for moves, score in (line.rsplit(" ", 1) for line in lines)]


def compare(folder: Path) -> None:
    print("| set | ours: ms, nodes | BitBully: ms, nodes | speed-up |")
    print("|---|---|---|---|")
    for name, count, cold in SETS:
        players: list[Any] = [Ours(), Theirs()]
        positions = read(folder, name)[:count]
        spent = [0.0, 0.0]
        before = [player.nodes for player in players]
        if not cold:
            for i, player in enumerate(players):
                spent[i] = player.solve_set(positions)
        for moves, score in positions if cold else ():
            for i, player in enumerate(players):
                player.clear()
                position = player.prepare(moves)
                began = process_time()
                found = player.solve(position)
                spent[i] += process_time() - began
                if found != score:
                    who = type(player).__name__
                    sys.exit(f"{name} {moves}: {who} found {found}, expected {score}")
        cells = [
            f"{1000 * spent[i] / count:.4f}, {(player.nodes - before[i]) / count:,.0f}"
            for i, player in enumerate(players)
        ]
        title = f"{name}, {'cold' if cold else 'table kept'}"
        print(f"| {title} | {' | '.join(cells)} | {spent[1] / spent[0]:.1f} |", flush=True)


def empty_board() -> None:
    for player in (Ours(), Theirs()):
        position = player.prepare("")
        before, began = player.nodes, process_time()
        score = player.solve(position)
        print(
            f"empty board, {type(player).__name__}: score {score}, {player.nodes - before:,} nodes,"
            f" {process_time() - began:.2f} s",
            flush=True,
        )


def check(folder: Path) -> None:
    """Checks all positions and all columns of the sets."""
    solver = Connect4Solver(hash=64)
    for name, _, _ in SETS:
        positions = read(folder, name)
        began = process_time()
        scores = solver.solve_many([moves for moves, _ in positions])
        wrong = sum(found != score for found, (_, score) in zip(scores, positions, strict=True))
        columns, values = [], []
        for line in (folder / f"permove_{name}.txt").read_text().splitlines():
            moves, texts = line.split()
            for column, text in enumerate(texts.split(","), 1):
                if text != "43":
                    columns.append(f"{moves}{column}")
                    values.append(int(text))
        found = solver.solve_many(columns)
        wrong_columns = sum(a != b for a, b in zip(found, values, strict=True))
        print(
            f"{name}: {wrong} of {len(positions)} wrong, {wrong_columns} of {len(columns)} columns,"
            f" {process_time() - began:.1f} s",
            flush=True,
        )


def threads(folder: Path) -> None:
    """Speed-up with two threads: one position at a time, cold, and many at once."""
    spent = {}
    for count in (1, 2):
        core = Solver(7, 6, 16)
        spent[count] = 0.0
        for moves, score in read(folder, "L1_R3")[:40]:
            core.clear()
            words = core.pack_moves(moves)
            assert words is not None
            began = perf_counter()
            found = core.solve(*words, False, UNLIMITED, 0.0, count, None)
            spent[count] += perf_counter() - began
            if found["low"] != score:
                sys.exit(f"{moves}: found {found['low']}, expected {score}")
    print(f"two threads, one position: {spent[1] / spent[2]:.2f} times as fast")
    positions = [moves for moves, _ in read(folder, "L1_R3")[:40]]
    for count in (1, 2):
        solver = Connect4Solver(hash=16, threads=count)
        began = perf_counter()
        solver.solve_many(positions)
        spent[count] = perf_counter() - began
    print(f"two threads, 40 positions: {spent[1] / spent[2]:.2f} times as fast")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", type=Path, help="folder of the published positions")
    parser.add_argument("--empty", action="store_true", help="also the empty board: 5 minutes")
    parser.add_argument("--check", action="store_true", help="check all scores")
    parser.add_argument("--threads", action="store_true", help="measure two threads")
    arguments = parser.parse_args()
    if arguments.check:
        check(arguments.sets)
    elif arguments.threads:
        threads(arguments.sets)
    else:
        compare(arguments.sets)
        if arguments.empty:
            empty_board()


if __name__ == "__main__":
    main()
