"""Texts with a few characters changed."""

from random import Random

TRICKY = (
    "", " ", "  ", "\t", "\n", "\0", "/", "//", ":", "::", "=", ",", "*", "-", "x", "o", "X", ".",
    "?", "٣", "³", "é", "\u2028", "\ud800", "\U0001f642", "ﬁ", "İ", "1" * 30, "0" * 5000,
    "9" * 5000, "-1", "0", "65", "x" * 200, "tictactoe", "mnk", "mnk:m=4", "connect4:rows=63",
    "nineboard:full=draw", "ultimate:won=open", "qubic", "m=", "=3", "m=3,m=4", "cls=1", "__new__",
    "n=1e2", "%s", "{}", "\\", "'", '"', "nan", "None", "True", "5 5", "a1", "h8", "64", "999",
)  # fmt: skip
"""Strings that parsers tend to mishandle."""

NEAR = "xo./*-123456789abcdefgh xo.xo.:=,"


def mutate(random: Random, text: str, other: str) -> str:
    """`text` with one to four changes, some of them pieces of `other`."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        at = random.randrange(len(text) + 1)
        if random.random() < 0.6 and text:  # two characters change places
            letters = list(text)
            other_end = random.randrange(len(text))
            at %= len(text)
            letters[at], letters[other_end] = letters[other_end], letters[at]
            text = "".join(letters)
            continue
        end = min(len(text), at + random.choice((0, 1, 1, 1, 2, 5)))
        what = random.randrange(10)
        if what < 4:
            new = random.choice(NEAR)
        elif what == 4:
            new = ""
        elif what == 5:
            new = text[at:end] * 2
        elif what == 6:
            new = random.choice(TRICKY)
        elif what == 7:
            start = random.randrange(len(other) + 1)
            new = other[start : start + random.randrange(1, 12)]
        elif what == 8:
            new = text[at:end][::-1].swapcase()
        else:
            new = chr(random.randrange(0x110000 if random.random() < 0.2 else 256))
        text = text[:at] + new + text[end:]
    return text
