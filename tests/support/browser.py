"""A real browser for the tests of the page: Chromium, driven by Playwright, and axe-core.

`make test-web` installs them and sets TTT_BROWSER to the program and TTT_AXE to axe-core's script.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
TIMEOUT = int(os.environ.get("TTT_WAIT", "60000"))
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

    def close(self) -> None:
        self.context.close()
        assert self.wrong == []
