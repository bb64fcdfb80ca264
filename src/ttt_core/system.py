"""What differs between operating systems, in one Python module: locks, renaming, flags of files,
signals, alarms, process groups, keys, free memory.

A function asks whether the system has what it needs and is portable otherwise; tests take that away
and run the portable version. Keys can be read only where `can_read_keys` says so. The C code that
differs is in `primitives/platform.pxd`.
"""

from __future__ import annotations

import _thread
import contextlib
import errno
import os
import signal
import sys
import time

TYPE_CHECKING = False  # see `ttt/__init__.py`; modules that few functions need are loaded there
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

try:
    import fcntl
except ImportError:  # not a Unix system
    fcntl = None  # type: ignore[assignment]
try:
    import resource
except ImportError:
    resource = None  # type: ignore[assignment]
try:
    import select
    import termios
    import tty
except ImportError:
    termios = None  # type: ignore[assignment]
try:
    import msvcrt
except ImportError:  # not Windows
    msvcrt = None  # type: ignore[assignment]

POSIX = os.name == "posix"


# --- files ---------------------------------------------------------------------------------------


READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""For a file that is only read. Opening a pipe that has just taken its place does not block."""
NEW_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
LOCKED_BYTE = 1 << 40
"""Windows locks bytes, and nobody else can read them: one behind the end of every file."""
RENAME_TIME = 2.0
"""Seconds: Windows cannot rename over a file that a reader or a virus scanner has open."""


def lock(descriptor: int, seconds: float = 0.0) -> None:
    """Locks an open file until it is closed, also by the end of its process. Raises BlockingIOError
    if somebody else keeps it locked for so long. A system without locks locks nothing."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            _try_lock(descriptor)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.02)


def _try_lock(descriptor: int) -> None:
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    elif msvcrt is not None:
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        try:
            os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno not in (0, errno.EACCES):  # 0: wine gives no reason
                raise
            raise BlockingIOError(errno.EACCES, "the file is locked") from None
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)


def can_rename_open_files() -> bool:
    """Whether a file can be renamed, replaced and removed while it is open."""
    return POSIX


def replace(source: str, target: str) -> None:
    """Renames a file, over an older one if there is one: the name never lacks a file. On return the
    new name is on disk, where the system can tell."""
    if not POSIX:
        deadline = time.monotonic() + RENAME_TIME
        while True:
            try:
                os.replace(source, target)
                return
            except PermissionError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.02)
    os.replace(source, target)
    with contextlib.suppress(OSError):
        folder = os.open(os.path.dirname(target) or ".", os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


# --- signals -------------------------------------------------------------------------------------


def _numbers(*names: str) -> list[int]:
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def ending_signals() -> list[int]:
    """The signals, besides Ctrl-C, that ask a program to end; SIGBREAK is Ctrl-Break."""
    return _numbers("SIGTERM", "SIGHUP", "SIGBREAK")


def ignore_broken_pipes() -> None:
    """A reader that goes away becomes an error of the write, not the end of the process."""
    for number in _numbers("SIGPIPE"):
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def alarm(seconds: float, ring: Callable[[], object]) -> Iterator[None]:
    """Calls `ring` in the code that runs, once, if the context takes longer than this; it may
    raise. Only for the main thread. Waiting for input or a sleep may end first."""
    start = _interval_timer if hasattr(signal, "setitimer") else _timer_thread
    with start(seconds, ring):
        yield


@contextlib.contextmanager
def _interval_timer(seconds: float, ring: Callable[[], object]) -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, lambda *_: ring())
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _timer_thread(seconds: float, ring: Callable[[], object]) -> Iterator[None]:
    """A thread simulates a signal. SIGABRT, which every system has, is otherwise not caught."""
    import threading

    armed = True
    before = signal.signal(signal.SIGABRT, lambda *_: armed and ring())
    timer = threading.Timer(seconds, _thread.interrupt_main, [signal.SIGABRT])
    timer.daemon = True
    try:
        timer.start()
        yield
    finally:
        armed = False
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGABRT, before)  # runs the handler first, if the timer just rang


# --- processes -----------------------------------------------------------------------------------


GUARD = 'read line || kill -s KILL -- "-$1"'
"""A line ends the guard; the end of its input, without a line, kills the process group."""


def end_with_children(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    """Kills a process that was started with `start_new_session=True`, and those that it started,
    without waiting."""
    if hasattr(os, "killpg"):  # also if the process has ended and its children have not
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        import subprocess

        with contextlib.suppress(OSError):  # no such command
            null = subprocess.DEVNULL
            command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
            subprocess.run(command, stdin=null, stdout=null, stderr=null, check=False)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        process.kill()


def start_guard(pid: int) -> subprocess.Popen[bytes] | None:
    """A small shell that ends a process group when this process ends, even by SIGKILL: it waits for
    the end of a pipe that only this process holds open. None where there is no such shell: the
    program then has to end when its input ends."""
    if not hasattr(os, "killpg"):
        return None
    import subprocess

    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(
        ["/bin/sh", "-c", GUARD, "sh", str(pid)],
        stdin=pipe, stdout=null, stderr=null, start_new_session=True,
    )  # fmt: skip


def end_guard(guard: subprocess.Popen[bytes] | None) -> None:
    """Ends the guard; it no longer ends anything."""
    if guard is None:
        return
    assert guard.stdin is not None
    with contextlib.suppress(OSError):
        guard.stdin.write(b"\n")
        guard.stdin.close()
    guard.wait()


def split_words(text: str) -> list[str]:
    """The words of a command, quoted as for a shell. On Windows a backslash is a part of a path;
    elsewhere it quotes the next character. Raises ValueError if a quotation does not end."""
    import shlex

    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if not POSIX:
        lexer.escape = ""
    return list(lexer)


# --- keys ----------------------------------------------------------------------------------------


def can_read_keys() -> bool:
    """Whether single keys can be read from a terminal."""
    return termios is not None and sys.stdin.isatty()


@contextlib.contextmanager
def single_keys(terminal: int) -> Iterator[None]:
    """Within this context keys arrive at once and are not shown."""
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def has_input(terminal: int, seconds: float) -> bool:
    """Whether a key arrives within so many seconds."""
    return bool(select.select([terminal], [], [], seconds)[0])


# --- memory --------------------------------------------------------------------------------------


CGROUP = "/sys/fs/cgroup/memory."
UNLIMITED = 1 << 62


def available_bytes() -> int:
    """Bytes that can be allocated without swapping: the least of the system's free memory, what the
    control group (container) leaves and what the process limit leaves."""
    return max(0, min(_free(), _left_to_cgroup(), _left_to_process()))


def _read(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 1 << 16).decode("ascii")
    finally:
        os.close(descriptor)


def _free() -> int:
    with contextlib.suppress(OSError):
        for line in _read("/proc/meminfo").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    if hasattr(os, "sysconf"):  # macOS: all memory, because what is free is not told
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return _free_on_windows()


def _free_on_windows() -> int:
    """By GlobalMemoryStatusEx, whose record has a size, a load and seven numbers of bytes, of which
    the second is the free memory."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import ctypes
        from ctypes import Structure, byref, c_uint32, c_uint64, sizeof

        class Status(Structure):
            _fields_ = (("size", c_uint32), ("load", c_uint32), ("bytes", c_uint64 * 7))

        status = Status(size=sizeof(Status))
        kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 (only on Windows)
        if kernel.GlobalMemoryStatusEx(byref(status)):
            return int(status.bytes[1])
    return UNLIMITED


def _left_to_cgroup() -> int:
    with contextlib.suppress(OSError, ValueError):  # ValueError: "max", no limit
        limit = int(_read(CGROUP + "max"))
        used = dict(line.split() for line in _read(CGROUP + "stat").splitlines())
        return limit - int(used["anon"])
    return UNLIMITED


def _left_to_process() -> int:
    if resource is None:
        return UNLIMITED
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return UNLIMITED
    with contextlib.suppress(OSError):
        return limit - int(_read("/proc/self/statm").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return limit
