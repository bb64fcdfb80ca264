"""The README's Python runs as it stands, and its picture is what we draw."""

import doctest
from pathlib import Path

from ttt import Board

PROJECT = Path(__file__).parent.parent
PICTURED = "14455227744772266222288991188661155776666554466884499223366773322443"


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
