"""The site from a static server on this machine, as a project page or a school's web space would
host it."""

import functools
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SITE = Path(__file__).parent.parent.parent / "build/site"
ISOLATION = {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
}


class Host:
    """Where the site is. `gate` holds back the engine's largest file until it is set."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.gate = threading.Event()
        self.gate.set()


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
            if "wasm.packed" in self.path:
                found.gate.wait(600)
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
