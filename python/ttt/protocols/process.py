"""A program in its own process group: started without a shell, killed with all its children.

The group is also killed if this process dies, even by SIGKILL, where the system can
(`ttt_core.system.start_guard`).
"""

import contextlib
import os
import shutil
import signal
import subprocess
import weakref
from typing import BinaryIO, cast

from ttt.protocols.lines import LineReader, Tail
from ttt_core.errors import BadNotation, shorten
from ttt_core.system import end_guard, end_with_children, split_words, start_guard

SHOWN = 300
"""Characters of stderr in an error message."""


class ProgramError(Exception):
    """A program failed; `kind` is exception, timeout or crash, as in a saved game."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def split_command(text: str) -> list[str]:
    """The words of a command, quoted as for a shell; raises BadNotation if it cannot be run."""
    try:
        words = split_words(text)
    except ValueError as error:
        raise BadNotation(f"program {shorten(text)}: {str(error).lower()}") from None
    if not words or "\0" in text:
        raise BadNotation(f"program {shorten(text)}: expected a command, such as ./bot --fast")
    if shutil.which(words[0]) is None:
        found = "not executable" if os.path.exists(words[0]) else "not found"
        raise BadNotation(f"program {shorten(words[0])}: {found}")
    return words


def _end(
    process: "subprocess.Popen[bytes]",
    guard: "subprocess.Popen[bytes] | None",
    lines: LineReader,
    errors: Tail,
) -> None:
    """Kills the group and releases the pipes and threads."""
    end_with_children(process)
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    end_guard(guard)
    process.wait()
    lines.join(1)
    errors.join(1)


class Process:
    """A running program with lines as input and output."""

    def __init__(self, command: list[str]) -> None:
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )
        except OSError as error:
            raise ProgramError("crash", f"cannot start {command[0]}: {error.strerror}") from None
        self.pid = self._process.pid
        self._guard = start_guard(self.pid)
        self.lines = LineReader(cast("BinaryIO", self._process.stdout))
        self._errors = Tail(cast("BinaryIO", self._process.stderr))
        self._end = weakref.finalize(
            self, _end, self._process, self._guard, self.lines, self._errors
        )

    def send(self, *lines: str) -> None:
        """Writes lines to its input."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
            self._process.stdin.flush()
        except OSError:
            raise self.failure("crash", self.status()) from None

    def read(self, deadline: float | None) -> str:
        """A line of its output; raises ProgramError at the deadline or when the output ends."""
        try:
            return self.lines.read(deadline)
        except TimeoutError:
            raise self.failure("timeout", "no answer in time") from None
        except EOFError:
            raise self.failure("crash", self.status()) from None

    def running(self) -> bool:
        return self._process.poll() is None

    def status(self) -> str:
        """How the process ended, for an error message."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
        code = self._process.returncode
        if code is None:
            return "it closed its output"
        if code >= 0:
            return f"it ended with status {code}"
        with contextlib.suppress(ValueError):
            return f"it was ended by {signal.Signals(-code).name}"
        return f"it was ended by signal {-code}"

    def failure(self, kind: str, text: str) -> ProgramError:
        """The error, with the end of what the program wrote to stderr."""
        if not self.running():
            self._errors.join(0.5)
        errors = " ".join(self._errors.text().split())[-SHOWN:]
        return ProgramError(kind, f"{text}; stderr: {errors}" if errors else text)

    def kill(self) -> None:
        """Kills the program and its children without waiting; `read` then raises ProgramError, and
        `close` is still to be called."""
        if self._end.alive:  # afterwards its number may be another's
            end_with_children(self._process)

    def close(self, patience: float = 0.0) -> None:
        """Ends the program and its children; it has `patience` seconds to end by itself."""
        if not self._end.alive:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            if patience:
                self._process.wait(patience)
        self._end()
