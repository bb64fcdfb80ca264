"""The mutants: chosen from all mutations of the target files, and by hand."""

import hashlib
import re
import zlib
from pathlib import Path
from typing import NamedTuple

from mutation.rules import mutations
from mutation.statements import Statement, statements

HERE = Path(__file__).parent
CYTHON = (".pxd", ".pxi", ".pyx")


class Mutant(NamedTuple):
    """A statement and what replaces it."""

    path: str
    statement: Statement
    rule: str
    mutated: str
    key: str
    """Names the mutant in equivalent.txt and in results. Contains no line number, so that it stays
    the same while other parts of the file change."""

    @property
    def number(self) -> int:
        """Chooses the mutant in the copy; depends on nothing but the key."""
        return zlib.crc32(self.key.encode()) % (2**31 - 1) + 1


class Target(NamedTuple):
    """A file, the number of its mutants, and the tests that should notice them."""

    path: str
    mutants: int
    tests: tuple[str, ...]


def flat(text: str) -> str:
    """A statement on one line."""
    return re.sub(r"\s+", " ", text)


def read_targets() -> list[Target]:
    """Lines "path count group", and lines "group = tests"."""
    groups: dict[str, tuple[str, ...]] = {}
    found = []
    for line in (HERE / "targets.txt").read_text().splitlines():
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[1] == "=":
            parts = [groups.get(word, (word,)) for word in words[2:]]
            groups[words[0]] = tuple(dict.fromkeys(test for part in parts for test in part))
        else:
            found.append(Target(words[0], int(words[1]), groups[words[2]]))
    return found


def read_equivalent() -> dict[str, str]:
    """The reason for each key: a line with the key, then indented lines with the reason."""
    found: dict[str, str] = {}
    key = ""
    for line in (HERE / "equivalent.txt").read_text().splitlines():
        if line.startswith("    "):
            found[key] = f"{found[key]} {line.strip()}".strip()
        elif line and not line.startswith("#"):
            key = line
            found[key] = ""
    return found


def read_chosen() -> list[tuple[str, str, str]]:
    """(path, part of a statement, what replaces it): see the head of chosen.txt."""
    found = []
    path = old = ""
    for line in (HERE / "chosen.txt").read_text().splitlines():
        mark, text = line[:2], line[2:].strip()
        if mark == "@ ":
            path = text
        elif mark == "- ":
            old = text
        elif mark == "+ ":
            found.append((path, old, text))
    return found


def all_mutants(root: Path, targets: list[Target], seed: int) -> tuple[list[Mutant], list[str]]:
    """The mutants of all targets, and descriptions of targets and chosen mutants that the program
    no longer has. A statement has one mutant at most, so that a mutant is chosen by one number."""
    found: list[Mutant] = []
    stale: list[str] = []
    chosen = read_chosen()
    for target in targets:
        if not (root / target.path).exists():
            stale.append(f"{target.path}: no such file")
            continue
        source = (root / target.path).read_text()
        cython = target.path.endswith(CYTHON)
        pointers = set(re.findall(r"\* ?(\w+)", source)) if cython else set()
        listed = list(statements(source))
        taken: set[int] = set()
        for path, old, new in chosen:
            if path != target.path:
                continue
            matches = [s for s in listed if old in flat(s.text) and s.first_line not in taken]
            if not matches:
                stale.append(f"{path}: no statement with {old!r}")
                continue
            taken.add(matches[0].first_line)
            mutated = flat(matches[0].text).replace(old, new)
            found.append(make_mutant(target.path, matches[0], "chosen", mutated))
        candidates = []
        for statement in listed:
            if statement.first_line in taken:
                continue
            options = [
                make_mutant(target.path, statement, rule, text)
                for rule, text in mutations(statement, cython, pointers)
            ]
            if options:
                candidates.append(min(options, key=lambda mutant: rank(mutant, seed)))
        candidates.sort(key=lambda mutant: rank(mutant, seed))
        found += sorted(
            candidates[: target.mutants], key=lambda mutant: mutant.statement.first_line
        )
    return found, stale


def make_mutant(path: str, statement: Statement, rule: str, mutated: str) -> Mutant:
    key = f"{path} {statement.function}: {flat(statement.text)} => {flat(mutated)}"
    return Mutant(path, statement, rule, mutated, key)


def rank(mutant: Mutant, seed: int) -> bytes:
    """A random order that does not depend on the other mutants."""
    return hashlib.sha256(f"{seed} {mutant.key}".encode()).digest()
