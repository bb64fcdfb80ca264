"""The mutations of a statement: one fault each, by rule."""

import keyword
import tokenize
from collections.abc import Iterator
from itertools import pairwise

from mutation.statements import Statement, Token

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SIGNS = {"+": "-", "-": "+", "+=": "-=", "-=": "+=", "&": "|", "|": "&", "|=": "&=", "&=": "|="}
LOGIC = {"and": "or", "or": "and"}
LEFT_ALONE = {
    *("assert", "import", "from", "global", "nonlocal", "pass", "class", "def", "async", "with"),
    *("except", "finally", "else", "try", "del", "cimport", "ctypedef", "include", "@", "yield"),
}
"""First words of statements that are not mutated."""

Mutation = tuple[str, str]
"""The name of a rule and the mutated statement."""


def mutations(statement: Statement, cython: bool, pointers: set[str]) -> Iterator[Mutation]:
    """All mutations of a statement. Some may not compile. Arguments named in `pointers` are not
    swapped: the compiler would notice."""
    first = statement.tokens[0].text
    if first in LEFT_ALONE or (first == "for" and cython):
        return
    if first == "cdef" and not is_initialised(statement):
        return
    yield from replaced_tokens(statement)
    yield from dropped(statement)
    yield from swapped_arguments(statement, pointers)


def is_initialised(statement: Statement) -> bool:
    """Whether it is `cdef TYPE NAME = VALUE`, with one name that is neither array nor pointer."""
    texts = [token.text for token in statement.tokens]
    if texts.count("=") != 1 or outer_comma(texts):
        return False
    return not {",", "[", "*"} & {*texts[: texts.index("=")]}


def outer_comma(texts: list[str]) -> bool:
    depth = 0
    for text in texts:
        depth += (text in "([{") - (text in ")]}")
        if text == "," and depth == 0:
            return True
    return False


def replaced_tokens(statement: Statement) -> Iterator[Mutation]:
    """One operator or number replaced."""
    tokens = statement.tokens
    start = value_start(tokens)
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        new = rule = ""
        if token.start < start:
            continue
        if token.text in COMPARISONS:
            rule, new = "comparison", COMPARISONS[token.text]
        elif token.text in SIGNS and (is_operand(before) or "=" in token.text):
            rule, new = "sign", SIGNS[token.text]
        elif token.text in LOGIC:
            rule, new = "logic", LOGIC[token.text]
        elif token.text == "not" and before is not None and before.text != "is":
            rule, new = "logic", " "
        elif before and after and (before.text, after.text) == ("[", "]"):
            continue  # beyond the end of an array, most likely
        elif token.kind == tokenize.NUMBER and token.text.replace("_", "").isdigit():
            rule, new = "off by one", str(int(token.text.replace("_", "")) + 1)
        if rule:
            yield rule, replace(statement.text, token, new)


def value_start(tokens: list[Token]) -> int:
    """Where the value of an annotated assignment begins: its types are not mutated. Else 0."""
    texts = [token.text for token in tokens]
    if len(texts) > 3 and texts[0].isidentifier() and "=" in texts and ":" in texts:
        end = texts.index("=")
        if ":" in texts[:end] and not {"(", "lambda"} & {*texts[: texts.index(":")]}:
            return tokens[end].end
    return 0


def is_operand(token: Token | None) -> bool:
    """Whether a token can end the left operand of a binary operator."""
    if token is None or keyword.iskeyword(token.text):
        return False
    return token.kind in (tokenize.NAME, tokenize.NUMBER) or token.text in (")", "]")


def replace(text: str, token: Token, new: str) -> str:
    return text[: token.start] + new + text[token.end :]


def dropped(statement: Statement) -> Iterator[Mutation]:
    """A call, a count or a jump left out."""
    texts = [token.text for token in statement.tokens]
    is_call = statement.tokens[0].kind == tokenize.NAME and texts[-1] == ")" and "=" not in texts
    starts_call = len(texts) > 2 and (texts[1] in (".", "(")) and not keyword.iskeyword(texts[0])
    is_jump = texts[0] in ("break", "continue", "raise")
    is_count = not {"+=", "-=", "|=", "&=", "^="}.isdisjoint(texts)
    if (is_call and starts_call) or is_jump or is_count:
        yield "dropped", "pass"


def swapped_arguments(statement: Statement, pointers: set[str]) -> Iterator[Mutation]:
    """Two neighbouring arguments of a call swapped."""
    tokens = statement.tokens
    for at, token in enumerate(tokens):
        if token.text == "(" and at and tokens[at - 1].kind == tokenize.NAME:
            if keyword.iskeyword(tokens[at - 1].text) or tokens[at - 1].text in ("min", "max"):
                continue
            spans = arguments(tokens, at)
            for (a, b), (c, d) in pairwise(spans):
                text = statement.text
                one, other = text[a:b].strip(), text[c:d].strip()
                if one == other or "=" in one + other or {one, other} & {"self", *pointers}:
                    continue
                if one[0] not in "&*" and other[0] not in "&*":
                    a, c = text.index(one, a), text.index(other, c)
                    yield "swapped", text[:a] + other + text[b:c] + one + text[d:]


def arguments(tokens: list[Token], opening: int) -> list[tuple[int, int]]:
    """The spans of the arguments of a call whose bracket is at `opening`."""
    depth, spans = 0, []
    start = tokens[opening].end
    for before, token in zip(tokens[opening:], tokens[opening + 1 :], strict=False):
        if depth == 0 and token.text in (",", ")"):
            if before.text not in ("(", ","):
                spans.append((start, before.end))
            if token.text == ")":
                break
            start = token.end + 1  # the blank after the comma stays
        depth += (token.text in "([{") - (token.text in ")]}")
    return spans
