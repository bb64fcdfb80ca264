"""Whether searches may use threads. A browser has none; elsewhere TTT_SINGLE_THREADED=1 switches
them off, for tests and for systems that allow a process only one thread."""

import os
import sys

SINGLE_THREADED = sys.platform == "emscripten" or (
    os.environ.get("TTT_SINGLE_THREADED", "0") not in ("", "0")
)


def check_single(threads: int) -> None:
    """Raises if a search asks for threads that it cannot have."""
    if SINGLE_THREADED and threads > 1:
        raise ValueError(f"threads={threads}: searches run on one thread here; use threads=1")
