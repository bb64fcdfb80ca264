"""Weights files: the learned weights of one network. All numbers are little-endian.

    8 bytes    "tttwghts"
    2          version of this format, 1
    2          version of the weights
    24         the name of the network, such as "nineboard": ASCII, padded with zero bytes
    4          rows, one per feature
    2          units, the weights of a row
    2          length of the next field
    ...        how the weights were made, in UTF-8
    2 each     the weights, signed, row by row
    4          CRC-32 of everything before it

The files that `ttt` uses are in `ttt/data/`; `ttt train` writes them.
"""

import os
import struct
import sys
import zlib
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ttt.storage.atomic import write_whole
from ttt.storage.reading import MIB, read_whole

MAGIC = b"tttwghts"
FORMAT = 1
HEADER = struct.Struct("<8sHH24sIHH")
CHECKSUM = struct.Struct("<I")
LARGEST = 64 * MIB
"""Bytes. A larger file is refused before it is read."""
FOLDER = Path(__file__).parents[1] / "data"
"""The shipped files."""


class BadWeights(ValueError):
    """A weights file that is missing, damaged or made for something else."""


class WeightsFile(NamedTuple):
    """The content of a weights file."""

    name: str
    """The network that the weights are for."""
    version: int
    rows: int
    units: int
    origin: str
    """How the weights were made."""
    weights: "array[int]"
    """rows x units numbers of 16 bits, `array("h")`, row by row."""
    checksum: int
    """The CRC-32 at the end of the file."""


def shipped_path(name: str) -> Path:
    """The path of the shipped weights of a network."""
    return FOLDER / f"{name}.weights"


def load_shipped(name: str) -> "array[int]":
    """The shipped weights of a network."""
    return read_weights(shipped_path(name), name).weights


def read_weights(path: str | os.PathLike[str], name: str | None = None) -> WeightsFile:
    """Reads and checks a file; raises BadWeights if it is invalid or, with a `name`, if the
    weights are for another network."""
    path = os.fspath(path)
    try:
        data = read_whole(path, LARGEST)
    except OSError as error:
        raise BadWeights(f"{path}: cannot read the weights: {error.strerror}") from None
    except ValueError as error:
        raise BadWeights(str(error)) from None
    if data[: len(MAGIC)] != MAGIC:
        raise BadWeights(f"{path}: not a weights file")
    if len(data) < HEADER.size + CHECKSUM.size:
        raise BadWeights(f"{path}: damaged weights file: cut off after {len(data)} bytes")
    _, form, version, label, rows, units, length = HEADER.unpack_from(data)
    if form != FORMAT:
        raise BadWeights(f"{path}: weights of format {form}; only format {FORMAT} can be read")
    first = HEADER.size + length
    expected = first + 2 * rows * units + CHECKSUM.size
    if len(data) != expected:
        raise BadWeights(f"{path}: damaged weights file: {len(data)} bytes instead of {expected}")
    checksum = CHECKSUM.unpack_from(data, expected - CHECKSUM.size)[0]
    if checksum != zlib.crc32(data[:-4]):
        raise BadWeights(f"{path}: damaged weights file: wrong checksum")
    found = label.rstrip(b"\0").decode("ascii", "replace")
    if name is not None and found != name:
        raise BadWeights(f"{path}: weights for {found}, not for {name}")
    weights = array("h")
    weights.frombytes(data[first : -CHECKSUM.size])
    if sys.byteorder == "big":
        weights.byteswap()
    origin = data[HEADER.size : first].decode("utf-8", "replace")
    return WeightsFile(found, version, rows, units, origin, weights, checksum)


def write_weights(
    path: str | os.PathLike[str],
    name: str,
    version: int,
    rows: Iterable[Iterable[int]],
    origin: str,
) -> None:
    """Writes a file atomically."""
    table = [array("h", row) for row in rows]
    units = {len(row) for row in table}
    if len(units) != 1:
        raise ValueError("weights: expected at least one row, and all rows of the same length")
    label, text = name.encode("ascii"), origin.encode()
    if not 0 < len(label) <= 24 or len(text) > 0xFFFF:
        raise ValueError("expected a name of 1 to 24 bytes, and an origin of at most 65,535")
    weights = array("h")
    for row in table:
        weights += row
    if sys.byteorder == "big":
        weights.byteswap()
    header = HEADER.pack(MAGIC, FORMAT, version, label, len(table), units.pop(), len(text))
    data = header + text + weights.tobytes()
    write_whole(path, [data, CHECKSUM.pack(zlib.crc32(data))])
