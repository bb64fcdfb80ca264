"""What people see: the drawings of every game, kept as text in data/drawings.txt.

A block there is a position text, the drawing, and the status line. After a change that is meant,
`python tests/test_drawings.py` writes the file anew; look at the difference.
"""

from pathlib import Path

import pytest

from ttt import Board

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


if __name__ == "__main__":
    texts = [block.split("\n")[0] for block in blocks()]
    DRAWINGS.write_text("\n\n".join(drawn(text) for text in texts) + "\n")
