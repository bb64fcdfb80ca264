"""Strategy files of Qubic: the winner's move in every position that the strategy can lead to.

    8 bytes    "tttqubic"
    2          version, 1
    1          the winner, "x" or "o"
    1          0
    8, 8       the first position: the winner's stones, the other side's; x moves first, so that
               their number says who is to move
    4          the number of entries
    18 each    the winner's stones, the other side's (8 each), the move (a cell), the plies to the
               end against the longest resistance; sorted
    32         SHA-256 of everything before

Numbers are big-endian; bit 16 x level + 4 x row + column of a word is that cell. Positions in which
the winner wins by threats are left out: a threat search finds their moves. An entry stands for its
192 symmetric images: it is the one with the smallest pair of words.
"""

import hashlib
import os
import struct
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ttt.storage.atomic import write_whole
from ttt.storage.reading import MIB, read_whole
from ttt_core.solvers.qubic.solver import canonical, from_canonical

MAGIC = b"tttqubic"
VERSION = 1
HEADER = struct.Struct(">8sHcxQQI")
ENTRY = struct.Struct(">QQBB")
KEY = struct.Struct(">QQ")
DIGEST = 32
LARGEST = 256 * MIB
"""Bytes. A larger file is refused before it is read."""
SHIPPED = Path(__file__).parents[1] / "data" / "qubic.strategy"


class BadStrategy(ValueError):
    """A file that is not a strategy, is damaged, or a strategy that does not win."""


class Advice(NamedTuple):
    """The move of a strategy in a position."""

    cell: int
    plies: int


class Strategy:
    """The entries of a strategy file; `find` searches the bytes without unpacking them."""

    def __init__(self, winner: str, root: tuple[int, int], entries: bytes) -> None:
        self.winner = winner
        self.root = root
        self.entries = entries

    def __len__(self) -> int:
        return len(self.entries) // ENTRY.size

    @classmethod
    def build(
        cls, winner: str, root: tuple[int, int], moves: dict[tuple[int, int], tuple[int, int]]
    ) -> "Strategy":
        """A strategy from positions, moves and plies."""
        found = sorted((*position, *advice) for position, advice in moves.items())
        return cls(winner, root, b"".join(ENTRY.pack(*entry) for entry in found))

    def moves(self) -> dict[tuple[int, int], tuple[int, int]]:
        """All entries: {(winner's stones, the other's): (cell, plies)}."""
        return {
            (mine, theirs): (cell, plies)
            for mine, theirs, cell, plies in ENTRY.iter_unpack(self.entries)
        }

    def find(self, mine: int, theirs: int) -> Advice | None:
        """The move of the strategy with the winner to move, in the orientation of the position."""
        first, second, symmetry = canonical(mine, theirs)
        wanted = KEY.pack(first, second)
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            at = middle * ENTRY.size
            if self.entries[at : at + KEY.size] < wanted:
                low = middle + 1
            else:
                high = middle
        entry = self.entries[low * ENTRY.size : (low + 1) * ENTRY.size]
        if entry[: KEY.size] != wanted:
            return None
        return Advice(from_canonical(symmetry, entry[-2]), entry[-1])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file atomically."""
        data = (
            HEADER.pack(MAGIC, VERSION, self.winner.encode("ascii"), *self.root, len(self))
            + self.entries
        )
        write_whole(path, [data, hashlib.sha256(data).digest()])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Strategy":
        """Reads a file; raises BadStrategy if it is not a valid strategy file."""
        data = read_whole(path, LARGEST)
        if len(data) < HEADER.size + DIGEST or data[: len(MAGIC)] != MAGIC:
            raise BadStrategy(f"{path}: not a strategy file")
        _, version, winner, mine, theirs, count = HEADER.unpack_from(data)
        if version != VERSION:
            raise BadStrategy(
                f"{path}: strategy of version {version}; only version {VERSION} can be read"
            )
        if len(data) != HEADER.size + count * ENTRY.size + DIGEST:
            raise BadStrategy(f"{path}: damaged: wrong length for {count} entries")
        if hashlib.sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
            raise BadStrategy(f"{path}: damaged: wrong checksum")
        if winner not in (b"x", b"o"):
            raise BadStrategy(f"{path}: damaged: the winner must be x or o")
        return cls(winner.decode("ascii"), (mine, theirs), data[HEADER.size : -DIGEST])


@lru_cache(maxsize=1)
def shipped() -> Strategy | None:
    """The strategy shipped with the package; None if it is missing."""
    try:
        return Strategy.load(SHIPPED)
    except FileNotFoundError:
        return None
