"""HTTP connections: bounded in number, and closed if their client is too slow.

uvicorn waits for a request for ever. Here a whole request must arrive within
`WebLimits.request_seconds`; a client that sends its header or its body byte by byte holds a
connection no longer than that.
"""

import asyncio
import json
from http import HTTPStatus
from typing import Any

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from ttt.web.guard import problem
from ttt.web.limits import WebLimits


async def too_many_connections(scope: Scope, receive: Receive, send: Send) -> None:
    """The answer on a connection above the limit."""
    headers = {"retry-after": "1", "connection": "close"}
    await problem(503, "too many connections: try again", headers)(scope, receive, send)


class Connection(H11Protocol):
    """One connection."""

    def __init__(self, config: Any, server_state: Any, app_state: Any, _loop: Any = None) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.limits: WebLimits = config.app.state.limits
        self.deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self.app = too_many_connections
        self.wait_for_client()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.is_closing() or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self.stop_waiting()
        else:
            self.wait_for_client()

    def wait_for_client(self) -> None:
        """Gives the client time for the rest of its request; what it has left, if it has begun."""
        if self.deadline is None:
            self.deadline = self.loop.call_later(self.limits.request_seconds, self.give_up)

    def stop_waiting(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def give_up(self) -> None:
        self.refuse(408, f"no complete request within {self.limits.request_seconds:g} s")

    def send_400_response(self, msg: str) -> None:
        self.refuse(400, "not a valid HTTP request")

    def refuse(self, status: int, detail: str) -> None:
        """Closes the connection, with a reason if no response has begun."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            phrase = HTTPStatus(status).phrase
            body = json.dumps({"title": phrase, "status": status, "detail": detail})
            head = f"HTTP/1.1 {status} {phrase}\r\ncontent-type: application/problem+json"
            size = f"content-length: {len(body)}\r\nconnection: close"
            self.transport.write(f"{head}\r\n{size}\r\n\r\n{body}".encode())
        self.transport.close()
