"""The web server in a thread, and a client for it."""

import http.client
import json
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from gzip import decompress
from typing import Any
from urllib.parse import urlencode

from support.processes import wait_until
from ttt.web.app import make_app
from ttt.web.limits import DEFAULT_LIMITS, WebLimits
from ttt.web.searches import Searches
from ttt.web.server import Server, listen

QUICK = DEFAULT_LIMITS._replace(rate=1e6, burst=10**6, wait=0.05)
"""Limits that tests do not reach by accident."""
ENDLESS = QUICK._replace(seconds=3600.0, move_seconds=3600.0)
"""Searches last until they are ended."""


class Response:
    """A whole response."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status_code = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.content = response.read()
        if self.headers.get("content-encoding") == "gzip":
            self.content = decompress(self.content)

    @property
    def text(self) -> str:
        return self.content.decode()

    def json(self) -> Any:
        return json.loads(self.content)


class Client:
    """Sends requests to a server, each on its own connection."""

    def __init__(self, port: int, searches: Searches) -> None:
        self.port = port
        self.searches = searches
        self.home = f"http://127.0.0.1:{port}"

    def start(
        self, method: str, path: str, content: Any = None, headers: dict[str, str] | None = None
    ) -> http.client.HTTPConnection:
        """Sends a request and does not wait for the response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        connection.request(method, path, content, headers or {})
        return connection

    def request(self, method: str, path: str, *given: Any) -> Response:
        connection = self.start(method, path, *given)
        try:
            return Response(connection.getresponse())
        finally:
            connection.close()

    def get(
        self,
        path: str,
        params: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Response:
        query = f"?{urlencode(params)}" if params else ""
        return self.request("GET", path + query, None, headers)

    def post(
        self,
        path: str,
        json: Any = None,
        content: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Response:
        if json is not None:
            content, headers = encode(json), {**JSON_TYPE, **(headers or {})}
        return self.request("POST", path, content, headers)

    def wait_until_idle(self) -> None:
        """Waits until no search is running."""
        wait_until(lambda: not self.get("/api/status").json()["running"])


JSON_TYPE = {"content-type": "application/json"}


def encode(record: Any) -> bytes:
    return json.dumps(record).encode()


@contextmanager
def serve(
    limits: WebLimits = QUICK,
    host: str = "127.0.0.1",
    allow_hosts: Iterable[str] = (),
    players: dict[str, str] | None = None,
) -> Iterator[Client]:
    """A server on a free port, as long as the context lasts."""
    with listen("127.0.0.1", 0) as listener:
        app = make_app(limits, host, allow_hosts, players)
        server = Server(app)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive(), "the server has not started"
                time.sleep(0.005)
            yield Client(listener.getsockname()[1], app.state.searches)
        finally:
            server.should_exit = True
            thread.join(300)
            assert not thread.is_alive(), "the server has not ended"
