"""Rules of the core that neither the compiler nor a linter checks."""

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parent.parent / "src/ttt_core"
SOURCES = sorted([*CORE.rglob("*.pxd"), *CORE.rglob("*.pxi"), *CORE.rglob("*.pyx")])
HEAD = re.compile(r"^\s*cdef [^=\n]*\((?:[^()]|\([^()]*\))*\)([^:\n]*):\s*$", re.MULTILINE)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(CORE)))
def test_nogil_functions_are_noexcept(source: Path) -> None:
    """A nogil function without noexcept costs a check for exceptions after every call.

    The build fails on Cython's performance hints, but those cover only some of the cases.
    """
    for head in HEAD.finditer(source.read_text()):
        if "nogil" in head[1]:
            assert "noexcept" in head[1], head[0].strip()


def test_function_heads_are_found() -> None:
    heads = [head for source in SOURCES for head in HEAD.finditer(source.read_text())]
    assert sum("nogil" in head[1] for head in heads) > 150
