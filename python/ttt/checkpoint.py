"""A long proof search in a file: written so that a crash at any moment leaves a whole one.

The file is a line that tells what it is, a line of JSON (position, nodes, seconds, entries), the
entries of the table that took the most work, and the SHA-256 of all that.
"""

import hashlib
import json
import os
from contextlib import suppress
from time import perf_counter
from typing import Any, Protocol

MAGIC = b"ttt proof 1\n"
ENTRY = 16
KEPT = 4_000_000
"""Entries in a file at most: 64 MB."""
PERIOD = 60.0
"""Seconds between two writings."""
CHUNK = 1 << 16


class BadCheckpoint(ValueError):
    """A file that is no whole checkpoint, or one of another search."""


class Core(Protocol):
    """The table of a solver."""

    slots: int

    def efforts(self) -> list[int]: ...
    def entries(self, least: int, first: int, slots: int) -> bytes: ...
    def take_entries(self, entries: bytes) -> None: ...


class Checkpoint:
    """The file of the search of one position."""

    def __init__(self, path: str, position: str, core: Core) -> None:
        self.path = path
        self.position = position
        self.core = core
        self.written = perf_counter()
        self.nodes = 0
        self.seconds = 0.0

    def read(self) -> dict[str, Any]:
        """Takes up what the file holds; nothing if there is none. Returns its nodes and seconds."""
        try:
            with open(self.path, "rb") as source:
                whole = source.read()
        except FileNotFoundError:
            return {"nodes": 0, "seconds": 0.0}
        head = self.check(whole)
        self.nodes, self.seconds = head["nodes"], head["seconds"]
        start = whole.index(b"\n", len(MAGIC)) + 1
        self.core.take_entries(whole[start : start + ENTRY * head["entries"]])
        return head

    def check(self, whole: bytes) -> dict[str, Any]:
        """The head of a file that is whole and of this position; raises BadCheckpoint."""
        if not whole.startswith(MAGIC[: MAGIC.rindex(b" ")]):
            raise BadCheckpoint(f"{self.path} is no checkpoint of a proof")
        if not whole.startswith(MAGIC):
            version = whole.split(b"\n", 1)[0].rsplit(b" ", 1)[-1][:20].decode("ascii", "replace")
            raise BadCheckpoint(f"{self.path} is of version {version}; this program reads 1")
        if hashlib.sha256(whole[:-32]).digest() != whole[-32:]:
            raise BadCheckpoint(f"{self.path} is damaged: its checksum does not fit; delete it")
        head: dict[str, Any] = json.loads(whole[len(MAGIC) :].split(b"\n", 1)[0])
        if head["position"] != self.position:
            raise BadCheckpoint(
                f"{self.path} is of another position: {head['position']}, not {self.position}"
            )
        return head

    def write(self, nodes: int, seconds: float, now: bool) -> None:
        """Writes what the table holds, if it is time or `now`: to a new file that then takes the
        place of the old one."""
        if not now and perf_counter() - self.written < PERIOD:
            return
        counts = self.core.efforts()
        least, entries = len(counts), 0
        while least > 1 and entries + counts[least - 1] <= KEPT:
            least -= 1
            entries += counts[least]
        head = {
            "position": self.position,
            "nodes": self.nodes + nodes,
            "seconds": self.seconds + seconds,
            "entries": entries,
        }
        fresh = f"{self.path}.new"
        digest = hashlib.sha256()
        with open(fresh, "wb") as target:
            for part in self.parts(json.dumps(head).encode() + b"\n", least):
                digest.update(part)
                target.write(part)
            target.write(digest.digest())
            target.flush()
            os.fsync(target.fileno())
        os.replace(fresh, self.path)
        with suppress(OSError):
            folder = os.open(os.path.dirname(self.path) or ".", os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        self.written = perf_counter()

    def parts(self, head: bytes, least: int) -> Any:
        yield MAGIC
        yield head
        for first in range(0, self.core.slots, CHUNK):
            yield self.core.entries(least, first, CHUNK)
