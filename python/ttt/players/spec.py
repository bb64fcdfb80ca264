"""Player texts such as `alphabeta:depth=4`, which name a player everywhere.

    name                          a built-in player, a preset or a level, such as level-3
    name:option=value,...         the same with options
    package.module:thing          a custom player; see `load_custom`
    package.module:thing:option=value,...
    program:command,protocol=...  a program that speaks a protocol; see `ttt.protocols.program`

A player is any object with `choose(board) -> move`. It may also have

    new_game(seed)    called before each game: forget the last game, seed the random numbers
    summary()         a line about the latest move, for people
"""

import importlib
import inspect
import math
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from ttt.board import Board
from ttt.limits import Limit, parse_depth
from ttt.notation import parse_options
from ttt.players.builtin import ENGINE_SECONDS, PLAYERS, BuiltinPlayer
from ttt.players.presets import HUMAN, LEVELS, PRESETS, PROGRAM, level_name
from ttt_core.errors import BadNotation, shorten


class Player(Protocol):
    """What a match, or a game in the terminal, needs."""

    def choose(self, board: Board) -> str:
        """A legal move, as a Move or as text. The board is the player's own copy."""


# --- options -------------------------------------------------------------------------------------


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
        raise ValueError("a positive number of seconds")
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
"""The parser of each option; options mean the same for every player. Its ValueError says what is
valid."""

LIMITS = ("depth", "nodes", "time", "playouts", "simulations")
"""Options that limit the work for a move. A limit in a text replaces all limits of its preset."""


def options_of(kind: type[BuiltinPlayer]) -> dict[str, Any]:
    """The options of a built-in player and their defaults."""
    return getattr(kind.__init__, "__kwdefaults__", None) or {}


def expand(spec: str) -> tuple[str, dict[str, str]]:
    """The built-in player that a text names, and its options as texts. Presets and levels are
    replaced by their definitions; options in the text override theirs."""
    name, _, given = spec.partition(":")
    options = parse_options(given)
    meaning = PRESETS[name][1] if name in PRESETS else ""
    if name.startswith("level-") and name[6:].isdigit() and len(name) < 10:
        level_name(int(name[6:]))
        meaning = LEVELS[int(name[6:]) - 1]
    if meaning:
        name, own = expand(meaning)
        if any(limit in options for limit in LIMITS):
            own = {key: value for key, value in own.items() if key not in LIMITS}
        options = {**own, **options}
    return name, options


def make_player(spec: str, board: Board, time: float | None = None) -> Player:
    """The player that a text names, for the game and options of `board`.

    `time`, in seconds per move, is the default of players that have a `time` option.

    >>> board = Board("connect4")
    >>> make_player("first", board).choose(board)
    Move('1')
    """
    if not isinstance(spec, str):
        raise TypeError(f"expected a player text such as engine:time=1, not {type(spec).__name__}")
    Limit(time=time)
    if is_program(spec):
        from ttt.protocols.program import Program

        return Program(spec, board, time)
    if is_custom(spec):
        return load_custom(spec)
    preset = PRESETS.get(spec.partition(":")[0])
    if preset and preset[0] != board.game:
        raise ValueError(f"{shorten(spec)} plays {preset[0]}, not {board.game}")
    name, given = expand(spec)
    if name == HUMAN:
        raise ValueError("the player human is available only in `ttt play`")
    if name not in PLAYERS:
        raise BadNotation(f"unknown player {shorten(spec)}; {known_players()}")
    kind = PLAYERS[name]
    allowed = options_of(kind)
    options: dict[str, Any] = {}
    for option, text in given.items():
        if option not in allowed:
            valid = f"choose from {', '.join(allowed)}" if allowed else "it has no options"
            raise BadNotation(f"{name}: unknown option {shorten(option)}; {valid}")
        try:
            options[option] = READERS[option](text)
        except ValueError as error:
            raise BadNotation(f"{name}: {option}={shorten(text)}: expected {error}") from None
    if time is not None and "time" in allowed and given_time(spec) is None:
        options["time"] = time
    return kind(board, **options)  # type: ignore[return-value]


def given_time(spec: str) -> str | None:
    """The option `time` of a player text."""
    if is_custom(spec):
        return None
    if is_program(spec):
        from ttt.protocols.program import split_program

        return split_program(spec)[1].get("time")
    return parse_options(spec.partition(":")[2]).get("time")


def describe_player(spec: str, time: float | None = None) -> str:
    """The built-in player that a text stands for, with all its options, if players get `time`
    seconds per move as `make_player` has it. Other players are described by their text.

    >>> describe_player("level-8", time=0.1)
    'engine:nodes=50000,time=0.1'
    """
    if is_custom(spec) or is_program(spec):
        return spec
    name, options = expand(spec)
    if time is not None and not ignores_time(spec) and given_time(spec) is None:
        options["time"] = f"{time:g}"
    if name == "engine" and not any(limit in options for limit in LIMITS):
        options["time"] = f"{ENGINE_SECONDS:g}"
    given = ",".join(f"{option}={value}" for option, value in options.items())
    return f"{name}:{given}" if given else name


def ignores_time(spec: str) -> bool:
    """Whether a player has no time limit: a time per move has no effect on it."""
    if is_program(spec) or is_custom(spec):
        return not is_program(spec)
    name = expand(spec)[0]
    return name not in PLAYERS or "time" not in options_of(PLAYERS[name])


def known_players() -> str:
    """The valid names, for error messages."""
    names = ", ".join([*PLAYERS, *PRESETS])
    return f"choose from {names}, level-1 to level-{len(LEVELS)}, program:COMMAND, or module:name"


# --- custom players ------------------------------------------------------------------------------


class FunctionPlayer:
    """A player that is a function: board in, move out."""

    def __init__(self, function: Callable[[Board], str]) -> None:
        self.choose = function

    def __repr__(self) -> str:
        return getattr(self.choose, "__name__", repr(self.choose))


def as_player(thing: Any) -> Player:
    """A player from an object with `choose`, or from a function of the board."""
    if callable(getattr(thing, "choose", None)) and not isinstance(thing, type):
        found: Player = thing
        return found
    if callable(thing) and not isinstance(thing, type):
        return FunctionPlayer(thing)
    raise TypeError(
        f"player {shorten(thing)}: expected a text, an object with choose(board) or a function of"
        " the board"
    )


def is_program(spec: str) -> bool:
    """Whether a text is `program:command`, perhaps with options."""
    return spec.partition(":")[0] == PROGRAM


def is_custom(spec: str) -> bool:
    """Whether a text is `package.module:thing`, perhaps with options."""
    name, colon, rest = spec.partition(":")
    thing = rest.partition(":")[0]
    return (
        bool(colon)
        and thing.replace(".", "_").isidentifier()
        and name not in (*PLAYERS, *PRESETS, HUMAN, PROGRAM)
    )


def load_custom(spec: str) -> Player:
    """The player of `package.module:thing` or `package.module:thing:option=value,...`.

    The thing is a player, a function that takes the board and returns the move, or a class or a
    function without arguments that makes a player; the options, as texts, are its arguments.
    Modules are looked for in the current folder too.
    """
    module, _, rest = spec.partition(":")
    path, _, given = rest.partition(":")
    options = parse_options(given)
    _check_module(spec, module, path)
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        thing: Any = importlib.import_module(module)
        for part in path.split("."):
            thing = getattr(thing, part)
        if _makes_player(thing):
            thing = thing(**options)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        problem = f"cannot load player {shorten(spec)}: {type(error).__name__}: {error}"
        if isinstance(error, ModuleNotFoundError) and error.name == module:
            problem += f"; {known_players()}"
        raise BadNotation(problem[:350]) from None
    try:
        return as_player(thing)
    except TypeError:
        raise BadNotation(
            f"cannot load player {shorten(spec)}: {shorten(thing)} has no method choose(board)"
        ) from None


def _check_module(spec: str, module: str, path: str) -> None:
    """Raises BadNotation if the module is given as the name of a file."""
    if all(part.isidentifier() for part in module.split(".")) and not module.endswith(".py"):
        return
    hint = "write module:name, such as mybot:pick"
    stem = module.replace("\\", "/").rpartition("/")[2].removesuffix(".py")
    if stem.isidentifier():
        hint = f"write {stem}:{path} and run it in the folder of {stem}.py, or set PYTHONPATH"
    raise BadNotation(f"player {shorten(spec)}: not the name of a module; {hint}")


def _makes_player(thing: Any) -> bool:
    """Whether it is a class, or a function that needs no arguments: called to make the player."""
    if inspect.isclass(thing):
        return True
    if hasattr(thing, "choose") or not callable(thing):
        return False
    return not any(
        parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        for parameter in inspect.signature(thing).parameters.values()
    )
