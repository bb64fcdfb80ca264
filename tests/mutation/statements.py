"""The statements of the functions in a file, Python or Cython.

Cython is close enough to Python for the tokenizer of the standard library.
"""

import io
import re
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

IGNORED = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
CAST = re.compile(r"<(?:const |unsigned )?\w+ ?\**>")


class Token(NamedTuple):
    """A token of a statement; `start` and `end` are offsets into the text of the statement."""

    kind: int
    text: str
    start: int
    end: int


class Statement(NamedTuple):
    """A simple statement, or the head of a compound one, on one or more lines."""

    function: str
    first_line: int
    """From 1."""
    last_line: int
    indent: str
    text: str
    """Without the indentation and a comment at its end."""
    tokens: list[Token]


def statements(source: str) -> Iterator[Statement]:
    """The statements inside functions, in order; docstrings are left out."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    blocks: list[tuple[int, str]] = []
    """The columns of the enclosing compound statements, and their functions ("" if none)."""
    for logical in logical_lines(source):
        column = logical[0].start[1]
        while blocks and blocks[-1][0] >= column:
            blocks.pop()
        begin = starts[logical[0].start[0] - 1] + column
        end = starts[logical[-1].end[0] - 1] + logical[-1].end[1]
        text = source[begin:end]
        function = blocks[-1][1] if blocks else ""
        if function and logical[0].type != tokenize.STRING and '"""' not in text:
            hidden = hide_casts(text)
            tokens = [
                Token(token.type, token.string, at, at + len(token.string))
                for token in logical
                for at in [starts[token.start[0] - 1] + token.start[1] - begin]
                if hidden[at] != "\0"
            ]
            indent = source[begin - column : begin]
            yield Statement(function, logical[0].start[0], logical[-1].end[0], indent, text, tokens)
        if logical[-1].string == ":":
            blocks.append((column, function_name(text) or function))


def logical_lines(source: str) -> Iterator[list[tokenize.TokenInfo]]:
    """The tokens of each logical line, without comments."""
    found: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NEWLINE:
            if found:
                yield found
            found = []
        elif token.type not in IGNORED:
            found.append(token)


def function_name(head: str) -> str:
    """The name of the function that a compound statement defines; "" if it defines none."""
    found = re.match(r"(?:async )?(?:def|cdef|cpdef)\b[^=(]*?(\w+)\(", head)
    return found[1] if found and not head.startswith("cdef extern") else ""


def hide_casts(text: str) -> str:
    """The text with each cast replaced by NUL characters."""
    return CAST.sub(lambda cast: "\0" * len(cast[0]), text)
