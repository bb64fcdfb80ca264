"""Engines that are kept between searches with their tables: an analysis that is continued starts
where the last one ended. Any thread may use them."""

import threading

from ttt.board import Board
from ttt.engine import Engine


class Engines:
    """At most `most` engines without work, each with a table of `hash` MiB."""

    def __init__(self, hash: int, most: int) -> None:
        self.hash = hash
        self.most = most
        self.idle: list[Engine] = []
        """The latest used last."""
        self.lock = threading.Lock()
        self.closing = False

    def take(self, board: Board) -> Engine:
        """An engine for the rules of a board, if possible one that knows them."""
        with self.lock:
            for engine in reversed(self.idle):
                if engine.core.ruleset is board.ruleset:
                    self.idle.remove(engine)
                    return engine
        return Engine(board.game, hash=self.hash, **board.options)

    def give_back(self, engine: Engine) -> None:
        """Keeps an engine; closes the one that was not used for longest."""
        surplus = None
        with self.lock:
            self.idle.append(engine)
            if self.closing or len(self.idle) > self.most:
                surplus = self.idle.pop(0)
        if surplus is not None:
            surplus.close()

    def close(self) -> None:
        """Frees all engines; those at work are freed when they are given back."""
        self.closing = True
        with self.lock:
            idle, self.idle = self.idle, []
        for engine in idle:
            engine.close()
