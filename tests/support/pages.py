"""The pages of the documentation, and the blocks of code on them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).parent.parent.parent
PAGES = sorted([*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"`(\w+\.\w+)`[^`\n]*:$")


class Block(NamedTuple):
    """A fenced block."""

    page: Path
    line: int
    """The line of its first fence, from 1."""
    language: str
    text: str
    file: str
    """The file that the line above says this is, as in "The player, in `mybots.py`:"; or ''."""

    @property
    def name(self) -> str:
        return f"{relative(self.page)}:{self.line}"


def relative(page: Path) -> str:
    return str(page.relative_to(PROJECT))


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for fence in FENCE.finditer(text):
        above = text[: fence.start()].rstrip("\n")
        named = FILE_NAME.search(above)
        line = text.count("\n", 0, fence.start()) + 1
        yield Block(page, line, fence[1], fence[2], named[1] if named else "")


def indented(page: str, first: str) -> list[str]:
    """The lines of the indented block whose first line begins with `first`."""
    text = (PROJECT / page).read_text(encoding="utf-8")
    found = re.search(rf"^( +){re.escape(first)}.*\n(?:\1.*\n)*", text, re.MULTILINE)
    assert found, first
    return [line.removeprefix(found[1]) for line in found[0].splitlines()]
