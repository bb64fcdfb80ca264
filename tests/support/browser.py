"""A real browser for the tests of the page, served or as a site: Chromium with Playwright, and
axe-core. tests/conftest.py knows the fixtures.

`make test-web` and `make test-site` install them and set TTT_BROWSER to the program and TTT_AXE to
axe-core's script.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ttt import Board

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TIMEOUT = int(os.environ.get("TTT_WAIT", "240000"))
"""Milliseconds until a test gives up waiting: generous, for a busy machine."""


@contextmanager
def browser() -> Iterator["Browser"]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=os.environ["TTT_BROWSER"], args=FLAGS)
        yield found
        found.close()


class Visit:
    """A page of the server in a window of its own. Errors of the page, and requests to other
    machines, fail the test at `close`."""

    def __init__(
        self, browser: "Browser", home: str, width: int = 1280, height: int = 860, **more: Any
    ) -> None:
        self.home = home
        self.wrong: list[str] = []
        size: Any = {"width": width, "height": height}
        self.context = browser.new_context(viewport=size, **more)
        self.context.set_default_timeout(TIMEOUT)
        self.page: Page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", self.heard)
        self.page.on("request", self.requested)

    def heard(self, message: Any) -> None:
        if message.type == "error" and "status of 4" not in message.text:
            self.wrong.append(message.text)

    def requested(self, request: Any) -> None:
        if not request.url.startswith((self.home, "data:", "blob:")):
            self.wrong.append(f"request to {request.url}")

    def remember(self, **values: str) -> None:
        """Sets what the page remembers from earlier visits."""
        lines = "".join(
            f"localStorage.setItem('ttt.{name.replace('_', '-')}', '{value}');"
            for name, value in values.items()
        )
        self.page.add_init_script(lines)

    def open(self, query: str) -> "Page":
        self.page.goto(f"{self.home}/{query}")
        self.page.wait_for_selector("#board[data-ready]")
        return self.page

    def wait_for_ply(self, ply: int) -> None:
        self.page.wait_for_selector(f'#board[data-ply="{ply}"]')

    def play(self, board: Board, move: Any) -> None:
        """Clicks on the cell of a move, and makes it on `board` too."""
        self.page.click(f'#board [data-cell="{cell_of(board, move)}"]')
        board.push(move)

    def marks(self) -> str:
        """The marks that the board shows, in the order of the cells."""
        return str(
            self.page.evaluate(
                """() => [...document.querySelectorAll('#board [data-cell]')].map((cell) =>
                cell.querySelector('.mark .x') ? 'x' : cell.querySelector('.mark .o') ? 'o' : '.'
                ).join('')"""
            )
        )

    def violations(self) -> list[str]:
        """What axe-core finds wrong with the page as it is now."""
        self.page.wait_for_timeout(250)  # colours fade in
        self.page.evaluate(Path(os.environ["TTT_AXE"]).read_text(encoding="utf-8"))
        found = self.page.evaluate("() => axe.run(document)")
        return [
            f"{rule['id']}: {node['target']} {node['failureSummary']}"
            for rule in found["violations"]
            for node in rule["nodes"]
        ]

    def assert_finished(self, board: Board) -> None:
        """The page shows the end of the game, with the winning line."""
        self.wait_for_ply(len(board.moves))
        assert self.marks() == board.marks
        outcome = board.outcome()
        assert outcome is not None
        status = self.page.inner_text("#status")
        assert status.lower().startswith(str(outcome).removeprefix("a ").lower())
        if outcome.line:
            assert self.page.locator("#board .cell.won").count() == len(outcome.line)
            assert self.page.locator(".winline").count() >= 1

    def close(self) -> None:
        self.context.close()
        assert self.wrong == [], self.wrong


def next_move(board: Board) -> Any:
    """A move of a short game: a win if there is one, else somewhere."""
    legal = board.legal_moves
    wins = [move for move in board.wins() if move in legal]
    return wins[0] if wins else legal[(7 * board.ply + 3) % len(legal)]


def cell_of(board: Board, move: Any) -> int:
    """The cell that a legal move marks."""
    after = board.copy()
    after.push(move)
    cell = after.last_cell()
    assert cell is not None
    return cell


Open = Callable[..., Visit]
"""Opens a window: the home of the page, then what `Visit` takes."""


@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    with browser() as found:
        yield found


@pytest.fixture
def open_visit(chromium: "Browser") -> Iterator[Open]:
    """Opens windows, which are closed after the test."""
    visits: list[Visit] = []

    def start(home: str, **more: Any) -> Visit:
        visits.append(Visit(chromium, home, **more))
        return visits[-1]

    yield start
    for one in visits:
        one.close()
