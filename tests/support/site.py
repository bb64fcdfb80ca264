"""The site from a static server on this machine, as a project page or a school's web space would
host it, and questions to its engine. tests/conftest.py knows the fixtures."""

import functools
import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.browser import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SITE = Path(__file__).parent.parent.parent / "build/site"
ISOLATION = {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
}


class Host:
    """Where the site is. `gate` holds back the engine's largest file until it is set; `lost`: that
    file is not there; `asked` are the names of all files that were asked for."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.gate = threading.Event()
        self.gate.set()
        self.lost = False
        self.asked: list[str] = []


@contextmanager
def host(isolated: bool = True, below: str = "people/ann") -> Iterator[Host]:
    """Hosts the site below a path, as long as the context lasts; with or without the headers that
    let page and worker share memory."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            prefix = f"/{below}/"
            if not path.startswith(prefix):
                return "/nowhere"
            return super().translate_path(path[len(prefix) - 1 :])

        def do_GET(self) -> None:
            found.asked.append(self.path.rpartition("/")[2])
            if "wasm.packed" in self.path:
                found.gate.wait(600)
                if found.lost:
                    self.send_error(404)
                    return
            super().do_GET()

        def end_headers(self) -> None:
            for name, value in ISOLATION.items() if isolated else ():
                self.send_header(name, value)
            super().end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:  # a browser that goes away
            pass

    with Server(("127.0.0.1", 0), functools.partial(Handler, directory=str(SITE))) as server:
        found = Host(f"http://127.0.0.1:{server.server_address[1]}/{below}")
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield found
        finally:
            found.gate.set()
            server.shutdown()
            thread.join()


OpenHost = Callable[..., Host]


@pytest.fixture
def open_host() -> Iterator[OpenHost]:
    """Hosts the site until the windows of the test are closed: what they still load is not lost.
    To be named before `open_visit`."""
    with ExitStack() as hosts:
        yield lambda isolated=True: hosts.enter_context(host(isolated))


@pytest.fixture(scope="module")
def isolated() -> Iterator[Host]:
    """A host that lets page and worker share memory."""
    with host() as found:
        yield found


@pytest.fixture(scope="module")
def shared(chromium: "Browser", isolated: Host) -> Iterator["Page"]:
    """A page with a running engine, for tests that ask it directly."""
    one = Visit(chromium, isolated.home)
    page = one.open("?game=tictactoe")
    wait_for_engine(page, "shared")
    yield page
    one.close()


def wait_for_engine(page: "Page", kind: str) -> None:
    page.wait_for_selector(f'body[data-engine="{kind}"]')


def ask(page: "Page", name: str, request: dict[str, Any]) -> Any:
    """The answer of the page's engine."""
    script = """async ([name, request]) => {
        const { engine } = await import("./engine.js");
        return engine.call(name, request);
    }"""
    return page.evaluate(script, [name, request])


def answer(name: str, request: dict[str, Any]) -> Any:
    """The answer of native code to the same request."""
    from ttt.web.local import Local

    sent: list[tuple[str, str]] = []
    local = Local(lambda _, kind, text: sent.append((kind, text)), lambda: None)
    assert not local.handle(1, name, json.dumps(request))
    assert sent[-1][0] == "result", sent[-1]
    return json.loads(sent[-1][1])
