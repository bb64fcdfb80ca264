"""The prompts of `ttt play`: questions on stderr, answers and moves on stdin."""

import sys
from collections.abc import Iterable
from textwrap import fill

from ttt.board import Board
from ttt_core.move import Move

COLUMNS = 79
"""Text is wrapped to this width."""
COMMANDS = "moves, hint, undo, resign, help, quit"
LINE_LENGTH = 4096
"""The rest of a longer line of input is dropped."""
HINT_NODES, HINT_SECONDS = 200_000, 2.0
SHORT_ANSWERS = {"yes": "y", "no": "n"}


class Quit(Exception):
    """The person typed quit, or the input ended."""


class Command(Exception):
    """A command typed instead of a move: undo or resign."""


def say(text: str = "") -> None:
    print(text, file=sys.stderr, flush=True)


def read_line() -> str:
    """A line of input; empty at the end of the input."""
    line = sys.stdin.readline(LINE_LENGTH)
    rest = line
    while len(rest) == LINE_LENGTH and not rest.endswith("\n"):
        rest = sys.stdin.readline(LINE_LENGTH)
    return line


def ask(question: str) -> str:
    """The answer to a question; raises Quit."""
    print(question, end=" ", file=sys.stderr, flush=True)
    line = read_line()
    if not line:
        say()
    if not line or line.strip().lower() in ("q", "quit", "exit"):
        raise Quit
    return line.strip()


def ask_one_of(question: str, choices: Iterable[str]) -> str:
    """Asks until the answer is one of the choices, in upper or lower case."""
    wanted = list(choices)
    while True:
        answer = ask(f"{question} ({', '.join(wanted)})").lower()
        answer = SHORT_ANSWERS.get(answer, answer)
        if answer in wanted:
            return answer
        say(f"unknown answer {answer[:40]!r}; choose from {', '.join(wanted)}")


def hint(board: Board) -> str:
    """The engine's choice, after a short search."""
    from ttt.engine import Engine

    engine = Engine(board.game, hash=16, **board.options)
    found = engine.search(board, nodes=HINT_NODES, time=HINT_SECONDS)
    return f"Hint: {found.move} ({found.verdict()})"


def help_text(board: Board) -> str:
    """The rules, how to type a move, and the commands."""
    typing = f"Type a move ({board.spelling.help}) or one of: {COMMANDS}."
    return f"{fill(board.rules(), COLUMNS)}\n{fill(typing, COLUMNS)}"


def ask_move(board: Board, hints: bool) -> Move:
    """A legal move typed by a person; raises Command and Quit."""
    if hints:
        say(hint(board))
    while True:
        answer = ask(f"{board.turn}'s move:")
        word = answer.lower()
        if word in ("undo", "resign"):
            raise Command(word)
        if word == "help":
            say(help_text(board))
        elif word == "moves":
            say(legal_text(board))
        elif word == "hint":
            say(hint(board))
        elif word:
            try:
                move = board.parse_move(answer)
                if not board.is_legal(move):
                    raise ValueError(board.why_illegal(move))
            except ValueError as error:
                say(f"{error}. {legal_text(board)}")
            else:
                return move


def legal_text(board: Board) -> str:
    return f"Legal moves: {', '.join(board.legal_moves)}"
