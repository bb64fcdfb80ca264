"""What a module asks of Pyodide: its import list, checked before the module is shipped.

The modules are compiled with the headers of zig's C library, whose structures and constants differ
from those of Pyodide's in places: error numbers, file status, signal sets, jump buffers, locales,
threads. A module that used one of these functions would be silently wrong, so it is refused.
"""

import re
from collections.abc import Iterator
from pathlib import Path

DIFFERENT = re.compile(
    r"(__errno_location|errno|perror|strerror\w*"  # error numbers
    r"|\w*stat(at|vfs|fs)?(64)?|statx|utime\w*|futimens"  # struct stat
    r"|sig\w+|raise|kill|psignal|\w*setjmp\w*|\w*longjmp\w*"  # sigset_t, jmp_buf
    r"|pthread_\w+|thrd_\w+|mtx_\w+|cnd_\w+|sem_\w+"  # sizes of locks
    r"|open(at|dir)?|fcntl|ioctl|readdir\w*|scandir\w*|fdopen\w*"  # flags, struct dirent
    r"|\w*locale\w*|nl_langinfo\w*|\w*rlimit\w*|getrusage|times|sysconf|pathconf"
    r"|select|poll|epoll\w*|socket\w*|bind|connect|accept\w*|recv\w*|send\w*|getaddrinfo"
    r"|wait(pid|id|3|4)?|fork|exec\w+|posix_spawn\w*|dl\w+|termios|tc[gs]et\w+"
    r"|v?f?printf|fopen|fwrite|fread|fflush|stdin|stdout|stderr)"  # FILE
)
"""Functions whose structures or constants differ, or may."""
LINKAGE = {
    *("memory", "__indirect_function_table", "__memory_base", "__table_base", "__stack_pointer"),
}
"""What every dynamic module imports; the loader provides it."""


def read_number(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128 number, and where the next item begins."""
    found = shift = 0
    while True:
        byte = data[at]
        at += 1
        found |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return found, at


def read_name(data: bytes, at: int) -> tuple[str, int]:
    size, at = read_number(data, at)
    return data[at : at + size].decode(), at + size


def section(data: bytes, number: int) -> Iterator[tuple[int, bytes]]:
    """The sections of one kind of a WebAssembly module, as (where the content begins, module)."""
    if data[:4] != b"\0asm":
        raise ValueError("not a WebAssembly module")
    at = 8
    while at < len(data):
        kind = data[at]
        size, begin = read_number(data, at + 1)
        if kind == number:
            yield begin, data
        at = begin + size


def skip_limits(data: bytes, at: int) -> int:
    flags, at = read_number(data, at)
    for _ in range(2 if flags & 1 else 1):
        _, at = read_number(data, at)
    return at


def imports(path: Path) -> set[str]:
    """The names that a module imports."""
    found = set()
    for at, data in section(path.read_bytes(), 2):
        count, at = read_number(data, at)
        for _ in range(count):
            _, at = read_name(data, at)
            name, at = read_name(data, at)
            found.add(name)
            kind = data[at]
            at += 1
            if kind == 0:  # function: its type
                _, at = read_number(data, at)
            elif kind == 1:  # table: type of its elements, limits
                at = skip_limits(data, at + 1)
            elif kind == 2:  # memory: limits
                at = skip_limits(data, at)
            elif kind == 3:  # global: type, mutability
                at += 2
            else:  # tag: attribute, type
                _, at = read_number(data, at + 1)
    return found


def exports(path: Path) -> set[str]:
    """The names that a module exports."""
    found = set()
    for at, data in section(path.read_bytes(), 7):
        count, at = read_number(data, at)
        for _ in range(count):
            name, at = read_name(data, at)
            _, at = read_number(data, at + 1)
            found.add(name)
    return found


def complaints(module: Path, runtime: Path) -> list[str]:
    """What is wrong with the imports of a module: names that the runtime does not export, and
    functions that must not be used."""
    asked = imports(module) - LINKAGE
    own = exports(module)
    there = exports(runtime)
    missing = sorted(asked - there - own)
    different = sorted(name for name in asked if DIFFERENT.fullmatch(name))
    return [f"{module.name} imports {name}, which Pyodide does not export" for name in missing] + [
        f"{module.name} imports {name}, whose structures differ in Pyodide" for name in different
    ]
