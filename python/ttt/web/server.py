"""Runs the application with uvicorn; shows its address and the running searches on stderr."""

import asyncio
import errno
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterable, Mapping
from types import FrameType

import uvicorn
from starlette.applications import Starlette

from ttt.web.app import make_app
from ttt.web.guard import is_loopback
from ttt.web.limits import DEFAULT_LIMITS, WebLimits
from ttt.web.protocol import Connection
from ttt.web.searches import Searches
from ttt_core.system import ignore_broken_pipes

TICK = 0.5
"""Seconds between two updates of the terminal."""


class Server(uvicorn.Server):
    """A server that ends its searches at the first Ctrl-C."""

    loop: asyncio.AbstractEventLoop

    def __init__(self, app: Starlette) -> None:
        self.searches: Searches = app.state.searches
        config = uvicorn.Config(
            app,
            http=Connection,
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            timeout_graceful_shutdown=1,
            timeout_keep_alive=30,
        )
        super().__init__(config)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.loop.call_soon_threadsafe(self.searches.cancel_all)
        super().handle_exit(sig, frame)

    async def show_searches(self) -> None:
        """Keeps a line with the running searches, if stderr is a terminal."""
        shown = ""
        while not self.should_exit:
            text = describe(self.searches)
            if text != shown:
                print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
                shown = text
            await asyncio.sleep(TICK)
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        if sys.stderr.isatty():
            shower = self.loop.create_task(self.show_searches())
            shower.add_done_callback(lambda task: task.cancelled() or task.exception())
        await super().serve(sockets)


def describe(searches: Searches) -> str:
    """The running searches in a line."""
    records = [search.record() for search in searches.running]
    records.sort(key=lambda record: -record["seconds"])
    words = [
        " ".join(filter(None, (record["kind"], record["game"], record["player"])))
        + f" {record['seconds']:.0f} s"
        for record in records
    ]
    many = f"{len(words)} search{'es' if len(words) != 1 else ''}"
    return f"{many}: {', '.join(words)}"[:100] if words else ""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; OSError says why that is not possible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise OSError(error.errno, f"port {port} is in use; choose another: --port N") from None
        raise OSError(error.errno, f"cannot listen on {host}: {error.strerror}") from None


def address(host: str, port: int) -> str:
    """The address to open in a browser on this machine."""
    if host in ("0.0.0.0", "::"):
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def run(
    host: str = "127.0.0.1",
    port: int = 8000,
    limits: WebLimits = DEFAULT_LIMITS,
    allow_hosts: Iterable[str] = (),
    open_page: bool = False,
    players: Mapping[str, str] | None = None,
) -> None:
    """Serves the page until Ctrl-C or SIGTERM; `players` are those of `make_app`."""
    with listen(host, port) as listener:
        port = listener.getsockname()[1]
        app = make_app(limits, host, allow_hosts, players)
        server = Server(app)
        page = address(host, port)
        print(f"ttt web: {page} (Ctrl-C ends it)", file=sys.stderr, flush=True)
        if not is_loopback(host):
            print("ttt web: other machines can reach it", file=sys.stderr, flush=True)
        if open_page:
            threading.Timer(0.5, webbrowser.open, [page]).start()
        ignore_broken_pipes()  # a client that goes away must not end the server
        server.run(sockets=[listener])
