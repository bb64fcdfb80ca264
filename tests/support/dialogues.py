"""Dialogues of the protocols, generated from their grammars; rules come from the slow reference."""

from collections.abc import Iterator
from random import Random
from threading import Condition
from typing import Any

from support.reference import Reference, reference
from ttt import Board

SECONDS = 300.0
"""The longest wait for an answer, generous for a busy machine."""


class Answers:
    """Collects the lines that a session writes, from any thread."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._changed = Condition()

    def __call__(self, *lines: str) -> None:
        assert not any("\n" in line for line in lines), lines
        with self._changed:
            self.lines += lines
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


# --- UNSW ----------------------------------------------------------------------------------------


class UnswReferee:
    """Plays one side of nine-board against an agent, at random, by the slow rules: `messages` has
    what the agent has not been told yet, `answer` takes its move."""

    def __init__(self, random: Random, side: str) -> None:
        self.random = random
        self.side = side
        self.position = reference("nineboard", full="draw")
        self.cells: list[int] = []
        """The cells of all moves, 1-9; the first entry is the first board."""
        first = random.randrange(81)
        self.cells = [first // 9 + 1]
        self._play(first)
        self.messages = [f"start({side})."]
        self._turn()

    def _play(self, move: int) -> None:
        self.position.play(move)
        self.cells.append(move % 9 + 1)

    def _turn(self) -> None:
        """The referee's own move if it is its turn, then the message for the agent."""
        if self.position.turn != self.side and not self.position.outcome():
            self._play(self.random.choice(self.position.legal()))
        if outcome := self.position.outcome():
            if self.position.turn == self.side:
                self.messages.append(f"last_move({self.cells[-1]}).")
            result = {None: "draw", self.side: "win"}.get(outcome[0], "loss")
            cause = "triple" if outcome[0] else "full_board"
            self.messages.append(f"{result}({cause}).")
        elif len(self.cells) == 2:
            self.messages.append("second_move({},{}).".format(*self.cells))
        elif len(self.cells) == 3:
            self.messages.append("third_move({},{},{}).".format(*self.cells))
        else:
            self.messages.append(f"next_move({self.cells[-1]}).")

    def answer(self, text: str) -> None:
        """The agent's move; raises unless it is legal."""
        board = self.position.board
        assert board is not None
        self._play(9 * board + int(text) - 1)
        self._turn()

    def take(self) -> list[str]:
        """Takes the messages."""
        found, self.messages = self.messages, []
        return found


# --- CodinGame -----------------------------------------------------------------------------------


class CodingameReferee:
    """Plays one side of ultimate against a program, at random, by the slow rules."""

    def __init__(self, random: Random, side: str) -> None:
        self.random = random
        self.side = side
        self.position = reference("ultimate", tie="boards")
        self.last = (-1, -1)

    @staticmethod
    def cell(move: int) -> tuple[int, int]:
        """Row and column: the small board's place, then the cell's place in it."""
        down, across = divmod(move // 9, 3)
        row, column = divmod(move % 9, 3)
        return 3 * down + row, 3 * across + column

    def turn(self) -> list[str]:
        """The lines of the next turn; none if the game is over."""
        if self.position.turn != self.side and not self.position.outcome():
            move = self.random.choice(self.position.legal())
            self.position.play(move)
            self.last = self.cell(move)
        legal = [self.cell(move) for move in self.position.legal()]
        self.random.shuffle(legal)
        if not legal:
            return []
        cells = [self.last, *legal]
        texts = [f"{row} {column}" for row, column in cells]
        return [texts[0], str(len(legal)), *texts[1:]]

    def answer(self, text: str) -> None:
        """The program's move; raises unless it is legal."""
        row, column = map(int, text.split())
        cells = {self.cell(move): move for move in range(81)}
        self.position.play(cells[row, column])
