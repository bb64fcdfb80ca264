"""Lines of text from streams that other programs write to."""

import threading
from collections import deque
from collections.abc import Iterator
from time import monotonic
from typing import BinaryIO, TextIO

LONGEST_LINE = 65_536
"""Characters or bytes; a longer line is cut into several."""
MOST_LINES = 10_000
"""Unread lines that are kept: the newest."""


def read_lines(stream: TextIO) -> Iterator[str]:
    """The lines of a stream until its end."""
    while line := stream.readline(LONGEST_LINE):
        yield line


class LineReader:
    """Reads lines in a thread, so that the writer never blocks and reading can time out. The
    thread closes the stream at its end. `arrived` is when the last line that `read` has returned
    came, a time of `monotonic`: whoever waits for it may wake up later."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lines: deque[tuple[str, float]] = deque(maxlen=MOST_LINES)
        self.arrived = 0.0
        self._changed = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            while line := self._stream.readline(LONGEST_LINE):
                arrived = monotonic()
                with self._changed:
                    self._lines.append((line.decode("utf-8", "replace").strip(), arrived))
                    self._changed.notify()
        except (OSError, ValueError):  # the connection was lost or closed
            pass
        with self._changed:
            self._ended = True
            self._changed.notify()
        self._stream.close()

    def read(self, deadline: float | None) -> str:
        """The next line; raises TimeoutError at the deadline, a time of `monotonic`, and EOFError
        if there are no more lines."""
        with self._changed:
            while not self._lines:
                if self._ended:
                    raise EOFError
                left = None if deadline is None else deadline - monotonic()
                if left is not None and left <= 0:
                    raise TimeoutError
                self._changed.wait(left)
            line, self.arrived = self._lines.popleft()
            return line

    def clear(self) -> None:
        """Drops the lines that have not been read."""
        with self._changed:
            self._lines.clear()

    def join(self, seconds: float) -> None:
        """Waits for the end of the stream."""
        self._thread.join(seconds)


class Tail:
    """Reads a stream in a thread and keeps the last part of its text."""

    def __init__(self, stream: BinaryIO, size: int = 4096) -> None:
        self._stream = stream
        self._size = size
        self._kept = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while piece := self._stream.read1(4096):  # type: ignore[attr-defined]
            self._kept = (self._kept + piece)[-self._size :]
        self._stream.close()

    def text(self) -> str:
        """What has been kept."""
        return self._kept.decode("utf-8", "replace").strip()

    def join(self, seconds: float) -> None:
        """Waits for the end of the stream."""
        self._thread.join(seconds)
