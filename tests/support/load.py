"""A web server in its own process, and many clients for it. All loops are bounded in number, and
every wait in time."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

from support.commands import processor_time
from ttt.web.limits import DEFAULT_LIMITS, WebLimits

LATE = 300.0
"""Seconds after which a client gives up."""

CODE = """
import sys
from ttt.web import server
from ttt.web.limits import WebLimits
server.run(port=0, limits=WebLimits(*map(float, sys.argv[1:]))._replace(**{
    name: int(value) for name, value in zip(WebLimits._fields, map(float, sys.argv[1:]))
    if value == int(value)
}))
"""


class Answer(NamedTuple):
    """A response; status 0 if the server closed the connection without one."""

    status: int
    headers: dict[str, str]
    body: bytes

    def detail(self) -> str:
        """The reason of a refusal."""
        assert self.headers["content-type"] == "application/problem+json", self
        found: str = json.loads(self.body)["detail"]
        return found


class LoadServer:
    """A running server."""

    def __init__(self, process: "subprocess.Popen[str]", port: int) -> None:
        self.process = process
        self.port = port

    def memory(self) -> float:
        """Resident memory in MiB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", text)[0]) / 1024

    def threads(self) -> int:
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"Threads:\s+(\d+)", text)[0])

    def descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def processor_time(self) -> float:
        return processor_time(self.process.pid)[1]

    def status(self) -> Any:
        """The running searches and the number started."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=LATE)
        try:
            connection.request("GET", "/api/status")
            return json.load(connection.getresponse())
        finally:
            connection.close()

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def send(self, *parts: bytes, pause: float = 0.0) -> Answer:
        """Sends bytes, with pauses between the parts, until there is a response."""
        reader, writer = await self.open()
        answer = asyncio.ensure_future(read_answer(reader))
        try:
            for number, part in enumerate(parts):
                if number:
                    await asyncio.wait({answer}, timeout=pause)
                if answer.done():
                    break
                writer.write(part)
            return await asyncio.wait_for(answer, LATE)
        finally:
            writer.close()


async def read_answer(reader: asyncio.StreamReader) -> Answer:
    """The first response on a connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return Answer(0, {}, b"")
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
    status = int(first.split()[1])
    try:
        if "content-length" in headers:
            return Answer(status, headers, await reader.readexactly(int(headers["content-length"])))
        body = b""
        while headers.get("transfer-encoding") == "chunked":
            size = int(await reader.readline(), 16)
            body += await reader.readexactly(size)
            await reader.readexactly(2)
            if size == 0:
                break
        return Answer(status, headers, body)
    except (asyncio.IncompleteReadError, ConnectionError, ValueError):
        return Answer(status, headers, b"")


def request(method: str, path: str, body: bytes | None = None, **headers: str) -> bytes:
    """A request of a client that closes the connection afterwards."""
    given = {"host": "127.0.0.1", "connection": "close", **headers}
    if body is not None:
        given = {"content-type": "application/json", "content-length": str(len(body)), **given}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in given.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b"")


def post(path: str, record: Any, **headers: str) -> bytes:
    return request("POST", path, json.dumps(record).encode(), **headers)


async def in_groups(
    number: int, together: int, client: Callable[[int], Awaitable[Any]]
) -> list[Any]:
    """Runs so many clients, some of them at the same time."""
    found: list[Any] = []
    for first in range(0, number, together):
        group = range(first, min(number, first + together))
        found += await asyncio.gather(*(client(index) for index in group))
    return found


@contextmanager
def load_server(limits: WebLimits = DEFAULT_LIMITS) -> Iterator[LoadServer]:
    """A server with some limits; asserts that it ends in peace and without a traceback."""
    arguments = [str(value) for value in limits]
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, *arguments], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line + process.stderr.read()
        yield LoadServer(process, int(found[1]))
        assert process.poll() is None, "the server has ended"
    finally:
        process.terminate()
        try:
            _, errors = process.communicate(timeout=300)
        finally:
            process.kill()
    assert errors == "", errors
