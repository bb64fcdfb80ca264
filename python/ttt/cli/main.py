"""The command line: `ttt VERB ...`.

A verb is a module of `ttt.cli` with two functions:

    add_parser(verbs, parents)    adds its parser, with `run` as the default of `run`
    run(arguments)                does the work; prints the result to stdout, progress to stderr

To start quickly, only the module of the given verb is imported; `ttt --help` imports all of them.
Modules that are slow to import are imported in `run`.

`ttt` alone prints the help.

Exit status: 0 success, 1 an input or output error, 2 bad usage, 129 SIGHUP, 130 Ctrl-C, 141 broken
pipe, 143 SIGTERM.
"""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TextIO

from ttt.cli.common import Parser, fit, make_parents
from ttt.cli.signals import ended_by_signals
from ttt.version import __version__
from ttt_core.errors import Terminated

VERBS = (
    "play",
    "games",
    "players",
    "show",
    "analyse",
    "solve",
    "book",
    "prove",
    "verify",
    "match",
    "tournament",
    "grade",
    "replay",
    "review",
    "web",
    "ugi",
    "unsw",
    "codingame",
    "perft",
    "playouts",
    "bench",
    "train",
    "completion",
)
"""The verbs in the order of `ttt --help`; each is a module of `ttt.cli`."""
DISK_ERRORS = (errno.EIO, errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
"""Errors of a file that are not the fault of its name."""

SPELLINGS = {"analyze": "analyse"}
"""Other spellings of verbs."""
EXAMPLES = """\
examples:
  ttt play                                    play a game; asks for the rest
  ttt play qubic --as x --level 3             with everything said
  ttt analyse connect4 --moves 4455 --time 2  the best move
  ttt solve nineboard --moves "5 5 5 1"       the exact result
  ttt show ultimate --moves "56 61" --svg     a picture

`ttt VERB --help` explains a verb, `ttt games` lists the games."""


def make_parser(verbs: Sequence[str] = VERBS) -> Parser:
    """The parser of `ttt` with these verbs."""
    parser = Parser(
        prog="ttt",
        description="Play, analyse and solve games of the tic-tac-toe family.",
        epilog=EXAMPLES,
    )
    parser.add_argument("--version", action="version", version=f"ttt {__version__}")
    parsers = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs", required=True)
    if verbs:
        parents = make_parents()
    for verb in verbs:
        import_module(f".{verb}", __package__).add_parser(parsers, parents)
    return parser


def parser_for(arguments: list[str]) -> Parser:
    """The parser for these arguments, with only the verbs that they need."""
    first = arguments[0]
    if first in VERBS:
        return make_parser([first])
    if first == "--version":
        return make_parser([])
    parser = make_parser()
    if not first.startswith("-"):
        parser.error(f"unknown verb {first!r}; choose from {', '.join(VERBS)}")
    return parser


def complain(text: str) -> None:
    """Prints a line to stderr, if that still works."""
    text = fit(" ".join(text.split("\n")), sys.stderr)
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def discard(stream: TextIO) -> None:
    """Redirects a broken stream to /dev/null, so that Python does not fail to flush it at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def open_streams() -> None:
    """Replaces standard streams that are closed at startup by empty ones."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    open_streams()
    given = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    given = [SPELLINGS.get(given[0], given[0]), *given[1:]]
    status = 0
    with ended_by_signals(given[0] != "play") as received:
        try:
            status = run(given)
        except Terminated:  # on the way out
            discard(sys.stdout)
            discard(sys.stderr)
    return 128 + received[0] if received else status


def run(given: list[str]) -> int:
    """Runs a command; returns its exit status."""
    verb = "ttt"
    try:
        try:
            try:
                parser = parser_for(given)
                parsed, unknown = parser.parse_known_args(given)
                if unknown:
                    parser.prog += f" {parsed.verb}"
                    parser.error(f"unrecognized arguments: {' '.join(unknown)}")
            except SystemExit as stop:  # after help, the version or a usage error
                return int(stop.code or 0)
            verb = f"ttt {parsed.verb}"
            parsed.run(parsed)
        finally:
            sys.stdout.flush()
    except ValueError as error:
        complain(f"{verb}: {error}")
        return 2
    except KeyboardInterrupt:
        complain("")
        return 130
    except OSError as error:
        discard(sys.stdout)
        if isinstance(error, BrokenPipeError):
            return 141
        named = error.filename is not None  # a file that the user named, not a stream
        of_jobs = isinstance(error, ConnectionError | ChildProcessError)  # they tell it all
        where = f"{error.filename}: " if named else "" if of_jobs else "standard output: "
        complain(f"{verb}: {where}{error.strerror}")
        discard(sys.stderr)
        return 2 if named and error.errno not in DISK_ERRORS else 1
    return 0
