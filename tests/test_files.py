"""Storage: whole files, files of lines, killed writers, damaged files, other platforms."""

import ast
import fcntl
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

import ttt
from ttt.matches.match import play_match
from ttt.matches.record import read_games
from ttt.storage.atomic import check_target, sweep, write_whole
from ttt.storage.lines import DamagedFile, LineFile, read_lines, sealed, unsealed


def test_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, [b"one ", b"two"])
    assert path.read_bytes() == b"one two"

    def failing() -> object:
        yield b"three"
        raise RuntimeError("full")

    with pytest.raises(RuntimeError, match="full"):
        write_whole(path, failing())  # type: ignore[arg-type]
    assert [found.read_bytes() for found in tmp_path.iterdir()] == [b"one two"]


def test_a_file_is_on_disk_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power failure leaves the old file or the new one: the content is flushed before the rename,
    the folder after it."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    steps: list[tuple[str, bytes]] = []
    fsync, replace = os.fsync, os.replace

    def note_fsync(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        written = b"" if is_folder else Path(f"/proc/self/fd/{descriptor}").read_bytes()
        steps.append(("folder" if is_folder else "file", written))
        fsync(descriptor)

    def note_replace(source: str, target: str) -> None:
        steps.append(("rename", Path(source).read_bytes()))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(os, "replace", note_replace)
    write_whole(path, [b"new ", b"content"])
    assert steps == [("file", b"new content"), ("rename", b"new content"), ("folder", b"")]


def test_temporary_files_of_killed_writers_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    killed, alive, other = (
        tmp_path / f"{name}.new" for name in ("file.0123abcd", "file.4567abcd", "files.0123abcd")
    )
    for file in (killed, alive, other):
        file.write_bytes(b"half")
    with alive.open("rb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        sweep(path)
        assert {*tmp_path.iterdir()} == {alive, other}
    write_whole(path, [b"whole"])
    assert {*tmp_path.iterdir()} == {path, other}


def test_targets_are_checked_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_target(tmp_path / "file")
    for target, words in ((tmp_path / "no" / "file", "no such folder"), (tmp_path, "a folder")):
        with pytest.raises(ValueError, match=words):
            check_target(target)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ValueError, match="permission denied"):
        check_target(tmp_path / "file")


# --- files of lines ------------------------------------------------------------------------------


LINES = ["text", "", "tabs\tin it", '{"a":1}', '{"crc": "x", "é": [1, 2]}', "ünïcode"]


def test_lines_are_sealed() -> None:
    assert sealed("a line of text") == b"a line of text\t2d27c0b3"
    assert json.loads(sealed('{"a": "JSON object"}')) == {"a": "JSON object", "crc": "0914c881"}
    for line in LINES:
        data = sealed(line)
        assert unsealed(data) == line
        for at in range(len(data)):
            for mask in (1, 0x20, 0x80):
                assert unsealed(data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]) is None
            assert unsealed(data[:at]) is None


def test_lines_are_appended_and_read_back(tmp_path: Path) -> None:
    path = str(tmp_path / "lines")
    with LineFile(path) as file:
        assert file.lines == []
        for line in LINES[:3]:
            file.append(line)
        assert read_lines(path) == LINES[:3]
    with LineFile(path, "text") as file:
        assert file.lines == LINES[:3]
        for line in LINES[3:]:
            file.append(line)
        with pytest.raises(ValueError, match="line break"):
            file.append("two\nlines")
    assert read_lines(path) == LINES


def test_a_torn_line_is_replaced_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    with LineFile(str(path)) as file:
        file.append("one")
        file.append("two")
    torn = path.read_bytes()[:-3]
    path.write_bytes(torn)
    assert read_lines(str(path)) == ["one"]
    with LineFile(str(path)) as file:
        assert file.lines == ["one"]
        assert path.read_bytes() == torn  # nothing is written before the first append
        file.append("three")
    assert read_lines(str(path)) == ["one", "three"]


class Disk:
    """A raw file that writes at most three bytes at a time, and raises when it is `full`."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.writes_left = 10**6

    def write(self, data: bytes) -> int:
        if not self.writes_left:
            raise OSError("disk full")
        self.writes_left -= 1
        return int(self.file.write(data[:3]))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def test_short_and_failed_writes(tmp_path: Path) -> None:
    path = str(tmp_path / "lines")
    with LineFile(path) as file:
        disk = Disk(file.file)
        file.file = disk  # type: ignore[assignment]
        file.append("written in pieces")
        disk.writes_left = 2
        with pytest.raises(OSError, match="disk full"):
            file.append("cut off")
        assert read_lines(path) == ["written in pieces"]
        disk.writes_left = 100
        file.append("the next")
    assert read_lines(path) == ["written in pieces", "the next"]


def test_lines_can_be_flushed_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", flushed.append)
    for sync, count in ((False, 0), (True, 2)):
        with LineFile(str(tmp_path / str(sync)), sync=sync) as file:
            file.append("one")
            file.append("two")
        assert len(flushed) == count


def test_files_that_cannot_take_lines(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    with LineFile(str(path), new=True) as file:
        file.append("one")
        with pytest.raises(ValueError, match="another process is writing it"):
            LineFile(str(path))
    with pytest.raises(FileExistsError):
        LineFile(str(path), new=True)
    whole = path.read_bytes()
    for content, words in (
        (whole + b"damaged\n", "lines, line 2: damaged: wrong checksum"),
        (b"\n" + whole, "line 1: damaged"),
        (whole + b"\xff\t00000000\n", "line 2: damaged"),
    ):
        path.write_bytes(content)
        with pytest.raises(DamagedFile, match=words):
            LineFile(str(path))
        assert path.read_bytes() == content
    for content in (b"my diary", b"my diary\n", b"on"):
        path.write_bytes(content)
        with pytest.raises(DamagedFile, match="does not begin with two"):
            LineFile(str(path), "two")
        assert path.read_bytes() == content
    os.mkfifo(tmp_path / "pipe")
    for name in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(ValueError, match="not a regular file"):
            LineFile(str(name))
    for name in (tmp_path, tmp_path / "no" / "where"):
        with pytest.raises(ValueError, match="cannot write"):
            LineFile(str(name))


# --- saved games ---------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["digit", "move", "player", "checksum", "cut"])
def test_damaged_games_are_refused(tmp_path: Path, change: str) -> None:
    path = tmp_path / "games"
    play_match("tictactoe", "first", "random", 3, out=str(path))
    header, games = read_games(str(path))
    assert header is not None
    assert "crc" not in header
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    game = json.loads(lines[2])
    old, new = {
        "digit": (f'"opening":{game["opening"]}', '"opening":2'),
        "move": (game["moves"], game["moves"][::-1]),
        "player": ('"first"', '"frist"'),
        "checksum": (game["crc"], "00000000"),
        "cut": (',"crc":"' + game["crc"] + '"', ""),
    }[change]
    path.write_bytes(whole.replace(old.encode(), new.encode(), 1))
    assert path.read_bytes() != whole
    with pytest.raises(DamagedFile, match=r"games.*: damaged"):
        read_games(str(path))
    path.write_bytes(whole[:-5])
    assert read_games(str(path))[1] == games[:-1]


def test_saved_games_of_another_form_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "games"
    play_match("tictactoe", "first", "random", 1, out=str(path))
    header, game = (json.loads(line) for line in path.read_bytes().splitlines())
    del header["crc"], game["crc"]
    for first, second, words in (
        (header | {"version": 99}, game, "version 99; only version"),
        (header, game | {"result": "z"}, "line 2: not a saved game"),
        (header, game | {"x": 3}, "line 2: not a saved game"),
        (header | {"players": 2}, game, "line 2: not a saved game"),
        (header, [game], "line 2: not a saved game"),
        (header, "{nonsense}", "line 2: not a saved game"),
    ):
        texts = [
            line if isinstance(line, str) else json.dumps(line, separators=(",", ":"))
            for line in (first, second)
        ]
        path.write_bytes(b"".join(sealed(text) + b"\n" for text in texts))
        with pytest.raises(DamagedFile, match=words):
            read_games(str(path))


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    """1,000 changes of one byte in a log: each is refused, and the error names the line."""
    path, random = tmp_path / "log", Random(1)
    with LineFile(str(path)) as file:
        for job in range(40):
            file.append(json.dumps({"job": job, "value": random.random()}))
            file.append(f"position {job}\twin in {random.randrange(60)}")
    whole = path.read_bytes()
    for _ in range(1000):
        at, byte = random.randrange(len(whole) - 1), bytes([random.randrange(256)])
        kind = random.choice(("change", "insert", "delete"))
        rest = whole[at:] if kind == "insert" else whole[at + 1 :]
        changed = whole[:at] + (b"" if kind == "delete" else byte) + rest
        if changed == whole:
            continue
        path.write_bytes(changed)
        line = whole[:at].count(b"\n") + 1
        for read in (read_lines, LineFile):
            with pytest.raises(DamagedFile, match=rf"log, line {line}: damaged"):
                read(str(path))
        assert path.read_bytes() == changed


# --- layers --------------------------------------------------------------------------------------


LAYERS = (
    *("storage.reading", "storage.atomic", "storage.lines", "storage.weights"),
    *("players.presets", "players.builtin", "players.spec"),
    *("matches.rating", "matches.record", "matches.series", "matches.game", "matches.standings"),
    *("matches.result", "matches.jobs", "matches.match", "matches.tournament"),
)
"""Each module imports only modules before it; storage imports nothing else of ours than
what differs between systems."""


def test_imports_go_downwards() -> None:
    folder = Path(ttt.__file__).parent
    for place, name in enumerate(LAYERS):
        tree = ast.parse((folder / f"{name.replace('.', '/')}.py").read_text())
        found = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        ours = {module for module in found if module and module.startswith("ttt")}
        own = {f"ttt.{other}" for other in LAYERS[:place]}
        packages = ("ttt.storage", "ttt.players", "ttt.matches")
        assert {module for module in ours if module.startswith(packages)} <= own
        assert not any(module.startswith("ttt.cli") for module in ours)
        if name.startswith("storage."):
            assert ours <= {*own, "ttt_core.system"}
    names = {
        f"{path.parent.name}.{path.stem}"
        for package in ("storage", "players", "matches")
        for path in (folder / package).glob("[!_]*.py")
    }
    assert names == {*LAYERS}


# --- other platforms -----------------------------------------------------------------------------


WITHOUT_UNIX = """
import importlib, os, pkgutil, signal, sys
absent = "fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "syslog", "readline"
for name in absent:
    sys.modules[name] = None
for module, names in ((os, ("register_at_fork", "sysconf", "fork", "killpg", "O_NONBLOCK")),
                      (signal, ("SIGALRM", "SIGHUP", "SIGPIPE", "setitimer", "alarm"))):
    for name in names:
        delattr(module, name)
import ttt
for found in pkgutil.walk_packages(ttt.__path__, "ttt."):
    if not found.name.endswith("__main__") and ".adapters." not in found.name:
        importlib.import_module(found.name)
from ttt import Board, Engine, Game
from ttt.matches.match import play_match
from ttt.storage.lines import LineFile, read_lines
from ttt_core import system
system.POSIX = False
board = Board("tictactoe")
with Engine("tictactoe", hash=1) as engine:
    while not board.is_game_over():
        board.push(engine.play(board, depth=9))
for _ in range(2):
    Game.from_board(board).save("game")
assert Game.load("game").board() == board
with LineFile("lines") as file:
    file.append(str(board.result()))
played = play_match("tictactoe", "engine:depth=1,hash=1", "first", 2, time=1.0, out="games")
print(len(played.games), *read_lines("lines"), *sorted(os.listdir(".")))
"""


def test_nothing_needs_the_modules_of_unix(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_UNIX], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.stderr, done.stdout) == ("", "2 1/2-1/2 game games lines\n")


def test_targets_that_are_not_files(tmp_path: Path) -> None:
    """A device or a pipe is refused; a link and the permissions of a file are kept."""
    pipe, real, link = tmp_path / "pipe", tmp_path / "real", tmp_path / "link"
    os.mkfifo(pipe)
    for refuse in (check_target, lambda path: write_whole(path, [b"new"])):
        with pytest.raises(ValueError, match="not a regular file"):
            refuse(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    real.write_bytes(b"old")
    real.chmod(0o600)
    link.symlink_to(real)
    write_whole(link, [b"new"])
    assert link.is_symlink()
    assert (real.read_bytes(), stat.S_IMODE(real.stat().st_mode)) == (b"new", 0o600)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe", "real"]


@pytest.mark.parametrize("line", ["{", "{x", "}", "{}", '{"a": 1}', "text", ""])
def test_lines_read_back(tmp_path: Path, line: str) -> None:
    path = str(tmp_path / "lines")
    with LineFile(path) as file:
        file.append(line)
    assert read_lines(path) == [line]
