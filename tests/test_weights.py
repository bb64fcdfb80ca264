"""Weights files: they round-trip, and every kind of damage is refused."""

import os
import shutil
import subprocess
import sys
import zlib
from array import array
from pathlib import Path

import pytest

import ttt
from support.commands import run
from ttt import Board, Engine
from ttt.board import _ruleset
from ttt.storage import weights
from ttt.storage.weights import BadWeights, read_weights, write_weights

CHECKSUMS = {
    "nineboard": 4194312339,
    "nineboard-solver": 1212750374,
    "ultimate": 925379591,
    "ultimate-boards": 4288271051,
}
"""CRC-32 of the shipped weights alone, as 16-bit little-endian numbers."""
ROWS = [[1, -2, 3], [-32768, 32767, 0]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "small.weights"
    write_weights(found, "small", 7, ROWS, "made by hand, ΣReLU")
    return found


@pytest.mark.parametrize("name", CHECKSUMS)
def test_shipped_files(name: str) -> None:
    found = read_weights(weights.shipped_path(name), name)
    assert len(found.weights) == found.rows * found.units
    if sys.byteorder == "big":
        found.weights.byteswap()
    assert zlib.crc32(found.weights.tobytes()) == CHECKSUMS[name]


def test_files_round_trip(path: Path) -> None:
    found = read_weights(path, "small")
    assert found[:5] == ("small", 7, 2, 3, "made by hand, ΣReLU")
    assert found.weights == array("h", [1, -2, 3, -32768, 32767, 0])
    assert found.checksum == zlib.crc32(path.read_bytes()[:-4])
    assert path.read_bytes()[-16:-4] == b"\1\0\xfe\xff\3\0\0\x80\xff\x7f\0\0"


def test_every_changed_byte_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    for i in range(len(whole)):
        path.write_bytes(whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :])
        with pytest.raises(BadWeights, match=r"small\.weights: "):
            read_weights(path)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(BadWeights, match=r"small\.weights: "):
            read_weights(path)
    path.write_bytes(whole + b"\0")
    with pytest.raises(BadWeights, match=f"{len(whole) + 1} bytes instead of {len(whole)}"):
        read_weights(path)


def test_the_defect_is_named(path: Path, tmp_path: Path) -> None:
    whole = path.read_bytes()
    for content, reason in [
        (b"", "not a weights file"),
        (b"tttqubic" + bytes(100), "not a weights file"),
        (whole[:20], "cut off after 20 bytes"),
        (whole[:-1], "bytes instead of"),
        (whole[:8] + b"\2\0" + whole[10:], "weights of format 2; only format 1 can be read"),
        (whole[:-1] + bytes([whole[-1] ^ 255]), "wrong checksum"),
    ]:
        path.write_bytes(content)
        with pytest.raises(BadWeights, match=reason):
            read_weights(path)
    path.write_bytes(whole)
    with pytest.raises(BadWeights, match="weights for small, not for large"):
        read_weights(path, "large")
    with pytest.raises(BadWeights, match=r"none.weights: cannot read .*(No such file|not found)"):
        read_weights(tmp_path / "none.weights")
    with pytest.raises(BadWeights, match="cannot read"):
        read_weights(tmp_path)


@pytest.mark.parametrize("rows", [[], [[1], [2, 3]]])
def test_rows_of_different_lengths_are_refused(rows: list[list[int]], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="same length"):
        write_weights(tmp_path / "x", "small", 1, rows, "")
    assert not list(tmp_path.iterdir())


def test_an_engine_without_its_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The error names the file, and the next engine tries again."""
    others = weights.shipped_path("ultimate").read_bytes()
    _ruleset.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(weights, "FOLDER", tmp_path)
        board = Board("nineboard")  # needs none
        with pytest.raises(BadWeights, match=r"nineboard\.weights: cannot read"):
            Engine("nineboard", hash=1)
        (tmp_path / "nineboard.weights").write_bytes(others)
        with pytest.raises(BadWeights, match="weights for ultimate, not for nineboard"):
            Engine("nineboard", hash=1)
    assert Engine("nineboard", hash=1).search(board, depth=1).move


def test_import_reads_no_weights() -> None:
    program = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
import ttt
ttt.Board("nineboard").push("5 5")
ttt.Board("ultimate").push("5 5")
assert not [name for name in opened if name.endswith(".weights")], opened
ttt.Engine("nineboard", hash=1)
assert len([name for name in opened if name.endswith(".weights")]) == 1
assert not {"numpy", "ttt.training"} & {*sys.modules}
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_command_line_says_it_in_one_line(tmp_path: Path) -> None:
    """`ttt analyse` with a damaged file: the package is copied, its file cut off."""
    package = Path(ttt.__file__).parent
    shutil.copytree(package, tmp_path / "ttt", ignore=shutil.ignore_patterns("__pycache__"))
    damaged = tmp_path / "ttt/data/ultimate.weights"
    damaged.write_bytes(damaged.read_bytes()[:1000])
    path = os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(
        [sys.executable, "-m", "ttt", "analyse", "ultimate", "--depth", "1"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ttt analyse: {damaged}: damaged weights file: 1000 bytes")
    assert done.stderr.count("\n") == 1
    assert run("analyse", "ultimate", "--depth", "1").returncode == 0
