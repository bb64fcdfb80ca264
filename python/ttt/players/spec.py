"""Players: who chooses the moves. One text names a player everywhere: `alphabeta:depth=4`.

A player is any object with `choose(board) -> move`. It may also have

    new_game(seed)    called before each game: forget the last one, start random numbers from seed
    summary()         a line about the latest move, for people

Built-in players are the classes of `builtin.py`; presets and levels are texts for them.
`package.module:thing` names a player of yours: see `load`.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from ttt.board import Board
from ttt.limits import Limit, parse_depth
from ttt.notation import parse_options
from ttt.players.builtin import PLAYERS, Builtin
from ttt.players.presets import HUMAN, LEVELS, PRESETS, level_name
from ttt_core.errors import BadNotation, shorten


class Player(Protocol):
    """What a match or a game in the terminal needs."""

    def choose(self, board: Board) -> str:
        """A legal move, as a Move or as text. The board is the player's own copy."""


# --- the text of a player ------------------------------------------------------------------------


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise ValueError("a whole number")
    return int(text)


def _from_one(text: str) -> int:
    if _whole(text) < 1:
        raise ValueError("a whole number from 1 up")
    return int(text)


def _number(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found < 1e9:
        raise ValueError("a number from 0 up")
    return found


def _seconds(text: str) -> float:
    if not _number(text) > 0:
        raise ValueError("seconds, more than 0")
    return float(text)


def _ties(text: str) -> str:
    if text not in ("first", "centre", "random"):
        raise ValueError("first, centre or random")
    return text


READERS: dict[str, Callable[[str], Any]] = {
    "depth": partial(parse_depth, rules=True),
    "nodes": _from_one,
    "time": _seconds,
    "eval": str,
    "threads": _from_one,
    "hash": _from_one,
    "playouts": _from_one,
    "simulations": _from_one,
    "exploration": _number,
    "ties": _ties,
    "seed": _whole,
}
"""How the options of players are read; a name means the same for every player."""

LIMITS = ("depth", "nodes", "time", "playouts", "simulations")


def options_of(kind: type[Builtin]) -> dict[str, Any]:
    """The options of a built-in player and their defaults."""
    return getattr(kind.__init__, "__kwdefaults__", None) or {}


def expand(spec: str) -> tuple[str, dict[str, str]]:
    """The built-in player that a text means and its options as written; presets and levels are
    put in full, and what the text adds comes on top."""
    name, _, given = spec.partition(":")
    options = parse_options(given)
    whole = PRESETS[name][1] if name in PRESETS else ""
    if name.startswith("level-") and name[6:].isdigit() and len(name) < 10:
        level_name(int(name[6:]))
        whole = LEVELS[int(name[6:]) - 1]
    if whole:
        name, own = expand(whole)
        if any(limit in options for limit in LIMITS):
            own = {key: value for key, value in own.items() if key not in LIMITS}
        options = {**own, **options}
    return name, options


def make_player(spec: str, board: Board, time: float | None = None) -> Player:
    """The player that a text means, for games like `board`.

    `time`, in seconds a move, is given to players that take one unless the text names one.
    """
    if not isinstance(spec, str):
        raise TypeError(f"a player is a text such as engine:time=1, not {type(spec).__name__}")
    Limit(time=time)
    if is_foreign(spec):
        return load(spec)
    preset = PRESETS.get(spec.partition(":")[0])
    if preset and preset[0] != board.game:
        raise ValueError(f"{shorten(spec)} plays {preset[0]}, not {board.game}")
    name, given = expand(spec)
    if name == HUMAN:
        raise ValueError("human plays in `ttt play` only")
    if name not in PLAYERS:
        known = ", ".join([*PLAYERS, *PRESETS, "level-1 to level-10"])
        raise BadNotation(f"{shorten(spec)} is no player: {known}, or module:callable")
    kind = PLAYERS[name]
    allowed = options_of(kind)
    options: dict[str, Any] = {}
    for option, text in given.items():
        if option not in allowed:
            names = ", ".join(allowed) or "none"
            raise BadNotation(f"{name} has no option {shorten(option)}; it has {names}")
        try:
            options[option] = READERS[option](text)
        except ValueError as error:
            raise BadNotation(f"{name}: {option}={shorten(text)}: {error}") from None
    own_time = "time" in parse_options(spec.partition(":")[2])
    if time is not None and "time" in allowed and not own_time:
        options["time"] = time
    return kind(board, **options)  # type: ignore[return-value]


# --- players from outside ------------------------------------------------------------------------


class Chooser:
    """A player that is one function: board in, move out."""

    def __init__(self, function: Callable[[Board], str]) -> None:
        self.choose = function

    def __repr__(self) -> str:
        return getattr(self.choose, "__name__", repr(self.choose))


def as_player(thing: Any) -> Player:
    """An object that plays: itself, or a function that takes the board and returns the move."""
    if callable(getattr(thing, "choose", None)):
        found: Player = thing
        return found
    if callable(thing) and not isinstance(thing, type):
        return Chooser(thing)
    raise TypeError(
        f"a player is a text, an object with choose(board) or a function of the board, not"
        f" {type(thing).__name__}"
    )


def is_foreign(spec: str) -> bool:
    """Whether a text is `package.module:thing`, perhaps with options."""
    name, colon, rest = spec.partition(":")
    thing = rest.partition(":")[0]
    return (
        bool(colon)
        and thing.replace(".", "_").isidentifier()
        and name not in (*PLAYERS, *PRESETS, HUMAN)
    )


def load(spec: str) -> Player:
    """The player of `package.module:thing` or `package.module:thing:name=value,...`.

    The thing is a class (made with the options, as texts), a function without arguments that
    returns a player, a function that takes the board and returns the move, or a player.
    """
    import importlib
    import inspect
    import sys

    module_name, _, rest = spec.partition(":")
    path, _, given = rest.partition(":")
    options = parse_options(given)
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        thing: Any = importlib.import_module(module_name)
        for part in path.split("."):
            thing = getattr(thing, part)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise BadNotation(f"player {shorten(spec)}: {type(error).__name__}: {error}") from None
    if not inspect.isclass(thing) and not hasattr(thing, "choose") and callable(thing):
        needed = [
            parameter
            for parameter in inspect.signature(thing).parameters.values()
            if parameter.default is parameter.empty
            and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        ]
        if needed:
            return Chooser(thing)
    if callable(thing) and not (hasattr(thing, "choose") and not inspect.isclass(thing)):
        try:
            thing = thing(**options)
        except Exception as error:
            raise BadNotation(f"player {shorten(spec)}: {type(error).__name__}: {error}") from None
    if not callable(getattr(thing, "choose", None)):
        raise BadNotation(f"player {shorten(spec)} has no choose(board)")
    player: Player = thing
    return player
