"""The core built for gcc's sanitizers, apart in build/sanitize-*, and Python that runs with it."""

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
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",  # the interpreter keeps objects
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}

FAULTS = """
#include <stdlib.h>
int past_the_end(int i) { char *p = malloc(8); int got = p[i]; free(p); return got; }
int overflow(int i) { return i + 0x7fffffff; }
"""


def build(kind: str) -> Path:
    """The folder of the build for a sanitizer, made up to date."""
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
    """The path of a library of gcc."""
    command = ["gcc", f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@cache
def fixed_addresses() -> list[str]:
    """ThreadSanitizer refuses some kernels' random addresses; not everywhere may they be switched
    off."""
    try:
        tried = subprocess.run(["setarch", "-R", "true"], capture_output=True, check=False)
    except FileNotFoundError:
        return []
    return [] if tried.returncode else ["setarch", "-R"]


def python(kind: str) -> list[str]:
    """The command of Python for a program that is to be watched."""
    return [*(fixed_addresses() if kind == THREAD else []), sys.executable]


def environment(kind: str, *folders: str | Path) -> dict[str, str]:
    """The environment of such a program; modules are looked for in `folders`, then as usual."""
    path = os.pathsep.join([*map(str, folders), str(PROJECT / "tests")])
    return {
        **os.environ,
        **OPTIONS,
        "PYTHONPATH": path,
        "LD_PRELOAD": library(LIBRARIES[kind]),
    }


def alerts() -> list[str]:
    """Which of two deliberate faults the memory sanitizers report: both, if they work at all."""
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
