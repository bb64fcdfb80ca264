"""Makes the shipped puzzles again: `make puzzles`, some ten minutes.

Players of different strength play games against each other after a few random moves; of each game,
the positions with exactly one winning move are puzzles, and at most two are taken. Everything is
seeded and limited by nodes, so that a run repeats itself exactly as long as the search is the same.

    python bench/make_puzzles.py [--out FILE] [--game GAME] [--each N]
"""

import argparse
import sys
from collections import Counter
from random import Random
from typing import Any, NamedTuple

from ttt import Board
from ttt.players.spec import make_player
from ttt.puzzles.collection import GRADES, PATH, Puzzle, write_puzzles
from ttt.puzzles.search import PuzzleFinder
from ttt.storage.atomic import check_target, write_whole


class Source(NamedTuple):
    """Games from which puzzles are taken."""

    game: str
    options: dict[str, Any]
    simulations: tuple[int, ...]
    """Strengths of the players: simulations per move."""
    games: int
    """Games to play at most."""
    each: int
    """Puzzles of each grade at most."""


SOURCES = (
    Source("tictactoe", {}, (1, 5, 20), 150, 6),
    Source("mnk", {"m": 4, "n": 4, "k": 4}, (1, 5, 20), 150, 3),
    Source("mnk", {"m": 5, "n": 5, "k": 4}, (20, 100, 500), 120, 5),
    Source("nineboard", {}, (60, 300, 1000), 60, 8),
    Source("ultimate", {}, (60, 300, 1000), 50, 6),
    Source("qubic", {}, (5, 20, 100), 60, 6),
    Source("connect4", {}, (5, 30, 200), 80, 8),
)


MOST = 2
"""Puzzles that are taken from one game, at most: of different grades."""


def play_game(source: Source, number: int) -> Board:
    """A whole game between two players."""
    start = Board(source.game, **source.options)
    random = Random(f"{source.game}/{source.options}/{number}")
    players = [
        make_player(f"mcts:simulations={simulations},hash=1,seed={number}", start)
        for simulations in random.choices(source.simulations, k=2)
    ]
    opening = random.randrange(1, 4)
    board = start
    while not board.is_game_over():
        if board.ply < opening:
            board.push(random.choice(board.legal_moves))
        else:
            board.push(players[board.ply % 2].choose(board))
    return board


def puzzles_of(board: Board, finder: PuzzleFinder) -> list[Puzzle]:
    """The puzzles in a game, from its end."""
    found = []
    board = board.copy()
    while board.moves:
        board.pop()
        puzzle = finder.find(board)
        if puzzle is not None:
            found.append(puzzle)
    return found


def collect(source: Source) -> list[Puzzle]:
    """The puzzles of a source; no two are the same but for symmetry."""
    finder = PuzzleFinder(Board(source.game, **source.options))
    chosen: list[Puzzle] = []
    grades: Counter[int] = Counter()
    keys = set()
    for number in range(source.games):
        candidates = puzzles_of(play_game(source, number), finder)
        candidates.sort(key=lambda puzzle: (grades[puzzle.grade], -puzzle.grade))
        taken: set[int] = set()
        for puzzle in candidates:
            fresh = puzzle.grade not in taken and key_of(puzzle) not in keys
            if fresh and len(taken) < MOST and grades[puzzle.grade] < source.each:
                taken.add(puzzle.grade)
                grades[puzzle.grade] += 1
                keys.add(key_of(puzzle))
                chosen.append(puzzle)
        counts = " ".join(f"{grades[grade]}" for grade in range(1, GRADES + 1))
        print(
            f"\r{source.game} {source.options or ''} game {number + 1} of {source.games}:"
            f" puzzles by grade {counts}",
            end="",
            file=sys.stderr,
            flush=True,
        )
        if all(grades[grade] >= source.each for grade in range(1, GRADES + 1)):
            break
    print(file=sys.stderr)
    return chosen


def key_of(puzzle: Puzzle) -> str:
    """The same for symmetric positions."""
    return min(board.text() for board in puzzle.board().symmetries())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default=PATH, help="file to write (default: the shipped one)")
    parser.add_argument("--game", help="make puzzles of this game only")
    parser.add_argument("--each", type=int, help="puzzles of each grade of each source, at most")
    arguments = parser.parse_args()
    check_target(arguments.out)
    found: list[Puzzle] = []
    for source in SOURCES:
        if arguments.game in (None, source.game):
            found += collect(source._replace(each=arguments.each or source.each))
    write_whole(arguments.out, [write_puzzles(found)])
    print(f"{len(found)} puzzles in {arguments.out}", file=sys.stderr)


if __name__ == "__main__":
    main()
