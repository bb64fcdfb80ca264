"""Builds and checks opening books of Connect Four (`ttt.solvers.book`).

The positions of the last ply are solved, in chunks of neighbours that share a table; the scores of
all earlier positions follow from them. Results are appended to a log beside the book,
`<file>.log`, so a stopped run resumes exactly.
"""

import json
from collections.abc import Generator
from contextlib import closing
from random import Random
from typing import Any

from ttt.board import Board
from ttt.jobs import Shard, run_jobs
from ttt.solvers.book import BadBook, Book
from ttt.solvers.connect4 import Connect4Solver
from ttt.storage.lines import LineFile

CHUNK = 50
"""Positions of a job."""
DEEPEST = 12
"""Plies of the largest book that can be built."""
START = '{"ttt":"connect4-book"'


def layers(start: Board, plies: int) -> list[dict[int, Board]]:
    """The running games of each ply, one of each pair of mirror images, by key."""
    found = [{start.canonical_key(): start}]
    for _ in range(plies):
        below: dict[int, Board] = {}
        for board in found[-1].values():
            for move in board.legal_moves:
                after = board.copy()
                after.push(move)
                if not after.is_game_over():
                    below.setdefault(after.canonical_key(), after)
        found.append(below)
    return found


def winning_score(board: Board) -> int:
    """The score of a position in which the side to move wins at once."""
    return (len(board.marks) - board.ply + 1) // 2


def back_up(board: Board, scores: dict[int, int]) -> int:
    """The score of a position from those after each move; a full board is a draw."""
    found = []
    for move in board.legal_moves:
        after = board.copy()
        after.push(move)
        value = after.outcome_value()
        if value is None:
            found.append(-scores[after.canonical_key()])
        else:
            found.append(winning_score(board) if value else 0)
    return max(found)


class BookBuilder:
    """A book under construction, with its log."""

    def __init__(self, path: str, plies: int, columns: int = 7, rows: int = 6) -> None:
        if not 1 <= plies <= DEEPEST:
            raise ValueError(f"plies={plies}: expected 1 to {DEEPEST}")
        self.path, self.plies = path, plies
        self.start = Board("connect4", columns=columns, rows=rows)
        self.layers = layers(self.start, plies)
        self.keys = sorted(self.layers[-1], key=lambda key: self.layers[-1][key].text())
        """The positions to solve, neighbours together."""
        self.chunks = [self.keys[i : i + CHUNK] for i in range(0, len(self.keys), CHUNK)]
        self.scores: dict[int, int] = {}
        self.log = LineFile(f"{path}.log", START)
        header = {"ttt": "connect4-book", "columns": columns, "rows": rows, "plies": plies}
        try:
            if not self.log.lines:
                self.log.append(json.dumps(header, separators=(",", ":")))
            elif json.loads(self.log.lines[0]) != header:
                raise ValueError(f"{path}.log: log of another book; delete it")
            for line in self.log.lines[1:]:
                number, scores = json.loads(line)["chunk"]
                self._take(number, scores)
        except BaseException:
            self.log.close()
            raise

    def _take(self, number: int, scores: list[int]) -> None:
        self.scores.update(zip(self.chunks[number], scores, strict=True))

    def missing(self) -> list[int]:
        """The numbers of the chunks to solve."""
        return [i for i, chunk in enumerate(self.chunks) if chunk[0] not in self.scores]

    def run(
        self, processes: int = 1, cluster: str | None = None, shard: Shard | None = None
    ) -> Generator[int, None, None]:
        """Solves what is missing; yields the number of positions of each finished chunk."""
        numbers = [i for i in self.missing() if shard is None or shard.has(i)]
        columns, rows = (self.start.options[name] for name in ("columns", "rows"))
        jobs = [
            [[str(move) for move in self.layers[-1][key].moves] for key in self.chunks[number]]
            for number in numbers
        ]
        with closing(
            run_jobs(
                "ttt.proofs.book:worker",
                {"columns": columns, "rows": rows},
                jobs,
                processes=processes,
                cluster=cluster,
            )
        ) as results:
            for index, scores in results:
                number = numbers[index]
                self.log.append(json.dumps({"chunk": [number, scores]}, separators=(",", ":")))
                self._take(number, scores)
                yield len(scores)

    def finish(self) -> Book:
        """Computes the earlier plies, writes the book and removes the log."""
        for layer in reversed(self.layers[:-1]):
            for key, board in layer.items():
                self.scores[key] = back_up(board, self.scores)
        columns, rows = (self.start.options[name] for name in ("columns", "rows"))
        book = Book.build(columns, rows, self.plies, self.scores)
        book.save(self.path)
        self.log.remove()
        return book

    def close(self) -> None:
        self.log.close()


def worker(settings: dict[str, Any]) -> Any:
    """For `ttt.jobs`: the moves of several positions become their scores."""
    solver = Connect4Solver(**settings)

    def work(games: list[list[str]]) -> list[int]:
        boards = []
        for moves in games:
            board = solver.start.copy()
            board.push_moves(moves)
            boards.append(board)
        found: list[int] = solver.solve_many(boards)
        return found

    return work


def check_book(book: Book, sample: int | None, seed: int = 1) -> Generator[Board, None, None]:
    """Checks that a book has every position, that earlier scores follow from later ones, and
    solves a sample of the last ply again (None: all of it); yields after each one. Raises
    BadBook."""
    found = layers(book.start(), book.plies)
    scores: dict[int, int] = {}
    for layer in reversed(found):
        for key, board in layer.items():
            score = book.find(board)
            if score is None:
                raise BadBook(f"the book does not have {board.text()}")
            scores[key] = score
            if layer is not found[-1] and back_up(board, scores) != score:
                raise BadBook(f"wrong score {score} of {board.text()}")
    if len(scores) != len(book):
        raise BadBook(f"{len(book) - len(scores)} entries belong to no position")
    last = [found[-1][key] for key in sorted(found[-1])]
    chosen = last if sample is None or sample >= len(last) else Random(seed).sample(last, sample)
    solver = Connect4Solver(columns=book.columns, rows=book.rows)
    for board in chosen:
        score = solver.solve_many([board])[0]
        if score != book.find(board):
            raise BadBook(f"score {book.find(board)} instead of {score} for {board.text()}")
        yield board
