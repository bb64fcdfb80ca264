"""Checkpoints: locked, never smaller without a word, written when a signal ends the search."""

import json
import re
import signal
import time
from pathlib import Path

import pytest

from support import commands, inprocess
from support.processes import wait_until
from ttt import Board
from ttt.solvers import checkpoint, nineboard
from ttt.solvers.checkpoint import BadCheckpoint, Checkpoint
from ttt.solvers.nineboard import NineboardSolver
from ttt.storage.atomic import LockedFile
from ttt_core.system import lock

NINE = Board("nineboard")


def header(path: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(path.read_bytes().split(b"\n", 2)[1])
    return found


# --- locks ---------------------------------------------------------------------------------------


def test_a_file_has_one_user(tmp_path: Path) -> None:
    path = tmp_path / "file"
    first = LockedFile(path)
    for _ in range(3):
        with pytest.raises(ValueError, match="file: another process is using it"):
            LockedFile(path)
        first.write([b"content"])  # a new file under the same name: locked as well
    first.close()
    first.close()
    second = LockedFile(path)
    assert second.read(100) == b"content"
    second.close()
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_an_unused_file_leaves_nothing(tmp_path: Path) -> None:
    LockedFile(tmp_path / "file").close()
    assert not [*tmp_path.iterdir()]


def test_a_file_that_is_replaced_before_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last user writes it between the opening and the lock: the new file counts."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    replaced: list[int] = []

    def late(descriptor: int) -> None:
        if not replaced:
            replaced.append(descriptor)
            path.unlink()
            path.write_bytes(b"new")
        lock(descriptor)

    monkeypatch.setattr("ttt.storage.atomic.lock", late)
    file = LockedFile(path)
    assert file.read(100) == b"new"
    file.close()


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "proof"
    held = Checkpoint(str(path), NINE.text())
    done = inprocess.run("solve", "nineboard", "--time", "0.1", "--checkpoint", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"ttt solve: cannot use {path}: another process is using it\n"
    held.close()
    done = inprocess.run("solve", "nineboard", "--time", "0.1", "--checkpoint", str(path))
    assert done.returncode == 0
    assert path.exists()


# --- sizes ---------------------------------------------------------------------------------------


def test_a_smaller_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "proof"
    NineboardSolver(hash=4).solve(NINE, nodes=300_000, checkpoint=str(path))
    whole = path.read_bytes()
    assert header(path)["hash"] == 4
    with pytest.raises(BadCheckpoint, match=r"table of 4 MiB.*1 MiB would lose.*use --hash 4 or"):
        NineboardSolver(hash=1).solve(NINE, nodes=1, checkpoint=str(path))
    assert path.read_bytes() == whole
    for size in (4, 5, 16):
        path.write_bytes(whole)
        NineboardSolver(hash=size).solve(NINE, nodes=10_000, checkpoint=str(path))
        assert len(path.read_bytes()) >= len(whole)


def test_the_size_of_the_file_is_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "proof"
    monkeypatch.setattr(nineboard, "DEFAULT_HASH", 2)
    NineboardSolver(hash=5).solve(NINE, nodes=300_000, checkpoint=str(path))
    size = path.stat().st_size
    solver = NineboardSolver()
    assert solver.core.hash == 2
    solver.solve(NINE, nodes=20_000, checkpoint=str(path))
    assert (solver.core.hash, header(path)["hash"]) == (5, 5)
    assert path.stat().st_size >= size
    done = inprocess.run("solve", "nineboard", "--nodes", "9", "--checkpoint", str(path))
    assert done.returncode == 0
    assert path.stat().st_size >= size


def test_a_full_file_stays_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the least effort that is kept, as many entries are kept as there is room for."""
    path = tmp_path / "proof"
    monkeypatch.setattr(checkpoint, "KEPT", 1_000)
    solver = NineboardSolver(hash=1)
    for _ in range(5):
        solver.solve(NINE, nodes=20_000, checkpoint=str(path))
        assert header(path)["entries"] == 1_000
        head = sum(map(len, path.read_bytes().split(b"\n", 2)[:2])) + 2
        assert path.stat().st_size == head + 16 * 1_000 + 32


def test_files_of_earlier_versions(tmp_path: Path) -> None:
    """They do not say how large their table was: at most half full, then."""
    path = tmp_path / "proof"
    NineboardSolver(hash=1).solve(NINE, nodes=30_000, checkpoint=str(path))
    _, head, rest = path.read_bytes().split(b"\n", 2)
    fields = json.loads(head)
    for change, size in (({}, 1), ({"hash": None}, 1)):
        new = {**fields, **change}
        if not change:
            del new["hash"]
        entries = iter([rest[: 16 * fields["entries"]]])
        parts = checkpoint.sealed_parts(json.dumps(new).encode() + b"\n", entries)
        path.write_bytes(b"".join(parts))
        if change:
            with pytest.raises(BadCheckpoint, match="invalid header"):
                Checkpoint(str(path), NINE.text())
        else:
            found = Checkpoint(str(path), NINE.text())
            found.close()
            assert (found.hash, found.nodes) == (size, fields["nodes"])


# --- signals -------------------------------------------------------------------------------------


def end_by(number: signal.Signals, *arguments: str) -> tuple[int, str, str]:
    """Status, stdout and stderr of a command that gets a signal once it shows progress."""
    process = commands.start(*arguments)
    assert process.stderr is not None
    first = process.stderr.readline()
    process.send_signal(number)
    out, errors = process.communicate(timeout=300)
    return process.returncode, out, first + errors


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_signals_save_the_search(name: str, tmp_path: Path) -> None:
    number = signal.Signals[name]
    path = tmp_path / "proof"
    status, out, errors = end_by(number, "solve", "nineboard", "--checkpoint", str(path))
    assert status == 128 + number
    assert out.startswith("unknown\nbest so far: 5 5\n")
    assert f"search saved in {path}" in errors
    assert "Traceback" not in errors
    found = Checkpoint(str(path), NINE.text())
    found.close()
    told = re.match(r"unknown, ([0-9,]+) nodes", errors)
    assert told
    assert found.nodes >= int(told[1].replace(",", "")) > 0
    assert [file.name for file in tmp_path.iterdir()] == ["proof"]


def test_a_signal_before_the_search_saves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the file is loaded, the table is incomplete: it must not replace the file."""
    path = tmp_path / "proof"
    NineboardSolver(hash=1).solve(NINE, nodes=20_000, checkpoint=str(path))
    whole = path.read_bytes()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoint, "load", interrupted)
    done = inprocess.run("solve", "nineboard", "--checkpoint", str(path))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\n")
    assert path.read_bytes() == whole


def test_ignored_signals_stay_ignored() -> None:
    """As under nohup."""
    command = ("analyse", "ultimate", "--time", "3", "--json")
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = commands.start(*command)
    finally:
        signal.signal(signal.SIGHUP, before)
    time.sleep(1)
    process.send_signal(signal.SIGHUP)
    out, errors = process.communicate(timeout=300)
    assert (process.returncode, errors) == (0, "")
    assert json.loads(out)["move"]


@pytest.mark.parametrize(
    "command",
    [
        "solve connect4 --set columns=8 --set rows=7",
        "analyse ultimate --time 100",
        "analyse ultimate --time 100 --all-moves",
        "match ultimate engine:time=9 random",
    ],
)
def test_other_commands_end_with_the_status_of_the_signal(command: str) -> None:
    process = commands.start(*command.split())
    wait_until(lambda: commands.is_working(process.pid))
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 143
    assert "Traceback" not in errors
