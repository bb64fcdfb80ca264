"""How much memory there is to be had."""

import os
from contextlib import suppress

try:
    import resource
except ImportError:  # not a Unix system
    resource = None  # type: ignore[assignment]

GROUP = "/sys/fs/cgroup/memory."
ENDLESS = 1 << 62


def available_bytes() -> int:
    """Bytes that can be allocated without swapping, as far as the system tells: what is free, what
    the control group leaves (in a container), what the limit of this process leaves."""
    return max(0, min(_free(), _left_to_group(), _left_to_process()))


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
        return ENDLESS
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _left_to_group() -> int:
    with suppress(OSError, ValueError):  # "max": no limit
        limit = int(_read(GROUP + "max"))
        used = dict(line.split() for line in _read(GROUP + "stat").splitlines())
        return limit - int(used["anon"])
    return ENDLESS


def _left_to_process() -> int:
    if resource is None:
        return ENDLESS
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return ENDLESS
    with suppress(OSError):
        return limit - int(_read("/proc/self/statm").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return limit
