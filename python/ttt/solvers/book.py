"""Opening books of Connect Four: the exact score of every position up to some ply.

    8 bytes    "tttbook4"
    2          version of this format, 1
    1, 1       columns, rows
    2          plies: the book has every running game of at most so many
    4          number of entries
    9 each     the key, `board.canonical_key()`, and the score for the side to move, signed; sorted
    32         SHA-256 of everything before

Numbers are big-endian. An entry stands for a position and its mirror image. Scores are those of
`ttt.solvers.connect4`. `ttt book connect4` makes a book, `ttt verify` checks one.
"""

import hashlib
import os
import struct

from ttt.board import Board
from ttt.storage.atomic import write_whole
from ttt.storage.reading import read_whole

MAGIC = b"tttbook4"
VERSION = 1
HEADER = struct.Struct(">8sHBBHI")
ENTRY = struct.Struct(">Qb")
KEY = struct.Struct(">Q")
DIGEST = 32
LARGEST = 1 << 30
"""Bytes. A larger file is refused before it is read."""


class BadBook(ValueError):
    """A file that is not a book, is damaged, or has wrong scores."""


class Book:
    """The entries of a book; `find` searches the bytes without unpacking them."""

    def __init__(self, columns: int, rows: int, plies: int, entries: bytes) -> None:
        self.columns, self.rows, self.plies = columns, rows, plies
        self.entries = entries

    def __len__(self) -> int:
        return len(self.entries) // ENTRY.size

    def __repr__(self) -> str:
        return f"<Book: {self.columns}x{self.rows}, {len(self):,} positions up to ply {self.plies}>"

    @classmethod
    def build(cls, columns: int, rows: int, plies: int, scores: dict[int, int]) -> "Book":
        """A book from the scores of all positions, by key."""
        entries = b"".join(ENTRY.pack(key, scores[key]) for key in sorted(scores))
        return cls(columns, rows, plies, entries)

    def start(self) -> Board:
        """The first position of the book's game."""
        return Board("connect4", columns=self.columns, rows=self.rows)

    def find(self, board: Board) -> int | None:
        """The score of a position for the side to move; None if the book does not have it."""
        if board.ply > self.plies:
            return None
        wanted = KEY.pack(board.canonical_key())
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.entries[middle * ENTRY.size :][: KEY.size] < wanted:
                low = middle + 1
            else:
                high = middle
        entry = self.entries[low * ENTRY.size : (low + 1) * ENTRY.size]
        return int(ENTRY.unpack(entry)[1]) if entry[: KEY.size] == wanted else None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file atomically."""
        head = HEADER.pack(MAGIC, VERSION, self.columns, self.rows, self.plies, len(self))
        data = head + self.entries
        write_whole(path, [data, hashlib.sha256(data).digest()])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Book":
        """Reads a file; raises BadBook if it is not a valid book."""
        path = os.fspath(path)
        data = read_whole(path, LARGEST)
        if data[: len(MAGIC)] != MAGIC or len(data) < HEADER.size + DIGEST:
            raise BadBook(f"{path}: not a book")
        _, version, columns, rows, plies, count = HEADER.unpack_from(data)
        if version != VERSION:
            raise BadBook(f"{path}: book of version {version}; only version {VERSION} can be read")
        if len(data) != HEADER.size + count * ENTRY.size + DIGEST:
            raise BadBook(f"{path}: damaged: wrong length for {count} entries")
        if hashlib.sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
            raise BadBook(f"{path}: damaged: wrong checksum")
        return cls(columns, rows, plies, data[HEADER.size : -DIGEST])
