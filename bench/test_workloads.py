"""Times the workloads of `workloads.py` and single calls with pytest-benchmark."""

from collections.abc import Callable
from typing import Any

import pytest
from peers.calls import ours
from workloads import workloads

from ttt import games

WORK = workloads()
CALLS = {(game, name): call for game in games() for name, call in ours(game).items()}


@pytest.mark.parametrize("name", WORK)
def test_workload(benchmark: Callable[[Callable[[], object]], Any], name: str) -> None:
    benchmark(WORK[name])


@pytest.mark.parametrize("which", CALLS, ids=" ".join)
def test_call(benchmark: Callable[[Callable[[], object]], Any], which: tuple[str, str]) -> None:
    benchmark(CALLS[which])
