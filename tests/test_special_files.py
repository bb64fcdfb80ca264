"""Devices, pipes, folders and huge files in place of files: refused in one line, without delay."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import commands
from ttt import Board, Game
from ttt.cli.solve_file import LINE_LENGTH
from ttt.solvers.nineboard import NineboardSolver
from ttt.solvers.strategy import Strategy
from ttt.storage.atomic import write_whole
from ttt.storage.lines import LineFile
from ttt.storage.reading import open_regular, read_whole

COMMANDS = (
    "verify FILE",
    "replay FILE",
    "replay FILE --game 1",
    "match tictactoe random random --games 2 --openings FILE",
    "match tictactoe random random --games 2 --out FILE",
    "match tictactoe random random --games 2 --out FILE --resume",
    "tournament tictactoe random first --games 2 --out FILE --resume",
    "solve connect4 --file FILE",
    "solve connect4 --book FILE",
    "solve connect4 --file positions --out FILE",
    "solve nineboard --time 1 --checkpoint FILE",
    "prove qubic --out FILE",
    "train nineboard-solver --positions 1 --games 1 --nodes 1 --out FILE",
)
"""Every command that reads or writes a file."""

DRIVER = """
import contextlib, io, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
from ttt.cli.main import main
for line in sys.argv[1:]:
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        status = main(line.split())
    print(status, errors.getvalue().count(chr(10)), errors.getvalue().rstrip(), sep="|", flush=True)
"""


def special(kind: str, folder: Path) -> str:
    """A file of a kind; the name of a device is the device."""
    path = folder / "special"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "huge":
        with path.open("wb") as file:
            file.truncate(1 << 42)  # without a block on the disk
    else:
        return kind
    return str(path)


@pytest.mark.parametrize("kind", ["pipe", "folder", "huge", "/dev/zero", "/dev/full", "/dev/null"])
def test_every_command_refuses_it_in_one_line(kind: str, tmp_path: Path) -> None:
    path = special(kind, tmp_path)
    (tmp_path / "positions").write_text("4455\n")
    lines = [line.replace("FILE", path) for line in COMMANDS]
    if kind == "huge":  # an old file of any content is replaced
        lines = [line for line in lines if not line.startswith("train")]
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, *lines],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stderr == ""
    answers = [line.split("|", 2) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines)
    for line, (status, count, text) in zip(lines, answers, strict=True):
        assert (status, count) == ("2", "1"), (line, text)
        assert path in text, (line, text)
    assert sorted(os.listdir(tmp_path)) == sorted(
        {"positions", *([] if kind.startswith("/") else ["special"])}
    )


def test_the_library_refuses_them_too(tmp_path: Path) -> None:
    path = special("pipe", tmp_path)
    for read in (Game.load, Board.load, Strategy.load, open_regular):
        with pytest.raises(ValueError, match="special: not a regular file"):
            read(path)
    with pytest.raises(ValueError, match="special: not a regular file"):
        NineboardSolver(hash=1).solve(Board("nineboard"), nodes=1, checkpoint=path)


def test_a_file_may_be_too_large(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_whole(path, 5) == b"12345"
    with pytest.raises(ValueError, match="file: too large: 5 bytes; expected at most 4"):
        read_whole(path, 4)
    path.write_bytes(b"x" * (1 << 20 | 1))
    with pytest.raises(ValueError, match="too large"):
        Game.load(path)


def test_a_file_that_grows_while_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of /proc claim to be empty."""
    assert os.stat("/proc/self/status").st_size == 0
    with pytest.raises(ValueError, match="too large"):
        read_whole("/proc/self/status", 100)
    assert b"VmPeak" in read_whole("/proc/self/status", 1 << 20)


def test_a_pipe_that_takes_the_place_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the check and the opening: it does not block."""
    path = special("pipe", tmp_path)
    regular = os.stat(__file__)
    monkeypatch.setattr(os, "stat", lambda path: regular)
    with pytest.raises(ValueError, match="not a regular file"):
        open_regular(path)


def test_a_link_to_a_file_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    assert read_whole(tmp_path / "link", 100) == b"content"
    (tmp_path / "zero").symlink_to("/dev/zero")
    with pytest.raises(ValueError, match="zero: not a regular file"):
        read_whole(tmp_path / "zero", 100)


def test_positions_may_come_through_a_pipe() -> None:
    """With `-`. A line without end is refused before it is read."""
    done = commands.run("solve", "connect4", "--file", "-", text="4455\n")
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    zeros = commands.run("solve", "connect4", "--file", "-", text="4" * 10 * LINE_LENGTH)
    assert zeros.returncode == 2
    assert zeros.stderr == f"ttt solve: -, line 1: longer than {LINE_LENGTH:,} characters\n"


# --- full disks ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["--help", "--version", "play --help", "games", "show mnk"])
def test_a_full_disk_behind_stdout(command: str) -> None:
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run(
            [*commands.TTT, *command.split()], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr.endswith("standard output: No space left on device\n")
    assert done.stderr.count("\n") == 1


def test_a_full_disk_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "file")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with LineFile(path, sync=True) as file:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left") as caught:
            file.append("line")
    assert caught.value.filename == path
    with pytest.raises(OSError, match="No space left") as caught:
        write_whole(path, [b"content"])
    assert caught.value.filename == path
