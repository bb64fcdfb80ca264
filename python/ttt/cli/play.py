"""A game in the terminal. The computer's moves alone go to stdout, all else to stderr."""

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from ttt.board import Board, games
from ttt.limits import Limit
from ttt.matches.game import attempt
from ttt.notation import parse_options
from ttt.players.presets import HUMAN, LEVELS, level_name
from ttt.players.spec import Player, make_player
from ttt.render.terminal import draw
from ttt_core.move import Move

if TYPE_CHECKING:
    from collections.abc import Iterable

HELP = "a move, or: moves, hint, undo, resign, help, quit"
DEFAULT_LEVEL = 5
LONGEST = 4096
"""The characters of a line that are read; the rest is dropped."""
HINT_NODES, HINT_SECONDS = 200_000, 2.0


class LeftEarly(Exception):
    """The player typed quit, or the input ended."""


class Command(Exception):
    """What a person typed instead of a move: undo or resign."""


class Setup(NamedTuple):
    """How the games of a session are played."""

    names: dict[str, str]
    """Who plays each side, as a text."""
    players: dict[str, Player]
    """The sides that no person plays."""
    hints: bool
    plain: bool

    @property
    def people(self) -> set[str]:
        return {side for side in self.names if side not in self.players}


def say(text: str = "") -> None:
    print(text, file=sys.stderr, flush=True)


def read_line() -> str:
    """A line of input; empty at its end. What is too long for a move is cut off."""
    line = sys.stdin.readline(LONGEST)
    rest = line
    while len(rest) == LONGEST and not rest.endswith("\n"):
        rest = sys.stdin.readline(LONGEST)
    return line


def ask(question: str) -> str:
    """One line of input; any end of input leaves the game."""
    print(question, end=" ", file=sys.stderr, flush=True)
    line = read_line()
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
        say(f"{answer[:40]!r} is none of {', '.join(wanted)}")
    return answer


def hint(board: Board) -> str:
    """What the engine would play."""
    from ttt.engine import Engine

    engine = Engine(board.game, hash=16, **board.options)
    found = engine.search(board, nodes=HINT_NODES, time=HINT_SECONDS)
    return f"Hint: {found.move} ({found.verdict()})"


def ask_move(board: Board, hints: bool) -> Move:
    """A legal move typed by a person; raises Command for undo and resign."""
    if hints:
        say(hint(board))
    while True:
        answer = ask(f"{board.turn}'s move:")
        word = answer.lower()
        if word in ("undo", "resign"):
            raise Command(word)
        if word == "help":
            say(f"Type {HELP}. A move is {board.spelling.help}.")
        elif word == "moves":
            say(f"Legal: {', '.join(board.legal_moves)}")
        elif word == "hint":
            say(hint(board))
        elif word:
            try:
                move = board.parse_move(answer)
                if not board.is_legal(move):
                    raise ValueError(board.why_illegal(move))
            except ValueError as error:
                say(f"{error}. Legal: {', '.join(board.legal_moves)}")
            else:
                return move


def undo(board: Board, people: set[str]) -> None:
    """Takes back the last move of a person, and what was answered to it."""
    sides = ["xo"[(board.ply - i) % 2] for i in range(1, len(board.moves) + 1)]
    if not people.intersection(sides):
        say("There is no move to take back.")
        return
    while board.moves:
        board.pop()
        if board.turn in people:
            break


def computer_move(board: Board, setup: Setup) -> str | None:
    """The computer plays and tells how it came to that; what is wrong, if its player failed."""
    player = setup.players[board.turn]
    move, error = attempt(player.choose, board.copy())
    if error is None:
        try:
            side, named = board.turn, board.parse_move(move)
            board.push(named)
        except (ValueError, TypeError) as problem:
            error = "illegal", str(problem)
        else:
            say(f"{side} plays {named}")
            summary, _ = attempt(getattr(player, "summary", str))
            if summary:
                say(f"  {summary}")
            if not (sys.stdout.isatty() and sys.stderr.isatty()):  # there it has just been shown
                print(named, flush=True)
            return None
    return f"{setup.names[board.turn]} failed ({error[0]}: {error[1]})"


def play_one(board: Board, setup: Setup) -> str:
    """One game to its end; returns how it ended."""
    say(draw(board, setup.plain))
    while not board.is_game_over():
        other = "o" if board.turn == "x" else "x"
        if board.turn in setup.people:
            try:
                board.push(ask_move(board, setup.hints))
            except Command as command:
                if str(command) == "resign":
                    return f"{board.turn} resigns: {other} wins"
                undo(board, setup.people)
        elif wrong := computer_move(board, setup):
            return f"{wrong}: {other} wins"
        say(draw(board, setup.plain))
        if not board.is_game_over():
            say(board.status())
    return board.status()


def seat_players(
    player: str | None, opponent: str | None, level: int | None, side: str | None
) -> dict[str, str]:
    """Who plays which side, as texts. Who is not named is the person at the terminal; the person
    plays `side`, or the player does where no person plays."""
    if level is not None and player is not None and opponent is not None:
        raise ValueError("--level is a player: leave out --player or --opponent")
    named = [name for name in (player, opponent) if name is not None]
    if level is not None:
        named.append(level_name(level))
    if not named:
        named = [level_name(DEFAULT_LEVEL)]
    if len(named) == 1:
        named.insert(0, HUMAN)
    elif named[1] == HUMAN:
        named.reverse()
    if named.count(HUMAN) == 1 and side is None:
        side = ask_one_of("Your side?", ("x", "o"))
    first = side or "x"
    return {first: named[0], "o" if first == "x" else "x": named[1]}


def told_name(name: str, alone: bool) -> str:
    """A player for people: a level with what it is; `alone`: one person plays."""
    if name == HUMAN and alone:
        return "you"
    return f"{name} ({LEVELS[int(name[6:]) - 1]})" if name.startswith("level-") else name


def result_for_people(ending: str, people: set[str]) -> str:
    """The ending, and to one person what that means."""
    if len(people) != 1:
        return ending
    side = next(iter(people))
    other = "o" if side == "x" else "x"
    if f"{side} wins" in ending:
        return f"{ending}. You win!"
    return f"{ending}. You lose." if f"{other} wins" in ending else f"{ending}."


def session(
    game: str | None,
    given: list[str],
    side: str | None = None,
    player: str | None = None,
    opponent: str | None = None,
    level: int | None = None,
    time: float | None = None,
    hints: bool = False,
    seed: int | None = None,
    rounds: int | None = None,
    plain: bool = False,
) -> None:
    """Games until the player has had enough, or `rounds` of them."""
    options = parse_options(",".join(given))
    if rounds == 0:
        raise ValueError("--games 0: at least 1")
    Limit(time=time)
    try:
        if game is None:
            game = ask_one_of("Which game?", games())
        start = Board(game, **options)
        # Names are checked before anything is asked.
        for name in (player, opponent):
            if name is not None and name != HUMAN:
                make_player(name, start, time)
        names = seat_players(player, opponent, level, side)
        players = {
            seat: make_player(name, start, time) for seat, name in names.items() if name != HUMAN
        }
        setup = Setup(names, players, hints, plain)
        say(f"{start.title}: {start.goal}.")
        alone = len(setup.people) == 1
        say(", ".join(f"{seat} is {told_name(names[seat], alone)}" for seat in "xo") + ".")
        if setup.people:
            say(f"Type {HELP}. A move is {start.spelling.help}.")
        first = int.from_bytes(os.urandom(7), "big") if seed is None else seed << 20
        played = 0
        while True:
            for seat, chooser in players.items():
                prepare = getattr(chooser, "new_game", None)
                if prepare:
                    _, error = attempt(prepare, first + 2 * played + (seat == "o"))
                    if error:
                        raise ValueError(f"{names[seat]} failed ({error[0]}: {error[1]})")
            ending = play_one(start.copy(), setup)
            say(result_for_people(ending, setup.people))
            played += 1
            if rounds is None and setup.people:
                if ask_one_of("Another game?", ("y", "n")) == "n":
                    break
            elif played >= (rounds or 1):
                break
    except LeftEarly:
        say("Bye.")
