"""Requests to the web server that are almost valid, for `tests/test_web_load.py`."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from support.load import request
from ttt.puzzles.collection import shipped_puzzles

BODIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/api/position", {"game": "connect4", "moves": "4455"}),
    ("/api/position", {"game": "mnk", "options": {"m": 4, "n": 5, "k": 4}, "moves": ["a1", "b2"]}),
    ("/api/position", {"game": "ultimate", "position": "", "moves": "55 51"}),
    ("/api/position", {"game": "tictactoe", "position": "tictactoe xo./.../... x"}),
    ("/api/parse", {"text": "4455", "game": "connect4"}),
    ("/api/parse", {"text": '[Game "nineboard"]\n[Result "*"]\n\n5-5 5-1 *'}),
    ("/api/parse", {"text": "qubic", "game": "qubic", "options": ""}),
    ("/api/export", {"game": "qubic", "moves": "111 222", "format": "svg", "size": 300}),
    (
        "/api/export",
        {"game": "connect4", "format": "game", "headers": {"X": "me"}, "result": "1-0"},
    ),
    ("/api/puzzle", {"id": shipped_puzzles()[0].id, "moves": [shipped_puzzles()[0].move]}),
    ("/api/move", {"game": "tictactoe", "player": "level-2", "seed": 5}),
    ("/api/move", {"game": "nineboard", "player": "engine:nodes=100,depth=2", "moves": "55"}),
    ("/api/analyse", {"game": "connect4", "moves": "44", "nodes": 100, "time": 0.01, "depth": 3}),
    ("/api/review", {"game": "tictactoe", "moves": "5 1 9", "nodes": 100, "time": 0.01}),
)
PATHS = ("/", "/api", "/api/games", "/api/games/mnk", "/api/puzzles", "/api/status")
QUERIES = ("game=connect4&moves=44", "game=mnk&options=m=4,n=4,k=3", "game=", "moves=1", "=&&=")
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63), 10**40, 0.5, -0.0, 1e308, 5e-324,
    "", " ", "x", "0", "\0", "\n", "\ud800", "é", "😀", "../..", "a" * 3000, "9" * 5000, "%s%n",
    "level-3", "engine:", "engine:nodes=1e9", "engine:time=nan", "engine:hash=-1", "mcts:time=inf",
    "tictactoe", "nineboard", "connect4 x", "mnk:m=99 x", "m=4,n=4", "1-0", "svg", "4455", "1 5",
    [], {}, [[]], [None], [1], ["5", 5], ["1"] * 300, {"": ""}, {"m": "4"}, {"m": 0, "n": -1},
    {"full": "draw"}, {"columns": 1e300}, {"X": "a\nb"}, {"a": {"b": {"c": []}}},
)  # fmt: skip


def mutated_requests(random: Random, number: int) -> Iterator[bytes]:
    """So many requests, some of them valid."""
    for _ in range(number):
        yield mutated_get(random) if random.random() < 0.2 else mutated_post(random)


def mutated_get(random: Random) -> bytes:
    path = random.choice(PATHS)
    if random.random() < 0.7:
        path = random.choice(("/api/position", path)) + "?" + random.choice(QUERIES)
    if random.random() < 0.4:
        at = random.randrange(len(path))
        odd = random.choice(("%00", "%ff", "%2e%2e/", "//", "?", "&", "=", "%", "+", "~", "1" * 99))
        path = path[:at] + odd + path[at:]
    path = path if path.startswith("/") else f"/{path}"
    return request(random.choice(("GET", "GET", "GET", "HEAD", "OPTIONS", "PATCH")), path)


def mutated_post(random: Random) -> bytes:
    path, record = random.choice(BODIES)
    for _ in range(random.choice((0, 1, 1, 1, 2, 3))):
        record = mutated(random, record)
    body = json.dumps(record).encode()
    if random.random() < 0.25:
        body = damaged(random, body)
    headers = {}
    if random.random() < 0.1:
        headers["content-type"] = random.choice(
            ("", "text/plain", "application/json;x", "a/b" * 99)
        )
    if random.random() < 0.05:
        headers["host"] = random.choice(("", "[", "a:b:c", "evil.example", "127.0.0.1:99999"))
    if random.random() < 0.05:
        headers["origin"] = random.choice(("", "null", "http://[", "http://127.0.0.1", "x" * 500))
    return request("POST", path, body, **headers)


def mutated(random: Random, record: dict[str, Any]) -> dict[str, Any]:
    """A record with a field changed, removed, added or renamed."""
    found = dict(record)
    name = random.choice(sorted(found)) if found else "game"
    way = random.randrange(6)
    if way == 0:
        found.pop(name, None)
    elif way == 1:
        found[str(random.choice(ODD))] = random.choice(ODD)
    elif way == 2 and isinstance(found.get(name), dict) and found[name]:
        key = random.choice(sorted(found[name]))
        found[name] = {**found[name], key: random.choice(ODD)}
    elif way == 3 and isinstance(found.get(name), str) and found[name]:
        text = found[name]
        at = random.randrange(len(text))
        found[name] = (
            text[:at] + random.choice(("", "0", "x", "/", ",", "\0", text)) + text[at + 1 :]
        )
    else:
        found[name] = random.choice(ODD)
    return found


def damaged(random: Random, body: bytes) -> bytes:
    """A body with some bytes changed, removed or added."""
    at = random.randrange(len(body) + 1)
    way = random.randrange(5)
    if way == 0:
        return body[:at]
    if way == 1:
        return body[:at] + random.randbytes(3) + body[at:]
    if way == 2:
        return body[:at] + bytes([random.randrange(256)]) + body[at + 1 :]
    if way == 3:
        return random.choice((b"NaN", b"[]", b"null", b'"x"', b"1e999", b"[" * 9000, b"{}" * 2))
    return body + body
