"""The log of a nine-board proof: the results of its jobs, in a folder.

    run.log               results since the last clean stop: checksummed lines (storage.lines)
    run-<i>-of-<n>.log    the same for a shard
    log.xz                everything before, compressed; packed at each clean stop
    nineboard.proof       the certificate, once the proof is complete

All `.log` files of the folder are read, so the logs of shards only need to be copied into one
folder. The first line of each is JSON: the conditions of the run. Every other line is a result:

    move <position> <move>                    x's next try in a position, chosen by the engine
    leaf <position> <value> <nodes> <move>    the solver's answer: win, loss, draw or unknown

Positions are the 82 characters of `ttt.solvers.certificate`. Fields are separated by tabs.
"""

import json
import lzma
import os
from pathlib import Path
from typing import Any, NamedTuple

from ttt.storage.atomic import check_target, write_whole
from ttt.storage.lines import DamagedFile, LineFile, read_lines, sealed, split_lines
from ttt.storage.reading import read_whole
from ttt_core.solvers.nineboard import solver as core

START = '{"ttt":"nineboard-proof"'
PACKED = "log.xz"
LARGEST = 1 << 28
"""Bytes of a log; a larger one is refused."""


class Leaf(NamedTuple):
    """The solver's answer in a leaf."""

    value: str
    """For x, who is to move: "win", "draw" or "loss"; "unknown" if the node limit was reached."""
    nodes: int
    move: int
    """A winning move, or the most promising one."""


class ProofLog:
    """The results so far; `add_move` and `add_leaf` append new ones."""

    def __init__(
        self, folder: str | os.PathLike[str], conditions: dict[str, Any], shard: str | None = None
    ) -> None:
        self.folder = Path(folder)
        self.header = json.dumps({"ttt": "nineboard-proof", **conditions}, separators=(",", ":"))
        self.moves: dict[str, list[int]] = {}
        """x's tries in each canonical position, in the orientation of the position in the log."""
        self.seen_as: dict[str, str] = {}
        """The position as it is in the log, by its canonical position."""
        self.leaves: dict[str, Leaf] = {}
        """By canonical position: the answer that took the most nodes."""
        self.lines: dict[str, None] = {}
        self.packs = shard is None
        self.folder.mkdir(parents=True, exist_ok=True)
        name = "run.log" if shard is None else f"run-{shard.replace('/', '-of-')}.log"
        check_target(self.folder / name)
        packed = self.folder / PACKED
        self.file = LineFile(str(self.folder / name), START)
        try:
            if packed.exists():
                self._read(str(packed), split_lines(str(packed), unpack(packed), START)[0])
            for path in sorted(self.folder.glob("*.log")):
                if path.name != name:
                    self._read(str(path), read_lines(str(path), START))
            self._read(self.file.path, self.file.lines)
            if not self.file.lines:
                self.file.append(self.header)
        except BaseException:
            self.file.close()
            raise

    def _read(self, path: str, lines: list[str]) -> None:
        if lines and lines[0] != self.header:
            raise ValueError(f"{path}: log of another proof: {lines[0]}, not {self.header}")
        for number, line in enumerate(lines[1:], 2):
            try:
                self._take(line)
            except (ValueError, TypeError) as error:
                raise DamagedFile(f"{path}, line {number}: {error}") from None

    def _take(self, line: str) -> None:
        """Adds a line of the log to the results."""
        kind, position, *fields = line.split("\t")
        key = core.canonical(position)[0]
        if line in self.lines:
            return
        if kind == "move" and len(fields) == 1:
            if self.seen_as.setdefault(key, position) != position:
                raise ValueError("the position is a symmetric image of an earlier one")
            self.moves.setdefault(key, []).append(number_of(fields[0], 80))
        elif kind == "leaf" and len(fields) == 3 and position == key:
            if fields[0] not in ("win", "draw", "loss", "unknown"):
                raise ValueError(f"unknown value {fields[0]!r}")
            leaf = Leaf(fields[0], number_of(fields[1], 1 << 62), number_of(fields[2], 80))
            before = self.leaves.get(key)
            values = {leaf.value, leaf.value if before is None else before.value}
            if before is not None and len(values - {"unknown"}) > 1:
                raise ValueError(f"{leaf.value}, but {before.value} on another line")
            if before is None or before.value == "unknown":
                self.leaves[key] = leaf
        else:
            raise ValueError("not a result of this proof")
        self.lines[line] = None

    def add_move(self, position: str, move: int) -> None:
        self._append(f"move\t{position}\t{move}")

    def add_leaf(self, position: str, leaf: Leaf) -> None:
        self._append(f"leaf\t{position}\t{leaf.value}\t{leaf.nodes}\t{leaf.move}")

    def _append(self, line: str) -> None:
        self.file.append(line)
        self._take(line)

    def close(self) -> None:
        """Packs everything into one compressed file, unless this is the log of a shard."""
        if not self.packs or self.file.file.closed:
            self.file.close()
            return
        lines = [self.header, *self.lines]
        data = b"".join(sealed(line) + b"\n" for line in lines)
        write_whole(self.folder / PACKED, [lzma.compress(data, check=lzma.CHECK_CRC64)])
        self.file.remove()


def number_of(text: str, most: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= most):
        raise ValueError(f"{text[:20]!r}: expected a whole number from 0 to {most}")
    return int(text)


def unpack(path: Path) -> bytes:
    """The content of a compressed log."""
    try:
        decompressor = lzma.LZMADecompressor()
        data = decompressor.decompress(read_whole(path, LARGEST), LARGEST)
        if not decompressor.eof or decompressor.unused_data:
            raise DamagedFile(f"{path}: damaged: cut off, too large, or something follows")
    except lzma.LZMAError as error:
        raise DamagedFile(f"{path}: damaged: {error}") from None
    return data
