"""Who plays which side in `ttt play`."""

import argparse

from ttt.board import Board
from ttt.cli.common import players_print_to_stderr
from ttt.cli.prompts import ask_level, ask_side, is_interactive
from ttt.game import Game
from ttt.matches.game import call_player
from ttt.players.presets import HUMAN, LEVELS, level_name
from ttt.players.spec import Player, ignores_time, make_player

DEFAULT_LEVEL = 5


def other_side(side: str) -> str:
    return "o" if side == "x" else "x"


class Seats:
    """The players of both sides. `names` has the player text of each side, `time` the seconds per
    move for players without a limit of their own."""

    def __init__(self, names: dict[str, str], board: Board, time: float | None = None) -> None:
        self.names = names
        self.time = time
        with players_print_to_stderr():
            self.players: dict[str, Player] = {
                side: make_player(name, board, time)
                for side, name in names.items()
                if name != HUMAN
            }

    @property
    def people(self) -> set[str]:
        """The sides that people play."""
        return {side for side in self.names if side not in self.players}

    @property
    def alone(self) -> bool:
        """Whether one person plays against a computer."""
        return len(self.people) == 1

    def new_game(self, seed: int) -> None:
        """Prepares the players for a game."""
        for side, player in self.players.items():
            prepare = getattr(player, "new_game", None)
            if prepare:
                with players_print_to_stderr():
                    _, error = call_player(prepare, seed + (side == "o"))
                if error:
                    raise ValueError(f"{self.names[side]} failed ({error[0]}: {error[1]})")

    def close(self) -> None:
        """Ends the players that are programs."""
        for player in self.players.values():
            call_player(getattr(player, "close", str))

    def describe(self, technical: bool) -> str:
        """A line that says who plays what; `technical`: with the players' options."""
        who = {side: self.describe_player(self.names[side], technical) for side in "xo"}
        if self.alone:
            side = next(iter(self.people))
            return f"You are {side}. The computer is {other_side(side)}: {who[other_side(side)]}."
        if len(self.people) == 2:
            return "Two people play: x and o in turn."
        return f"x is {who['x']}, o is {who['o']}."

    def describe_player(self, name: str, technical: bool) -> str:
        levels = {level_name(level): level for level in range(1, len(LEVELS) + 1)}
        if name in levels:
            level = levels[name]
            return (
                f"{name} ({LEVELS[level - 1]})" if technical else f"level {level} of {len(levels)}"
            )
        limited = self.time is not None and name != HUMAN and not ignores_time(name)
        return f"{name} ({self.time:g} s per move)" if limited else name

    # --- saved games -----------------------------------------------------------------------------

    def headers(self) -> dict[str, str]:
        """The players as headers of a saved game."""
        found = {"X": self.names["x"], "O": self.names["o"]}
        return found if self.time is None else {**found, "Time": f"{self.time:g}"}

    def for_game(self, game: Game, board: Board) -> "Seats":
        """The players of a saved game; these ones, if it does not name players that can play it."""
        return seats_of(game, board) or Seats(self.names, board, self.time)


def seats_of(game: Game, board: Board) -> Seats | None:
    """The players that a saved game names; None if they cannot be found."""
    try:
        names = {"x": game.headers["X"], "o": game.headers["O"]}
        time = float(game.headers["Time"]) if "Time" in game.headers else None
        return Seats(names, board, time)
    except (KeyError, ValueError):
        return None


def take_seats(arguments: argparse.Namespace, board: Board) -> Seats:
    """Assigns the sides; asks for what is not given."""
    given = [name for name in (arguments.player, arguments.opponent) if name not in (None, HUMAN)]
    with players_print_to_stderr():
        for name in given:  # checked before anything is asked
            make_player(name, board, arguments.time)
    check_time(arguments, given)
    level, side = arguments.level, arguments.side
    if level is not None:
        level_name(level)
    elif arguments.player is None and arguments.opponent is None:
        side = side or ask_side()
        level = ask_level() if is_interactive() else DEFAULT_LEVEL
    names = name_sides(arguments.player, arguments.opponent, level, side)
    return Seats(names, board, arguments.time)


def check_time(arguments: argparse.Namespace, given: list[str]) -> None:
    """Raises ValueError if --time has no effect."""
    if arguments.time is None:
        return
    if not given:
        raise ValueError(
            "--time needs --player; a level has its own limits"
            f" (--player engine --time {arguments.time:g} is the strongest)"
        )
    if all(map(ignores_time, given)):
        raise ValueError(f"--time has no effect: {' and '.join(given)} cannot be limited by time")


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
        side = ask_side()
    first = side or "x"
    return {first: named[0], other_side(first): named[1]}
