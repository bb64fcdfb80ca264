"""Games played by worker processes.

A worker is `python -m ttt.matches.workers`. The first line of its input is the series as JSON; each
following line is the number of a game. For each game it writes lines of JSON: before each move a
string, the moves so far; at the end an object, the finished game. It exits as soon as its input
ends, so no worker outlives the process that started it.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator

from ttt.board import Board
from ttt.matches.game import play_game, saved_game
from ttt.matches.record import SavedGame
from ttt.matches.series import Series
from ttt.players.spec import make_player

# --- the process that starts the workers ---------------------------------------------------------


class Worker:
    """A process that plays games; a new one is started when it dies."""

    def __init__(self, series: Series) -> None:
        self.series = series
        self.closed = False
        self.lock = threading.Lock()  # guards `closed` and starting
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ttt.matches.workers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.send(json.dumps(self.series.settings()))

    def send(self, line: str) -> None:
        assert self.process.stdin
        with contextlib.suppress(OSError):  # it died: `play` finds its output ended
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def play(self, number: int) -> SavedGame | None:
        """The finished game. If the worker died, the side to move has lost. None if the worker was
        closed meanwhile."""
        assert self.process.stdout
        self.send(str(number))
        moves: str | None = None
        for line in self.process.stdout:
            if not line.endswith("\n"):
                break
            message: str | SavedGame = json.loads(line)
            if isinstance(message, dict):
                return message
            moves = message
        status = self.process.wait()
        with self.lock:
            if self.closed:
                return None
            self.close_pipes()
            self.start()
        fixture = self.series.fixture(number)
        board = self.series.board()
        board.push_moves(fixture.opening if moves is None else moves)
        error = "crash", f"its process ended with status {status}"
        return saved_game(fixture, board, [], error, board.turn)

    def kill(self) -> None:
        with self.lock:
            self.closed = True
            self.process.kill()
        self.process.wait()

    def close_pipes(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):  # unsent input no longer matters
                assert pipe
                pipe.close()


def play_in_processes(series: Series, numbers: list[int], processes: int) -> Iterator[SavedGame]:
    """Plays the games with these numbers in worker processes; yields each as it finishes."""
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[SavedGame | BaseException] = queue.SimpleQueue()
    for number in numbers:
        todo.put(number)
    workers: list[Worker] = []
    threads: list[threading.Thread] = []

    def drive(worker: Worker) -> None:
        try:
            while (game := worker.play(todo.get_nowait())) is not None:
                done.put(game)
        except queue.Empty:
            pass
        except BaseException as error:
            done.put(error)

    try:
        workers += [Worker(series) for _ in range(processes)]
        for worker in workers:
            threads.append(threading.Thread(target=drive, args=(worker,), daemon=True))
            threads[-1].start()
        for _ in numbers:
            found = done.get()
            if isinstance(found, BaseException):
                raise found
            yield found
    finally:
        for worker in workers:
            worker.kill()
        for thread in threads:
            thread.join()
        for worker in workers:
            worker.close_pipes()


# --- inside a worker -----------------------------------------------------------------------------


def work(series: Series, numbers: Iterable[int], send: Callable[[object], None]) -> None:
    """Plays the games with these numbers; sends the moves before each move, and each game."""
    start = series.board()
    players = {i: make_player(text, start, series.time) for i, text in enumerate(series.players, 1)}
    for number in numbers:
        board: Board = series.board()

        def send_moves(board: Board = board) -> None:
            send(" ".join(board.moves))

        send(play_game(series.fixture(number), board, players, series.time, send_moves))


def main() -> None:
    """The main program of a worker."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever players print goes to stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    series = Series(**json.loads(sys.stdin.readline()))
    numbers: queue.SimpleQueue[int] = queue.SimpleQueue()

    def read_numbers() -> None:
        for line in sys.stdin:
            numbers.put(int(line))
        os._exit(0)

    threading.Thread(target=read_numbers, daemon=True).start()
    work(
        series,
        iter(numbers.get, None),
        lambda message: print(json.dumps(message), file=output, flush=True),
    )


if __name__ == "__main__":
    main()
