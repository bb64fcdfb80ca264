"""The web server as a whole: clients that go away, Ctrl-C, the command line."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from support import commands, inprocess
from support.processes import wait_until

pytest.importorskip("starlette", reason="needs the extra [web]: Starlette")
pytest.importorskip("uvicorn", reason="needs the extra [web]: uvicorn")

from support.web import ENDLESS, JSON_TYPE, QUICK, Client, encode, serve
from ttt.web import files, server
from ttt.web.searches import Searches

LONG: list[tuple[str, dict[str, Any]]] = [
    ("analyse", {"game": "connect4"}),
    ("analyse", {"game": "nineboard"}),
    ("analyse", {"game": "ultimate"}),
    ("analyse", {"game": "qubic", "moves": "111 222"}),
    ("analyse", {"game": "mnk", "options": "m=8,n=8,k=5"}),
    ("review", {"game": "ultimate", "moves": "55 51 12", "nodes": 10**9}),
    ("move", {"game": "connect4", "player": "engine:time=3600,nodes=1000000000"}),
    ("move", {"game": "nineboard", "player": "mcts:time=3600"}),
    ("move", {"game": "ultimate", "player": "minimax:depth=30"}),
    ("move", {"game": "qubic", "player": "montecarlo:time=3600"}),
]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with serve(ENDLESS) as client:
        yield client


@pytest.mark.parametrize(("path", "body"), LONG, ids=str)
def test_a_search_ends_when_its_client_goes_away(
    path: str, body: dict[str, Any], client: Client
) -> None:
    connection = client.start("POST", f"/api/{path}", encode(body), JSON_TYPE)
    wait_until(lambda: client.get("/api/status").json()["running"])
    time.sleep(0.2)
    assert connection.sock is not None
    connection.sock.close()
    client.wait_until_idle()


def test_clients_that_vanish_at_once_leave_nothing(client: Client) -> None:
    for number in range(40):
        body = {"game": "connect4" if number % 2 else "qubic"}
        connection = client.start("POST", "/api/analyse", encode(body), JSON_TYPE)
        if number % 3 == 0:
            time.sleep(0.02)
        connection.close()
    client.wait_until_idle()


def test_a_crowd_is_served_or_refused(client: Client) -> None:
    """More clients than places: each gets a result or 503 with Retry-After."""
    body = encode({"game": "ultimate", "time": 1})
    crowd = [client.start("POST", "/api/analyse", body, JSON_TYPE) for _ in range(30)]
    answers = [connection.getresponse() for connection in crowd]
    served = [answer for answer in answers if answer.status == 200]
    assert len(served) >= QUICK.searches
    for answer in answers:
        if answer.status == 200:
            assert b"event: result" in answer.read()
        else:
            assert (answer.status, answer.getheader("retry-after")) == (503, "1")
        answer.close()
    for connection in crowd:
        connection.close()
    assert len(client.searches.engines.idle) <= QUICK.searches


def test_engines_are_kept_and_closed() -> None:
    with serve(QUICK._replace(searches=2)) as client:
        for game in ("tictactoe", "mnk", "tictactoe", "connect4"):
            client.post("/api/analyse", json={"game": game, "nodes": 100})
        searches: Searches = client.searches
        assert [engine.game for engine in searches.engines.idle] == ["tictactoe", "connect4"]
    assert searches.engines.idle == []


def start_server(*arguments: str) -> tuple["subprocess.Popen[str]", int]:
    """`ttt web` on a free port."""
    process = commands.start("web", "--port", "0", *arguments)
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
    assert found, line
    return process, int(found[1])


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_searches_and_server(kind: signal.Signals) -> None:
    process, port = start_server("--seconds", "3600")
    crowd = []
    for path, body in LONG[:6]:
        connection = HTTPConnection("127.0.0.1", port, timeout=300)
        connection.request("POST", f"/api/{path}", encode(body), JSON_TYPE)
        crowd.append(connection)

    def running() -> int:
        connection = HTTPConnection("127.0.0.1", port, timeout=300)
        connection.request("GET", "/api/status")
        found = json.load(connection.getresponse())["running"]
        connection.close()
        return len(found)

    wait_until(lambda: running() == len(crowd))
    os.kill(process.pid, kind)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 128 + kind
    assert "Traceback" not in errors
    for connection in crowd:
        connection.close()


def test_command_line_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "0 to 65535" in inprocess.run("web", "--port", "70000").stderr
    assert "searches=0" in inprocess.run("web", "--searches", "0").stderr
    with serve() as client:
        taken = inprocess.run("web", "--port", str(client.port))
    assert taken.returncode == 1
    assert f"port {client.port} is in use" in taken.stderr
    monkeypatch.setattr("ttt.cli.web.find_spec", lambda name: None)
    assert "pip install 'ttt-engine[web]'" in inprocess.run("web").stderr


def test_addresses() -> None:
    assert server.address("0.0.0.0", 80) == "http://localhost:80/"
    assert server.address("::1", 80) == "http://[::1]:80/"
    with pytest.raises(OSError, match=r"cannot listen on 203\.0\.113\.1"):
        server.listen("203.0.113.1", 0)


def test_the_terminal_shows_the_searches(client: Client) -> None:
    assert server.describe(client.searches) == ""
    body = encode({"game": "ultimate", "player": "engine:time=3600"})
    connection = client.start("POST", "/api/move", body, JSON_TYPE)
    wait_until(lambda: client.searches.running)
    shown = server.describe(client.searches)
    assert re.fullmatch(r"1 search: move ultimate engine:time=3600 \d+ s", shown)
    connection.close()
    client.wait_until_idle()


def test_serving_imports_neither_numpy_nor_the_command_line() -> None:
    code = (
        "import sys; from ttt.web.app import make_app; make_app();"
        "print([name for name in ('numpy', 'argparse', 'ttt.cli') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_page_is_small_and_leaves_the_machine_alone() -> None:
    """At most 120 kB in all, without any address of another machine, inline script or style."""
    pages = {name: file.body.decode() for name, file in files.page_files().items()}
    assert sum(len(text.encode()) for text in pages.values()) < 120_000
    for name, text in pages.items():
        addresses = set(re.findall(r"https?://[^\s\"'`)<]+", text))
        assert addresses <= {"http://www.w3.org/2000/svg"}, name
    html = pages["index.html"]
    assert not re.search(r"<script(?![^>]*\bsrc=)", html)
    assert not re.search(r"\son\w+=|\sstyle=|<style", html)
    assert {path.name for path in Path(files.FOLDER).iterdir()} == set(pages)
