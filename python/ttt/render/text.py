"""Boards as text, for every game alike, from the layout of its cells."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ttt.board import Board

BIG = {"x": ("\\ /", " X ", "/ \\"), "o": ("/-\\", "( )", "\\-/")}
"""A small board won for good, three characters a side."""


def blocks_in_force(board: "Board") -> set[int]:
    """The blocks on which the next move can be played, where the game has boards in force."""
    size = board.layout.width * board.layout.height
    return {move.number // size for move in board.legal_moves if board.has_board_in_force}


def _cell_labels(board: "Board") -> list[str]:
    """What each cell shows: its mark, its number if it can be played now, or a dot."""
    numbered = board.numbers_cells and not board.is_game_over()
    playable = {move.number for move in board.legal_moves} if numbered else set()
    size = board.layout.width * board.layout.height
    return [
        mark.upper() if mark != "." else str(i % size + 1) if i in playable else "."
        for i, mark in enumerate(board.marks)
    ]


def _big_rows(board: "Board", block: int) -> tuple[str, ...] | None:
    owners = board.picture()[2]
    if not owners or board.tells_owners or owners[block] == ".":
        return None
    return BIG[owners[block]]


class Skin:
    """How the parts of a drawing look; this one is plain."""

    bar, rule, cross = "|", "-", "+"

    def signs(self, cell: int) -> str:
        """Two characters to put around a cell; empty for most."""
        return ""

    def paint(self, piece: str, role: str, cell: int | None = None) -> str:
        """A piece of text as it is shown; its role is x, o, number, empty or force."""
        return piece


def _role(label: str) -> str:
    return {"X": "x", "O": "o", ".": "empty"}.get(label, "number")


def _block_rows(
    board: "Board", block: int, labels: list[str], force: bool, skin: Skin
) -> list[str]:
    """The lines of one block, without its headings."""
    layout = board.layout
    size = layout.width * layout.height
    big = _big_rows(board, block)
    owner = board.picture()[2][block] if big else ""
    rows = []
    for row in range(layout.height):
        first = block * size + row * layout.width
        edges = "[]" if force else "  "
        gaps = [edges[0], *[" " * _label_width(board)] * (layout.width - 1), edges[1]]
        line = ""
        for column in range(layout.width):
            cell = first + column
            label = big[row][column] if big else labels[cell]
            signs = "" if big else skin.signs(cell)
            if signs:
                gaps[column] = gaps[column][:-1] + signs[0]
                gaps[column + 1] = signs[1] + gaps[column + 1][1:]
            line += skin.paint(gaps[column], "force")
            line += skin.paint(label, owner or _role(label), None if big else cell)
        rows.append(line + skin.paint(gaps[-1], "force"))
    return rows


def _label_width(board: "Board") -> int:
    """The characters of the widest column heading."""
    return max(map(len, board.column_labels), default=1)


PLAIN = Skin()


def text(board: "Board", skin: Skin = PLAIN) -> str:
    """The board for a terminal: `[ ]` marks the boards in force, headings name rows and columns."""
    board = board.copy()  # another thread may play on
    layout = board.layout
    labels = _cell_labels(board)
    force = blocks_in_force(board)
    margin = max(map(len, board.row_labels), default=0)
    wide = _label_width(board)
    heading = " " + " ".join(label.rjust(wide) for label in board.column_labels)[wide - 1 :] + " "
    span = layout.width + (layout.width - 1) * wide + 2
    lines: list[str] = []
    for first in range(0, layout.blocks, layout.across):
        blocks = range(first, first + layout.across)
        rows = [_block_rows(board, block, labels, block in force, skin) for block in blocks]
        if first:
            lines.append(skin.cross.join([skin.rule * span] * len(rows)))
        if board.block_labels:
            titles = (board.block_labels[block].center(span) for block in blocks)
            lines.append(" " * margin + "   ".join(titles))
        if board.column_labels and not board.headings_below:
            lines.append(" " * margin + "   ".join([heading] * layout.across))
        bar = skin.bar if layout.blocks > layout.across else "   "
        for row in range(layout.height):
            label = board.row_labels[row].rjust(margin) if board.row_labels else ""
            lines.append(label + bar.join(part[row] for part in rows))
        if board.column_labels and board.headings_below:
            lines.append(" " * margin + "   ".join([heading] * layout.across))
    return "\n".join(line.rstrip() for line in lines)
