"""Boards as text, drawn from the layout: one function for all games."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ttt.board import Board

LARGE_MARKS = {"x": ("\\ /", " X ", "/ \\"), "o": ("/-\\", "( )", "\\-/")}
"""Drawn over a small board that is won and closed: three rows of three characters."""


class Frame(NamedTuple):
    """Corners and edges of the box around the blocks: left, between blocks, right."""

    top: str
    middle: str
    bottom: str


class Style:
    """How the parts of a drawing look; this one is plain ASCII."""

    bar, rule, cross, empty = "|", "-", "+", "."
    frame: Frame | None = None
    """The box around the blocks, with `bar` at its sides; None: no box."""

    def brackets(self, cell: int) -> str:
        """Two characters to put around a cell; empty for none."""
        return ""

    def paint(self, piece: str, role: str, cell: int | None = None) -> str:
        """A piece of text with its colours. Its role is "x", "o", "number" or "empty" for a cell,
        "frame" for what is between cells."""
        return piece


PLAIN = Style()


def text(board: "Board", style: Style = PLAIN, width: int | None = None) -> str:
    """The board as lines of text, with headings for rows and columns and `[ ]` around boards in
    force. A single board that is wider than `width` characters is drawn in parts, the left one
    first."""
    board = board.copy()  # another thread may change it
    layout = board.layout
    each = 1 + _label_width(board)
    margin = max(map(len, board.row_labels), default=0)
    room = layout.width if width is None else max((width - margin - 4) // each, 1)
    if layout.blocks > 1 or room >= layout.width:
        return _part(board, style, range(layout.width))
    parts = -(-layout.width // room)
    size = -(-layout.width // parts)
    return "\n".join(
        _part(board, style, range(first, min(first + size, layout.width)))
        for first in range(0, layout.width, size)
    )


def _part(board: "Board", style: Style, shown: range) -> str:
    """Some columns of every block."""
    layout = board.layout
    labels = _cell_labels(board, style.empty)
    in_force = blocks_in_force(board)
    margin = max(map(len, board.row_labels), default=0)
    wide = _label_width(board)
    span = len(shown) + (len(shown) - 1) * wide + 2
    side = style.bar if style.frame else ""
    in_grid = layout.blocks > layout.across
    between = style.bar if in_grid else f"{side}   {side}"

    def heading(titles: Iterable[str]) -> str:
        return " " * margin + "   ".join(title.center(span + 2 * len(side)) for title in titles)

    def edge(ends: str) -> str:
        joint = ends[1] if in_grid else f"{ends[2]}   {ends[0]}"
        return " " * margin + ends[0] + joint.join([style.rule * span] * layout.across) + ends[2]

    titles = board.column_labels[shown.start : shown.stop]
    columns = " ".join(["", *(label.rjust(wide) for label in titles)])[wide - 1 :] + " "
    lines: list[str] = []
    for first in range(0, layout.blocks, layout.across):
        blocks = range(first, first + layout.across)
        rows = [
            _block_rows(board, block, labels, block in in_force, style, shown) for block in blocks
        ]
        if board.block_labels:
            lines.append(heading(board.block_labels[block] for block in blocks))
        if board.column_labels and not board.headings_below:
            lines.append(heading([columns] * layout.across))
        if style.frame:
            lines.append(edge(style.frame.middle if first else style.frame.top))
        elif first:
            lines.append(style.cross.join([style.rule * span] * len(rows)))
        for row in range(layout.height):
            label = board.row_labels[row].rjust(margin) if board.row_labels else ""
            lines.append(label + side + between.join(part[row] for part in rows) + side)
    if style.frame:
        lines.append(edge(style.frame.bottom))
    if board.column_labels and board.headings_below:
        lines.append(heading([columns] * layout.across))
    return "\n".join(line.rstrip() for line in lines)


def blocks_in_force(board: "Board") -> set[int]:
    """The blocks on which the side to move may play; empty for games without a board in force."""
    size = board.layout.width * board.layout.height
    return {move.number // size for move in board.legal_moves if board.has_board_in_force}


def _cell_labels(board: "Board", empty: str) -> list[str]:
    """What each cell shows: its mark, its number if it can be played now, or `empty`."""
    numbered = board.numbers_cells and not board.is_game_over()
    playable = {move.number for move in board.legal_moves} if numbered else set()
    size = board.layout.width * board.layout.height
    return [
        mark.upper() if mark != "." else str(i % size + 1) if i in playable else empty
        for i, mark in enumerate(board.marks)
    ]


def _label_width(board: "Board") -> int:
    """The characters of the widest column heading."""
    return max(map(len, board.column_labels), default=1)


def _block_rows(
    board: "Board", block: int, labels: list[str], in_force: bool, style: Style, columns: range
) -> list[str]:
    """The lines of some columns of one block, without their headings."""
    layout = board.layout
    size = layout.width * layout.height
    owner = _closed_by(board, block)
    cells = range(block * size, (block + 1) * size)
    marked = _marked_cell(cells, style) if owner else None
    edges = "[]" if in_force else "  " if marked is None else style.brackets(marked)
    rows = []
    for row in range(layout.height):
        first = block * size + row * layout.width
        gaps = [edges[0], *[" " * _label_width(board)] * (len(columns) - 1), edges[1]]
        line = ""
        for at, column in enumerate(columns):
            cell = first + column
            label = LARGE_MARKS[owner][row][column] if owner else labels[cell]
            brackets = "" if owner else style.brackets(cell)
            if brackets:
                gaps[at] = gaps[at][:-1] + brackets[0]
                gaps[at + 1] = brackets[1] + gaps[at + 1][1:]
            line += style.paint(gaps[at], "frame")
            line += style.paint(label, owner or _role(label), marked if owner else cell)
        rows.append(line + style.paint(gaps[-1], "frame"))
    return rows


def _marked_cell(cells: Iterable[int], style: Style) -> int | None:
    """The cell whose brackets a closed block gets: one of the winning line, or the last move."""
    marked = {style.brackets(cell): cell for cell in cells if style.brackets(cell)}
    return marked.get("**", marked.get("()"))


def _closed_by(board: "Board", block: int) -> str:
    """Who has won and closed a block: "x", "o" or, for most, ""."""
    owners = board.picture()[2]
    return owners[block].strip(".") if owners and not board.text_has_owners else ""


def _role(label: str) -> str:
    return {"X": "x", "O": "o"}.get(label, "number" if label.isdigit() else "empty")
