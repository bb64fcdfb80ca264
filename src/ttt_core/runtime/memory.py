"""Available memory, and the check of table sizes against it."""

import os
from contextlib import suppress

try:
    import resource
except ImportError:  # not a Unix system
    resource = None  # type: ignore[assignment]

MEBIBYTE = 1 << 20
CGROUP = "/sys/fs/cgroup/memory."
UNLIMITED = 1 << 62


def check_hash(hash: int, least: int = 1) -> None:
    """Raises TypeError or ValueError unless `hash` is a number of MiB that can be allocated."""
    if not isinstance(hash, int) or isinstance(hash, bool):
        raise TypeError(f"hash={hash!r}: expected a whole number of MiB")
    if hash < least:
        raise ValueError(f"hash={hash}: expected at least {least} MiB")
    free = available_bytes()
    if hash * MEBIBYTE > free:
        raise ValueError(f"hash={hash}: only {free // MEBIBYTE} MiB of memory are free")


def available_bytes() -> int:
    """Bytes that can be allocated without swapping: the least of the system's free memory, what the
    control group (container) leaves and what the process limit leaves."""
    return max(0, min(_free(), _left_to_cgroup(), _left_to_process()))


def _read(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 1 << 16).decode("ascii")
    finally:
        os.close(descriptor)


def _free() -> int:
    with suppress(OSError):
        for line in _read("/proc/meminfo").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    if not hasattr(os, "sysconf"):
        return UNLIMITED
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _left_to_cgroup() -> int:
    with suppress(OSError, ValueError):  # ValueError: "max", no limit
        limit = int(_read(CGROUP + "max"))
        used = dict(line.split() for line in _read(CGROUP + "stat").splitlines())
        return limit - int(used["anon"])
    return UNLIMITED


def _left_to_process() -> int:
    if resource is None:
        return UNLIMITED
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return UNLIMITED
    with suppress(OSError):
        return limit - int(_read("/proc/self/statm").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return limit
