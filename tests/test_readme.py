"""The README's Python runs as it stands, and its picture is what we draw."""

import doctest
import re
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


def test_ratios_are_those_of_the_results() -> None:
    """The README's table of speed, its date and its machine stand in bench/RESULTS.md."""
    results = (PROJECT / "bench/RESULTS.md").read_text(encoding="utf-8")
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    shown = text.partition("<!-- make bench -->")[2].partition("<!-- end of make bench -->")[0]
    rows = [line for line in shown.splitlines() if line.startswith("|")]
    measured = re.search(r"on (\S+), one core of: (.*?);", shown)
    assert len(rows) >= 7
    assert all(row in results for row in rows)
    assert measured
    assert f"{measured[1]}, one core of: {measured[2]}" in results
