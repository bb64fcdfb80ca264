"""Games played by several processes: each reads the numbers of games and writes finished games.

A worker is `python -m ttt.matches.workers`. Its first line of input is the settings of the series;
then each line is the number of a game, answered by a line of JSON. It ends when its input
does, at once: nothing is left running when the process that started it is gone.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

from ttt.board import Board
from ttt.matches.game import finished, play_game
from ttt.matches.record import Game
from ttt.matches.series import Series
from ttt.players.spec import make_player


class Worker:
    """A process that plays games, started again when it dies."""

    def __init__(self, series: Series) -> None:
        self.series = series
        self.closed = False
        self.lock = threading.Lock()  # of `closed` and of starting
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
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except OSError:
            pass  # it died: the answer tells

    def play(self, number: int) -> Game | None:
        """The finished game; a game that killed the worker is lost by the player to move. None:
        the worker has been closed."""
        assert self.process.stdout
        self.send(str(number))
        moves: str | None = None
        for line in self.process.stdout:
            if not line.endswith("\n"):
                break
            answer = json.loads(line)
            if isinstance(answer, dict):
                return answer
            moves = answer
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
        return finished(fixture, board, [], error, board.turn)

    def kill(self) -> None:
        with self.lock:
            self.closed = True
            self.process.kill()
        self.process.wait()

    def close_pipes(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):  # what was not sent is of no use any more
                assert pipe
                pipe.close()


def play_apart(series: Series, missing: list[int], processes: int) -> Iterator[Game]:
    """Plays the games in several processes and yields each as it finishes."""
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[Game | BaseException] = queue.SimpleQueue()
    for number in missing:
        todo.put(number)
    workers: list[Worker] = []
    threads: list[threading.Thread] = []

    def serve(worker: Worker) -> None:
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
            threads.append(threading.Thread(target=serve, args=(worker,), daemon=True))
            threads[-1].start()
        for _ in missing:
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


def serve_games() -> None:
    """The life of a worker."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what players print is not an answer
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    series = Series(**json.loads(sys.stdin.readline()))
    numbers: queue.SimpleQueue[int] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin:
            numbers.put(int(line))
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    start = series.board()
    players = {i: make_player(text, start, series.time) for i, text in enumerate(series.players, 1)}

    def answer(what: object) -> None:
        print(json.dumps(what), file=answers, flush=True)

    while True:
        number = numbers.get()
        board: Board = series.board()
        answer(
            play_game(
                series.fixture(number),
                board,
                players,
                series.time,
                lambda: answer(" ".join(board.moves)),  # noqa: B023
            )
        )


if __name__ == "__main__":
    serve_games()
