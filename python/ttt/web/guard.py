"""Checks every request before a route sees it: where it comes from, and how many there are.

- The Host must be a name of this server, so that a foreign name that resolves to this machine
  (DNS rebinding) reaches nothing.
- The Origin, if there is one, must be the page of this server.
- A client address may start only so many searches per second.

Every response gets headers that forbid foreign content, framing and sniffing.
"""

import ipaddress
import logging
import math
import socket
from collections import OrderedDict
from collections.abc import Callable, Iterable
from http import HTTPStatus
from time import monotonic
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ttt.web.limits import WebLimits
from ttt_core.errors import shorten

SEARCHES = ("/api/move", "/api/analyse", "/api/review")
"""Paths that start a search."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
CLIENTS = 4_096
"""Client addresses that are remembered."""


def problem(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    """An error as application/problem+json (RFC 9457). The detail may quote what a client sent, so
    half of a surrogate pair is escaped."""
    detail = detail.encode(errors="backslashreplace").decode()
    record = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return JSONResponse(record, status, headers, "application/problem+json")


class Rates:
    """A token bucket for each client address."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self.rate = rate
        self.burst = burst
        self.clock = clock
        self.buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> float:
        """Takes a token: 0, or the seconds until there is one."""
        now = self.clock()
        tokens, then = self.buckets.pop(client, (float(self.burst), now))
        tokens = min(self.burst, tokens + (now - then) * self.rate)
        missing = max(0.0, 1 - tokens)
        self.buckets[client] = (tokens if missing else tokens - 1, now)
        if len(self.buckets) > CLIENTS:
            self.buckets.popitem(last=False)
        return missing / self.rate


def allowed_hosts(host: str, more: Iterable[str] = ()) -> frozenset[str]:
    """The names under which a server that listens on `host` may be asked for. "*ip" stands for any
    address: a page of a foreign name cannot use one."""
    names = {*LOOPBACK, host.lower(), *(name.lower() for name in more)}
    if not is_loopback(host):
        names |= {"*ip", socket.gethostname().lower()}
    return frozenset(names)


def is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether a host to listen on can be reached from this machine only."""
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)


class Guard:
    """The ASGI middleware around all routes."""

    def __init__(self, app: ASGIApp, limits: WebLimits, hosts: frozenset[str]) -> None:
        self.app = app
        self.hosts = hosts
        self.rates = Rates(limits.rate, limits.burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        refusal = self.refusal(scope)
        try:
            await (refusal or self.app)(scope, receive, send_guarded)
        except Exception:
            logging.getLogger("ttt.web").exception("%s %s", scope["method"], scope["path"])
            if not started:
                broken = problem(500, "an error in the server; its terminal shows more")
                await broken(scope, receive, send_guarded)

    def refusal(self, scope: Scope) -> Response | None:
        """Why a request is refused; None if it is not."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            name = ""
        if name not in self.hosts and not ("*ip" in self.hosts and is_address(name)):
            return problem(421, f"host {shorten(host)} is not this server; see --allow-host")
        origin = headers.get("origin")
        if origin is not None and urlsafe_netloc(origin) != host.lower():
            return problem(403, f"requests from {shorten(origin)} are not allowed")
        if scope["path"] in SEARCHES and scope["method"] == "POST":
            client = scope["client"][0] if scope.get("client") else ""
            wait = self.rates.wait(client)
            if wait:
                after = {"retry-after": str(math.ceil(wait))}
                return problem(429, f"too many searches: try again in {wait:.1f} s", after)
        return None


def urlsafe_netloc(origin: str) -> str:
    """The host and port of an origin; empty if it has none."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return ""
    return parts.netloc.lower() if parts.scheme in ("http", "https") else ""
