"""A grade as an SVG picture: bars for the shares of each stage, with confidence intervals."""

from xml.sax.saxutils import escape

from ttt.grading.grade import Share, StageGrade

LEFT, WIDTH, BAR, GAP, TOP = 90, 360, 16, 18, 64
COLOURS = {"best move": "#2a5db0", "result kept": "#d6761c"}


def bar(y: float, share: Share, colour: str) -> list[str]:
    """A bar, its interval and its figure."""
    at = [LEFT + WIDTH * value for value in share]
    middle = y + BAR / 2
    return [
        f'<rect x="{LEFT}" y="{y}" width="{at[0] - LEFT:.1f}" height="{BAR}" fill="{colour}"/>',
        f'<path d="M{at[1]:.1f} {middle}H{at[2]:.1f}M{at[1]:.1f} {middle - 4}v8M{at[2]:.1f}'
        f' {middle - 4}v8" stroke="#333" fill="none"/>',
        f'<text x="{LEFT + WIDTH + 10}" y="{y + 12}">{share.share:.0%}</text>',
    ]


def draw(title: str, grades: list[StageGrade]) -> str:
    """The picture of the grades of a player."""
    parts = [f'<text x="12" y="24" font-size="15" font-weight="bold">{escape(title)}</text>']
    x = LEFT
    for name, colour in COLOURS.items():
        parts.append(f'<rect x="{x}" y="36" width="11" height="11" fill="{colour}"/>')
        parts.append(f'<text x="{x + 16}" y="46">{name}</text>')
        x += 110
    y = TOP
    for grade in grades:
        parts.append(f'<text x="12" y="{y + BAR + 4}">{grade.stage}</text>')
        parts += bar(y, grade.best, COLOURS["best move"])
        parts += bar(y + BAR + 2, grade.kept, COLOURS["result kept"])
        y += 2 * BAR + GAP
    axis = "".join(f"M{LEFT + WIDTH * i / 4} {TOP - 8}V{y - 8}" for i in range(5))
    parts.insert(0, f'<path d="{axis}" stroke="#ddd"/>')
    size = f'width="{LEFT + WIDTH + 60}" height="{y + 4}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12"'
        f' role="img"><title>{escape(title)}</title><rect width="100%" height="100%" fill="#fff"/>'
        + "".join(parts)
        + "</svg>\n"
    )
