"""Special files in place of files, full disks, and signals that ask a command to end.

Every command that reads or writes a file gets devices, pipes, sockets, folders, links to nowhere
and huge files: it must refuse them in one line that names the file, at once, and leave them alone.
Commands whose output cannot be written must say so. SIGTERM and SIGHUP at random times must leave
whole files, and no work may be lost that was saved before.
"""

import os
import resource
import shutil
import signal
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from hardening import Row
from ttt import Board
from ttt.cli.main import main
from ttt.matches.record import read_games
from ttt.solvers import nineboard, proof, qubic  # noqa: F401 (imported before the forks)
from ttt.solvers.checkpoint import Checkpoint
from ttt.storage.lines import read_lines

PARTS = ("files", "full", "signals")
QUICK = 0.1
TIMES = 100
PATIENCE = 20.0
"""Seconds for a command that should end at once, on a busy machine."""
MEMORY = 4 << 30

FILE_COMMANDS = (
    "verify FILE",
    "replay FILE",
    "replay FILE --game 1 --json",
    "match tictactoe random random --games 2 --openings FILE",
    "match tictactoe random random --games 2 --out FILE",
    "match tictactoe random random --games 2 --out FILE --resume",
    "tournament tictactoe random first --games 2 --out FILE --resume",
    "solve connect4 --file FILE",
    "solve connect4 --book FILE",
    "solve tictactoe --file FILE --json --all-moves",
    "solve connect4 --file positions --out FILE",
    "solve nineboard --time 1 --hash 1 --checkpoint FILE",
    "prove qubic --out FILE",
    "train nineboard-solver --positions 1 --games 1 --nodes 1 --out FILE",
)
PRINTING = (
    "--help",
    "--version",
    "games",
    "players",
    "show nineboard:full=draw",
    "perft mnk 3 --divide",
    "analyze tictactoe --json",
    "analyse connect4 --moves 4455 --all-moves",
    "solve tictactoe",
    "solve connect4 --file positions",
    "match tictactoe random first --games 2 --json",
    "tournament tictactoe random first --games 2",
    "playouts connect4 10",
    "play tictactoe --level 1 --opponent first --games 1",
)


def make_special(kind: str, folder: Path) -> Path:
    """A special file called "special"; a device keeps its name."""
    path = folder / "special"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as found:
            found.bind(str(path))
    elif kind == "folder":
        path.mkdir()
        (path / "content").touch()
    elif kind == "loop":
        path.symlink_to("special")
    elif kind == "nowhere":
        path.symlink_to("no/such/folder/file")
    elif kind == "huge":
        with path.open("wb") as file:
            file.truncate(1 << 42)
    elif kind == "link to zero":
        path.symlink_to("/dev/zero")
    else:
        return Path(kind)
    return path


KINDS = ("pipe", "socket", "folder", "loop", "nowhere", "huge", "link to zero", "/dev/zero",
         "/dev/full", "/dev/null", "/dev/tty")  # fmt: skip


class Ended:
    """A command run in a forked child: its status, what it wrote, and the seconds it took."""

    def __init__(
        self, arguments: list[str], out: str, errors: Path, number: int = 0, delay: float = 0.0
    ) -> None:
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            self.work(arguments, out, errors)
        if number:
            time.sleep(delay)
            os.kill(child, number)
        self.hung = False
        while True:
            found, status = os.waitpid(child, os.WNOHANG)
            if found:
                break
            if time.monotonic() - began > PATIENCE + delay:
                os.kill(child, signal.SIGKILL)
                _, status = os.waitpid(child, 0)
                self.hung = True
                break
            time.sleep(0.002)
        self.status = os.waitstatus_to_exitcode(status)
        self.errors = errors.read_text(errors="replace")

    @staticmethod
    def work(arguments: list[str], out: str, errors: Path) -> None:
        status = 99
        try:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            os.setpgid(0, 0)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), 1)
            os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), 2)
            sys.stdout, sys.stderr = open(1, "w"), open(2, "w")  # noqa: SIM115
            status = main(arguments)
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            pass
        finally:
            os._exit(status)


def files(random: Random, times: int, folder: Path) -> Iterator[Row]:
    """Every kind of special file, `times` times, with random commands."""
    (folder / "positions").write_text("4455\n")
    errors = folder / "errors"
    for kind in KINDS:
        path = make_special(kind, folder)
        mode = os.lstat(path).st_mode
        bad: list[str] = []
        for _ in range(times):
            command = random.choice(FILE_COMMANDS)
            if kind in ("huge", "nowhere") and command.startswith(("train", "prove", "match")):
                command = "solve connect4 --file FILE"  # others may replace or make such a file
            ended = Ended(command.replace("FILE", str(path)).split(), os.devnull, errors)
            one_line = ended.errors.count("\n") == 1 and len(ended.errors) < 600
            named = path.name in ended.errors
            if ended.hung or ended.status not in (1, 2) or not one_line or not named:
                bad.append(f"{command}: {ended.status} {ended.errors[-200:]!r}")
            if os.lstat(path).st_mode != mode:
                bad.append(f"{command}: the file was replaced")
                break
        if not kind.startswith("/"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for problem in bad[:5]:
            print(problem, file=sys.stderr)
        figure = f"{times} commands, {len(bad)} not refused in one line"
        yield Row(f"special files: {kind}", figure, "all refused", not bad)
    left = sorted(os.listdir(folder))
    yield Row(
        "special files: leftovers", f"{len(left) - 2}", "none", left == ["errors", "positions"]
    )


def full(random: Random, times: int, folder: Path) -> Iterator[Row]:
    """Output to a full disk: status 1, and one line that says so, after any progress."""
    (folder / "positions").write_text("4455\n")
    bad: list[str] = []
    for _ in range(times):
        command = random.choice(PRINTING)
        ended = Ended(command.split(), "/dev/full", folder / "errors")
        last = ended.errors.rstrip("\n").rsplit("\n", 1)[-1]
        if ended.hung or ended.status != 1 or not last.endswith("No space left on device"):
            bad.append(f"{command}: {ended.status} {ended.errors[-200:]!r}")
    for problem in bad[:5]:
        print(problem, file=sys.stderr)
    figure = f"{times} commands, {len(bad)} without a clear error"
    yield Row("full disk: stdout", figure, "status 1, one clear line", not bad)


def clean_status(ended: Ended, number: int) -> bool:
    """Whether a command ended by the signal, before or after it could handle it, or finished."""
    return not ended.hung and ended.status in (128 + number, -number, 0)


def signals_checkpoint(number: int, random: Random, times: int, folder: Path) -> tuple[str, bool]:
    """The search of a checkpoint never loses what it has saved."""
    path, board = folder / "proof", Board("nineboard")
    nineboard.SLICE = 0.01
    nodes = saved = 0
    good, longest = True, 0.25
    for _ in range(times):
        command = ["solve", "nineboard", "--hash", "2", "--checkpoint", str(path)]
        ended = Ended(command, os.devnull, folder / "errors", number, random.uniform(0.0, longest))
        if not clean_status(ended, number) or "Traceback" in ended.errors:
            print(f"status {ended.status}: {ended.errors[-300:]!r}", file=sys.stderr)
            good = False
        found = Checkpoint(str(path), board.text())  # not locked any more
        found.close()
        good = good and found.nodes >= nodes
        saved += found.nodes > nodes
        longest *= 1.0 if found.nodes > nodes else 1.2  # for a busy machine
        nodes = found.nodes
        if f"search saved in {path}" in ended.errors and not found.entries:
            good = False
        strays = [name for name in os.listdir(folder) if name not in ("proof", "errors")]
        good = good and not strays
    return f"{saved} added to the file, {nodes:,} nodes in the end", good and saved > 0


def signals_match(number: int, random: Random, times: int, folder: Path) -> tuple[str, bool]:
    """The games of a match that is ended again and again are those of one that never was."""

    def command(path: Path) -> list[str]:
        return ["match", "connect4", "mcts:simulations=30", "random", "--games", "2000", "--out",
                str(path), "--resume"]  # fmt: skip

    path = folder / "games"
    good, games, longest = True, 0, 0.1
    for _ in range(times):
        delay = random.uniform(0.0, longest)
        longest *= 1.0 if games else 1.3  # for a busy machine
        ended = Ended(command(path), os.devnull, folder / "errors", number, delay)
        if not clean_status(ended, number) or "Traceback" in ended.errors:
            print(f"status {ended.status}: {ended.errors[-300:]!r}", file=sys.stderr)
            good = False
        if path.exists():
            found = read_games(str(path))[1]
            good = good and [game["game"] for game in found] == [*range(1, len(found) + 1)]
            good = good and len(found) >= games
            games = len(found)
    return f"{games} games saved", good and games > 0


def signals_solutions(number: int, random: Random, times: int, folder: Path) -> tuple[str, bool]:
    """Every position is solved at most once."""
    source, path = folder / "positions", folder / "solutions"
    boards = [Board("connect4").playout(seed) for seed in range(1000)]
    for board in boards:
        while board.ply > 20:
            board.pop()
    texts = [board.text() for board in boards]
    source.write_text("\n".join(texts))
    command = ["solve", "connect4", "--file", str(source), "--out", str(path)]
    good, solved, longest = True, 0, 0.1
    for _ in range(times):
        delay = random.uniform(0.0, longest)
        longest *= 1.0 if solved else 1.3
        ended = Ended(command, os.devnull, folder / "errors", number, delay)
        if not clean_status(ended, number) or "Traceback" in ended.errors:
            print(f"status {ended.status}: {ended.errors[-300:]!r}", file=sys.stderr)
            good = False
        if path.exists():
            whole = read_lines(str(path))  # without a torn last line
            found = [line.partition("\t")[0] for line in whole]
            good = good and not Counter(found) - Counter(texts) and len(found) >= solved
            solved = len(found)
    return f"{solved} solutions saved", good and solved > 0


SIGNALLED: dict[str, Callable[[int, Random, int, Path], tuple[str, bool]]] = {
    "checkpoint": signals_checkpoint,
    "match": signals_match,
    "solve --file": signals_solutions,
}


def check(part: str, scale: float) -> Iterator[Row]:
    times = max(5, int(TIMES * scale))
    random = Random(part)
    with TemporaryDirectory() as name:
        os.chdir(name)
        if part == "files":
            yield from files(random, times, Path(name))
        elif part == "full":
            yield from full(random, times, Path(name))
        else:
            for number in (signal.SIGTERM, signal.SIGHUP):
                for what, work in SIGNALLED.items():
                    folder = Path(name, f"{what[:5]}{int(number)}")
                    folder.mkdir()
                    figure, good = work(number, random, times, folder)
                    yield Row(
                        f"{number.name}: {what}",
                        f"{times} times, {figure}",
                        "whole files, nothing lost",
                        good,
                    )
        os.chdir("/")
