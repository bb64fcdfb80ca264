"""Boards as SVG pictures, drawn from the layout: one function for all games."""

from html import escape
from typing import TYPE_CHECKING

from ttt.render.text import blocks_in_force

if TYPE_CHECKING:
    from ttt.board import Board

CELL, GAP, MARGIN, HEADING = 40, 16, 28, 24
"""Pixels of a cell, between blocks, around the board, and of the headings of blocks."""
INK, RED, BLUE = "#374151", "#dc2626", "#2563eb"
GREY = "#9ca3af"
"""The numbers of cells."""
WHITE, LIGHT_YELLOW, YELLOW = "#ffffff", "#fef3c7", "#fde047"
"""Cells: most of them, those of boards in force, those of the winning line."""


def _mark_svg(mark: str, x: int, y: int, size: int = CELL) -> str:
    inset = size * 0.24
    if mark == "x":
        a, b, c, d = x + inset, y + inset, x + size - inset, y + size - inset
        return (
            f'<path d="M{a:g} {b:g}L{c:g} {d:g}M{c:g} {b:g}L{a:g} {d:g}" '
            f'stroke="{RED}" stroke-width="{size / 9:.1f}" stroke-linecap="round"/>'
        )
    return (
        f'<circle cx="{x + size / 2:g}" cy="{y + size / 2:g}" r="{size * 0.28:.1f}" fill="none" '
        f'stroke="{BLUE}" stroke-width="{size / 9:.1f}"/>'
    )


def _label_svg(label: str, x: float, y: float, colour: str = INK) -> str:
    # Lowered by a third of the font size: not every viewer knows dominant-baseline.
    return (
        f'<text x="{x:g}" y="{y:g}" dy=".35em" fill="{colour}" font-size="14" '
        f'text-anchor="middle" font-family="sans-serif">{label}</text>'
    )


def svg(board: "Board", size: float | None = None) -> str:
    """The board as an SVG picture, with a bold frame around the last move, boards in force light
    yellow, winning lines yellow, and the numbers of free cells in games that number them. `size`
    is the longer side in pixels; the default gives cells of 40 pixels."""
    if size is not None:
        valid = f"size={size!r}: expected a number of pixels above 0"
        if not isinstance(size, int | float) or isinstance(size, bool):
            raise TypeError(valid)
        if not 0 < size < 1e6:
            raise ValueError(valid)
    board = board.copy()  # another thread may play on
    layout = board.layout
    across, down = layout.across, -(-layout.blocks // layout.across)
    wide, high = layout.width * CELL, layout.height * CELL
    top = MARGIN + (HEADING if board.block_labels else 0)
    width = 2 * MARGIN + across * wide + (across - 1) * GAP
    height = top + MARGIN + down * high + (down - 1) * GAP
    line = set(board.line_cells())
    marks, _, owners = board.picture()
    last = board.last_cell()
    in_force = blocks_in_force(board)
    closed = {i for i, owner in enumerate(owners) if owner != "." and not board.text_has_owners}
    scale = 1 if size is None else size / max(width, height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width * scale:g}" height="{height * scale:g}" role="img">',
        f"<title>{escape(f'{board.title}: {board.status()}')}</title>",
        f'<rect width="100%" height="100%" fill="{WHITE}"/>',
    ]
    for block in range(layout.blocks):
        left = MARGIN + block % across * (wide + GAP)
        above = top + block // across * (high + GAP)
        for i in range(layout.width * layout.height):
            cell = block * layout.width * layout.height + i
            x, y = left + i % layout.width * CELL, above + i // layout.width * CELL
            fill = YELLOW if cell in line else LIGHT_YELLOW if block in in_force else WHITE
            parts.append(
                f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}" '
                f'stroke="{INK}" stroke-width="0.8"/>'
            )
            if cell == last:
                parts.append(
                    f'<rect x="{x + 2}" y="{y + 2}" width="{CELL - 4}" height="{CELL - 4}" '
                    f'fill="none" stroke="{INK}" stroke-width="2.5"/>'
                )
            if marks[cell] != ".":
                parts.append(_mark_svg(marks[cell], x, y))
            elif board.numbers_cells and block not in closed:
                parts.append(_label_svg(str(i + 1), x + CELL / 2, y + CELL / 2, GREY))
        if owners and owners[block] != ".":
            owner = _mark_svg(owners[block], left - CELL // 2, above - CELL // 2, wide + CELL)
            parts.append(f'<g opacity="0.45">{owner}</g>')
        if board.block_labels:
            middle = above - MARGIN - HEADING / 2 + 4
            parts.append(_label_svg(board.block_labels[block], left + wide / 2, middle))
        for i, label in enumerate(board.column_labels):
            middle = above + high + MARGIN / 2 if board.headings_below else above - MARGIN / 2
            parts.append(_label_svg(label, left + (i + 0.5) * CELL, middle))
        if block % across == 0:
            for i, label in enumerate(board.row_labels):
                parts.append(_label_svg(label, MARGIN / 2, above + (i + 0.5) * CELL))
    return "\n".join(parts) + "\n</svg>\n"
