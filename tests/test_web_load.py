"""The web server under load and under attack, on loopback.

A small version by default; `make test-web-load` runs all of it and prints the figures.
"""

import asyncio
import json
import os
import random
import signal
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs the extra [web]: Starlette")
pytest.importorskip("uvicorn", reason="needs the extra [web]: uvicorn")

from support.load import Answer, LoadServer, in_groups, load_server, post, request
from support.processes import wait_until
from support.requests import mutated_requests
from ttt.web.limits import DEFAULT_LIMITS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

FULL = bool(os.environ.get("TTT_WEB_LOAD"))
CROWD = 200 if FULL else 40
VANISHING = 1_000 if FULL else 48
MUTATED = 10_000 if FULL else 400

FREE = DEFAULT_LIMITS._replace(rate=1e6, burst=10**6)
"""Without a limit on the searches of one address."""
ENDLESS = FREE._replace(seconds=3600.0, move_seconds=3600.0)
"""Searches last until they are ended."""
QUICK = FREE._replace(seconds=0.02, move_seconds=0.02, nodes=2_000, hash=1)
"""Searches that end at once, for requests that are about something else."""
GAMES = ("connect4", "nineboard", "ultimate", "qubic", "mnk", "tictactoe")


def report(text: str) -> None:
    """A measured figure, shown by `make test-web-load`."""
    print(f"\n    {text}", end=" ")


def served_or_refused(answer: Answer) -> int:
    """The status of an answer to a search: a complete result, or a refusal that says when to try
    again."""
    if answer.status == 200:
        assert b"event: result" in answer.body, answer.body[-200:]
    else:
        assert answer.status in (429, 503), answer
        assert int(answer.headers["retry-after"]) >= 1
        assert answer.detail()
    return answer.status


# --- load ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "games", "growth"),
    [(DEFAULT_LIMITS, GAMES, 1024), (FREE._replace(hash=1), ("ultimate", "mnk"), 24)],
    ids=["default", "no-rate-limit"],
)
def test_a_crowd_is_served_or_refused(limits: Any, games: tuple[str, ...], growth: float) -> None:
    """Every client of each crowd gets an answer. Memory is bounded by the tables of the engines and
    solvers; with small tables and games without a solver it stays flat."""

    async def client(number: int) -> int:
        body = {"game": games[number % len(games)], "time": 0.5}
        return served_or_refused(await crowded.send(post("/api/analyse", body)))

    with load_server(limits) as crowded:
        start = crowded.memory()
        memory = []
        for _ in range(5 if FULL else 3):
            answers = Counter(asyncio.run(in_groups(CROWD, CROWD, client)))
            assert sum(answers.values()) == CROWD
            assert answers[200] >= 1
            memory.append(crowded.memory())
            report(f"{CROWD} clients: {dict(sorted(answers.items()))}, {memory[-1]:.0f} MiB")
        report(f"{start:.0f} MiB before, {crowded.descriptors()} descriptors after")
        assert memory[-1] < memory[0] + growth
        assert crowded.status()["running"] == []
        wait_until(lambda: crowded.descriptors() < 40)


def test_clients_that_vanish_leave_no_search() -> None:
    """Clients that go away in mid-search, half of them with a reset."""

    async def client(number: int) -> int:
        body = {"game": GAMES[number % 4], "time": 3600}
        reader, writer = await loaded.open()
        writer.write(post("/api/analyse", body))
        head = await asyncio.wait_for(reader.readline(), 300)
        if number % 2:
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await asyncio.sleep(0.01 * (number % 5))
        writer.transport.abort() if number % 2 else writer.close()
        return int(head.split()[1])

    with load_server(ENDLESS._replace(wait=300.0)) as loaded:
        before = asyncio.run(in_groups(8, 8, client))
        memory, began = loaded.memory(), time.perf_counter()
        answers = Counter(asyncio.run(in_groups(VANISHING, 16, client)))
        assert answers == {200: VANISHING}
        seconds = time.perf_counter() - began
        began = time.perf_counter()
        wait_until(lambda: not loaded.status()["running"])
        idle = time.perf_counter() - began
        assert loaded.status()["started"] == VANISHING + len(before)
        spent = loaded.processor_time()
        time.sleep(1.0)
        spent = loaded.processor_time() - spent
        report(
            f"{VANISHING} vanished in {seconds:.0f} s; idle after {idle:.2f} s, then"
            f" {spent:.2f} s of processor time per second; {memory:.0f} to"
            f" {loaded.memory():.0f} MiB; {loaded.descriptors()} descriptors,"
            f" {loaded.threads()} threads"
        )
        assert spent < 0.5
        wait_until(lambda: loaded.descriptors() < 40)


def test_mutated_requests_give_no_server_error() -> None:
    answers: Counter[int] = Counter()
    requests = list(mutated_requests(random.Random(1), MUTATED))

    async def client(number: int) -> None:
        answer = await loaded.send(requests[number])
        answers[answer.status] += 1
        shown = requests[number][:300], answer
        assert 200 <= answer.status < 500, shown
        if answer.status >= 400 and not requests[number].startswith(b"HEAD"):
            assert answer.detail(), shown

    with load_server(QUICK._replace(request_seconds=2.0, wait=60.0)) as loaded:
        memory = loaded.memory()
        asyncio.run(in_groups(MUTATED, 8, client))
        assert loaded.status()["running"] == []
        report(f"{MUTATED} requests: {dict(sorted(answers.items()))}")
        report(f"{memory:.0f} to {loaded.memory():.0f} MiB")
    assert answers[200] >= MUTATED // 20
    assert answers[400] >= MUTATED // 20


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_searches(kind: signal.Signals) -> None:
    """With all places taken, by clients that read and clients that do not."""

    async def crowd() -> float:
        writers = []
        for number in range(8):
            path = "/api/move" if number % 3 == 2 else "/api/analyse"
            more = {"player": "engine:time=3600"} if number % 3 == 2 else {"time": 3600}
            _, writer = await loaded.open()
            writer.write(post(path, {"game": GAMES[number % 4], **more}))
            writers.append(writer)
        await asyncio.to_thread(wait_until, lambda: len(loaded.status()["running"]) == 8)
        began = time.perf_counter()
        loaded.process.send_signal(kind)
        await asyncio.to_thread(loaded.process.wait, 300)
        seconds = time.perf_counter() - began
        for writer in writers:
            writer.close()
        return seconds

    seconds = 0.0
    with (
        pytest.raises(AssertionError, match="the server has ended"),
        load_server(ENDLESS) as loaded,
    ):
        seconds = asyncio.run(crowd())
    report(f"{kind.name}: ended after {seconds:.2f} s")
    assert loaded.process.returncode in (130, -kind)


# --- attacks -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[LoadServer]:
    with load_server(QUICK) as server:
        yield server


@pytest.fixture(scope="module")
def impatient() -> Iterator[LoadServer]:
    """A server that does not wait for slow clients."""
    with load_server(QUICK._replace(body_seconds=0.3, request_seconds=3.0)) as server:
        yield server


OK = {"game": "tictactoe"}


@pytest.mark.parametrize(
    ("sent", "status", "reason"),
    [
        (post("/api/position", OK, host="evil.example"), 421, "evil.example"),
        (post("/api/position", OK, host="127.0.0.1.evil.example"), 421, "not this server"),
        (post("/api/position", OK, origin="http://evil.example"), 403, "evil.example"),
        (request("POST", "/api/position", b'{"a": "' + b"x" * 70_000 + b'"}'), 413, "65,536"),
        (request("POST", "/api/position", b"", **{"content-length": "9" * 18}), 413, "65,536"),
        (request("POST", "/api/position", b"{}", **{"content-length": "9" * 30}), 400, "HTTP"),
        (request("POST", "/api/position", b"{}", **{"content-length": "-1"}), 400, "HTTP"),
        (request("POST", "/api/position", b"{}", **{"content-length": "1, 2"}), 400, "HTTP"),
        (request("GET", "/../../../../etc/passwd"), 404, "nothing at"),
        (request("GET", "/%2e%2e%2f%2e%2e%2fetc/passwd"), 404, "nothing at"),
        (request("GET", "/..%5c..%5cpyproject.toml"), 404, "page"),
        (request("GET", "/index.html%00.png"), 404, "page"),
        (request("GET", "/%ff%fe"), 404, "page"),
        (request("GET", "http://evil.example/"), 404, ""),
        (request("GET", "/" + "a" * 20_000), 404, "page"),
        (request("GET", "/" + "a" * 200_000), 400, "HTTP"),
        (request("GET", "/", x="a" * 200_000), 400, "HTTP"),
        (request("PUT", "/api/position", b"{}"), 405, "PUT is not possible"),
        (request("DELETE", "/api/games"), 405, "DELETE is not possible"),
        (request("OPTIONS", "/api/analyse"), 405, "OPTIONS is not possible"),
        (request("TRACE", "/"), 405, "TRACE is not possible"),
        (request("CONNECT", "evil.example:443"), 404, ""),
        (request("BREW", "/"), 405, "BREW is not possible"),
        (post("/api/position", {"game": "chess"}), 400, "unknown game 'chess'"),
        (post("/api/position", {**OK, "moves": "55"}), 400, "that cell is taken"),
        (post("/api/analyse", {**OK, "time": 1e9}), 400, "at most"),
        (post("/api/analyse", {**OK, "time": "1"}), 400, "expected seconds"),
        (post("/api/analyse", {**OK, "nodes": 10**400}), 400, "at most"),
        (post("/api/analyse", {**OK, "depth": -1}), 400, "depth"),
        (post("/api/analyse", {**OK, "moves": {}}), 400, "expected a list of moves"),
        (request("POST", "/api/analyse", b'{"time": ' + b"9" * 60_000 + b"}"), 400, "JSON"),
        (request("POST", "/api/position", b"[" * 60_000), 400, "JSON"),
        (request("POST", "/api/position", b'{"a":' * 10_000), 400, "JSON"),
        (request("POST", "/api/position", b'{"game": NaN}'), 400, "NaN"),
        (request("POST", "/api/position", b'{"game": -Infinity}'), 400, "-Infinity"),
        (request("POST", "/api/position", b"\xff\xfe\x00"), 400, "JSON"),
        (request("POST", "/api/position", b'{"game": "\xc3\x28"}'), 400, "JSON"),
        (request("POST", "/api/parse", b'{"text": "\\ud800"}'), 400, ""),
        (post("/api/export", {**OK, "format": "game", "headers": {"X": "\ud800"}}), 400, ""),
        (request("POST", "/api/position", b"{}", **{"content-type": "text/xml"}), 415, "text/xml"),
        (b"\r\n\r\n\r\nGARBAGE\r\n\r\n", 400, "HTTP"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 50, 400, "HTTP"),
        (b"GET / HTTP/1.1\r\n\r\n", 400, "HTTP"),
        (b"GET /api/status HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", 400, "HTTP"),
        (b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nbad header\r\n\r\n", 400, "HTTP"),
        (b"GET \xff HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n", 400, "HTTP"),
    ],
    ids=lambda value: repr(value[:50]) if isinstance(value, bytes) else None,
)
def test_hostile_requests_are_refused(
    sent: bytes, status: int, reason: str, server: LoadServer
) -> None:
    answer = asyncio.run(server.send(sent))
    assert answer.status == status, answer
    assert reason in answer.detail()


def test_head_has_no_body(server: LoadServer) -> None:
    async def answers() -> list[bytes]:
        found = []
        for path in ("/", "/api/games", "/nothing"):
            reader, writer = await server.open()
            writer.write(request("HEAD", path))
            found.append(await asyncio.wait_for(reader.read(), 300))
            writer.close()
        return found

    statuses = [200, 200, 404]
    for answer, status in zip(asyncio.run(answers()), statuses, strict=True):
        head, _, body = answer.partition(b"\r\n\r\n")
        assert int(head.split()[1]) == status
        assert body == b""


def test_slow_clients_are_cut_off(impatient: LoadServer) -> None:
    """A header or a body that arrives byte by byte, or never."""
    whole = post("/api/position", OK)
    begin = whole[:-20]
    chunked = (
        b"POST /api/position HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    )
    chunked += b"transfer-encoding: chunked\r\n\r\n"

    async def drip(*parts: bytes) -> Answer:
        return await asyncio.wait_for(impatient.send(*parts, pause=0.05), 300)

    async def answers() -> tuple[Answer, ...]:
        return await asyncio.gather(
            impatient.send(b""),
            impatient.send(b"GET / HTTP/1.1\r\nhost: 127"),
            drip(*(bytes([byte]) for byte in b"GET / HTTP/1.1\r\nx: " + b"y" * 100)),
            impatient.send(begin),
            drip(begin, *(b" " for _ in range(100))),
            drip(chunked, *(b"1\r\n \r\n" for _ in range(100))),
        )

    silent, header, dripping, body, slow_body, chunks = asyncio.run(answers())
    for answer in (silent, header, dripping):
        assert answer.status == 408, answer
        assert "no complete request within 3 s" in answer.detail()
    for answer in (body, slow_body, chunks):
        assert answer.status == 408, answer
        assert "no complete body within 0.3 s" in answer.detail()


def test_a_refused_client_cannot_go_on_sending(impatient: LoadServer) -> None:
    """The connection is closed although the body never ends, so that none is held for ever."""

    async def is_closed() -> bool:
        reader, writer = await impatient.open()
        head = b"POST /nothing HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 60000\r\n\r\n"
        writer.write(head)
        began = time.perf_counter()
        closed = False
        while not closed and time.perf_counter() - began < 300:
            try:
                writer.write(b" ")
                closed = await asyncio.wait_for(reader.read(1000), 0.05) == b""
            except asyncio.TimeoutError:
                continue
            except ConnectionError:
                closed = True
        writer.close()
        return closed

    assert asyncio.run(is_closed())


def test_garbage_after_a_request_harms_nobody(server: LoadServer) -> None:
    """Pipelined requests and garbage, a broken chunk after the response has begun."""
    good = b"GET /api/status HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
    chunk = b"POST /nothing HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n"
    search = json.dumps({"game": "ultimate", "time": 0.02}).encode()
    analyse = b"POST /api/analyse HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    analyse += b"content-length: %d\r\n\r\n%s" % (len(search), search)

    async def send(*parts: bytes) -> bytes:
        reader, writer = await server.open()
        for part in parts:
            writer.write(part)
            await asyncio.sleep(0.05)
        found = await asyncio.wait_for(reader.read(), 300)
        writer.close()
        return found

    async def answers() -> tuple[bytes, ...]:
        return await asyncio.gather(
            send(good * 3 + b"GARBAGE\r\n\r\n"),
            send(analyse + b"\0\1\2 garbage\r\n\r\n"),
            send(chunk, b"zz\r\n"),
            send(good, b"\r\n\r\n\0"),
        )

    pipelined, streamed, broken, idle = asyncio.run(answers())
    assert pipelined.count(b"HTTP/1.1 200") == 3
    assert pipelined.count(b"HTTP/1.1 400") == 1
    assert b"event: result" in streamed
    assert broken.startswith(b"HTTP/1.1 405")
    assert idle.startswith(b"HTTP/1.1 200")


def test_too_many_connections_are_refused_with_a_reason() -> None:
    async def answers() -> tuple[Answer, Answer]:
        held = [await loaded.open() for _ in range(3)]
        refused = await loaded.send(request("GET", "/api/status"))
        for _, writer in held:
            writer.close()
        for _ in range(3000):
            free = await loaded.send(request("GET", "/api/status"))
            if free.status == 200:
                break
            await asyncio.sleep(0.1)
        return refused, free

    with load_server(QUICK._replace(connections=3)) as loaded:
        refused, free = asyncio.run(answers())
    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    assert "too many connections" in refused.detail()
    assert free.status == 200
