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

from support.commands import TTT


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
        deadline = time.monotonic() + 60
        while words not in self.seen:
            assert time.monotonic() < deadline, self.seen
            if select.select([self.file], [], [], 0.1)[0]:
                try:
                    self.seen += self.decoder.decode(os.read(self.file, 4096))
                except OSError:  # on Linux: the other side has closed
                    break
        assert words in self.seen, self.seen
        before, found, self.seen = self.seen.partition(words)
        return before + found

    def type(self, text: str) -> None:
        os.write(self.file, text.encode())

    def leave(self) -> int:
        """Presses Ctrl-C until the program ends; returns its exit status. Readline does not notice
        a signal that comes just before it waits for a key."""
        while not self.ended():
            self.type("\x03")
        return self.status()

    def ended(self) -> bool:
        """Whether the program closes the terminal within half a second; reads what it shows."""
        deadline = time.monotonic() + 0.5
        try:
            while select.select([self.file], [], [], max(0.0, deadline - time.monotonic()))[0]:
                block = os.read(self.file, 4096)
                self.seen += self.decoder.decode(block)
                if not block:
                    return True
        except OSError:
            return True
        return False

    def status(self) -> int:
        """The exit status, after reading the rest: a terminal waits until its output is read. A
        program that does not end within two minutes is killed."""
        deadline = time.monotonic() + 120
        while not self.ended():
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)

    def resize(self, columns: int, lines: int) -> None:
        """Changes the size, as a window does: the program gets SIGWINCH."""
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
