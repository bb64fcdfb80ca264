"""A line on stderr that shows work in progress; only in a terminal."""

import sys
import threading
import time
from collections.abc import Callable
from shutil import get_terminal_size
from types import TracebackType

from ttt.render.terminal import is_capable_terminal
from ttt.search.result import Result

FIRST, INTERVAL = 0.3, 0.2
"""Seconds until the line appears, and between updates."""


class LiveLine:
    """Shows `text` and the seconds since the start until the block ends, then removes the line.

    with LiveLine("thinking") as line:
        line.text = "..."      may be set at any time, by any thread
    """

    def __init__(self, text: str, help: str = "") -> None:
        self.text = text
        self.help = help
        self.peek: Callable[[], Result | None] = lambda: None
        """A result to show until `inform` is called."""
        self.informed = False
        self.began = time.monotonic()
        self.ended = threading.Event()
        self.thread: threading.Thread | None = None

    def inform(self, result: Result) -> None:
        """Shows the depth and the best move of a search; for `on_info` of `Engine.search`."""
        self.informed = True
        self.text = f"thinking: depth {result.depth}, best so far {result.move}"

    def show(self) -> None:
        """Draws the line again and again; runs in its own thread."""
        delay = FIRST
        while not self.ended.wait(delay):
            delay = INTERVAL
            if not self.informed and (found := self.peek()) is not None:
                self.inform(found)
            line = f"{self.text}, {time.monotonic() - self.began:.0f} s{self.help}"
            line = line[: get_terminal_size().columns - 1]
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> "LiveLine":
        if is_capable_terminal():
            self.thread = threading.Thread(target=self.show, daemon=True)
            self.thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.ended.set()
        if self.thread is not None:
            self.thread.join()
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
