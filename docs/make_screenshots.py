"""Takes the pictures of the web page for the documentation; `make screenshots` runs it. Needs what
`make test-web` installs."""

import os
from pathlib import Path

from make_images import IMAGES, ULTIMATE

from support.browser import Visit, browser
from support.web import serve
from ttt import Board

COLOURS = 96
"""Colours of a picture: enough for flat areas, and small."""


def address(game: str, moves: str, tab: str) -> str:
    board = Board(game)
    board.push_moves(moves)
    listed = ",".join(move.replace(" ", "-") for move in board.moves)
    return f"?game={game}&moves={listed}&tab={tab}"


def shrink(path: Path) -> None:
    """Reduces the number of colours, if Pillow is installed."""
    from PIL import Image

    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def main() -> None:
    os.environ.setdefault("TTT_BROWSER", "/usr/bin/chromium")
    with serve() as server, browser() as chromium:
        pictures: tuple[tuple[str, tuple[int, int], str], ...] = (
            ("web-analyse", (1180, 800), address("ultimate", ULTIMATE[:80], "analyse")),
            ("web-review", (1180, 800), address("connect4", "4444425262553", "review")),
            ("web-phone", (360, 640), address("nineboard", "55511227766441", "analyse")),
        )
        for name, (width, height), where in pictures:
            one = Visit(chromium, server.home, width, height)
            page = one.open(where)
            if "review" in where:
                button = page.locator("text=Review this game")
                if button.count():
                    button.click()
                page.wait_for_selector("text=Review again")
            page.wait_for_timeout(4000)
            path = IMAGES / f"{name}.png"
            page.screenshot(path=path)
            one.close()
            shrink(path)
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
