"""Runs `ttt` as a process: to its end, in the background, or until Ctrl-C."""

import os
import signal
import subprocess
import sys
import time

TTT = [sys.executable, "-m", "ttt"]


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Runs a command to its end with `text` as its input."""
    return subprocess.run(
        [*TTT, *arguments], input=text, capture_output=True, text=True, timeout=300
    )


def start(*arguments: str) -> subprocess.Popen[str]:
    """Starts a command in the background."""
    pipe = subprocess.PIPE
    return subprocess.Popen([*TTT, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def interrupt(*arguments: str) -> tuple[int, str]:
    """Exit code and stderr of a command that gets Ctrl-C while it works. On a busy machine the
    signal may come before Python has started; then a longer delay is tried."""
    for delay in (1, 5, 20):
        process = start(*arguments)
        time.sleep(delay)
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        if process.returncode == 130:
            break
    return process.returncode, errors
