"""Certificates: proofs that x wins nine-board, as files.

A certificate has a record for each position with x to move that the proof contains: the move of x
and, at the leaves of the tree, the nodes that the solver took to prove the win. It holds for both
rules of full boards: nobody points to one in it. Numbers are big-endian:

    8 bytes    "tttnineb"
    2          version of this format, 1
    2          version of the solver
    2, 4       version and CRC-32 of the solver's weights
    2          MiB of the solver's table
    82         the first position: its 81 marks, board by board, and the board in force, 1-9 or *
    4          number of records
    records    in the order of the walk
    32         SHA-256 of everything before

A record is a byte: the move of x, 9 x board + cell, plus 128 at a leaf; a leaf adds its nodes,
seven bits per byte, the lowest first, 128 on all but the last byte.

The walk goes ply by ply. On each ply it visits the positions that the moves of x and ALL replies of
o lead to, the least of the eight symmetric images of each, every one once, in ascending order.
A position in which x completes a line at once has no record. The order is that of the texts of 82
characters ('.' < 'o' < 'x').
"""

import hashlib
import os
import struct
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ttt.board import Board, board_class
from ttt.storage.atomic import write_whole
from ttt.storage.reading import read_whole
from ttt_core.solvers.nineboard import solver as core

MAGIC = b"tttnineb"
VERSION = 1
HEADER = struct.Struct(">8sHHHIH82sI")
DIGEST = 32
LEAF = 128
LARGEST = 1 << 24
"""Bytes. A larger file is refused before it is read."""
SHIPPED = Path(__file__).parents[1] / "data" / "nineboard.proof"


class BadCertificate(ValueError):
    """A file that is not a certificate, is damaged, or does not prove a win."""


class Conditions(NamedTuple):
    """What the number of nodes of a leaf depends on."""

    solver: int
    """Version of the solver."""
    weights: int
    """Version of its weights."""
    checksum: int
    """CRC-32 of its weights."""
    hash: int
    """MiB of its table."""


class Record(NamedTuple):
    """The proof in one position."""

    move: int
    """The move of x."""
    nodes: int | None
    """The nodes of the solver at a leaf; None: the replies have records of their own."""


def position_of(board: Board) -> str:
    """A board with x to move as 82 characters."""
    force = board.picture()[1]
    return f"{board.marks}{force + 1 if isinstance(force, int) else force}"


def board_of(position: str) -> Board:
    """The board of 82 characters, under full=draw."""
    rows = "/".join(position[i : i + 9] for i in range(0, 81, 9))
    return board_class("nineboard").parse(f"nineboard:full=draw {rows} x {position[81]}")


class Certificate:
    """A proof from its first position on. Levels of the tree are built when they are needed."""

    def __init__(self, first: str, conditions: Conditions, records: Iterable[Record]) -> None:
        self.first = first
        self.conditions = conditions
        self.records = list(records)
        self._levels: list[dict[str, Record]] = []
        self._used = 0

    # --- the tree --------------------------------------------------------------------------------

    def levels(self) -> Iterator[dict[str, Record]]:
        """The positions of every second ply with their records, from the first position on."""
        number = 0
        while level := self._level(number):
            yield level
            number += 1

    def _level(self, number: int) -> dict[str, Record]:
        while len(self._levels) <= number:
            self._levels.append(self._next_level())
        return self._levels[number]

    def _next_level(self) -> dict[str, Record]:
        positions = {core.canonical(self.first)[0]}
        if self._levels:
            positions = set()
            for position, record in self._levels[-1].items():
                after = follow(position, record.move)
                if record.nodes is None:
                    positions.update(core.canonical(below)[0] for below in after)
        used = self._used + len(positions)
        if used > len(self.records):
            raise BadCertificate(f"{used - len(self.records)} positions have no record")
        level = dict(zip(sorted(positions), self.records[self._used : used], strict=True))
        self._used = used
        return level

    def find(self, board: Board) -> Record | None:
        """The record of a position with x to move, in its orientation; None if it has none."""
        plies = board.ply - (81 - self.first.count("."))
        force = board.picture()[1]
        if plies < 0 or plies % 2 or force is None or (force == "*" and board.ply):
            return None  # a later free choice exists only under full=any, not in proofs
        position, symmetry = core.canonical(position_of(board))
        record = self._level(plies // 2).get(position)
        if record is None:
            return None
        return record._replace(move=core.original_of_move(symmetry, record.move))

    def leaves(self) -> list[tuple[str, Record]]:
        """The leaves, in the order of the walk."""
        return [
            (position, record)
            for level in self.levels()
            for position, record in level.items()
            if record.nodes is not None
        ]

    def check_tree(self) -> None:
        """Walks over all positions; raises BadCertificate unless every reply of o is answered."""
        if core.wins_at_once(self.first):
            raise BadCertificate("x wins at once in the first position")
        for _ in self.levels():
            pass
        if self._used < len(self.records):
            unused = len(self.records) - self._used
            raise BadCertificate(f"{unused} records belong to no position")

    # --- files -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file atomically."""
        data = bytearray(
            HEADER.pack(
                MAGIC, VERSION, *self.conditions, self.first.encode("ascii"), len(self.records)
            )
        )
        for record in self.records:
            if record.nodes is None:
                data.append(record.move)
                continue
            data.append(record.move | LEAF)
            rest = record.nodes
            while rest > 127:
                data.append(rest & 127 | 128)
                rest >>= 7
            data.append(rest)
        write_whole(path, [bytes(data), hashlib.sha256(data).digest()])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Certificate":
        """Reads a file; raises BadCertificate if it is not a valid certificate. The tree is not
        walked: see `check_tree`."""
        path = os.fspath(path)
        data = read_whole(path, LARGEST)
        if data[: len(MAGIC)] != MAGIC or len(data) < HEADER.size + DIGEST:
            raise BadCertificate(f"{path}: not a certificate")
        _, version, *conditions, first, count = HEADER.unpack_from(data)
        if version != VERSION:
            raise BadCertificate(
                f"{path}: certificate of version {version}; only version {VERSION} can be read"
            )
        if hashlib.sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
            raise BadCertificate(f"{path}: damaged: wrong checksum")
        try:
            records = list(read_records(data[HEADER.size : -DIGEST]))
            core.canonical(first.decode("ascii"))
        except (IndexError, ValueError) as error:
            raise BadCertificate(f"{path}: damaged: {error}") from None
        if len(records) != count:
            raise BadCertificate(f"{path}: damaged: {len(records)} records instead of {count}")
        return cls(first.decode("ascii"), Conditions(*conditions), records)


def follow(position: str, move: int) -> list[str]:
    """The positions after a move of x and all replies; BadCertificate if the move is no proof."""
    try:
        found: list[str] = core.replies(position, move)[0]
    except ValueError as error:
        raise BadCertificate(f"{error}: {board_of(position).text()}, move {move}") from None
    return found


def read_records(data: bytes) -> Iterator[Record]:
    """The records of a file; raises IndexError or ValueError if they are damaged."""
    at = 0
    while at < len(data):
        byte = data[at]
        at += 1
        if not byte & LEAF:
            yield Record(byte, None)
            continue
        nodes = shift = 0
        while True:
            nodes |= (data[at] & 127) << shift
            shift += 7
            at += 1
            if not data[at - 1] & 128:
                break
            if shift > 56:
                raise ValueError("a number of nodes is too large")
        yield Record(byte & ~LEAF, nodes)


@lru_cache(maxsize=1)
def shipped() -> Certificate | None:
    """The certificate shipped with the package; None if it is missing."""
    try:
        return Certificate.load(SHIPPED)
    except FileNotFoundError:
        return None
