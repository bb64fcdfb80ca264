"""A copy of the tree with all mutants compiled in; the environment variable TTT_MUTANT chooses one.

A mutated statement becomes

    if MUTANT == 17:
        the mutated statement
    else:
        the statement

A mutated condition becomes `(MUTANT == 17 and (mutated)) or (MUTANT != 17 and (original))`, an
initial value `(mutated) if MUTANT == 17 else (original)`. So one build serves all mutants, and
several processes can test different ones at the same time.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from mutation.mutants import CYTHON, Mutant
from mutation.statements import Statement

VARIABLE = "TTT_MUTANT"
HEADS = ("if", "elif", "while")
COPIED = ("python", "src", "tests", "docs", "bench", "setup.py", "pyproject.toml", "README.md")

CORE = f'''cdef extern from *:
    """
    #include <stdlib.h>
    static int ttt_mutant = 0;
    __attribute__((constructor)) static void ttt_read_mutant(void) {{
        const char *text = getenv("{VARIABLE}");
        ttt_mutant = text ? atoi(text) : 0;
    }}
    """
    int MUTANT "ttt_mutant"
'''
PYTHON = f'import os\n\nMUTANT = int(os.environ.get("{VARIABLE}", "0"))\n'

COMPLAINT = re.compile(r"(src/ttt_core/\S+?\.p\w\w):(\d+):\d+:")
"""Where an error, warning or performance hint of Cython is."""
C_ERROR = re.compile(r"^(build/\S+\.c):(\d+):\d+: error:", re.MULTILINE)
SOURCE_LINE = re.compile(r'/\* "(?:src/)?(ttt_core/[^"]+)":(\d+)$', re.MULTILINE)
"""Cython writes the source line above its C code."""


class Placed(NamedTuple):
    """A mutant and its lines in the copy, the end not included."""

    mutant: Mutant
    first_line: int
    end_line: int


def make_copy(root: Path, folder: Path, mutants: list[Mutant]) -> tuple[list[Placed], list[Mutant]]:
    """Makes a copy of the tree with these mutants and builds it; what has not changed since the
    last time is left alone. Returns the mutants in it, and those that do not compile."""
    folder.mkdir(parents=True, exist_ok=True)
    refused = folder / "refused.txt"
    """The keys of mutants that did not compile in an earlier build."""
    known = set(refused.read_text().splitlines()) if refused.exists() else set()
    known |= {mutant.key for mutant in mutants if not fits(mutant)}
    while True:
        texts, placed = mutated_files(root, [m for m in mutants if m.key not in known])
        synchronise(root, folder, texts)
        bad = build(folder, placed)
        if not bad:
            return placed, [mutant for mutant in mutants if mutant.key in known]
        known |= {entry.mutant.key for entry in bad}
        refused.write_text("".join(f"{key}\n" for key in sorted(known)))


def mutated_files(root: Path, mutants: list[Mutant]) -> tuple[dict[str, str], list[Placed]]:
    """The texts of the files that differ from the tree, by path."""
    texts = {"src/ttt_core/mutant.pxd": CORE, "src/ttt_core/mutant.py": PYTHON}
    texts["setup.py"] = (root / "setup.py").read_text().replace('"-O3"', '"-O1"')  # built sooner
    placed = []
    for path in sorted({mutant.path for mutant in mutants}):
        own = [mutant for mutant in mutants if mutant.path == path]
        texts[path], here = put((root / path).read_text(), own)
        placed += here
    return texts, placed


def synchronise(root: Path, folder: Path, texts: dict[str, str]) -> None:
    """Makes the copy equal to the tree except for these files. Writes only files that change, so
    that only they are built again."""
    wanted = {path: text.encode() for path, text in texts.items()}
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *COPIED],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    for path in listed.stdout.splitlines():
        if path not in wanted and (root / path).is_file():
            wanted[path] = (root / path).read_bytes()
    for path, content in wanted.items():
        target = folder / path
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    for name in ("python", "src", "tests"):
        for old in (folder / name).rglob("*.p*"):
            if old.suffix in (".py", *CYTHON) and str(old.relative_to(folder)) not in wanted:
                old.unlink()


def build(folder: Path, placed: list[Placed]) -> list[Placed]:
    """Builds the copy; returns the mutants that Cython does not accept. SystemExit if the build
    fails for another reason."""
    done = subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    if done.returncode == 0:
        return []
    output = done.stdout + done.stderr
    places = {(os.path.normpath(path), int(line)) for path, line in COMPLAINT.findall(output)}
    for path, line in C_ERROR.findall(output):
        above = "".join((folder / path).read_text().splitlines(keepends=True)[: int(line)])
        source = SOURCE_LINE.findall(above)[-1]
        places.add((os.path.normpath(f"src/{source[0]}"), int(source[1])))
    bad = [
        entry
        for entry in placed
        if any((entry.mutant.path, line) in places for line in range(*entry[1:]))
    ]
    if not bad:
        sys.exit(f"the copy in {folder} does not build:\n{output[-4000:]}")
    print(f"  {len(bad)} mutants do not compile; building again", file=sys.stderr, flush=True)
    return bad


def fits(mutant: Mutant) -> bool:
    """Whether the mutated statement has the form of the original."""
    before, after = mutant.statement.text, mutant.mutated
    if mutant.statement.tokens[0].text == "cdef":
        return before.partition("=")[0] == after.partition("=")[0]
    return (
        mutant.statement.tokens[0].text != "for"
        or before.partition(" in ")[::2][0] == (after.partition(" in ")[0])
    )


def put(source: str, mutants: list[Mutant]) -> tuple[str, list[Placed]]:
    """The source with these mutants in it, and where they are."""
    lines = source.splitlines()
    starts = {mutant.statement.first_line: mutant for mutant in mutants}
    found: list[str] = []
    placed: list[Placed] = []
    at = 1
    first = first_code_line(lines)
    while at <= len(lines):
        if at == first:
            cython = mutants[0].path.endswith(CYTHON)
            found.append(f"from ttt_core.mutant {'cimport' if cython else 'import'} MUTANT")
        if at in starts:
            mutant = starts[at]
            begin = len(found) + 1
            found += branch(mutant.statement, mutant.mutated, mutant.number).splitlines()
            placed.append(Placed(mutant, begin, len(found) + 1))
            at = mutant.statement.last_line
        else:
            found.append(lines[at - 1])
        at += 1
    return "\n".join(found) + "\n", placed


def first_code_line(lines: list[str]) -> int:
    """The first line that is neither comment, docstring nor import from __future__."""
    quoted = False
    for number, line in enumerate(lines, 1):
        quotes = line.count('"""')
        if not quoted and quotes == 0 and line and not line.startswith(("#", "from __future__")):
            return number
        quoted ^= quotes == 1
    return len(lines)


def branch(statement: Statement, mutated: str, number: int) -> str:
    """The code that runs the mutated statement or the original."""
    first = statement.tokens[0].text
    indent, original = statement.indent, statement.text
    test, negated = f"MUTANT == {number}", f"MUTANT != {number}"
    if first in HEADS:
        old, new = (text[len(first) : text.rindex(":")].strip() for text in (original, mutated))
        return f"{indent}{first} ({test} and ({new})) or ({negated} and ({old})):"
    if first == "for":
        head, _, old = original[:-1].partition(" in ")
        new = mutated[:-1].partition(" in ")[2]
        return f"{indent}{head} in (({new}) if {test} else ({old})):"
    if first == "cdef":
        head, _, old = original.partition("=")
        new = mutated.partition("=")[2]
        return f"{indent}{head}= (({new.strip()}) if {test} else ({old.strip()}))"
    return f"{indent}if {test}:\n{indent}    {mutated}\n{indent}else:\n{indent}    {original}"


def environment(folder: Path, number: int) -> dict[str, str]:
    """The environment of tests that run in the copy with one mutant; 0: none."""
    path = os.pathsep.join(str(folder / name) for name in ("python", "src", "tests"))
    plugins = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # none is needed, and loading takes time
    return {**os.environ, VARIABLE: str(number), "PYTHONPATH": path, **plugins}
