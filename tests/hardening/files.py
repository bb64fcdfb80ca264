"""Damaged files of all formats: bits flipped everywhere in the header, random flips, truncations.

A file with a flipped bit must be refused. Files of lines (saved games, solutions) may end anywhere:
truncated, they must read as their whole lines and nothing else.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from hardening import Row
from ttt import Board
from ttt.cli.main import main
from ttt.matches.match import play_match
from ttt.matches.record import read_games
from ttt.proofs.log import Leaf, ProofLog
from ttt.solvers.certificate import HEADER as CERTIFICATE_HEADER
from ttt.solvers.certificate import Certificate, Record, position_of
from ttt.solvers.checkpoint import Checkpoint
from ttt.solvers.nineboard import NineboardSolver, conditions
from ttt.solvers.proof import prove_win
from ttt.solvers.strategy import HEADER, Strategy
from ttt.storage.lines import read_lines
from ttt_core.solvers.nineboard.solver import canonical

PARTS = ("strategy", "games", "checkpoint", "solutions", "certificate", "prooflog", "packedlog")
QUICK = 0.05
FLIPS = 10_000


class Format(NamedTuple):
    """A file format: an example, how to read it, and the length of its header."""

    path: Path
    read: Callable[[], Any]
    head: int
    lines: bool = False
    """Whether it is a file of lines, which may end anywhere."""
    may_be_empty: bool = False
    """Whether an empty file is a new one."""


def make_strategy(folder: Path) -> Format:
    board = Board("qubic")
    board.push_moves("111 444 222 333 122 133")
    path = folder / "small.strategy"
    prove_win(board, hash=8)[0].save(path)
    return Format(path, lambda: Strategy.load(path).entries, HEADER.size)


def make_games(folder: Path) -> Format:
    path = folder / "games.txt"
    play_match("connect4", "first", "random", 20, openings="random:2", out=str(path))
    head = path.read_bytes().index(b"\n")
    return Format(path, lambda: read_games(str(path)), head, lines=True)


def make_checkpoint(folder: Path) -> Format:
    path = folder / "proof"
    board = Board("nineboard")
    board.push_moves("55 51 15 52")
    solver = NineboardSolver(hash=1)
    solver.solve(board, nodes=2_000, checkpoint=str(path))
    head = path.read_bytes().index(b"\n", path.read_bytes().index(b"\n") + 1)

    def read() -> bytes:
        file = Checkpoint(str(path), board.text())
        file.close()
        return file.entries

    return Format(path, read, head, may_be_empty=True)


def make_solutions(folder: Path) -> Format:
    path, source = folder / "solutions.txt", folder / "positions.txt"
    board = Board("tictactoe").playout(1)
    boards = [board.copy()]
    while board.moves:
        board.pop()
        boards.append(board.copy())
    source.write_text("\n".join(board.text() for board in boards))
    main(["solve", "tictactoe", "--file", str(source), "--out", str(path)])
    return Format(path, lambda: read_lines(str(path), "tictactoe"), 0, lines=True)


def make_certificate(folder: Path) -> Format:
    """Of one move and the leaves after it; its tree is not walked here."""
    path = folder / "small.proof"
    leaves = [Record(number, 5_000_000 + number) for number in range(60)]
    first = position_of(Board("nineboard", full="draw"))
    Certificate(first, conditions(64), [Record(40, None), *leaves]).save(path)
    return Format(path, lambda: Certificate.load(path).records, CERTIFICATE_HEADER.size)


def proof_log(folder: Path) -> ProofLog:
    return ProofLog(folder, {"version": 1})


def add_leaves(log: ProofLog, count: int = 40) -> None:
    """Adds the results that the log does not have yet."""
    for seed in range(count):
        board = Board("nineboard", full="draw")
        board.push_moves("55")
        board.push(board.legal_moves[seed % 8])
        board.push(board.legal_moves[seed // 8])
        board.push(board.legal_moves[0])
        position = canonical(position_of(board))[0]
        if position not in log.leaves:
            log.add_leaf(position, Leaf("win", seed, 0))


def make_prooflog(folder: Path) -> Format:
    log = proof_log(folder)
    add_leaves(log)
    log.file.close()
    path = folder / "run.log"

    def read() -> list[str]:
        found = proof_log(folder)
        found.file.close()
        return list(found.lines)

    return Format(path, read, path.read_bytes().index(b"\n"), lines=True)


def make_packedlog(folder: Path) -> Format:
    log = proof_log(folder)
    add_leaves(log)
    log.close()
    path = folder / "log.xz"

    def read() -> list[str]:
        found = proof_log(folder)
        found.file.close()
        (folder / "run.log").unlink()
        return list(found.lines)

    return Format(path, read, 0)


MAKE = {
    "strategy": make_strategy,
    "games": make_games,
    "checkpoint": make_checkpoint,
    "solutions": make_solutions,
    "certificate": make_certificate,
    "prooflog": make_prooflog,
    "packedlog": make_packedlog,
}


class Damage:
    """Damages a file and counts the outcomes."""

    def __init__(self, kind: Format) -> None:
        self.kind = kind
        self.whole = kind.path.read_bytes()
        self.good = kind.read()
        self.refused = self.shorter = self.missed = 0

    def try_bytes(self, content: bytes) -> bool:
        """Whether a changed file is refused by a clear error, or reads as a shorter file."""
        self.kind.path.write_bytes(content)
        try:
            found = self.kind.read()
        except ValueError as problem:
            text = str(problem)
            clear = self.kind.path.name in text and len(text) < 400 and text.isprintable()
            self.refused += clear
            return clear
        if self.kind.lines and self.is_shorter(found):
            self.shorter += 1
            return True
        self.missed += 1
        return False

    def is_shorter(self, found: Any) -> bool:
        """Whether the file reads as a proper beginning of the original."""
        if isinstance(found, tuple):  # header and games
            header, games = found
            return header in (None, self.good[0]) and games == self.good[1][: len(games)]
        return bool(found == self.good[: len(found)] and len(found) < len(self.good))


def flipped(content: bytes, at: int, mask: int) -> bytes:
    return content[:at] + bytes([content[at] ^ mask]) + content[at + 1 :]


def check(part: str, scale: float) -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        kind = MAKE[part](Path(folder))
        damage = Damage(kind)
        whole, size = damage.whole, len(damage.whole)
        masks = [1 << bit for bit in range(8)] + [0xFF]
        tried = [(at, mask) for at in range(kind.head) for mask in masks]
        if tried:
            bad = [change for change in tried if not damage.try_bytes(flipped(whole, *change))]
            figure = f"{len(tried):,} flips, {len(bad)} accepted"
            yield Row(f"{part}: header", figure, "all refused", not bad)
        random = Random(part)
        flips = max(100, int(FLIPS * scale))
        yield from random_flips(part, damage, random, flips)
        cuts = [random.randrange(size) for _ in range(flips)]
        if flips > size:
            cuts = [*range(size)] * (flips // size + 1)
        cuts = [at for at in cuts if at or not kind.may_be_empty]
        damage.refused = damage.shorter = 0
        bad_cuts = [at for at in cuts if not damage.try_bytes(whole[:at])]
        figure = f"{len(cuts):,}: {damage.refused:,} refused, {damage.shorter:,} read up to the cut"
        limit = "refused, or whole lines read" if kind.lines else "all refused"
        yield Row(f"{part}: truncations", figure, limit, not bad_cuts)
        kind.path.write_bytes(whole)
        yield Row(f"{part}: undamaged", "reads", "reads", damage.good == kind.read())


def random_flips(part: str, damage: Damage, random: Random, flips: int) -> Iterator[Row]:
    whole = damage.whole
    damage.refused = damage.shorter = 0
    random_byte = partial(random.randrange, len(whole))
    changes = [(random_byte(), random.randrange(1, 256)) for _ in range(flips)]
    bad = [change for change in changes if not damage.try_bytes(flipped(whole, *change))]
    figure = f"{len(changes):,}: {damage.refused:,} refused, {damage.shorter:,} read up to the flip"
    yield Row(f"{part}: random flips", figure, "none read as something else", not bad)
