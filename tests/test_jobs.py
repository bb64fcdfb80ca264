"""Jobs in processes of this machine: results, errors, crashes, and that no process is left."""

import io
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from support.processes import is_running, pids, wait_until
from support.tasks import checksum
from ttt.jobs import Progress, Shard, in_order, parse_shard, run_jobs
from ttt.jobs.progress import duration, rate_text, say

TESTS = str(Path(__file__).parent)


@pytest.fixture(autouse=True)
def tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets worker processes import the tasks of the tests."""
    monkeypatch.setenv("PYTHONPATH", TESTS)


def run(task: str, settings: dict[str, Any], jobs: list[Any], processes: int) -> dict[int, Any]:
    found = list(run_jobs(f"support.tasks:{task}", settings, jobs, processes=processes))
    assert len({index for index, _ in found}) == len(found)
    return dict(found)


# --- results and errors --------------------------------------------------------------------------


@pytest.mark.parametrize("processes", [1, 2, 5])
def test_every_job_has_its_result(processes: int) -> None:
    found = run("short", {"seconds": 0.001}, [*range(40)], processes)
    assert found == {job: {"job": job, "checksum": checksum(job)} for job in range(40)}
    assert run("short", {"seconds": 0.0}, [], processes) == {}


def test_one_process_takes_jobs_one_by_one() -> None:
    taken = []

    def jobs() -> Any:
        for job in range(3):
            taken.append(job)
            yield job

    with closing(run_jobs("support.tasks:short", {"seconds": 0.0}, jobs())) as results:
        assert next(results)[0] == 0
        assert taken == [0]


def test_results_in_the_order_of_the_jobs() -> None:
    assert [*in_order([(2, "c"), (0, "a"), (1, "b")])] == [(0, "a"), (1, "b"), (2, "c")]
    with closing(run_jobs("support.tasks:short", {"seconds": 0.005}, range(50), processes=3)) as it:
        assert [index for index, _ in in_order(it)] == [*range(50)]


@pytest.mark.parametrize("processes", [1, 2])
def test_errors_of_jobs_are_raised(tmp_path: Path, processes: int) -> None:
    settings = {"folder": str(tmp_path)}
    with pytest.raises(ValueError, match=r"^a bad value$"):
        run("misbehave", settings, ["fine", "value", "fine"], processes)
    with pytest.raises((KeyError, RuntimeError), match="a bad key"):
        run("misbehave", settings, ["key"], processes)
    with pytest.raises((TypeError, RuntimeError), match="not JSON serializable"):
        run("misbehave", settings, ["set"], processes)
    with pytest.raises(ValueError, match="no such setting: x"):
        run("refused", {"name": "x"}, [1], processes)
    with pytest.raises((AttributeError, RuntimeError), match="nothing"):
        run("nothing", {}, [1], processes)
    assert not any(map(is_running, {*pids(tmp_path)} - {os.getpid()}))


def test_numbers_of_processes_are_checked() -> None:
    for processes in (0, 1025):
        with pytest.raises(ValueError, match=r"processes=.*: expected a whole number from 1 to"):
            run_jobs("support.tasks:short", {}, [], processes=processes)


def test_jobs_have_no_input_and_no_output(tmp_path: Path) -> None:
    assert run("misbehave", {"folder": str(tmp_path)}, ["print"] * 2, 2) == {0: "", 1: ""}


# --- processes that die --------------------------------------------------------------------------


def test_the_job_of_a_dead_process_runs_again(tmp_path: Path) -> None:
    jobs = ["a", "die once", "b"]
    assert run("misbehave", {"folder": str(tmp_path)}, jobs, 2) == dict(enumerate(jobs))
    assert len(list(tmp_path.glob("die once.*"))) == 2


def test_a_job_that_always_ends_its_process_is_named(tmp_path: Path) -> None:
    words = r"job 'die': its process ended 3 times, last with status 7"
    with pytest.raises(ChildProcessError, match=words):
        run("misbehave", {"folder": str(tmp_path)}, ["a", "die", "b"], 2)
    assert len(list(tmp_path.glob("die.*"))) == 3


def test_a_task_can_deal_with_a_crash_itself() -> None:
    found = run("Crashing", {"last": 4}, [0, 1, 2, 3], 2)
    assert found[0] == found[2] == "whole"
    assert found[1] == {"job": 1, "left": [1, 3], "status": 9}
    assert found[3] == {"job": 3, "left": [3, 3], "status": 9}
    assert run("Crashing", {"last": 0}, [1, 1], 2)[0] == {"job": 1, "left": None, "status": 9}


@pytest.mark.parametrize("job", ["sleep", "compute"])
def test_closing_ends_busy_processes(tmp_path: Path, job: str) -> None:
    results = run_jobs(
        "support.tasks:misbehave", {"folder": str(tmp_path)}, ["a", job, job], processes=2
    )
    assert next(results) == (0, "a")
    wait_until(lambda: len(list(tmp_path.glob(f"{job}.*"))) == 2)
    assert any(map(is_running, pids(tmp_path)))
    results.close()
    assert not any(map(is_running, pids(tmp_path)))


MASTER = """
import sys
from ttt.jobs import run_jobs
jobs = ["sleep", "compute"]
for _ in run_jobs("support.tasks:misbehave", {"folder": sys.argv[1]}, jobs, processes=2):
    pass
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_processes_end_with_their_master(tmp_path: Path, number: int) -> None:
    master = subprocess.Popen([sys.executable, "-c", MASTER, str(tmp_path)], stderr=subprocess.PIPE)
    try:
        wait_until(lambda: len(pids(tmp_path)) == 2)
        workers = pids(tmp_path)
        assert all(map(is_running, workers))
        for worker in workers:  # a batch system may send its signal to all processes
            os.kill(worker, signal.SIGTERM)
        time.sleep(0.2)
        assert all(map(is_running, workers))
        master.send_signal(number)
        master.communicate(timeout=300)
    finally:
        master.kill()
    wait_until(lambda: not any(map(is_running, workers)))


QUICK = """
from ttt.jobs import run_jobs
for index, _ in run_jobs("support.tasks:short", {"seconds": 0.0}, range(100_000), processes=2):
    print(index, flush=True)
"""


def test_processes_end_silently() -> None:
    """Even if the master is killed while they answer."""
    for _ in range(5):
        pipe = subprocess.PIPE
        master = subprocess.Popen([sys.executable, "-c", QUICK], stdout=pipe, stderr=pipe)
        assert master.stdout
        assert master.stdout.readline()
        master.kill()
        assert master.communicate(timeout=300)[1] == b""  # waits for the workers, too


# --- shards --------------------------------------------------------------------------------------


def test_shards_cover_all_jobs_once() -> None:
    for count in (1, 2, 5):
        parts = [[*parse_shard(f"{i}/{count}").select(range(13))] for i in range(1, count + 1)]
        assert sorted(job for part in parts for job in part) == [*range(13)]
    assert [*Shard(2, 5).select("abcdefg")] == ["b", "g"]
    assert str(parse_shard("2/5")) == "2/5"


@pytest.mark.parametrize(
    "text", ["", "2", "0/5", "6/5", "1/0", "a/b", "1/5/", "-1/5", "1 / 5", "²/5"]
)
def test_bad_shards(text: str) -> None:
    with pytest.raises(ValueError, match="expected I/N with I from 1 to N"):
        parse_shard(text)


# --- progress ------------------------------------------------------------------------------------


def test_lines_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 2.0, 4.0, 20.0, 21.0, 22.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    errors = io.StringIO()
    monkeypatch.setattr(sys, "stderr", errors)
    bar = Progress(105, 100, "games")
    for _ in range(5):
        bar.add("+1")
    bar.close()
    assert errors.getvalue().splitlines() == [
        "103/105 games  +1, 9.0/min, 0:13 left",
        "105/105 games  +1, 13.6/min, 0:22",
    ]


def test_progress_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 2.0, 2.01, 8.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", terminal)
    bar = Progress(4)
    bar.add()
    say("hello")
    bar.add()
    bar.add()
    bar.close()
    assert terminal.getvalue() == (
        "\r[#####...............] 1/4 jobs, 30.0/min, 0:06 left\x1b[K"
        "\r\x1b[Khello\n"
        "\r[###############.....] 3/4 jobs, 22.5/min, 0:03 left\x1b[K\n"
    )


def test_rates_and_durations() -> None:
    assert [rate_text(rate) for rate in (1234.5, 2, 0.5, 0.01, 0.0001)] == [
        "1,234/s", "2.0/s", "30.0/min", "36.0/h", "0.4/h",
    ]  # fmt: skip
    assert [duration(seconds) for seconds in (0.2, 59.6, 3599, 3600, 90061)] == [
        "0:00", "1:00", "59:59", "1:00:00", "25:01:01",
    ]  # fmt: skip
