"""Runs the tests of one mutant."""

import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from mutation.copy import environment

MEMORY = 6 << 30
"""Bytes of address space that the tests of a mutant may use."""
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


class Verdict(NamedTuple):
    """How a mutant ended."""

    outcome: str
    """killed or survived."""
    by: str
    """The test that failed, "time-out" or "crash"."""
    seconds: float


def prepare() -> None:
    """In the new process: a mutant must not use up the memory of the machine."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run_tests(folder: Path, number: int, tests: tuple[str, ...], limit: float) -> Verdict:
    """Runs tests in the copy until one fails. More than `limit` seconds count as killed."""
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    command += ["-p", "mutation.timer"]
    with subprocess.Popen(
        [*command, "-m", "not slow and not cluster", *tests],
        cwd=folder,
        env=environment(folder, number),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=prepare,
    ) as process:
        try:
            output = process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            output = ""
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    spent = round(time.monotonic() - began, 1)
    if process.returncode == 0:
        return Verdict("survived", "", spent)
    if process.returncode in (-signal.SIGKILL, -signal.SIGPROF):
        return Verdict("killed", "time-out", spent)
    failed = FAILED.search(output)
    crash = f"crash: {output[-300:]}" if process.returncode not in (1, 2, 4) else output[-300:]
    return Verdict("killed", failed[1] if failed else crash, spent)
