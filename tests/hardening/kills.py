"""kill -9 while files are written: no file is damaged, temporary files go, and resuming is exact.

A forked child writes without pause and is killed within milliseconds; then the file is used again.
Saved games, solutions and logs of jobs are resumed until they are complete, and must equal those of
a run that was never killed. Of solutions only positions and values are compared: which of several
best moves the solver lists depends on what it has solved before.
"""

import contextlib
import json
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from hardening import Row
from hardening.files import add_leaves, proof_log
from support.cluster import work_through
from support.tasks import checksum
from ttt import Board
from ttt.cli.main import main
from ttt.matches.match import play_match
from ttt.matches.record import read_games
from ttt.solvers import checkpoint, nineboard
from ttt.solvers.checkpoint import Checkpoint
from ttt.solvers.nineboard import NineboardSolver
from ttt.solvers.proof import prove_win
from ttt.solvers.strategy import Strategy
from ttt.storage.lines import read_lines

PARTS = ("strategy", "games", "checkpoint", "solutions", "prooflog", "jobs")
QUICK = 0.02
KILLS = 500


def killed(work: Callable[[], object], seconds: float) -> bool:
    """Runs `work` in a child process and kills it; False if it had already ended."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return True
    if status:
        raise AssertionError("the writer failed")
    return False


def forever(action: Callable[[], object]) -> Callable[[], None]:
    def work() -> None:
        while True:
            action()

    return work


def strays(path: Path) -> int:
    return len(list(path.parent.glob(f"{path.name}?*")))


def strategies(path: Path, random: Random, kills: int) -> Iterator[Row]:
    board = Board("qubic")
    board.push_moves("111 444 222 333 122 133")
    written = prove_win(board, hash=8)[0]
    written.entries *= 200  # 400 kB: long enough to be killed while writing
    written.save(path)
    left = most = 0
    for _ in range(kills):
        killed(forever(lambda: written.save(path)), random.uniform(0, 0.02))
        assert Strategy.load(path).entries == written.entries
        left += strays(path) > 0
        most = max(most, strays(path))
    written.save(path)
    figure = f"at most {most} temporary files"
    yield verdict("strategy", kills, left, figure, strays(path) == 0 and most <= 1)


def checkpoints(path: Path, random: Random, kills: int) -> Iterator[Row]:
    board = Board("nineboard")
    solver = NineboardSolver(hash=1)
    for number in solver.core.safe_moves(20, 7):
        board.push(board.ruleset.moves[number])
    checkpoint.PERIOD = 0.0
    expected = NineboardSolver(hash=1).solve(board).value
    assert expected != "unknown"

    def work() -> None:
        found = NineboardSolver(hash=1).solve(board, checkpoint=str(path))
        assert found.value == expected

    nineboard.SLICE = 0.002
    done = left = complete = nodes = resumed = 0
    while done < kills:
        if not killed(work, random.uniform(0.001, 0.03)):
            complete, nodes = complete + 1, 0
            path.unlink()
            continue
        done += 1
        left += strays(path) > 0
        found = Checkpoint(str(path), board.text())
        found.close()
        assert strays(path) == 0, "a temporary file is left after reading"
        assert found.nodes >= nodes, "work was lost"
        resumed += found.nodes > 0
        nodes = found.nodes
    work()
    figure = f"solved {complete + 1} times, always {expected}; {resumed} kills left saved work"
    yield verdict("checkpoint", kills, left, figure, strays(path) == 0 and resumed > 0)


def matches(path: Path, random: Random, kills: int) -> Iterator[Row]:
    def play() -> Any:
        return play_match("tictactoe", "random", "first", 40, seed=3, out=str(path), resume=True)

    expected = [dict(game, ms=0) for game in play_match("tictactoe", "random", "first", 40, seed=3)
                .games]  # fmt: skip
    yield from resumed("games", path, random, kills, play, lambda: (
        [dict(game, ms=0) for game in read_games(str(path))[1]] == expected))  # fmt: skip


def solutions(path: Path, random: Random, kills: int) -> Iterator[Row]:
    source = path.with_name("positions")
    boards = [Board("mnk", m=4, n=3, k=3).playout(seed) for seed in range(60)]
    for board in boards:
        for _ in range(5):
            board.pop()
    source.write_text("\n".join(board.text() for board in boards))

    def solve(target: Path = path) -> int:
        return main(["solve", "mnk", "--set", "m=4", "--set", "n=3", "--file", str(source),
                     "--out", str(target)])  # fmt: skip

    with contextlib.redirect_stderr(None):
        whole = path.with_name("whole")
        assert solve(whole) == 0
        yield from resumed("solutions", path, random, kills, solve, lambda: (
            values(path) == values(whole)))  # fmt: skip


def proof_logs(path: Path, random: Random, kills: int) -> Iterator[Row]:
    """Killed while lines are appended, and while the log is packed."""
    folder = path.with_name("proof")

    def work() -> None:
        log = proof_log(folder)
        add_leaves(log)
        log.close()

    def lines() -> list[str]:
        log = proof_log(folder)
        log.file.close()
        (folder / "run.log").unlink()
        return list(log.lines)

    work()
    expected = lines()
    (folder / "log.xz").unlink()
    done = left = complete = wrong = 0
    while done < kills:
        if killed(work, random.uniform(0, 0.03)):
            done += 1
            left += len(list(folder.glob("*.new"))) > 0
            continue
        complete += 1
        wrong += lines() != expected
        (folder / "log.xz").unlink()
    work()
    wrong += lines() != expected
    figure = f"{complete + 1} logs completed, {wrong} differ"
    strayed = list(folder.glob("*.new"))
    yield verdict("prooflog", kills, left, figure, not wrong and not strayed)


def jobs(path: Path, random: Random, kills: int) -> Iterator[Row]:
    """The log of a master whose jobs run in two worker processes."""
    count = 300
    os.environ["PYTHONPATH"] = str(Path(__file__).parent.parent)
    expected = sorted(json.dumps({"job": job, "checksum": checksum(job)}) for job in range(count))
    yield from resumed(
        *("jobs", path, random, kills),
        lambda: work_through("local", count, 0.002, path),
        lambda: sorted(read_lines(str(path))) == expected,
        seconds=0.8,
    )


def values(path: Path) -> list[list[str]]:
    """Positions and values, sorted: a resumed run solves equal positions together."""
    return sorted(line.split("\t")[:2] for line in path.read_text().splitlines())


def resumed(
    name: str,
    path: Path,
    random: Random,
    kills: int,
    work: Callable[[], object],
    exact: Callable[[], bool],
    seconds: float = 0.02,
) -> Iterator[Row]:
    """Runs work that resumes where it was killed, after `seconds` at most, and starts again when it
    is complete."""
    done = torn = complete = wrong = 0
    while done < kills:
        if killed(work, random.uniform(0, seconds)):
            done += 1
            torn += path.exists() and not path.read_bytes().endswith(b"\n")
            continue
        complete += 1
        wrong += not exact()
        path.unlink()
    work()
    wrong += not exact()
    figure = f"{complete + 1} files completed, {wrong} differ"
    yield verdict(name, kills, torn, figure, not wrong)


def verdict(name: str, kills: int, left: int, figure: str, good: bool) -> Row:
    return Row(f"{name}: kill -9", f"{kills} kills, {left} left something; {figure}",
               "no damage, no leftovers, exact resume", good)  # fmt: skip


WORK = {
    "strategy": strategies,
    "games": matches,
    "checkpoint": checkpoints,
    "solutions": solutions,
    "prooflog": proof_logs,
    "jobs": jobs,
}


def check(part: str, scale: float) -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        kills = max(5, int(KILLS * scale))
        yield from WORK[part](Path(folder, "file"), Random(part), kills)
