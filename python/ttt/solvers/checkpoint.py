"""Checkpoints of long proof searches: files written atomically, so that a crash never leaves a
damaged one, and locked while a search uses them.

    a line       "ttt proof 1": the kind and version of the file
    a line       JSON: position, nodes, seconds, entries (the number of entries), hash (the size of
                 the table in MiB; files of earlier versions have none)
    16 each      the table entries that took the most work: two words each, little-endian
    32 bytes     SHA-256 of everything before
"""

import hashlib
import json
import sys
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from time import perf_counter
from typing import Any, Protocol

from ttt.storage.atomic import LockedFile
from ttt.storage.reading import MIB

KIND = b"ttt proof "
MAGIC = KIND + b"1\n"
ENTRY = 16
KEPT = 4_000_000
"""Maximum number of entries in a file: 64 MB."""
LARGEST = ENTRY * KEPT + (1 << 16)
"""Bytes. A larger file is refused before it is read."""
PERIOD = 60.0
"""Seconds between two checkpoints."""
CHUNK = 1 << 16


class BadCheckpoint(ValueError):
    """A file that is not a checkpoint, is damaged, or belongs to another position."""


class Core(Protocol):
    """The table of a solver."""

    slots: int
    hash: int

    def efforts(self) -> list[int]: ...
    def entries(self, least: int, most: int, first: int, slots: int) -> bytes: ...
    def put_entries(self, entries: bytes) -> None: ...


class Checkpoint:
    """The checkpoint file of the search of one position, locked until `close`."""

    def __init__(self, path: str, position: str) -> None:
        self.path = path
        self.position = position
        self.written = perf_counter()
        self.nodes = 0
        self.seconds = 0.0
        self.hash = 0
        """The least size of a table that keeps all entries of the file, in MiB."""
        self.entries = b""
        self.file = LockedFile(path)
        try:
            self.read()
        except BaseException:
            self.file.close()
            raise

    def read(self) -> None:
        """Reads the file, if there is one."""
        whole = self.file.read(LARGEST)
        if not whole:
            return
        head = self.check(whole)
        self.nodes, self.seconds = head["nodes"], head["seconds"]
        self.hash = head.get("hash", -(-2 * head["entries"] * ENTRY // MIB))
        start = whole.index(b"\n", len(MAGIC)) + 1
        self.entries = whole[start : start + ENTRY * head["entries"]]

    def load(self, core: Core) -> None:
        """Puts the entries of the file into a table; ValueError if it is too small for them."""
        if core.hash < self.hash:
            raise BadCheckpoint(
                f"{self.path}: written with a table of {self.hash} MiB, and one of {core.hash} MiB"
                f" would lose part of it; use --hash {self.hash} or more"
            )
        core.put_entries(little_endian(self.entries))
        self.entries = b""

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
        head: Any = json.loads(whole[len(MAGIC) :].split(b"\n", 1)[0])
        if not isinstance(head, dict) or not is_header(head):
            raise BadCheckpoint(f"{self.path}: damaged: invalid header; delete it")
        if head["position"] != self.position:
            raise BadCheckpoint(
                f"{self.path}: checkpoint of another position: {head['position']}, not"
                f" {self.position}"
            )
        found: dict[str, Any] = head
        return found

    def write(self, core: Core, nodes: int, seconds: float, now: bool) -> None:
        """Writes a checkpoint, if `now` or if the last one is old enough."""
        if not now and perf_counter() - self.written < PERIOD:
            return
        counts = core.efforts()
        least, entries = len(counts), 0
        while least > 1 and entries + counts[least - 1] <= KEPT:
            least -= 1
            entries += counts[least]
        more = min(counts[least - 1], KEPT - entries) if least > 1 else 0
        head = {
            "position": self.position,
            "nodes": self.nodes + nodes,
            "seconds": self.seconds + seconds,
            "entries": entries + more,
            "hash": core.hash,
        }
        rest = limited(chunks(core, least - 1, least - 1), ENTRY * more)
        table = chain(chunks(core, least, len(counts) - 1), rest)
        self.file.write(sealed_parts(json.dumps(head).encode() + b"\n", table))
        self.written = perf_counter()

    def close(self) -> None:
        """Unlocks the file."""
        self.file.close()


def is_header(head: dict[str, Any]) -> bool:
    """Whether the fields of a header are valid."""
    numbers = [head.get(name) for name in ("nodes", "seconds", "entries")] + [head.get("hash", 1)]
    return isinstance(head.get("position"), str) and all(
        isinstance(number, int | float) and not isinstance(number, bool) and number >= 0
        for number in numbers
    )


def sealed_parts(head: bytes, table: Iterable[bytes]) -> Iterator[bytes]:
    """The contents of a file, piece by piece."""
    digest = hashlib.sha256()
    for part in chain((MAGIC, head), table):
        digest.update(part)
        yield part
    yield digest.digest()


def chunks(core: Core, least: int, most: int) -> Iterator[bytes]:
    """The entries of effort `least` to `most`."""
    for first in range(0, core.slots, CHUNK):
        yield little_endian(core.entries(least, most, first, CHUNK))


def little_endian(entries: bytes, order: str = sys.byteorder) -> bytes:
    """Entries in the byte order of a file from those in the byte order of a machine, or back."""
    if order == "little":
        return entries
    words = array("Q", entries)
    words.byteswap()
    return words.tobytes()


def limited(parts: Iterable[bytes], left: int) -> Iterator[bytes]:
    """The first `left` bytes."""
    for part in parts:
        if not left:
            return
        yield part[:left]
        left -= len(part[:left])
