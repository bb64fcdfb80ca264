"""`ttt` as a process of its own: run to its end, started, or ended by Ctrl-C."""

import os
import signal
import subprocess
import sys
import time

TTT = [sys.executable, "-m", "ttt"]


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """A command that has ended, `text` typed into it."""
    return subprocess.run(
        [*TTT, *arguments], input=text, capture_output=True, text=True, timeout=300
    )


def start(*arguments: str) -> subprocess.Popen[str]:
    """A command that runs."""
    pipe = subprocess.PIPE
    return subprocess.Popen([*TTT, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def interrupt(*arguments: str) -> tuple[int, str]:
    """Exit code and errors of a command that gets a Ctrl-C at its work. On a busy machine one may
    come before Python has started; then a later one is tried."""
    for delay in (1, 5, 20):
        process = start(*arguments)
        time.sleep(delay)
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        if process.returncode == 130:
            break
    return process.returncode, errors
