"""The pages of the documentation in a real browser; `make test-docs` runs this."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if not (os.environ.get("TTT_BROWSER") and os.environ.get("TTT_DOCS")):
    pytest.skip("needs a browser and a site: run `make test-docs`", allow_module_level=True)

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SITE = Path(os.environ["TTT_DOCS"]).resolve()
PAGES = sorted(page for page in SITE.rglob("*.html") if "_static" not in page.parts)
FAULTS = """() => {
    const found = [];
    for (const box of [document.documentElement, ...document.querySelectorAll('.content')])
        if (box.scrollWidth > box.clientWidth) found.push(`${box.scrollWidth} pixels wide`);
    for (const image of document.images) {
        if (!image.naturalWidth) found.push(`no picture ${image.src}`);
        if (!image.alt && image.closest('article')) found.push(`no text for ${image.src}`);
    }
    return found;
}"""


@pytest.mark.parametrize(
    ("width", "scheme"),
    [(390, "light"), (390, "dark"), (1024, "light"), (1280, "dark"), (1600, "light")],
)
def test_pages_fit_the_window(chromium: "Browser", width: int, scheme: Any) -> None:
    """No page is wider than the window, lacks a picture, fails, or asks another machine."""
    context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    faults: list[str] = []
    requests: list[str] = []
    page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
    page.on("request", lambda request: requests.append(request.url))
    assert len(PAGES) > 40
    for path in PAGES:
        page.goto(path.as_uri())
        faults += [f"{path.relative_to(SITE)}: {fault}" for fault in page.evaluate(FAULTS)]
    context.close()
    faults += [url for url in requests if not url.startswith(("file:", "data:"))]
    assert faults == []
