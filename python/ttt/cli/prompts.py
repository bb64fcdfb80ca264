"""The prompts of `ttt play`: questions on stderr, answers on stdin.

In a terminal a line can be edited, and the arrow keys bring back earlier lines (readline).
"""

import re
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from textwrap import fill
from typing import Any

from ttt.board import Board, board_class, games
from ttt.players.presets import LEVELS

COLUMNS = 79
"""Text is wrapped to this width."""
LINE_LENGTH = 4096
"""The rest of a longer line of input is dropped."""
QUITTING = ("q", "quit", "exit")
LEVEL_NAMES = {"easy": 2, "medium": 5, "hard": 8, "expert": 10}
DEFAULT_LEVEL = "medium"
DEFAULT_SIZES = (5, 5, 4)
"""Of mnk, if a person is asked: a board that is more fun than tic-tac-toe's."""


class Quit(Exception):
    """The person typed quit, or the input ended."""


def say(text: str = "") -> None:
    print(text, file=sys.stderr, flush=True)


def wrap(text: str) -> str:
    """A paragraph in lines that fit a terminal."""
    return fill(text, COLUMNS, break_long_words=False, break_on_hyphens=False)


def is_interactive() -> bool:
    """Whether a person at a terminal answers."""
    return sys.stdin.isatty() and sys.stderr.isatty()


# --- lines of input ------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def line_editor() -> Any:
    """The readline module; None if it is missing, or if any stream is not a terminal: readline
    writes its prompt to stdout, which is for moves only."""
    if not (is_interactive() and sys.stdout.isatty()):
        return None
    try:
        import readline
    except ImportError:
        return None
    readline.parse_and_bind("tab: complete")
    readline.set_completer(lambda text, state: None)
    return readline


def complete_words(words: Sequence[str]) -> None:
    """Lets the tab key complete these words at the beginning of a line."""
    editor = line_editor()
    if editor is None:
        return

    def complete(text: str, state: int) -> str | None:
        if editor.get_begidx() > 0:
            return None
        found = [f"{word} " for word in words if word.startswith(text.lower())]
        return found[state] if state < len(found) else None

    editor.set_completer(complete)


def read_line(prompt: str) -> str | None:
    """A line of input; None at the end of the input."""
    if line_editor() is not None:
        try:
            return input(f"{prompt} ")[:LINE_LENGTH]
        except EOFError:
            say()
            return None
    print(prompt, end=" ", file=sys.stderr, flush=True)
    line = rest = sys.stdin.readline(LINE_LENGTH)
    while len(rest) == LINE_LENGTH and not rest.endswith("\n"):
        rest = sys.stdin.readline(LINE_LENGTH)
    if not line:
        say()
        return None
    return line


def ask(question: str) -> str:
    """The answer to a question; raises Quit."""
    line = read_line(question)
    if line is None or line.strip().lower() in QUITTING:
        raise Quit
    return line.strip()


# --- questions with a few answers ----------------------------------------------------------------


def find_choice(answer: str, names: Sequence[str], numbered: bool = False) -> str:
    """The name that an answer means: the name itself or its beginning, in upper or lower case, or
    its number. Raises ValueError."""
    wanted = answer.lower()
    if wanted in names:
        return wanted
    if numbered and wanted.isascii() and wanted.isdigit() and 0 < int(wanted[:6]) <= len(names):
        return names[int(wanted[:6]) - 1]
    found = [name for name in names if wanted and name.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"{answer!r} could be {' or '.join(found)}")
    raise ValueError(f"unknown answer {answer[:40]!r}; choose from {', '.join(names)}")


def ask_one_of(question: str, choices: Iterable[str], numbered: bool = False) -> str:
    """Asks until the answer is one of the choices."""
    names = list(choices)
    while True:
        try:
            return find_choice(ask(question), names, numbered)
        except ValueError as error:
            say(wrap(str(error)))


def ask_game() -> str:
    """The name of a game, from a menu."""
    say("Which game?")
    for number, game in enumerate(games(), 1):
        kind = board_class(game)
        say(f"  {number}  {game:<11}{kind.title}: {kind.goal}")
    return ask_one_of("Number or name:", games(), numbered=True)


def ask_sizes() -> dict[str, int]:
    """The options of mnk."""
    default = " ".join(map(str, DEFAULT_SIZES))
    while True:
        answer = ask(f"Columns, rows, and how many in a row win? (Enter: {default})")
        sizes = [int(size[:6]) for size in re.findall(r"[0-9]+", answer or default)]
        if len(sizes) != 3:
            say("Type three numbers, such as 7 7 5.")
            continue
        options = dict(zip(("m", "n", "k"), sizes, strict=True))
        try:
            Board("mnk", **options)
        except ValueError as error:
            say(wrap(str(error)))
        else:
            return options


def ask_level() -> int:
    """The level of the computer."""
    names = ", ".join(LEVEL_NAMES)
    say(f"How strong should I play: {names}, or a level from 1 to {len(LEVELS)}?")
    levels = [str(level) for level in range(1, len(LEVELS) + 1)]
    while True:
        answer = ask(f"Level (Enter: {DEFAULT_LEVEL}):") or DEFAULT_LEVEL
        if answer in levels:
            return int(answer)
        try:
            return LEVEL_NAMES[find_choice(answer, list(LEVEL_NAMES))]
        except ValueError as error:
            say(wrap(f"{error} or 1-{len(LEVELS)}"))


def ask_side() -> str:
    return ask_one_of("Your side, x or o? (x moves first)", ("x", "o"))


def ask_yes(question: str) -> bool:
    return ask_one_of(f"{question} (yes, no)", ("yes", "no")) == "yes"
