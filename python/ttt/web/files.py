"""The files of the page: read once, kept in memory, so that no request reaches the file system."""

import gzip
import hashlib
import os
from functools import lru_cache
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from ttt.web.guard import problem
from ttt_core.errors import shorten

FOLDER = os.path.join(os.path.dirname(__file__), "page")
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


class PageFile(NamedTuple):
    body: bytes
    packed: bytes
    """The same, compressed with gzip."""
    type: str
    tag: str


@lru_cache(maxsize=1)
def page_files() -> dict[str, PageFile]:
    """All files of the page by name."""
    found = {}
    for name in sorted(os.listdir(FOLDER)):
        kind = TYPES.get(os.path.splitext(name)[1])
        if kind is not None:
            with open(os.path.join(FOLDER, name), "rb") as file:
                body = file.read()
            tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
            found[name] = PageFile(body, gzip.compress(body, 9, mtime=0), kind, tag)
    return found


async def serve_file(request: Request) -> Response:
    """A file of the page; browsers ask again each time, and are told if nothing has changed."""
    name = request.path_params.get("name", "") or "index.html"
    file = page_files().get(name)
    if file is None:
        return problem(404, f"no page {shorten(request.url.path)}; the page is at /")
    headers = {"etag": file.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(None, 304, headers)
    body = file.body
    if "gzip" in request.headers.get("accept-encoding", ""):
        body, headers["content-encoding"] = file.packed, "gzip"
    return Response(body, 200, {**headers, "content-type": file.type})
