"""The drawings of every game, kept as text in data/drawings.txt.

A block there is a position text, the drawing, and the status line. After an intended change,
`python tests/test_drawings.py` rewrites the file; review the difference.
"""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from ttt import Board
from ttt.render.svg import svg
from ttt.render.terminal import TerminalStyle
from ttt.render.text import text

DRAWINGS = Path(__file__).parent / "data/drawings.txt"


def blocks() -> list[str]:
    return DRAWINGS.read_text().rstrip("\n").split("\n\n")


def drawn(position: str) -> str:
    board = Board.parse(position)
    return f"{position}\n{board}\n{board.status()}"


@pytest.mark.parametrize("block", blocks(), ids=lambda block: block.split()[0])
def test_drawings(block: str) -> None:
    assert drawn(block.split("\n")[0]) == block


def test_every_game_is_drawn() -> None:
    assert {block.split()[0].split(":")[0] for block in blocks()} == {
        "tictactoe",
        "mnk",
        "nineboard",
        "ultimate",
        "qubic",
        "connect4",
    }


@pytest.mark.parametrize("block", blocks(), ids=lambda block: block.split()[0])
def test_pictures(block: str) -> None:
    """Well-formed, of the requested size, and with a title."""
    board = Board.parse(block.split("\n")[0])
    natural, scaled = (ElementTree.fromstring(svg(board, size)) for size in (None, 1000))
    title = natural[0]
    assert title.tag.endswith("title")
    assert title.text == f"{board.title}: {board.status()}"
    assert natural.get("viewBox") == scaled.get("viewBox")
    assert natural.get("viewBox") == f"0 0 {natural.get('width')} {natural.get('height')}"
    width, height = (float(scaled.get(side, "")) for side in ("width", "height"))
    assert max(width, height) == 1000
    assert width / height == pytest.approx(
        float(natural.get("width", "")) / float(natural.get("height", "")), rel=1e-4
    )


@pytest.mark.parametrize("size", [0, -1, float("nan"), float("inf")])
def test_pictures_without_size(size: float) -> None:
    with pytest.raises(ValueError, match="pixels above 0"):
        svg(Board("tictactoe"), size)


def test_marks_in_a_terminal() -> None:
    board = Board("tictactoe")
    board.push_moves("1 4 2 5")
    plain = TerminalStyle(board, colour=False, line_drawing=False)
    assert text(board, plain) == " X X 3\n O(O)6\n 7 8 9"
    coloured = text(board, TerminalStyle(board, colour=True, line_drawing=False))
    assert "\x1b[1;36;4mO\x1b[0m" in coloured  # the last move is underlined
    board.push("3")
    assert text(board, TerminalStyle(board, False, False)) == "*X*X*X*\n O O .\n . . ."
    won = text(board, TerminalStyle(board, colour=True, line_drawing=False))
    assert won.count("\x1b[1;31;7mX\x1b[0m") == 3  # the winning line is inverted


if __name__ == "__main__":
    texts = [block.split("\n")[0] for block in blocks()]
    DRAWINGS.write_text("\n\n".join(drawn(text) for text in texts) + "\n")
