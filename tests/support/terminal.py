"""Runs `ttt` in a pseudo-terminal, as a person would."""

import codecs
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

from support.commands import TTT, is_asleep

PATIENCE = 300.0
"""Seconds: nothing takes as long on the slowest machine, so what does is stuck."""


class Terminal:
    """A pseudo-terminal with `ttt` in it."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.seen = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            unset = ("NO_COLOR", "COLUMNS", "LINES")
            inherited = {name: os.environ[name] for name in os.environ if name not in unset}
            given = {"TERM": "xterm", "LC_ALL": "C.UTF-8", **environment}
            os.execve(sys.executable, [*TTT, *arguments], inherited | given)

    def wait_for(self, words: str) -> str:
        """What was shown up to these words."""
        deadline = time.monotonic() + PATIENCE
        while words not in self.seen and self.read(0.01):
            assert time.monotonic() < deadline, self.seen
        assert words in self.seen, self.seen
        before, found, self.seen = self.seen.partition(words)
        return before + found

    def type(self, keys: str) -> None:
        """Types keys as soon as the program reads single keys, as it does at a prompt (readline):
        before that, the terminal would echo them and edit the line itself. What answers earlier
        keys must have been waited for."""
        deadline = time.monotonic() + PATIENCE
        while termios.tcgetattr(self.file)[3] & termios.ICANON:
            assert time.monotonic() < deadline, self.seen
            self.read(0.01)
        os.write(self.file, keys.encode())

    def interrupt(self) -> None:
        """Presses Ctrl-C."""
        os.write(self.file, b"\x03")

    def leave(self) -> int:
        """Presses Ctrl-C and returns the exit status. Readline does not notice a signal that comes
        just before it waits for a key: Ctrl-C is pressed again when the program sleeps."""
        deadline = time.monotonic() + PATIENCE
        self.interrupt()
        while self.read(1.0) and time.monotonic() < deadline:
            if is_asleep(self.pid):
                self.interrupt()
        return self.status()

    def read(self, seconds: float) -> bool:
        """Reads what the program shows within this time; whether it still has the terminal."""
        deadline = time.monotonic() + seconds
        try:
            while select.select([self.file], [], [], max(0.0, deadline - time.monotonic()))[0]:
                block = os.read(self.file, 4096)
                self.seen += self.decoder.decode(block)
                if not block:
                    return False
        except OSError:  # on Linux: the other side has closed
            return False
        return True

    def status(self) -> int:
        """The exit status, after reading the rest: a terminal waits until its output is read. A
        program that does not end is killed."""
        deadline = time.monotonic() + PATIENCE
        while self.read(1.0):
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)

    def resize(self, columns: int, lines: int) -> None:
        """Changes the size, as a window does: the program gets SIGWINCH."""
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
