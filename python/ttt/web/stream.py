"""Answers that wait for a search: a stream of server-sent events, or one JSON record. Both end the
search when the client goes away."""

import asyncio
import json
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from ttt.web.guard import problem
from ttt.web.records import Record
from ttt.web.searches import Search, Searches

PERIOD = 0.2
"""Seconds between two events: more often than that the eye sees flicker."""


async def wait_for_any(*futures: "asyncio.Future[Any]", timeout: float | None = None) -> None:
    """Returns when one of them is done, or after `timeout` seconds."""
    await asyncio.wait(futures, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)


async def disconnected(receive: Receive) -> None:
    """Returns when the client has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass


def event(name: str, record: Record) -> bytes:
    """A server-sent event."""
    return f"event: {name}\ndata: {json.dumps(record, separators=(',', ':'))}\n\n".encode()


def failure(search: Search) -> Record:
    """The error of a failed search, as the body of a problem."""
    error = search.done.exception()
    known = isinstance(error, ValueError | MemoryError)
    return {"title": "Search failed", "status": 500, "detail": str(error) if known else "error"}


class EventStream:
    """Sends `info` events with what is known so far, then a `result` or an `error` event."""

    def __init__(self, searches: Searches, search: Search) -> None:
        self.searches = searches
        self.search = search

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        search = self.search
        gone = asyncio.create_task(disconnected(receive))
        try:
            headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            while not gone.done():
                changed = asyncio.create_task(search.changed.wait())
                await wait_for_any(changed, gone, search.done)
                changed.cancel()
                if gone.done() or search.done.done():
                    break
                search.changed.clear()
                if search.latest is not None:
                    await self.send_event(send, event("info", search.latest()))
                await wait_for_any(gone, search.done, timeout=PERIOD)
            if not gone.done():
                await self.send_event(send, self.last_event())
                await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()
            self.searches.cancel(search)

    def last_event(self) -> bytes:
        done = self.search.done
        if done.exception() is not None:
            return event("error", failure(self.search))
        return event("result", done.result() or {})

    @staticmethod
    async def send_event(send: Send, body: bytes) -> None:
        await send({"type": "http.response.body", "body": body, "more_body": True})


class Reply:
    """Sends the result of a search as JSON."""

    def __init__(self, searches: Searches, search: Search) -> None:
        self.searches = searches
        self.search = search

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        search = self.search
        gone = asyncio.create_task(disconnected(receive))
        try:
            await wait_for_any(gone, search.done)
            if gone.done():
                return
            if search.done.exception() is not None:
                found = problem(500, failure(search)["detail"])
            elif search.done.result() is None or search.cancelled:
                found = problem(503, "the server is shutting down", {"retry-after": "5"})
            else:
                found = JSONResponse(search.done.result(), headers={"cache-control": "no-store"})
            await found(scope, receive, send)
        finally:
            gone.cancel()
            self.searches.cancel(search)
