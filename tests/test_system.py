"""What differs between operating systems: every function of `ttt_core.system` against its portable
twin, which Windows uses, and the library without the modules of Unix."""

import ast
import contextlib
import errno
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from support.imports import imports_of
from ttt.protocols.process import Process, split_command
from ttt.storage.atomic import LockedFile, sweep, write_whole
from ttt.storage.lines import LineFile, read_lines
from ttt_core import system

PROJECT = Path(__file__).parent.parent


class Msvcrt:
    """Windows's locks of bytes: held by an open file, refused to every other one."""

    LK_NBLCK = 2

    def __init__(self, refusal: int = errno.EACCES) -> None:
        self.refusal = refusal
        self.held: dict[tuple[int, int], int] = {}

    def locking(self, descriptor: int, mode: int, count: int) -> None:
        assert (mode, count) == (self.LK_NBLCK, 1)
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        if place < os.fstat(descriptor).st_size:
            raise AssertionError("others could not read a locked byte of the content")
        key = os.fstat(descriptor).st_ino, place
        for other in [other for other in self.held.values() if not is_open(other)]:
            self.held = {key: value for key, value in self.held.items() if value != other}
        if self.held.setdefault(key, descriptor) != descriptor:
            raise OSError(self.refusal, "Permission denied")


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


@pytest.fixture(params=["own", "portable", "no locks"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The functions of this system, those of Windows, and those of a system without locks."""
    kind: str = request.param
    if kind != "own":
        monkeypatch.setattr(system, "POSIX", False)
        monkeypatch.setattr(system, "fcntl", None)
        monkeypatch.setattr(system, "msvcrt", Msvcrt() if kind == "portable" else None)
    return kind


# --- files ---------------------------------------------------------------------------------------


def test_locks(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    with path.open("ab+") as first, path.open("ab+") as second:
        first.seek(3)
        system.lock(first.fileno())
        assert first.tell() == 3
        if kind != "no locks":
            began = time.monotonic()
            with pytest.raises(BlockingIOError):
                system.lock(second.fileno(), 0.05)
            assert time.monotonic() - began >= 0.05
        assert path.read_bytes() == b"content"
        first.close()
        system.lock(second.fileno())


def test_a_lock_that_is_released_meanwhile(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    first = path.open("rb")
    system.lock(first.fileno())
    with path.open("rb") as second:
        threading.Timer(0.1, first.close).start()
        system.lock(second.fileno(), 10)


def test_a_lock_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only a lock of somebody else is waited for; wine tells it without an error number."""
    monkeypatch.setattr(system, "fcntl", None)
    with (tmp_path / "file").open("wb") as first, (tmp_path / "file").open("rb") as second:
        for refusal, raised in ((0, BlockingIOError), (errno.EINVAL, OSError)):
            monkeypatch.setattr(system, "msvcrt", Msvcrt(refusal))
            system.lock(first.fileno())
            with pytest.raises(raised) as caught:
                system.lock(second.fileno())
            assert isinstance(caught.value, BlockingIOError) == (refusal == 0)


def test_files_are_the_same(kind: str, tmp_path: Path) -> None:
    path, lines = tmp_path / "file", tmp_path / "lines"
    for content in (b"old", b"new\r\n\x1a\n"):
        write_whole(path, [content])
        assert path.read_bytes() == content
    with LineFile(str(lines)) as file:
        file.append("text")
        if kind != "no locks":
            with pytest.raises(ValueError, match="another process is writing it"):
                LineFile(str(lines))
    assert read_lines(str(lines)) == ["text"]
    assert lines.read_bytes() == b"text\t3b8ba7c7\n"
    assert sorted(found.name for found in tmp_path.iterdir()) == ["file", "lines"]


def test_a_file_that_was_written_is_removed(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows refuses to remove an open file."""
    file, unlink = LineFile(str(tmp_path / "lines")), os.unlink
    file.append("text")

    def refuse(name: str) -> None:
        if kind != "own" and not file.file.closed:
            raise PermissionError(13, "Permission denied")
        unlink(name)

    monkeypatch.setattr(os, "unlink", refuse)
    file.remove()
    assert file.file.closed
    assert not [*tmp_path.iterdir()]


def test_a_locked_file_has_one_user(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    first = LockedFile(path)
    for content in (b"one", b"two"):
        if kind != "no locks":
            with pytest.raises(ValueError, match="another process is using it"):
                LockedFile(path)
        first.write([content])
        assert path.read_bytes() == content
    first.close()
    first.close()
    second = LockedFile(path)
    assert second.read(10) == b"two"
    second.close()
    LockedFile(tmp_path / "unused").close()
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_what_killed_writers_left(kind: str, tmp_path: Path) -> None:
    left, fresh = tmp_path / "file.0123abcd.new", tmp_path / "file.4567abcd.new"
    for path in (left, fresh):
        path.write_bytes(b"half")
    os.utime(left, (1, 1))
    sweep(tmp_path / "file")
    assert [*tmp_path.iterdir()] == ([] if kind == "own" and os.name == "posix" else [fresh])


def test_a_name_that_a_reader_keeps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Windows refuses to rename over an open file; a moment later it may be closed."""
    refusals, replace = [1, 2, 3], os.replace

    def refuse(source: str, target: str) -> None:
        if refusals:
            refusals.pop()
            raise PermissionError(13, "Permission denied")
        replace(source, target)

    monkeypatch.setattr(system, "POSIX", False)
    monkeypatch.setattr(os, "replace", refuse)
    write_whole(tmp_path / "file", [b"content"])
    assert (tmp_path / "file").read_bytes() == b"content"
    monkeypatch.setattr(system, "RENAME_TIME", 0.01)
    refusals.extend([1] * 1000)
    with pytest.raises(PermissionError):
        write_whole(tmp_path / "file", [b"other"])
    assert [found.read_bytes() for found in tmp_path.iterdir()] == [b"content"]


# --- signals -------------------------------------------------------------------------------------


class Rang(Exception):
    pass


def ring() -> None:
    raise Rang


def loop() -> None:
    while True:
        pass


@pytest.fixture(params=["interval timer", "thread"])
def timer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "thread":
        monkeypatch.delattr(signal, "setitimer", raising=False)


def test_an_alarm_rings_in_the_code_that_runs(timer: None) -> None:
    numbers = system._numbers("SIGALRM", "SIGABRT")
    before = [signal.getsignal(number) for number in numbers]
    with pytest.raises(Rang), system.alarm(0.05, ring):
        loop()
    assert [signal.getsignal(number) for number in numbers] == before


def test_an_alarm_that_is_not_needed(timer: None) -> None:
    for _ in range(20):
        with system.alarm(0.001, lambda: None):
            pass
    with system.alarm(60, ring):
        pass


def test_an_alarm_that_rings_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread version never rings after its context, however close the end is."""
    monkeypatch.delattr(signal, "setitimer", raising=False)
    before = signal.getsignal(signal.SIGABRT)
    for _ in range(300):
        with contextlib.suppress(Rang), system.alarm(0.0005, ring):
            time.sleep(0.0005)
        sum(range(100))  # would raise Rang
        assert signal.getsignal(signal.SIGABRT) == before


def test_signals_that_end_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    assert signal.SIGTERM in system.ending_signals()
    monkeypatch.delattr(signal, "SIGHUP", raising=False)
    monkeypatch.setattr(signal, "SIGBREAK", 21, raising=False)
    assert system.ending_signals() == [signal.SIGTERM, 21]


# --- processes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("portable", [False, True])
def test_a_program_is_ended(portable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if portable:
        monkeypatch.delattr(os, "killpg", raising=False)
        monkeypatch.setattr(system, "POSIX", False)
    code = "import time\nprint(input(), flush=True)\ntime.sleep(1000)"
    program = Process([sys.executable, "-c", code])
    program.send("a line")
    assert program.read(time.monotonic() + 60) == "a line"
    assert program.running()
    program.close()
    assert not program.running()


def test_windows_ends_the_children_too(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    run = subprocess.run
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        monkeypatch.delattr(os, "killpg", raising=False)
        monkeypatch.setattr(subprocess, "run", lambda command, **_: commands.append(command))
        system.end_with_children(process)
        process.wait()
        system.end_with_children(process)
        monkeypatch.setattr(subprocess, "run", run)
    assert commands == [["taskkill", "/F", "/T", "/PID", str(process.pid)]]


@pytest.mark.parametrize(
    ("text", "posix", "windows"),
    [
        ("bot --fast", ["bot", "--fast"], ["bot", "--fast"]),
        ("\"a bot\" 'b c' d#e", ["a bot", "b c", "d#e"], ["a bot", "b c", "d#e"]),
        (r"C:\bots\a.exe -x", ["C:botsa.exe", "-x"], [r"C:\bots\a.exe", "-x"]),
        (r'"C:\my bots\a.exe"', [r"C:\my bots\a.exe"], [r"C:\my bots\a.exe"]),
        ("", [], []),
    ],
)
def test_words_of_a_command(
    text: str, posix: list[str], windows: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "POSIX", True)
    assert system.split_words(text) == posix
    monkeypatch.setattr(system, "POSIX", False)
    assert system.split_words(text) == windows
    with pytest.raises(ValueError, match="no closing quotation"):
        split_command('"a bot')


# --- keys and memory -----------------------------------------------------------------------------


def test_no_keys_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(system, "termios", object())
    assert system.can_read_keys()
    monkeypatch.setattr(system, "termios", None)
    assert not system.can_read_keys()


@pytest.mark.skipif(os.name != "posix", reason="compares with what sysconf tells")
def test_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without /proc all memory counts; without any source there is no limit."""
    found = system.available_bytes()
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < found <= total
    monkeypatch.setattr(system, "CGROUP", "/nowhere/")
    monkeypatch.setattr(system, "resource", None)

    def no_file(path: str) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(system, "_read", no_file)
    assert system.available_bytes() == total
    monkeypatch.delattr(os, "sysconf")
    assert system.available_bytes() == system.UNLIMITED


def test_free_memory_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    import ctypes

    def status(pointer: object) -> int:
        record = pointer._obj  # type: ignore[attr-defined]
        assert record.size == ctypes.sizeof(record) == 64
        record.bytes[0], record.bytes[1] = 16 << 30, 3 << 30
        return 1

    kernel32 = SimpleNamespace(GlobalMemoryStatusEx=status)
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel32), raising=False)
    assert system._free_on_windows() == 3 << 30


# --- nowhere else --------------------------------------------------------------------------------


MODULES = {"fcntl", "termios", "tty", "pty", "resource", "select", "pwd", "grp", "msvcrt", "winreg"}
NAMES = re.compile(
    r"killpg|setitimer|SIGALRM|SIGPIPE|SIGHUP|SIGBREAK|O_NONBLOCK|O_BINARY|sysconf|fork|mkfifo"
)
SOURCES = [
    path
    for folder in (PROJECT / "python/ttt", PROJECT / "src")
    for path in sorted(folder.rglob("*.py"))
    if "site" not in path.parts  # builds the site from a checkout, on Linux
]


def test_only_one_module_knows_the_system() -> None:
    for path in (path for path in SOURCES if path.name != "system.py"):
        source = path.read_text(encoding="utf-8")
        odd = {name.split(".")[0] for name in imports_of(source)} & MODULES
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("os", "signal"):
                odd |= {node.attr} if NAMES.fullmatch(node.attr) else set()
        odd |= {"/proc/"} if "/proc/" in source else set()
        assert not odd, f"{path}: {odd} belongs into ttt_core/system.py"


def test_text_files_name_their_encoding() -> None:
    """Else the bytes of a file would depend on the user's settings and the system's line ends."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name, text = ast.unparse(node.func), ast.unparse(node)
            opens = name in ("open", "os.fdopen") or name.endswith((".read_text", ".write_text"))
            modes = [part.value for part in node.args[1:2] if isinstance(part, ast.Constant)]
            if opens and "os.devnull" not in text and not any("b" in str(mode) for mode in modes):
                assert "encoding=" in text, f"{path}: {text}"
            if name.endswith(".write_text"):
                assert "newline=" in text, f"{path}: {text}"
