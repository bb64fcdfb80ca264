"""Builds the core for gcc's sanitizers, in build/sanitize-*, and runs Python with it."""

import fcntl
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

PROJECT = Path(__file__).parents[2]
MEMORY, THREAD = "address,undefined", "thread"
LIBRARIES = {MEMORY: "libasan.so", THREAD: "libtsan.so"}
OPTIONS = {
    "TSAN_OPTIONS": "exitcode=66:halt_on_error=1",
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",  # Python keeps objects at exit
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}

FAULTS = """
#include <stdlib.h>
int past_the_end(int i) { char *p = malloc(8); int got = p[i]; free(p); return got; }
int overflow(int i) { return i + 0x7fffffff; }
"""


def build(kind: str) -> Path:
    """Brings the build for a sanitizer up to date; returns its folder."""
    place = PROJECT / f"build/sanitize-{kind}"
    place.mkdir(parents=True, exist_ok=True)
    with open(place / ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(
            [sys.executable, "setup.py", "--quiet", "build", "--build-lib", str(place)],
            cwd=PROJECT,
            env={**os.environ, "TTT_SANITIZE": kind},
            stdout=sys.stderr,
            check=True,
        )
    return place


def library(name: str) -> str:
    """The path of one of gcc's libraries."""
    command = ["gcc", f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@cache
def fixed_addresses() -> list[str]:
    """The command prefix that switches address randomisation off, which ThreadSanitizer rejects on
    some kernels; empty where that is not permitted."""
    try:
        tried = subprocess.run(["setarch", "-R", "true"], capture_output=True, check=False)
    except FileNotFoundError:
        return []
    return [] if tried.returncode else ["setarch", "-R"]


def python(kind: str) -> list[str]:
    """The Python command for a program under a sanitizer."""
    return [*(fixed_addresses() if kind == THREAD else []), sys.executable]


def environment(kind: str, *folders: str | Path) -> dict[str, str]:
    """The environment for such a program; `folders` come first in its module path."""
    path = os.pathsep.join([*map(str, folders), str(PROJECT / "tests")])
    return {
        **os.environ,
        **OPTIONS,
        "PYTHONPATH": path,
        "LD_PRELOAD": library(LIBRARIES[kind]),
    }


def alerts() -> list[str]:
    """Which of two deliberate faults the memory sanitizers report; both, if they work."""
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "faults.c"), Path(folder, "faults.so")
        source.write_text(FAULTS)
        flags = [f"-fsanitize={MEMORY}", "-shared", "-fPIC", "-g"]
        subprocess.run(["gcc", *flags, "-o", target, source], check=True)
        found = []
        for call, words in (("past_the_end(8)", "heap-buffer-overflow"), ("overflow(1)", "signed")):
            done = subprocess.run(
                [*python(MEMORY), "-c", f"import ctypes; ctypes.CDLL('{target}').{call}"],
                env=environment(MEMORY),
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode and words in done.stderr:
                found.append(words)
        return found
