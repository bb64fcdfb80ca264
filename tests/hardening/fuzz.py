"""Seeded mutations of positions, moves, options and limits, into the parsers and a short search.

Each either reads, and then reads back what it wrote, or is refused by a ValueError of ours on one
short line. A child process under the sanitizers works; its parent sees to it that no case takes two
seconds. A case follows from its game and number alone:

    python tests/hardening/fuzz.py connect4 12345      runs that case, here and now
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
PATIENCE = 2.0
BEAT = struct.Struct("<qd")

VALUES = (-1, 0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 255, 256, 2**31, 2**63, 2**64, -(2**63), 10**30)


class Wrong(Exception):
    """A case that neither read back nor was refused as it should be."""


def expected(problem: BaseException) -> bool:
    """Whether a refusal is one of ours: short, printable, and raised by our own code."""
    text = str(problem)
    own = isinstance(problem, BadNotation | IllegalMove) or type(problem) is ValueError
    frame = problem.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = frame.tb_frame.f_code.co_filename if frame else ""
    ours = "ttt" in Path(place).parts or "ttt_core" in place
    return own and ours and 0 < len(text) < 400 and text.isprintable()


def demand(condition: bool, text: str) -> None:
    if not condition:
        raise Wrong(text)


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
            self.seen["read"] += 1
        except Wrong:
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
        """A text of moves with a few characters changed, played from a position of a game."""
        board, _, played = random.choice(self.corpus)
        board = board.copy() if random.random() < 0.3 else board.root()
        before = board.text(), board.moves
        text = mutate(random, played, random.choice(self.corpus)[2])
        try:
            board.push_moves(text)
        except ValueError:
            demand((board.text(), board.moves) == before, "a refused text left moves on the board")
            raise
        again = board.root()
        again.push_moves(" ".join(board.moves))
        demand(again == board and again.moves == board.moves, "moves do not read back")
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
        demand(all(type(board.options[choice.name]) is (int if isinstance(choice, Whole) else str)
                   for choice in choices), "options of odd types")  # fmt: skip
        demand(Board(self.game, **board.options) == board, "options do not read back")
        self.check_board(board)
        self.search(random, board)

    def picture(self, random: Random) -> None:
        """Marks, board in force and owners, as `set_picture` takes them."""
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
            demand((board.text(), board.moves) == before, "a refused picture left its marks")
            raise
        self.check_board(board)
        self.search(random, board)

    def limits(self, random: Random) -> None:
        """Limits of a search that make sense or do not; nodes are always few."""
        board = random.choice(self.corpus)[0]
        given: dict[str, Any] = {"nodes": random.choice([1, 2, 30, 30, 30, 0, -1, 2**64, 1.5])}
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
        demand(found.move is None or found.move in board.legal_moves, "an illegal move")

    def player(self, random: Random) -> None:
        """The text of a player; only read, not made."""
        text = random.choice(["alphabeta:depth=4,eval=default", "mcts:simulations=9", "level-3"])
        expand(mutate(random, text, "engine:nodes=7,hash=1"))

    def check_board(self, board: Board) -> None:
        text = board.text()
        again = Board.parse(text)
        same = (again.text(), again.key, hash(again)) == (text, board.key, hash(board))
        demand(same and again == board, f"{text} does not read back")

    def search(self, random: Random, board: Board) -> None:
        """A few nodes; now and then with the game's solver."""
        solver = random.random() < 0.005
        searcher = engine(board.game, tuple(board.options.items()), solver)
        found = searcher.search(board, nodes=random.choice((1, 12, 40)))
        legal = board.legal_moves
        demand(found.move in legal if legal else found.move is None, "an illegal move")
        self.seen["searched"] += 1


# --- parent and child ----------------------------------------------------------------------------


def child(game: str, first: int, cases: int, beats: str) -> None:
    """Runs cases and keeps writing the number of the one at work, and how long the slowest was."""
    with open(beats, "r+b") as file:
        beat = mmap.mmap(file.fileno(), BEAT.size)
    work = Fuzz(game)
    slowest, before = 0.0, time.perf_counter()
    for number in range(first, first + cases):
        BEAT.pack_into(beat, 0, number, slowest)
        try:
            work.run(number)
        except Exception:
            print(f"case {game} {number}", file=sys.stderr)
            raise
        now = time.perf_counter()
        slowest, before = max(slowest, now - before), now
    BEAT.pack_into(beat, 0, first + cases, slowest)
    print(*[f"{count:,} {name}" for name, count in sorted(work.seen.items())], sep=", ")


def check(part: str, scale: float) -> Iterator[Row]:
    cases = max(1000, int(CASES * scale))
    watched = scale >= 0.01  # the sanitizers' build takes minutes: more than CI has
    environment = {**os.environ, "PYTHONPATH": str(sanitizers.PROJECT / "tests")}
    if watched:
        environment = sanitizers.environment(sanitizers.MEMORY, sanitizers.build(sanitizers.MEMORY))
        if part == PARTS[0]:
            found = sanitizers.alerts()
            yield Row("sanitizers see a fault", ", ".join(found), "two of two", len(found) == 2)
    with NamedTemporaryFile() as beats:
        beats.truncate(BEAT.size)
        process = subprocess.Popen(
            [sys.executable, __file__, part, "1", str(cases), beats.name],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        hung = watch(process, beats.name)
        done = process.communicate()[0].strip()
        number, slowest = BEAT.unpack(Path(beats.name).read_bytes())
    under = "" if watched else " (no sanitizer)"
    if hung or process.returncode:
        what = "hung" if hung else f"status {process.returncode}"
        yield Row(f"fuzz {part}{under}", f"{what} in case {number}", "no crash, no hang", False)
        return
    figure = f"{cases:,} cases: {done}; slowest {1000 * slowest:.0f} ms"
    yield Row(f"fuzz {part}{under}", figure, "no crash, no hang of 2 s", slowest < PATIENCE)


def watch(process: "subprocess.Popen[str]", beats: str) -> bool:
    """Waits for the child to end; ends it if one case takes too long. Whether that was so."""
    latest, since = -1, time.monotonic()
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.2)
            return False
        number = BEAT.unpack(Path(beats).read_bytes())[0]
        if number != latest or number == 0:
            latest, since = number, time.monotonic()
        elif time.monotonic() - since > PATIENCE:
            process.kill()
            return True


if __name__ == "__main__":
    if len(sys.argv) == 3:
        Fuzz(sys.argv[1]).run(int(sys.argv[2]))
    else:
        child(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
