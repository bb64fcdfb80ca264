"""The routes: the page at /, the JSON API below /api."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, NoReturn

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from ttt.web import service
from ttt.web.files import page_files, serve_file
from ttt.web.guard import Guard, allowed_hosts, problem
from ttt.web.guests import Guests, GuestTask
from ttt.web.limits import DEFAULT_LIMITS, WebLimits
from ttt.web.openapi import description
from ttt.web.records import Record
from ttt.web.searches import Busy, Searches
from ttt.web.stream import EventStream, Reply
from ttt_core.errors import shorten

CACHEABLE = {"cache-control": "no-cache"}
FRESH = {"cache-control": "no-store"}
JSON = "application/json"


class Refused(Exception):
    """A request that cannot be answered: a status and the reason."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


async def read_body(request: Request, limits: WebLimits) -> bytes:
    """The body of a request, if it is not too large."""
    too_large = Refused(413, f"the body is too large: at most {limits.body:,} bytes")
    length = request.headers.get("content-length", "0")
    if length.isdigit() and int(length[:20]) > limits.body:
        raise too_large
    found = b""
    async for chunk in request.stream():
        found += chunk
        if len(found) > limits.body:
            raise too_large
    return found


def no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


async def read_json(request: Request) -> Record:
    """The JSON object in the body of a request; the query of a GET request, as texts."""
    if request.method in ("GET", "HEAD"):
        return dict(request.query_params)
    limits: WebLimits = request.app.state.limits
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise Refused(415, f"content type {shorten(kind)}: expected {JSON}")
    try:
        body = await asyncio.wait_for(read_body(request, limits), limits.body_seconds)
    except asyncio.TimeoutError:
        raise Refused(408, f"no complete body within {limits.body_seconds:g} s") from None
    try:
        found = json.loads(body.decode(), parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"the body is not valid JSON: {error}") from None
    if not isinstance(found, dict):
        raise Refused(400, "expected a JSON object")
    return found


Handler = Callable[[Request], Awaitable[Any]]


def refusing(handler: Handler) -> Handler:
    """A handler whose errors become problems."""

    async def handle(request: Request) -> Any:
        try:
            return await handler(request)
        except Refused as error:
            return problem(error.status, str(error))
        except (ValueError, TypeError) as error:
            return problem(400, str(error) or "invalid request")
        except MemoryError:
            return problem(503, "out of memory", {"retry-after": "10"})
        except Busy:
            many = request.app.state.limits.searches
            reason = f"{many} searches are running, which is the limit: try again"
            return problem(503, reason, {"retry-after": "1"})
        except ClientDisconnect:
            return Response(status_code=400)

    return handle


async def get_description(request: Request) -> Response:
    return JSONResponse(description(request.app.state.limits), headers=CACHEABLE)


async def answer(name: str, headers: dict[str, str], request: Request) -> Response:
    """Answers a request that needs no search."""
    asked = {**await read_json(request), **request.path_params}
    found = service.ANSWERS[name](asked, request.app.state.limits)
    if name == "games":
        found["guests"] = [*request.app.state.guests.specs]
    return JSONResponse(found, headers=headers)


async def export(request: Request) -> Response:
    text, kind, name = service.export(await read_json(request), request.app.state.limits)
    headers = {**FRESH, "content-disposition": f'attachment; filename="{name}"'}
    return Response(text, headers=headers, media_type=kind)


async def get_status(request: Request) -> Response:
    searches: Searches = request.app.state.searches
    running = [search.record() for search in searches.running]
    return JSONResponse({"running": running, "started": searches.started}, headers=FRESH)


async def search(name: str, make_answer: Any, request: Request) -> ASGIApp:
    """Starts a search and answers with its result."""
    state = request.app.state
    asked = await read_json(request)
    if name == "move" and asked.get("player") in [*state.guests.specs]:
        task: Any = GuestTask(state.guests, asked, state.limits)
    else:
        task = service.TASKS[name](asked, state.limits)
    found: ASGIApp = make_answer(state.searches, await state.searches.start(task))
    return found


async def on_http_error(request: Request, error: Exception) -> Response:
    """Unknown paths and methods."""
    assert isinstance(error, HTTPException)
    details = {
        404: f"nothing at {shorten(request.url.path)}; the page is at /, the API at /api",
        405: f"{request.method} is not possible at {shorten(request.url.path)}; see /api",
    }
    detail = details.get(error.status_code, error.detail)
    return problem(error.status_code, detail, dict(error.headers or {}))


def routes() -> list[Route]:
    def route(path: str, handler: Handler, *methods: str) -> Route:
        return Route(path, refusing(handler), methods=list(methods))

    return [
        route("/api", get_description, "GET"),
        route("/api/games", partial(answer, "games", CACHEABLE), "GET"),
        route("/api/games/{game}", partial(answer, "game", CACHEABLE), "GET"),
        route("/api/position", partial(answer, "position", FRESH), "GET", "POST"),
        route("/api/parse", partial(answer, "parse", FRESH), "POST"),
        route("/api/export", export, "POST"),
        route("/api/puzzles", partial(answer, "puzzles", CACHEABLE), "GET"),
        route("/api/puzzle", partial(answer, "puzzle", FRESH), "POST"),
        route("/api/status", get_status, "GET"),
        route("/api/move", partial(search, "move", Reply), "POST"),
        route("/api/analyse", partial(search, "analyse", EventStream), "POST"),
        route("/api/review", partial(search, "review", EventStream), "POST"),
        route("/", serve_file, "GET"),
        route("/{name}", serve_file, "GET"),
    ]


def make_app(
    limits: WebLimits = DEFAULT_LIMITS,
    host: str = "127.0.0.1",
    allow_hosts: Iterable[str] = (),
    players: Mapping[str, str] | None = None,
) -> Starlette:
    """The application of a server that listens on `host`. `players` are player texts by name, of
    any kind, that visitors may choose by their name; see `ttt.web.guests`."""
    searches = Searches(limits)
    guests = Guests(dict(players or {}), limits.searches, limits.move_seconds)
    page_files()  # read now, not at the first request

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        warm = asyncio.get_running_loop().run_in_executor(searches.executor, service.warm_up)
        yield
        await warm
        searches.cancel_all()
        await asyncio.gather(*searches.chores)
        searches.close()
        guests.close()

    guard = Middleware(Guard, limits=limits, hosts=allowed_hosts(host, allow_hosts))
    handlers: Any = {HTTPException: on_http_error}
    app = Starlette(
        routes=routes(), middleware=[guard], exception_handlers=handlers, lifespan=lifespan
    )
    app.router.redirect_slashes = False
    app.state.limits = limits
    app.state.searches = searches
    app.state.guests = guests
    return app
