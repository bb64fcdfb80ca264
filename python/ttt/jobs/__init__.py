"""Runs many independent jobs: in this process, in local processes, or on a Dask cluster.

A task is named "package.module:function". Each worker process calls `function(settings)` once; it
returns a callable that turns one job into one result. Settings, jobs and results are JSON values.

Jobs must be idempotent: a job whose worker died runs again in another one. A task that wants to
deal with such a death itself returns an object with a method `after_crash(job, note, status)`. It
is called instead, in a new worker process; `note` is what the job last passed to
`ttt.jobs.worker.note`, and `status` is the exit status of the process that died.
"""

from collections.abc import Generator, Iterable
from typing import Any

from ttt.jobs.local import run_here, run_locally
from ttt.jobs.progress import Progress
from ttt.jobs.shard import Shard, parse_shard
from ttt.limits import MOST_PROCESSES, check_whole

__all__ = ["Progress", "Shard", "in_order", "parse_shard", "run_jobs"]


def run_jobs(
    task: str,
    settings: dict[str, Any],
    jobs: Iterable[Any],
    *,
    processes: int = 1,
    cluster: str | None = None,
) -> Generator[tuple[int, Any], None, None]:
    """Yields (index of the job, result) as jobs finish, in any order.

    One process is this one: jobs run in their order, and are taken from `jobs` one by one. With
    `cluster`, the address of a Dask scheduler, the number of processes is that of the cluster.
    Closing the generator stops the work.

    An exception of a job is raised here. From another process, a ValueError comes as a ValueError,
    any other as a RuntimeError.
    A job that ends its process three times raises ChildProcessError; a cluster that does not
    answer raises ConnectionError.
    """
    check_whole("processes", processes, MOST_PROCESSES)
    if cluster is not None:
        from ttt.jobs.cluster import run_on_cluster

        return run_on_cluster(task, settings, list(jobs), cluster)
    if processes > 1:
        return run_locally(task, settings, list(jobs), processes)
    return run_here(task, settings, jobs)


def in_order(results: Iterable[tuple[int, Any]]) -> Generator[tuple[int, Any], None, None]:
    """The results of all jobs in the order of the jobs."""
    early: dict[int, Any] = {}
    following = 0
    for index, result in results:
        early[index] = result
        while following in early:
            yield following, early.pop(following)
            following += 1
