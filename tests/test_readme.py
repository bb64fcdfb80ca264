"""The README's Python runs as it stands, and its picture is what we draw."""

import doctest
from pathlib import Path

from ttt import Board

PROJECT = Path(__file__).parent.parent
PICTURED = "14 45 52 27 74 47 72 26 62 22 28 89 91 18 86 61 15 57 76 66 65 54 46 68 84 49 92 23 36 67 73 32 24 43"


def test_readme_runs() -> None:
    results = doctest.testfile(str(PROJECT / "README.md"), module_relative=False)
    assert results.attempted > 5
    assert results.failed == 0


def test_package_docstring_runs() -> None:
    import ttt

    assert doctest.testmod(ttt).failed == 0


def test_picture_is_up_to_date() -> None:
    board = Board("ultimate")
    board.push_moves(PICTURED)
    assert (PROJECT / "tests/data/ultimate.svg").read_text() == board.svg()
