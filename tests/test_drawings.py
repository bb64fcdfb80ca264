"""The drawings of every game, kept as text in data/drawings.txt.

A block there is a position text, the drawing, and the status line. After an intended change,
`python tests/test_drawings.py` rewrites the file; review the difference.
"""

import io
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from ttt.board import Board, board_class, games
from ttt.notation import parse_options
from ttt.options import Choice
from ttt.render.svg import svg
from ttt.render.terminal import TerminalStyle, supports_line_drawing
from ttt.render.text import Style, text

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


def labels(board: Board) -> list[tuple[str, float, float]]:
    """The texts of a picture and their places."""
    picture = ElementTree.fromstring(svg(board))
    return [
        (part.text or "", float(part.get("x", "")), float(part.get("y", "")))
        for part in picture
        if part.tag.endswith("text")
    ]


def test_pictures_number_free_cells() -> None:
    board = Board("tictactoe")
    board.push_moves("5 1")
    assert [text for text, _, _ in labels(board)] == list("2346789")
    assert [text for text, _, _ in labels(Board("nineboard"))] == list("123456789") * 9
    none, one = ".........", "x........"
    position = "/".join(["x..ooo...", none, none, one, one, one, none, none, none]) + " o"
    assert len(labels(Board.parse(f"ultimate {position} *"))) == 8 * 9 - 3  # none on the won board
    assert len(labels(Board.parse(f"ultimate:won=open {position} 1 o........"))) == 81 - 7
    assert [text for text, _, _ in labels(Board("connect4"))] == list("1234567")


def test_headings_of_pictures_keep_off_the_edge() -> None:
    for game in ("qubic", "mnk", "connect4"):
        picture = ElementTree.fromstring(svg(Board(game)))
        width, height = (float(picture.get(side, "")) for side in ("width", "height"))
        for _, x, y in labels(Board(game)):
            assert 12 <= x <= width - 12
            assert 12 <= y <= height - 12


def test_pictures_mark_last_move_and_winning_line() -> None:
    board = Board("qubic")
    board.push_moves("111 222 121 333 131 444")
    frame = 'fill="none" stroke="#374151" stroke-width="2.5"'
    assert (svg(board).count(frame), svg(board).count("#fde047")) == (1, 0)
    board.push("141")
    assert (svg(board).count(frame), svg(board).count("#fde047")) == (1, 4)


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


def test_marks_on_closed_boards() -> None:
    """The last move or the winning line may be on boards that are drawn as one large mark."""
    board = Board("ultimate")
    board.push_moves("11 15 51 12 21 13")
    style = TerminalStyle(board, colour=False, line_drawing=False)
    assert text(board, style).startswith(" X O(O)|")
    board = Board("ultimate")
    board.push_moves("55 51 14 45 54 44 46 65 56")  # x closes board 5
    drawn = text(board, TerminalStyle(board, False, False)).split("\n")[4:7]
    assert [line.split("|")[1] for line in drawn] == ["(\\   /)", "(  X  )", "(/   \\)"]
    won = Board.parse(next(block for block in blocks() if "x wins: boards" in block).split("\n")[0])
    lines = text(won, TerminalStyle(won, False, False)).split("\n")
    assert lines[-1] == "*/   \\*|*/   \\*|*/   \\*"
    assert "*" not in "".join(lines[:8])


FRAMED = {
    "tictactoe 5 1 9": """
┌───────┐
│ O 2 3 │
│ 4 X 6 │
│ 7 8(X)│
└───────┘""",
    "nineboard 56 61": """
┌───────┬───────┬───────┐
│[1 2 3]│ · · · │ · · · │
│[4 5 6]│ · · · │ · · · │
│[7 8 9]│ · · · │ · · · │
├───────┼───────┼───────┤
│ · · · │ · · · │(O)· · │
│ · · · │ · · X │ · · · │
│ · · · │ · · · │ · · · │
├───────┼───────┼───────┤
│ · · · │ · · · │ · · · │
│ · · · │ · · · │ · · · │
│ · · · │ · · · │ · · · │
└───────┴───────┴───────┘""",
    "qubic 111 244": """
   level 1       level 2       level 3       level 4
   1 2 3 4       1 2 3 4       1 2 3 4       1 2 3 4
 ┌─────────┐   ┌─────────┐   ┌─────────┐   ┌─────────┐
1│ X · · · │   │ · · · · │   │ · · · · │   │ · · · · │
2│ · · · · │   │ · · · · │   │ · · · · │   │ · · · · │
3│ · · · · │   │ · · · · │   │ · · · · │   │ · · · · │
4│ · · · · │   │ · · ·(O)│   │ · · · · │   │ · · · · │
 └─────────┘   └─────────┘   └─────────┘   └─────────┘""",
    "connect4:columns=10,rows=2,connect=3 10 10": """
┌──────────────────────────────┐
│ ·  ·  ·  ·  ·  ·  ·  ·  · (O)│
│ ·  ·  ·  ·  ·  ·  ·  ·  ·  X │
└──────────────────────────────┘
  1  2  3  4  5  6  7  8  9 10""",
}


@pytest.mark.parametrize("start", FRAMED)
def test_boxes_in_a_terminal(start: str) -> None:
    game, _, moves = start.partition(" ")
    name, _, options = game.partition(":")
    board = Board(name, **parse_options(options))
    board.push_moves(moves)
    style = TerminalStyle(board, colour=False, line_drawing=True)
    assert text(board, style) == FRAMED[start].lstrip("\n")


@pytest.mark.parametrize(
    ("environment", "supported"),
    [
        ({"LC_ALL": "en_GB.UTF-8"}, True),
        ({"LANG": "de_DE.utf8"}, True),
        ({}, True),
        ({"LC_CTYPE": "C.UTF-8"}, True),  # set by Python: no locale was given
        ({"LC_CTYPE": "C.UTF-8", "LANG": "C"}, False),  # set by Python: the locale is C
        ({"LC_ALL": "C", "LANG": "en_GB.UTF-8"}, False),
        ({"LANG": "de_DE.ISO-8859-1"}, False),
        ({"LANG": "en_GB.UTF-8", "TERM": "dumb"}, False),
    ],
)
def test_line_drawing_needs_utf8(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], supported: bool
) -> None:
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm", **environment}.items():
        monkeypatch.setenv(name, value)
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(stream, "isatty", lambda: True)
    assert supports_line_drawing(stream) is supported


@pytest.mark.parametrize("game", games())
def test_rules_fit_three_lines(game: str) -> None:
    kind = board_class(game)
    alternatives = [
        {choice.name: choice.values[-1]} for choice in kind.choices if isinstance(choice, Choice)
    ]
    for options in ({}, *alternatives):
        lines = Board(game, **options).rules().splitlines()
        assert 1 <= len(lines) <= 3
        assert max(map(len, lines)) < 80


@pytest.mark.parametrize(
    ("game", "options"),
    [("mnk", {"m": 32, "n": 2, "k": 3}), ("connect4", {"columns": 32, "rows": 1, "connect": 3})],
)
@pytest.mark.parametrize("width", [20, 50, 80, 120])
def test_wide_boards_are_drawn_in_parts(game: str, options: dict[str, int], width: int) -> None:
    """No line is too long, and each heading is above or below its own cell."""
    board = Board(game, **options)
    board.push(board.legal_moves[20])
    for style in (Style(), TerminalStyle(board, colour=False, line_drawing=True)):
        lines = text(board, style, width).split("\n")
        assert max(map(len, lines)) <= width
        words = [word for line in lines for word in line.split()]
        wanted = [label for label in board.column_labels if label not in ("x", "o")]
        headings = iter(words)
        assert all(label in headings for label in wanted)
        marked = next(i for i, line in enumerate(lines) if "X" in line)
        label = board.column_labels[20]
        heading = next(line for line in lines if label in line.split())
        assert heading.index(label) + len(label) - 1 == lines[marked].index("X")
    assert text(board, width=200) == text(board)


if __name__ == "__main__":
    texts = [block.split("\n")[0] for block in blocks()]
    DRAWINGS.write_text("\n\n".join(drawn(text) for text in texts) + "\n")
