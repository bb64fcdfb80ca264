"""Advisory file locks: `flock` where the platform has it, otherwise none.

A lock ends when its file is closed, also by the end of its process. Without `flock` (Windows)
nothing is locked: the user must make sure that only one program writes to a file.
"""

import time

try:
    import fcntl
except ImportError:  # not a Unix system
    fcntl = None  # type: ignore[assignment]

CAN_LOCK = fcntl is not None


def lock(descriptor: int, seconds: float = 0.0) -> None:
    """Locks an open file; raises BlockingIOError if another process keeps it locked for so long."""
    deadline = time.monotonic() + seconds
    while fcntl is not None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.02)
