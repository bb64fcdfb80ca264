"""The picture of `make bench`: one bar per ratio on a logarithmic scale, as SVG."""

from math import log10
from xml.sax.saxutils import escape

from peers.measure import Row
from peers.report import ratio_text

COLOURS = {
    "OpenSpiel": "#3b6fb6",
    "BitBully": "#c8553d",
    "numba": "#588b3a",
    "easyAI": "#b07aa1",
    "python-chess": "#8c6d31",
    "pgx": "#d08a1d",
    "C": "#7a7a7a",
}
LABELS, WIDTH, HEIGHT = 330, 560, 14  # of the labels, the scale, a bar
GAP, TOP = 26, 86
LOW, HIGH = -1.0, 3.6  # powers of ten


def across(ratio: float) -> float:
    """The x coordinate of a ratio."""
    power = min(max(log10(ratio), LOW), HIGH)
    return LABELS + WIDTH * (power - LOW) / (HIGH - LOW)


def colour(who: str) -> str:
    return next((found for name, found in COLOURS.items() if who.startswith(name)), "#444444")


def text(x: float, y: float, words: str, extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {extra}>{escape(words)}</text>'


def legend(names: list[str]) -> list[str]:
    found, x = [], 12.0
    for name in names:
        found.append(f'<rect x="{x:.0f}" y="42" width="11" height="11" fill="{colour(name)}"/>')
        found.append(text(x + 15, 52, name))
        x += 34 + 6.2 * len(name)
    return found


def scale(bottom: float) -> list[str]:
    """Lines at the powers of ten; the one at 1 is darker."""
    found = []
    for power in range(int(LOW), int(HIGH) + 1):
        x = across(10.0**power)
        stroke = "#222" if power == 0 else "#ddd"
        found.append(
            f'<line x1="{x:.1f}" y1="{TOP - 10}" x2="{x:.1f}" y2="{bottom}" stroke="{stroke}"/>'
        )
        words = f"{10**power:,}\u00d7" if power >= 0 else "0.1\u00d7"
        found.append(text(x, TOP - 14, words, 'text-anchor="middle" fill="#666"'))
    return found


def draw(parts: dict[str, list[Row]], under: str) -> str:
    """All ratios, grouped by kind of work. Bars to the right of 1\u00d7: ttt is better."""
    bars: list[str] = []
    y = float(TOP)
    names: dict[str, None] = {}
    for part, rows in parts.items():
        entries = [(row, who, ratio) for row in rows for who, ratio in row.ratios().items()]
        if not entries:
            continue
        y += GAP
        bars.append(
            text(12, y - 8, part[0].upper() + part[1:], 'font-weight="bold" font-size="13"')
        )
        for row, who, ratio in entries:
            names[next((name for name in COLOURS if who.startswith(name)), who)] = None
            one, there = across(1.0), across(ratio)
            left, wide = min(one, there), max(abs(there - one), 1.0)
            label = row.work if row.game == "any" else f"{row.work} · {row.game}"
            bars.append(text(LABELS - 8, y + 10, label, 'text-anchor="end"'))
            bars.append(
                f'<rect x="{left:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{HEIGHT - 3}" '
                f'fill="{colour(who)}"><title>{escape(who)}</title></rect>'
            )
            beside = max(one, there) + 4
            bars.append(text(beside, y + 10, f"{ratio_text(ratio)}\u00d7", 'fill="#333"'))
            y += HEIGHT
    bottom = y + 8
    head = [
        text(12, 20, "How many times better ttt does the same work", 'font-size="16"'),
        text(12, 36, f"right of 1\u00d7: ttt is first. {under}", 'fill="#555"'),
        *legend(list(names)),
        *scale(bottom),
    ]
    wide, tall = LABELS + WIDTH + 60, bottom + 14
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall:.0f}" '
            f'width="{wide}" height="{tall:.0f}" font-family="sans-serif" font-size="11">',
            '<rect width="100%" height="100%" fill="white"/>',
            *head,
            *bars,
            "</svg>\n",
        ]
    )
