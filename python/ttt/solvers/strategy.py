"""Strategy files of Qubic: the winner's move in every position that the strategy can lead to.

    8 bytes    "tttqubic"
    2          version, 1
    1          the winner, "x" or "o"
    1          0
    8, 8       the first position: the winner's stones, the other side's; the winner is to move
    4          the number of entries
    18 each    the winner's stones, the other side's (8 each), the move (a cell), the plies to the
               end against the longest resistance; sorted
    32         SHA-256 of everything before it

Numbers are big-endian; bit 16 x level + 4 x row + column of a word is that cell. Positions in which
the winner wins by threats are left out: a threat search finds their moves. An entry stands for its
192 symmetric images; it is the image whose pair of words is the least.
"""

import hashlib
import os
import struct
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ttt.storage.atomic import write_whole
from ttt_core.solvers.qubic.solver import turned, unturned

MAGIC = b"tttqubic"
VERSION = 1
HEADER = struct.Struct(">8sHcxQQI")
ENTRY = struct.Struct(">QQBB")
KEY = struct.Struct(">QQ")
DIGEST = 32
SHIPPED = Path(__file__).parents[1] / "data" / "qubic.strategy"


class BadStrategy(ValueError):
    """Not a strategy file, or a strategy that does not win."""


class Advice(NamedTuple):
    """The move of a strategy in a position."""

    cell: int
    plies: int


class Strategy:
    """The entries of a strategy file, searched in the bytes of the file."""

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
        """The strategy's cell with the winner to move, in the position's own orientation."""
        first, second, symmetry = turned(mine, theirs)
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
        return Advice(unturned(symmetry, entry[-2]), entry[-1])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file: complete under its name, or not at all."""
        data = (
            HEADER.pack(MAGIC, VERSION, self.winner.encode("ascii"), *self.root, len(self))
            + self.entries
        )
        write_whole(path, [data, hashlib.sha256(data).digest()])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Strategy":
        """Reads a file; BadStrategy says what is wrong with it."""
        data = Path(path).read_bytes()
        if len(data) < HEADER.size + DIGEST or data[: len(MAGIC)] != MAGIC:
            raise BadStrategy(f"{path} is not a strategy of qubic")
        _, version, winner, mine, theirs, count = HEADER.unpack_from(data)
        if version != VERSION:
            raise BadStrategy(f"{path} has version {version}; this program reads version {VERSION}")
        if len(data) != HEADER.size + count * ENTRY.size + DIGEST:
            raise BadStrategy(f"{path} is too short or too long for its {count} entries")
        if hashlib.sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
            raise BadStrategy(f"{path} is damaged: wrong checksum")
        if winner not in (b"x", b"o"):
            raise BadStrategy(f"{path} is damaged: the winner is neither x nor o")
        return cls(winner.decode("ascii"), (mine, theirs), data[HEADER.size : -DIGEST])


@lru_cache(maxsize=1)
def shipped() -> Strategy | None:
    """The strategy that comes with the package; None if the file is missing."""
    try:
        return Strategy.load(SHIPPED)
    except FileNotFoundError:
        return None
