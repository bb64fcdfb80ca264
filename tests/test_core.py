"""Rules of the core that neither the compiler nor a linter watches over."""

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parent.parent / "src/ttt_core"
SOURCES = sorted([*CORE.rglob("*.pxd"), *CORE.rglob("*.pxi"), *CORE.rglob("*.pyx")])
HEAD = re.compile(r"^\s*cdef [^=\n]*\((?:[^()]|\([^()]*\))*\)([^:\n]*):\s*$", re.MULTILINE)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(CORE)))
def test_what_runs_without_the_gil_cannot_raise(source: Path) -> None:
    """A nogil function without noexcept looks for exceptions, some with the GIL, after every call.

    Cython's performance hint, on which the build fails, tells only of some of them.
    """
    for head in HEAD.finditer(source.read_text()):
        if "nogil" in head[1]:
            assert "noexcept" in head[1], head[0].strip()


def test_the_heads_of_functions_are_found() -> None:
    heads = [head for source in SOURCES for head in HEAD.finditer(source.read_text())]
    assert sum("nogil" in head[1] for head in heads) > 150
