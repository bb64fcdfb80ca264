"""Games in the terminal: the players, the moves of both sides, the result.

The moves of the computer go to stdout, so that another program can read them; everything else goes
to stderr.
"""

import argparse
import os
import sys
from typing import NamedTuple

from ttt.board import Board, games
from ttt.cli.common import game_options
from ttt.cli.prompts import Command, ask_move, ask_one_of, help_text, say
from ttt.matches.game import call_player
from ttt.players.presets import HUMAN, LEVELS, level_name
from ttt.players.spec import Player, make_player
from ttt.render.terminal import draw


class Seats(NamedTuple):
    """Who plays, and how it is shown."""

    names: dict[str, str]
    """The player of each side, as text."""
    players: dict[str, Player]
    """The players of the sides that no person plays."""
    hints: bool
    ascii: bool

    @property
    def people(self) -> set[str]:
        """The sides that people play."""
        return {side for side in self.names if side not in self.players}


def other_side(side: str) -> str:
    return "o" if side == "x" else "x"


def take_seats(arguments: argparse.Namespace, start: Board) -> Seats:
    """Assigns the sides; asks for one if it is not given."""
    # Names are checked before anything is asked.
    for name in (arguments.player, arguments.opponent):
        if name is not None and name != HUMAN:
            make_player(name, start, arguments.time)
    names = name_sides(arguments.player, arguments.opponent, arguments.level, arguments.side)
    players = {
        side: make_player(name, start, arguments.time)
        for side, name in names.items()
        if name != HUMAN
    }
    return Seats(names, players, arguments.hints, arguments.ascii)


def name_sides(
    player: str | None, opponent: str | None, level: int | None, side: str | None
) -> dict[str, str]:
    """The player of each side, as text. A player that is not named is the person at the terminal;
    `side` is that person's or, if no person plays, that of `player`."""
    named = [name for name in (player, opponent) if name is not None]
    if level is not None:
        named.append(level_name(level))
    if len(named) == 1:
        named.insert(0, HUMAN)
    elif named[1] == HUMAN:
        named.reverse()
    if named.count(HUMAN) == 1 and side is None:
        side = ask_one_of("Your side?", ("x", "o"))
    first = side or "x"
    return {first: named[0], other_side(first): named[1]}


def start_players(seats: Seats, seed: int) -> None:
    """Prepares the players for a game."""
    for side, player in seats.players.items():
        prepare = getattr(player, "new_game", None)
        if prepare:
            _, error = call_player(prepare, seed + (side == "o"))
            if error:
                raise ValueError(f"{seats.names[side]} failed ({error[0]}: {error[1]})")


def undo(board: Board, people: set[str]) -> None:
    """Takes back the last move of a person, and the reply to it."""
    sides = ["xo"[(board.ply - i) % 2] for i in range(1, len(board.moves) + 1)]
    if not people.intersection(sides):
        say("No move to take back.")
        return
    while board.moves:
        board.pop()
        if board.turn in people:
            break


def computer_move(board: Board, seats: Seats) -> str | None:
    """Plays the computer's move and shows it; returns what went wrong if the player failed."""
    player = seats.players[board.turn]
    move, error = call_player(player.choose, board.copy())
    if error is None:
        try:
            side, named = board.turn, board.parse_move(move)
            board.push(named)
        except (ValueError, TypeError) as problem:
            error = "illegal", str(problem)
        else:
            say(f"{side} plays {named}")
            summary, _ = call_player(getattr(player, "summary", str))
            if summary:
                say(f"  {summary}")
            if not (sys.stdout.isatty() and sys.stderr.isatty()):  # the terminal has just shown it
                print(named, flush=True)
            return None
    return f"{seats.names[board.turn]} failed ({error[0]}: {error[1]})"


def play_game(board: Board, seats: Seats) -> str:
    """Plays one game to its end; returns how it ended."""
    say(draw(board, seats.ascii))
    while not board.is_game_over():
        other = other_side(board.turn)
        if board.turn in seats.people:
            try:
                board.push(ask_move(board, seats.hints))
            except Command as command:
                if str(command) == "resign":
                    return f"{board.turn} resigns: {other} wins"
                undo(board, seats.people)
        elif failure := computer_move(board, seats):
            return f"{failure}: {other} wins"
        say(draw(board, seats.ascii))
        if not board.is_game_over():
            say(board.status())
    return board.status()


def describe(name: str, alone: bool) -> str:
    """The name of a player for people; `alone`: one person plays."""
    if name == HUMAN and alone:
        return "you"
    levels = {level_name(level): text for level, text in enumerate(LEVELS, 1)}
    return f"{name} ({levels[name]})" if name in levels else name


def describe_result(ending: str, people: set[str]) -> str:
    """How a game ended and, if one person played, whether that person won."""
    if len(people) != 1:
        return ending
    side = next(iter(people))
    if f"{side} wins" in ending:
        return f"{ending}. You win!"
    return f"{ending}. You lose." if f"{other_side(side)} wins" in ending else f"{ending}."


def play(arguments: argparse.Namespace) -> None:
    """Plays --games games, or until the person says no."""
    options = game_options(arguments)
    game = ask_one_of("Which game?", games()) if arguments.game is None else arguments.game
    start = Board(game, **options)
    seats = take_seats(arguments, start)
    say(f"{start.title}: {start.goal}.")
    alone = len(seats.people) == 1
    say(", ".join(f"{side} is {describe(seats.names[side], alone)}" for side in "xo") + ".")
    if seats.people:
        say(help_text(start))
    seed = int.from_bytes(os.urandom(7), "big") if arguments.seed is None else arguments.seed << 20
    played = 0
    while True:
        start_players(seats, seed + 2 * played)
        say(describe_result(play_game(start.copy(), seats), seats.people))
        played += 1
        if arguments.games is None and seats.people:
            if ask_one_of("Another game?", ("y", "n")) == "n":
                break
        elif played >= (arguments.games or 1):
            break
