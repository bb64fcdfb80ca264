"""A portable build of the core, which valgrind can run, and its wheel."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

from hardening.sanitizers import PROJECT

PLACE = PROJECT / "build/portable"


def build_wheel() -> Path:
    """Builds the wheel; the build is in PLACE."""
    PLACE.mkdir(parents=True, exist_ok=True)
    with open(PLACE.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(
            [sys.executable, "setup.py", "--quiet", "build", "--build-lib", str(PLACE),
             "bdist_wheel", "--dist-dir", str(PLACE.with_name("portable-wheel"))],
            cwd=PROJECT,
            env={**os.environ, "TTT_PORTABLE": "v2"},
            stdout=sys.stderr,
            check=True,
        )  # fmt: skip
    (wheel,) = PLACE.with_name("portable-wheel").glob("*.whl")
    return wheel
