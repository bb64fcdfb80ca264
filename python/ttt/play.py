"""A game in the terminal. The computer's moves alone go to stdout, all else to stderr."""

import sys
from random import Random
from typing import TYPE_CHECKING

from ttt.board import Board, games, parse_options
from ttt_core.move import Move

if TYPE_CHECKING:
    from collections.abc import Iterable

HELP = "a move, or: moves (what is legal), undo, help, quit"


class LeftEarly(Exception):
    """The player typed quit, or the input ended."""


def say(text: str = "") -> None:
    print(text, file=sys.stderr, flush=True)


def ask(question: str) -> str:
    """One line of input; any end of input leaves the game."""
    print(question, end=" ", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line:
        say()
    if not line or line.strip().lower() in ("q", "quit", "exit"):
        raise LeftEarly
    return line.strip()


def ask_one_of(question: str, answers: "Iterable[str]") -> str:
    """Asks until the answer, in any case, is one of these."""
    wanted = list(answers)
    while (answer := ask(f"{question} ({', '.join(wanted)})").lower()) not in wanted:
        if (short := {"yes": "y", "no": "n"}.get(answer)) in wanted:
            return str(short)
        say(f"{answer!r} is none of {', '.join(wanted)}")
    return answer


def ask_move(board: Board) -> Move | None:
    """A legal move typed by a person; None: take the last two moves back."""
    while True:
        answer = ask(f"{board.turn}'s move:")
        word = answer.lower()
        if word == "help":
            say(f"Type {HELP}. A move is {board.spelling.help}.")
        elif word == "moves":
            say(f"Legal: {', '.join(board.legal_moves)}")
        elif word == "undo":
            return None
        elif word:
            try:
                move = board.parse_move(answer)
                if not board.is_legal(move):
                    raise ValueError(board.why_illegal(move))
            except ValueError as error:
                say(f"{error}. Legal: {', '.join(board.legal_moves)}")
            else:
                return move


def play_one(board: Board, people: set[str], random: Random) -> None:
    """One game to its end; sides that are not people play at random."""
    say(str(board))
    while not board.is_game_over():
        if board.turn in people:
            move = ask_move(board)
            if move is None:
                for _ in range(min(len(board.moves), 3 - len(people))):
                    board.pop()
                say(str(board))
                continue
        else:
            move = random.choice(board.legal_moves)
            say(f"{board.turn} plays {move}")
            print(move, flush=True)
        board.push(move)
        say(str(board))
        say(board.status())


def session(
    game: str | None, given: list[str], side: str | None, opponent: str, seed: int | None
) -> None:
    """Games until the player has had enough."""
    random = Random(seed)
    options = parse_options(",".join(given))
    try:
        game = game or ask_one_of("Which game?", games())
        start = Board(game, **options)
        people = {"x", "o"}
        if opponent != "human":
            people = {side or ask_one_of("Your side?", ("x", "o"))}
        say(f"{start.title}: {start.goal}. Type {HELP}.")
        again = "y"
        while again == "y":
            play_one(start.copy(), people, random)
            again = ask_one_of("Another game?", ("y", "n"))
    except LeftEarly:
        say("Bye.")
