"""Shared by the verbs: the parser, argument types, common arguments, the board, JSON output."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any, NamedTuple, NoReturn, TextIO

from ttt.board import Board, board_class, games
from ttt.limits import LONGEST, MOST_PROCESSES, MOST_THREADS
from ttt.notation import parse_options

LARGEST = 2**31 - 1
"""The largest whole number that an argument accepts."""


class Formatter(argparse.HelpFormatter):
    """Lists the verbs and their help in two columns; keeps the lines of a text of several
    paragraphs."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += self._indent_increment  # argparse overlooks their indent


LONGEST_MESSAGE = 400
"""Characters of an error message."""


class Parser(argparse.ArgumentParser):
    """Reports an error in one line that points to --help. `complete` adds arguments that are slow
    to collect; it is called when the parser is first used."""

    def __init__(
        self, complete: Callable[[argparse.ArgumentParser], None] | None = None, **settings: Any
    ) -> None:
        super().__init__(**{"formatter_class": Formatter, **settings})
        self.complete = complete

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self.complete is not None:
            self.complete(self)
            self.complete = None
        return super().parse_known_args(args, namespace)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Unlike argparse, does not hide that help could not be written."""
        if message and file is not sys.stdout:
            super()._print_message(message, file)
        elif message:
            file.write(message)

    def error(self, message: str) -> NoReturn:
        message = " ".join(message.split())
        if len(message) > LONGEST_MESSAGE:
            message = message[:LONGEST_MESSAGE] + "..."
        message = f"{self.prog}: {message} (see {self.prog} --help)"
        self.exit(2, f"{fit(message, sys.stderr)}\n")


def fit(text: str, stream: TextIO) -> str:
    """Lines of text, wrapped between words if the stream is a terminal."""
    if not stream.isatty():
        return text
    from textwrap import TextWrapper

    wrapper = TextWrapper(columns(), break_long_words=False, break_on_hyphens=False)
    return "\n".join(
        line if len(line) <= wrapper.width else wrapper.fill(line) for line in text.split("\n")
    )


def columns() -> int:
    """The width of the terminal less one, so that no line wraps; 79 if there is no terminal."""
    from shutil import get_terminal_size

    return max(get_terminal_size().columns - 1, 20)


class Parents(NamedTuple):
    """Parsers with arguments that several verbs have: `verbs.add_parser(..., parents=[...])`."""

    position: Parser
    """GAME, --moves and --position; `make_board` also reads --set."""
    options: Parser
    """--set."""
    report: Parser
    """--json."""
    work: Parser
    """--nodes, --time, --threads and --hash of a solver."""


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """The type of an argument that is a whole number from `least` to `most`."""
    valid = f"a whole number from {least} {'up' if most is None else f'to {most}'}"

    def read(text: str) -> int:
        found = int(text) if text.isascii() and text.isdigit() and len(text) < 100 else -1
        if found < least or (most is not None and found > most):
            raise argparse.ArgumentTypeError(f"{text!r}: expected {valid}")
        return found

    return read


whole = whole_number(0, LARGEST)
positive = whole_number(1)


def seconds(text: str) -> float:
    """The type of an argument that is a time."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found <= LONGEST:
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected a number of seconds above 0, at most {LONGEST:,.0f}"
        )
    return found


def make_parents() -> Parents:
    position = Parser(add_help=False)
    add_game(position)
    add_start(position)
    options = Parser(add_help=False)
    options.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        help="set an option of the game (repeatable); see `ttt games`",
    )
    report = Parser(add_help=False)
    add_json(report)
    work = Parser(add_help=False)
    work.add_argument("--nodes", metavar="N", type=positive, help="maximum number of nodes")
    work.add_argument("--time", metavar="S", type=seconds, help="maximum number of seconds")
    add_resources(work, hash=None)
    return Parents(position, options, report, work)


class GameAction(argparse.Action):
    """Stores GAME; the options of GAME:NAME=VALUE,... are added to those of --set."""

    def __call__(
        self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        name, _, options = (values or "").partition(":")
        namespace.game = name if values is not None else None
        if options:
            namespace.set = [*(getattr(namespace, "set", None) or []), options]


def add_game(
    parser: Any, help: str = "name of the game; see `ttt games`", nargs: str | None = None
) -> None:
    """Adds the argument GAME."""
    parser.add_argument("game", metavar="GAME", nargs=nargs, action=GameAction, help=help)


def add_seed(parser: Any) -> None:
    """Adds --seed."""
    parser.add_argument(
        "--seed", metavar="S", type=whole, default=0, help="random seed (default 0)"
    )


def add_move_time(parser: Any, late: str) -> None:
    """Adds --time for players; `late` is what happens to a move that takes too long."""
    parser.add_argument(
        "--time",
        metavar="S",
        type=seconds,
        help="seconds per move for players without time=; a move that takes longer than 2 S + 0.5"
        f" seconds {late}",
    )


def add_start(parser: Any) -> None:
    """Adds --moves and --position."""
    parser.add_argument("--moves", metavar="MOVES", help='moves to play first, e.g. "5 1 9"')
    parser.add_argument(
        "--position",
        metavar="TEXT",
        help='starting position as printed by `ttt show`, e.g. "x../.o./... x"',
    )


def add_json(parser: Any) -> None:
    """Adds --json to a parser or a group of arguments."""
    parser.add_argument("--json", action="store_true", help="print JSON to stdout")


def add_resources(parser: argparse.ArgumentParser, hash: int | None) -> None:
    """Adds --threads and --hash; a `hash` of None leaves the default to the solver."""
    parser.add_argument(
        "--threads",
        metavar="N",
        type=whole_number(1, MOST_THREADS),
        default=1,
        help="number of threads (default 1)",
    )
    parser.add_argument(
        "--hash",
        metavar="MIB",
        type=positive,
        default=hash,
        help="size of the transposition table in MiB "
        + ("(default: the solver's choice)" if hash is None else f"(default {hash})"),
    )


def add_jobs_arguments(parser: Any, shard: bool = True, processes: int = 1) -> None:
    """Adds --processes, --cluster and --shard: where many jobs run, see `ttt.jobs`. `processes` is
    the default."""
    parser.add_argument(
        "--processes",
        metavar="P",
        type=whole_number(1, MOST_PROCESSES),
        default=processes,
        help=f"number of processes that work at the same time (default {processes})",
    )
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="work on the Dask cluster whose scheduler has this address, e.g. tcp://host:8786",
    )
    if shard:
        parser.add_argument(
            "--shard",
            metavar="I/N",
            type=shard_argument,
            help="do only part I of N of the jobs, e.g. 2/5",
        )


def shard_argument(text: str) -> Any:
    """The type of --shard."""
    from ttt.jobs import parse_shard

    try:
        return parse_shard(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


@contextmanager
def players_print_to_stderr() -> Iterator[None]:
    """Within this context, everything printed to stdout goes to stderr: by custom players, by the
    compiled code and by the programs that they use. What a command prints stays readable."""
    own = None
    with suppress(OSError, ValueError):  # not a file, or stderr is closed
        if sys.stdout.fileno() == 1:
            sys.stdout.flush()
            own = os.dup(1)
            os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if own is not None:
            os.dup2(own, 1)
            os.close(own)


def game_options(arguments: argparse.Namespace) -> dict[str, str]:
    """The options that GAME and --set give."""
    return parse_options(",".join(arguments.set or []))


def make_board(arguments: argparse.Namespace) -> Board:
    """The board that GAME, --set, --position and --moves describe."""
    options = game_options(arguments)
    if arguments.position is None:
        board = Board(arguments.game, **options)
    else:
        text = arguments.position
        named = (text.lower().split() or [""])[0].partition(":")[0]
        if named in games():
            if options:
                raise ValueError("--set cannot be combined with a --position that names the game")
        elif arguments.game is None:
            raise ValueError("--position: begin with the name of the game, or give GAME")
        else:
            named = arguments.game
            given = ",".join(f"{name}={value}" for name, value in options.items())
            text = f"{named}{':' if given else ''}{given} {text}"
        board = board_class(arguments.game or named).parse(text)
    if arguments.moves:
        board.push_moves(arguments.moves)
    return board


def print_row(name: str, text: str, indent: int) -> None:
    """Prints a row of a list: a name, then text that begins at `indent` and is wrapped there."""
    import textwrap

    wrapper = textwrap.TextWrapper(max(columns(), indent + 20), break_on_hyphens=False)
    wrapper.initial_indent, wrapper.subsequent_indent = f"{name:<{indent}}", " " * indent
    print(wrapper.fill(text))


def print_json(record: dict[str, Any]) -> None:
    """Prints a record as one line of JSON."""
    import json

    print(json.dumps(record), flush=True)
