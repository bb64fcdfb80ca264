"""Dialogues of the protocols, generated from their grammars; rules come from the slow reference."""

from collections.abc import Iterator
from random import Random
from threading import Condition
from typing import Any

from support.reference import Reference, reference
from ttt import Board

SECONDS = 120.0
"""The longest wait for an answer, generous for a busy machine."""


class Answers:
    """Collects the lines that a session writes, from any thread."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._changed = Condition()

    def __call__(self, line: str) -> None:
        assert "\n" not in line, line
        with self._changed:
            self.lines.append(line)
            self._changed.notify()

    def until(self, first_word: str) -> list[str]:
        """Takes all lines up to the first one that begins with this word."""
        with self._changed:
            assert self._changed.wait_for(
                lambda: any(line.split()[:1] == [first_word] for line in self.lines), SECONDS
            ), self.lines
            at = next(i for i, line in enumerate(self.lines) if line.split()[:1] == [first_word])
            found, self.lines = self.lines[: at + 1], self.lines[at + 1 :]
            return found

    def take(self) -> list[str]:
        """Takes all lines."""
        with self._changed:
            found, self.lines = self.lines, []
            return found


def names_of(game: str, options: dict[str, Any]) -> list[str]:
    """The moves as single tokens, by their numbers."""
    return [move.replace(" ", "") for move in Board(game, **options).ruleset.moves]


def random_game(random: Random, game: str, options: dict[str, Any]) -> tuple[Reference, list[int]]:
    """A position after some random moves, perhaps the end of a game, and the moves."""
    position, moves = reference(game, **options), list[int]()
    for _ in range(random.randrange(60)):
        legal = position.legal()
        if not legal:
            break
        moves.append(random.choice(legal))
        position.play(moves[-1])
    return position, moves


def ugi_lines(random: Random, game: str, options: dict[str, Any]) -> Iterator[str]:
    """Valid commands without end; searches are small."""
    board = Board(game, **options)
    choices = [f"{choice.name} value {options.get(choice.name)}" for choice in board.choices]
    while True:
        moves = board.playout(random.getrandbits(32)).moves[: random.randrange(60)]
        text = " ".join(move.replace(" ", "") for move in moves)
        number = random.randrange(1, 200)
        start = random.choice(["startpos", f"fen {board.text()}"])
        yield random.choice([
            f"position {start}{' moves ' if moves else ''}{text}",
            f"position {start}{' moves ' if moves else ''}{text}",
            f"go depth {number % 5 + 1}",
            f"go nodes {number}",
            f"go movetime {number % 5 + 1}",
            f"go p1time {number} p2time {number} p1inc 1 p2inc 1",
            "go infinite",
            "stop",
            f"query {random.choice(['p1turn', 'gameover', 'result'])}",
            f"setoption name {random.choice(['Threads value 2', 'MultiPV value 3', *choices])}",
            f"setoption name Hash value {number % 4 + 1}",
            "ugi",
            "isready",
            "uginewgame",
        ])  # fmt: skip
