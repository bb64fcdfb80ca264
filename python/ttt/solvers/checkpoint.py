"""Checkpoints of long proof searches: files written atomically, so that a crash never leaves a
damaged one.

    a line       "ttt proof 1": the kind and version of the file
    a line       JSON: position, nodes, seconds, entries (the number of entries)
    16 each      the table entries that took the most work
    32 bytes     SHA-256 of everything before
"""

import hashlib
import json
from collections.abc import Iterator
from itertools import chain
from time import perf_counter
from typing import Any, Protocol

from ttt.storage.atomic import check_target, sweep, write_whole

KIND = b"ttt proof "
MAGIC = KIND + b"1\n"
ENTRY = 16
KEPT = 4_000_000
"""Maximum number of entries in a file: 64 MB."""
PERIOD = 60.0
"""Seconds between two checkpoints."""
CHUNK = 1 << 16


class BadCheckpoint(ValueError):
    """A file that is not a checkpoint, is damaged, or belongs to another position."""


class Core(Protocol):
    """The table of a solver."""

    slots: int

    def efforts(self) -> list[int]: ...
    def entries(self, least: int, first: int, slots: int) -> bytes: ...
    def put_entries(self, entries: bytes) -> None: ...


class Checkpoint:
    """The checkpoint file of the search of one position."""

    def __init__(self, path: str, position: str, core: Core) -> None:
        self.path = path
        self.position = position
        self.core = core
        self.written = perf_counter()
        self.nodes = 0
        self.seconds = 0.0

    def read(self) -> dict[str, Any]:
        """Loads the file, if it exists, into the table. Returns its header: nodes and seconds."""
        check_target(self.path)
        sweep(self.path)
        try:
            with open(self.path, "rb") as source:
                whole = source.read()
        except FileNotFoundError:
            return {"nodes": 0, "seconds": 0.0}
        head = self.check(whole)
        self.nodes, self.seconds = head["nodes"], head["seconds"]
        start = whole.index(b"\n", len(MAGIC)) + 1
        self.core.put_entries(whole[start : start + ENTRY * head["entries"]])
        return head

    def check(self, whole: bytes) -> dict[str, Any]:
        """The header of a valid file of this position; raises BadCheckpoint otherwise."""
        version = whole.partition(b"\n")[0][len(KIND) :]
        if not (whole.startswith(KIND) and version.isdigit() and len(version) < 20):
            raise BadCheckpoint(f"{self.path}: not a checkpoint file")
        if not whole.startswith(MAGIC):
            raise BadCheckpoint(
                f"{self.path}: checkpoint of version {version.decode()}; only version 1 can be read"
            )
        if hashlib.sha256(whole[:-32]).digest() != whole[-32:]:
            raise BadCheckpoint(f"{self.path}: damaged: wrong checksum; delete it")
        head: dict[str, Any] = json.loads(whole[len(MAGIC) :].split(b"\n", 1)[0])
        if head["position"] != self.position:
            raise BadCheckpoint(
                f"{self.path}: checkpoint of another position: {head['position']}, not"
                f" {self.position}"
            )
        return head

    def write(self, nodes: int, seconds: float, now: bool) -> None:
        """Writes a checkpoint, if `now` or if the last one is old enough."""
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
        write_whole(self.path, self.parts(json.dumps(head).encode() + b"\n", least))
        self.written = perf_counter()

    def parts(self, head: bytes, least: int) -> Iterator[bytes]:
        """The contents of the file, piece by piece."""
        digest = hashlib.sha256()
        for part in chain((MAGIC, head), self.chunks(least)):
            digest.update(part)
            yield part
        yield digest.digest()

    def chunks(self, least: int) -> Iterator[bytes]:
        for first in range(0, self.core.slots, CHUNK):
            yield self.core.entries(least, first, CHUNK)
