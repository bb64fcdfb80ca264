"""Runs `tests/sanitize.py`, which exercises every compiled module, under gcc's sanitizers."""

import subprocess
import sys
import time
from collections.abc import Iterator

from hardening import Row, sanitizers

PARTS = (sanitizers.MEMORY, sanitizers.THREAD)
QUICK = None


def check(part: str, scale: float) -> Iterator[Row]:
    place = sanitizers.build(part)
    began = time.monotonic()
    done = subprocess.run(
        [*sanitizers.python(part), str(sanitizers.PROJECT / "tests/sanitize.py")],
        env={
            **sanitizers.environment(part, place),
            "PYTHONMALLOC": "malloc",  # one block per object, so that overruns are seen
        },
        stdout=sys.stderr,
        check=False,
    )
    figure = f"status {done.returncode}, {time.monotonic() - began:.0f} s"
    yield Row(f"every module, sanitizers {part}", figure, "silent", done.returncode == 0)
