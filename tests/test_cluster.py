"""Jobs on a Dask cluster of real processes that are killed meanwhile. Needs extra [cluster]."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from support.cluster import Cluster, free_port, start_master
from support.processes import is_running, pids, wait_until
from support.tasks import checksum
from ttt.matches.record import read_games
from ttt.storage.lines import read_lines
from ttt.version import __version__

pytest.importorskip("distributed")
pytestmark = pytest.mark.cluster


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    folder = tmp_path / "cluster"
    folder.mkdir()
    found = Cluster(folder)
    yield found
    found.close()


@pytest.fixture(scope="module")
def quiet_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster in which nothing is killed."""
    found = Cluster(tmp_path_factory.mktemp("cluster"), workers=2)
    yield found
    found.close()


def ttt(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ttt", *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=300,
    )


# --- everything is killed ------------------------------------------------------------------------


def run_with_kills(
    cluster: Cluster, folder: Path, jobs: int, seconds: float, period: float
) -> tuple[Path, str]:
    """The log of a run during which a worker is killed in every period, the master is killed when a
    third of the jobs are done, and the scheduler after two thirds; and what the masters said."""
    log, errors = folder / "log", ""
    random = Random(jobs)
    master = start_master(cluster.address, jobs, seconds, log)
    kills = ["master", "scheduler"]
    last = began = time.monotonic()
    while master.poll() is None:
        time.sleep(0.05)
        done = log.read_bytes().count(b"\n") if log.exists() else 0
        if done and time.monotonic() - last > period:
            last = time.monotonic()
            cluster.kill_worker(random)
        if kills and done * 3 >= jobs * (3 - len(kills)):
            if kills.pop(0) == "scheduler":
                cluster.scheduler.kill()
                continue
            master.kill()
            errors += master.communicate()[1]
            master = start_master(cluster.address, jobs, seconds, log)
        assert time.monotonic() - began < 3600, f"{done} of {jobs} jobs done"
    errors += master.communicate()[1]
    assert (master.returncode, kills) == (0, []), errors
    return log, errors


def check_kills(cluster: Cluster, folder: Path, jobs: int, seconds: float, period: float) -> None:
    log, errors = run_with_kills(cluster, folder, jobs, seconds, period)
    found = [json.loads(line) for line in read_lines(str(log))]
    assert sorted(result["job"] for result in found) == [*range(jobs)]
    assert all(result["checksum"] == checksum(result["job"]) for result in found)
    local = folder / "local"
    master = start_master("local", jobs, 0.0, local)
    assert (master.communicate(timeout=300)[1], master.returncode) == ("", 0)
    assert sorted(log.read_bytes().split(b"\n")) == sorted(local.read_bytes().split(b"\n"))
    assert cluster.killed > 0
    assert re.search(r"lost the Dask scheduler at tcp://\S+; jobs left: \d+; trying", errors)


def test_jobs_survive_kills(cluster: Cluster, tmp_path: Path) -> None:
    check_kills(cluster, tmp_path, jobs=150, seconds=0.1, period=2.0)


@pytest.mark.slow
def test_many_jobs_survive_many_kills(cluster: Cluster, tmp_path: Path) -> None:
    check_kills(cluster, tmp_path, jobs=2_000, seconds=0.15, period=3.0)
    assert cluster.killed > 10


# --- the verbs -----------------------------------------------------------------------------------


def test_verbs_give_what_they_give_here(quiet_cluster: Cluster, tmp_path: Path) -> None:
    where = ("--cluster", quiet_cluster.address)
    text = "".join(f"{move}\n" for move in range(1, 10))
    here = ttt("solve", "tictactoe", "--file", "-", text=text)
    there = ttt("solve", "tictactoe", "--file", "-", *where, text=text)
    assert (there.returncode, there.stdout) == (0, here.stdout)
    games = []
    for name, extra in (("here", ()), ("there", where)):
        path = str(tmp_path / name)
        done = ttt("match", "connect4", "random", "first", "--games", "20", "--out", path, *extra)
        assert done.returncode == 0, done.stderr
        games.append(sorted((game["game"], game["moves"]) for game in read_games(path)[1]))
    assert len(games[0]) == 20
    assert games[0] == games[1]


def test_self_play_gives_the_same_games(quiet_cluster: Cluster, tmp_path: Path) -> None:
    for name, extra in (("here", ()), ("there", ("--cluster", quiet_cluster.address))):
        done = ttt(
            *("train", "nineboard", "--generations", "2", "--shards", "1", "--nodes", "5"),
            *("--folder", str(tmp_path / name), "--out", str(tmp_path / f"{name}.weights")),
            *("--epochs", "1", "--processes", "1", *extra),
        )
        assert done.returncode == 0, done.stderr
    for part in ("here/1/00000.games", "here/2/00000.games", "here.weights"):
        other = part.replace("here", "there")
        assert (tmp_path / part).read_bytes() == (tmp_path / other).read_bytes()


def test_a_crash_loses_one_game(quiet_cluster: Cluster, tmp_path: Path) -> None:
    """The process of the job dies, not the Dask worker."""
    (quiet_cluster.folder / "bad_player.py").write_text("import os\ndef die(board): os._exit(7)\n")
    here = ttt_in(quiet_cluster.folder, *("match", "tictactoe", "bad_player:die", "first"),
                  *("--games", "4", "--json", "--cluster", quiet_cluster.address))  # fmt: skip
    standing = json.loads(here.stdout)["standings"][0]
    assert (standing["lost"], standing["errors"]["crash"]) == (4, 4)
    assert "its process ended with status 7" in standing["first_error"]
    assert all(worker.poll() is None for worker in quiet_cluster.workers)


def ttt_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", "ttt", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


# --- errors --------------------------------------------------------------------------------------


RUN = """
import sys
import ttt.jobs.cluster as cluster
from ttt.jobs import run_jobs
address, folder, *jobs = sys.argv[1:]
{change}
try:
    for index, result in run_jobs("support.tasks:misbehave", {{"folder": folder}}, jobs,
                                  cluster=address):
        print(result, flush=True)
except (ValueError, RuntimeError, OSError) as error:
    print(type(error).__name__, getattr(error, "strerror", error))
"""


def start_jobs(
    cluster: Cluster, folder: Path, *jobs: str, change: str = ""
) -> subprocess.Popen[str]:
    """Starts a master with jobs of the task `misbehave`."""
    return subprocess.Popen(
        [sys.executable, "-c", RUN.format(change=change), cluster.address, str(folder), *jobs],
        env=cluster.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    ("jobs", "output"),
    [
        (("a", "die once"), "a|die once|"),
        (("value",), "ValueError a bad value|"),
        (("key",), "RuntimeError KeyError: 'a bad key'|"),
        (("die",), "ChildProcessError job 'die': its process ended 3 times, last with status 7|"),
    ],
)
def test_errors_of_jobs_on_a_cluster(
    quiet_cluster: Cluster, tmp_path: Path, jobs: tuple[str, ...], output: str
) -> None:
    master = start_jobs(quiet_cluster, tmp_path, *jobs)
    found, errors = master.communicate(timeout=300)
    assert sorted(found.splitlines()) == output.split("|")[:-1], errors


def test_versions_must_be_equal(quiet_cluster: Cluster, tmp_path: Path) -> None:
    master = start_jobs(quiet_cluster, tmp_path, "a", change="cluster.__version__ = '0.0'")
    words = rf"ValueError a Dask worker has version {re.escape(__version__)} of ttt, this is 0\.0"
    assert re.match(words, master.communicate(timeout=300)[0])


def test_ttt_must_be_installed_on_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ttt.py").write_text("")  # found before the package
    monkeypatch.setattr("support.cluster.TESTS", tmp_path)
    cluster = Cluster(tmp_path, workers=1)
    monkeypatch.undo()
    try:
        done = ttt("solve", "tictactoe", "--file", "-", "--cluster", cluster.address, text="5\n")
    finally:
        cluster.close()
    assert (done.returncode, done.stdout) == (2, "")
    assert "ttt solve: a Dask worker cannot import ttt (No module named 'ttt.jobs'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("lost", ["worker", "scheduler"])
def test_giving_up(tmp_path: Path, lost: str) -> None:
    folder = tmp_path / "jobs"
    folder.mkdir()
    cluster = Cluster(tmp_path, workers=1)
    try:
        change = "cluster.GIVE_UP, cluster.CONNECT = 4.0, 2.0"
        master = start_jobs(cluster, folder, "sleep", change=change)
        wait_until(lambda: pids(folder))
        cluster.stop_keeping()
        (cluster.workers[0] if lost == "worker" else cluster.scheduler).kill()
        output, errors = master.communicate(timeout=300)
    finally:
        cluster.close()
    if lost == "worker":
        assert f"ConnectionError no Dask worker at {cluster.address} for 4 seconds" in output
        assert f"waiting for a Dask worker at {cluster.address}" in errors
    else:
        assert f"ConnectionError no Dask scheduler answers at {cluster.address}" in output
        assert "jobs left: 1; trying to reach it for 4 seconds" in errors
    wait_until(lambda: not any(map(is_running, pids(folder))))


def test_a_scheduler_that_does_not_answer() -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    done = ttt("solve", "tictactoe", "--file", "-", "--cluster", address, text="5\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"ttt solve: no Dask scheduler answers at {address}; start one" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_dask(tmp_path: Path) -> None:
    code = "import sys; sys.modules['distributed'] = None; from ttt.cli.main import main; main()"
    arguments = ["match", "tictactoe", "first", "random", "--cluster", "tcp://localhost:8786"]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert 'ttt match: Dask is not installed: pip install "ttt-engine[cluster]"' in done.stderr


def test_ctrl_c_ends_running_jobs(quiet_cluster: Cluster, tmp_path: Path) -> None:
    """Also those that would never end by themselves."""
    master = start_jobs(quiet_cluster, tmp_path, *["sleep", "compute"] * 4)
    wait_until(lambda: len(pids(tmp_path)) == 2)
    assert all(map(is_running, pids(tmp_path)))
    master.send_signal(2)
    assert "KeyboardInterrupt" in master.communicate(timeout=300)[1]
    wait_until(lambda: not any(map(is_running, pids(tmp_path))))
    assert len(pids(tmp_path)) == 2
    assert all(worker.poll() is None for worker in quiet_cluster.workers)


def test_ctrl_c_on_a_cluster(quiet_cluster: Cluster, tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "ttt", "match", "ultimate", "mcts:simulations=3000", "random"),
            *("--games", "1000", "--out", str(path), "--json"),
            *("--cluster", quiet_cluster.address),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not path.exists() or path.read_bytes().count(b"\n") < 3:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(2)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert json.loads(output)["played"] == len(read_games(str(path))[1]) >= 2
