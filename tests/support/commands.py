"""Runs `ttt` as a process: to its end, in the background, or until Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

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
    """Exit code and stderr of a command that gets Ctrl-C while it works or waits for input."""
    process = start(*arguments)
    while process.poll() is None and not is_working(process.pid):
        pass
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    return process.returncode, errors


def is_working(pid: int) -> bool:
    """Whether a process has used a second of processor time, much more than Python needs to start,
    or sleeps. On a busy machine both take longer."""
    return processor_time(pid)[1] >= 1.0 or is_asleep(pid)


def is_asleep(pid: int) -> bool:
    """Whether a process waits for a second without using the processor. One that only waits for a
    busy processor is not asleep."""
    _, before = processor_time(pid)
    for _ in range(20):
        time.sleep(0.05)
        if processor_time(pid) != ("S", before):
            return False
    return True


def processor_time(pid: int) -> tuple[str, float]:
    """The state of a process, such as S for asleep, and its seconds of processor time."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
