"""Fuzzing: seeded mutations of positions, moves, options and limits, parsed and searched briefly.

Each case is either parsed, and then round-trips, or refused by a ValueError or TypeError with
one short line. The cases run in a child process under the sanitizers; its parent kills it if a case
takes two seconds. A case depends only on its game and number:

    python tests/hardening/fuzz.py connect4 12345      runs this case in the foreground
"""

import contextlib
import mmap
import os
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from random import Random
from tempfile import NamedTemporaryFile
from typing import Any

import ttt
from hardening import Row, sanitizers
from hardening.mutate import TRICKY, mutate
from support.contract import GAMES
from ttt import BadNotation, Board, Engine, IllegalMove
from ttt.notation import parse_options
from ttt.options import Whole
from ttt.players.spec import expand

PARTS = ttt.games()
QUICK = 0.003
CASES = 1_000_000
TIMEOUT = 2.0
"""Seconds per case."""
HEARTBEAT = struct.Struct("<qd")
"""Shared by child and parent: the number of the running case, the seconds of the slowest one."""

VALUES = (-1, 0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 255, 256, 2**31, 2**63, 2**64, -(2**63), 10**30)


class Failure(Exception):
    """A case that neither round-trips nor is refused properly."""


def expected(problem: BaseException) -> bool:
    """Whether an exception is a proper refusal: short, printable, raised by our own code."""
    text = str(problem)
    own = isinstance(problem, BadNotation | IllegalMove) or type(problem) in (ValueError, TypeError)
    frame = problem.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = frame.tb_frame.f_code.co_filename if frame else ""
    ours = "ttt" in Path(place).parts or "ttt_core" in place
    return own and ours and 0 < len(text) < 400 and text.isprintable()


def require(condition: bool, text: str) -> None:
    if not condition:
        raise Failure(text)


@lru_cache(maxsize=24)
def engine(game: str, options: tuple[tuple[str, Any], ...], solver: bool) -> Engine:
    return Engine(game, hash=1, solver=solver, **dict(options))


class Fuzz:
    """The cases of one game."""

    def __init__(self, game: str) -> None:
        self.game = game
        self.variants = [options for name, options in GAMES if name == game]
        self.seen = Counter[str]()
        self.corpus: list[tuple[Board, str, str]] = []
        for options in self.variants:
            for seed in range(12):
                board = Board(game, **options).playout(seed)
                while True:
                    self.corpus.append((board.copy(), board.text(), " ".join(board.moves)))
                    if not board.moves:
                        break
                    board.pop()
        self.kinds: list[Callable[[Random], None]] = [
            *[self.position] * 10, *[self.moves] * 5, *[self.options] * 2, self.picture,
            self.limits, self.player,
        ]  # fmt: skip

    def run(self, number: int) -> None:
        """One case."""
        random = Random(number)
        kind = random.choice(self.kinds)
        try:
            kind(random)
            self.seen["parsed"] += 1
        except Failure:
            raise
        except Exception as problem:
            if not expected(problem):
                raise
            self.seen["refused"] += 1

    def position(self, random: Random) -> None:
        """A position text with a few characters changed."""
        text = mutate(random, random.choice(self.corpus)[1], random.choice(self.corpus)[1])
        board = Board.parse(text)
        self.check_board(board)
        if board.game == self.game:
            self.search(random, board)

    def moves(self, random: Random) -> None:
        """A text of moves with a few characters changed, played from some position."""
        board, _, played = random.choice(self.corpus)
        board = board.copy() if random.random() < 0.3 else board.root()
        before = board.text(), board.moves
        text = mutate(random, played, random.choice(self.corpus)[2])
        try:
            board.push_moves(text)
        except ValueError:
            require((board.text(), board.moves) == before, "a refused text left moves on the board")
            raise
        again = board.root()
        again.push_moves(" ".join(board.moves))
        require(again == board and again.moves == board.moves, "moves do not round-trip")
        self.search(random, board)

    def options(self, random: Random) -> None:
        """Options as numbers and as texts."""
        given = dict(random.choice(self.variants))
        choices = Board(self.game).choices
        for _ in range(random.randrange(1, 3)):
            name = random.choice([choice.name for choice in choices] or ["m"])
            if random.random() < 0.02:
                name = random.choice(TRICKY)
            number = random.choice(VALUES) if random.random() < 0.5 else random.randrange(12)
            text = mutate(random, str(given.get(name, "draw")), "any")
            given[name] = random.choice([number, str(number), text, None, True, 1.5, b"3"])
        if random.random() < 0.5:
            text = ",".join(f"{name}={value}" for name, value in given.items())
            given = parse_options(mutate(random, text, "m=4,n=4,k=3"))
        board = Board(self.game, **given)
        require(all(type(board.options[choice.name]) is (int if isinstance(choice, Whole) else str)
                   for choice in choices), "options of wrong types")  # fmt: skip
        require(Board(self.game, **board.options) == board, "options do not round-trip")
        self.check_board(board)
        self.search(random, board)

    def picture(self, random: Random) -> None:
        """Marks, active board and owners, as `set_picture` takes them."""
        board = random.choice(self.corpus)[0].copy()
        marks, force, owners = board.picture()
        if random.random() < 0.7:
            marks = mutate(random, marks, marks)
        if random.random() < 0.3:
            force = random.choice([*range(-2, 12), "*", None, 2**40])
        if random.random() < 0.3:
            owners = mutate(random, owners, "xo......x")
        before = board.text(), board.moves
        try:
            board.set_picture(marks, force, owners)
        except ValueError:
            require((board.text(), board.moves) == before, "a refused picture left its marks")
            raise
        self.check_board(board)
        self.search(random, board)

    def limits(self, random: Random) -> None:
        """Valid and invalid limits of a search; always few nodes."""
        board = random.choice(self.corpus)[0]
        given: dict[str, Any] = {"nodes": random.choice([1, 2, 30, 30, 30, 0, -1, -(2**64), 1.5])}
        for name in ("depth", "multipv"):
            if random.random() < 0.4:
                given[name] = random.choice(VALUES)
        if random.random() < 0.3:
            times = (0.0, -1.0, 1e-9, 1e300, float("nan"), float("inf"), -float("inf"), 5.0)
            given["time"] = random.choice(times)
        if random.random() < 0.3:
            legal = [*board.legal_moves, "1"]
            given["moves"] = [mutate(random, random.choice(legal), "1 1") for _ in range(2)]
        searcher = engine(self.game, tuple(board.options.items()), False)
        found = searcher.search(board, **given)
        require(found.move is None or found.move in board.legal_moves, "an illegal move")

    def player(self, random: Random) -> None:
        """A player text: parsed only."""
        text = random.choice(["alphabeta:depth=4,eval=default", "mcts:simulations=9", "level-3"])
        expand(mutate(random, text, "engine:nodes=7,hash=1"))

    def check_board(self, board: Board) -> None:
        text = board.text()
        again = Board.parse(text)
        same = (again.text(), again.key, hash(again)) == (text, board.key, hash(board))
        require(same and again == board, f"{text} does not round-trip")

    def search(self, random: Random, board: Board) -> None:
        """Searches a few nodes, sometimes with the solver."""
        solver = random.random() < 0.005
        searcher = engine(board.game, tuple(board.options.items()), solver)
        found = searcher.search(board, nodes=random.choice((1, 12, 40)))
        legal = board.legal_moves
        require(found.move in legal if legal else found.move is None, "an illegal move")
        self.seen["searched"] += 1


# --- parent and child ----------------------------------------------------------------------------


def child(game: str, first: int, cases: int, heartbeat_path: str) -> None:
    """Runs cases; before each, writes its number and the time of the slowest so far."""
    with open(heartbeat_path, "r+b") as file:
        heartbeat = mmap.mmap(file.fileno(), HEARTBEAT.size)
    work = Fuzz(game)
    slowest, before = 0.0, time.perf_counter()
    for number in range(first, first + cases):
        HEARTBEAT.pack_into(heartbeat, 0, number, slowest)
        try:
            work.run(number)
        except Exception:
            print(f"case {game} {number}", file=sys.stderr)
            raise
        now = time.perf_counter()
        slowest, before = max(slowest, now - before), now
    HEARTBEAT.pack_into(heartbeat, 0, first + cases, slowest)
    print(*[f"{count:,} {name}" for name, count in sorted(work.seen.items())], sep=", ")


def check(part: str, scale: float) -> Iterator[Row]:
    cases = max(1000, int(CASES * scale))
    sanitized = scale >= 0.01  # building with sanitizers takes minutes: too long for CI
    environment = {**os.environ, "PYTHONPATH": str(sanitizers.PROJECT / "tests")}
    if sanitized:
        environment = sanitizers.environment(sanitizers.MEMORY, sanitizers.build(sanitizers.MEMORY))
        if part == PARTS[0]:
            found = sanitizers.alerts()
            yield Row("planted faults, sanitizers", ", ".join(found), "2 of 2", len(found) == 2)
    with NamedTemporaryFile() as file:
        file.truncate(HEARTBEAT.size)
        process = subprocess.Popen(
            [sys.executable, __file__, part, "1", str(cases), file.name],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        hung = wait_or_kill(process, file.name)
        done = process.communicate()[0].strip()
        number, slowest = HEARTBEAT.unpack(Path(file.name).read_bytes())
    under = "" if sanitized else " (no sanitizer)"
    if hung or process.returncode:
        what = "hung" if hung else f"status {process.returncode}"
        yield Row(f"fuzz {part}{under}", f"{what} in case {number}", "no crash, no hang", False)
        return
    figure = f"{cases:,} cases: {done}; slowest {1000 * slowest:.0f} ms"
    yield Row(f"fuzz {part}{under}", figure, "no crash, no hang of 2 s", slowest < TIMEOUT)


def wait_or_kill(process: "subprocess.Popen[str]", heartbeat_path: str) -> bool:
    """Waits for the child to end. Kills it and returns True if a case takes too long."""
    latest, since = -1, time.monotonic()
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.2)
            return False
        number = HEARTBEAT.unpack(Path(heartbeat_path).read_bytes())[0]
        if number != latest or number == 0:
            latest, since = number, time.monotonic()
        elif time.monotonic() - since > TIMEOUT:
            process.kill()
            return True


if __name__ == "__main__":
    if len(sys.argv) == 3:
        Fuzz(sys.argv[1]).run(int(sys.argv[2]))
    else:
        child(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
