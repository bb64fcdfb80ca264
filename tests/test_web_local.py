"""The parts of the site that run natively: its Python side, and the checks of its modules."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ttt.web.local import Local, missing_module
from ttt.web.site.bundles import bundle, owner
from ttt.web.site.imports import complaints, exports, imports


class Page:
    """The page of a `Local`: keeps what it is sent, and may interrupt: when it hears of a running
    search, or at once."""

    def __init__(
        self, *urgent: tuple[int, str, Any], shared: bool = True, at_once: bool = False
    ) -> None:
        self.heard = at_once
        self.urgent = [
            json.dumps({"id": number, "name": name, "request": json.dumps(request)})
            for number, name, request in urgent
        ]
        self.sent: list[tuple[int, str, Any]] = []
        self.local = Local(self.post, self.fetch if shared else None)

    def post(self, number: int, kind: str, text: str) -> None:
        self.sent.append((number, kind, json.loads(text)))
        if kind == "info" and self.urgent:
            self.heard = True
            self.local.interrupt()

    def fetch(self) -> str | None:
        return self.urgent.pop(0) if self.heard and self.urgent else None

    def ask(self, name: str, request: Any, between: Callable[[], None] = lambda: None) -> Any:
        if self.local.handle(1, name, json.dumps(request)):
            while self.local.step():
                between()
        return [record for number, kind, record in self.sent if kind != "info"]


@pytest.fixture(autouse=True)
def keep_signal_handler() -> Any:
    import signal

    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize(
    ("name", "request_", "expected"),
    [
        ("position", {"game": "tictactoe", "moves": "51"}, {"ply": 2, "turn": "x"}),
        ("export", {"game": "connect4", "moves": "44", "format": "moves"}, {"text": "4 4\n"}),
        ("move", {"game": "tictactoe", "moves": "1425", "player": "level-8"}, {"move": "3"}),
        ("analyse", {"game": "connect4", "moves": "4444443333335"}, {"proven": True}),
        ("review", {"game": "tictactoe", "moves": "5273149"}, {"turning_point": 2}),
        ("position", {"game": "chess"}, {"detail": "unknown game 'chess'; choose from "}),
        ("nothing", {}, {"detail": "unknown request 'nothing'"}),
        ("move", {"game": "mnk"}, {"detail": "player is missing"}),
    ],
)
def test_answers(name: str, request_: Any, expected: dict[str, Any], shared: bool) -> None:
    (found,) = Page(shared=shared).ask(name, request_)
    for field, value in expected.items():
        if field == "detail":
            assert found[field].startswith(value)
        else:
            assert found[field] == value


def test_slices_find_the_same_as_one_call() -> None:
    request = {"game": "connect4", "moves": "4444443333335"}
    (whole,) = Page().ask("analyse", request)
    (sliced,) = Page(shared=False).ask("analyse", request)
    assert [(entry["move"], entry["plies"]) for entry in sliced["moves"]] == [
        (entry["move"], entry["plies"]) for entry in whole["moves"]
    ]


@pytest.mark.parametrize("at_once", [True, False])
def test_a_search_lets_requests_through(at_once: bool) -> None:
    requests = ((2, "position", {"game": "tictactoe"}), (3, "position", {"game": "chess"}))
    page = Page(*requests, at_once=at_once)
    page.ask("analyse", {"game": "ultimate", "nodes": 30_000})
    ends = [(number, kind) for number, kind, _ in page.sent if kind != "info"]
    assert ends == [(2, "result"), (3, "error"), (1, "result")]


def test_requests_wait_until_a_search_is_under_way() -> None:
    """A signal that comes earlier may come in the middle of an import."""
    page = Page((2, "position", {"game": "tictactoe"}), at_once=True)
    page.local.interrupt()
    assert page.sent == []
    page.ask("move", {"game": "tictactoe", "player": "level-1"})
    assert [number for number, _, _ in page.sent] == [2, 1]


@pytest.mark.parametrize("at_once", [True, False])
def test_a_search_is_stopped(at_once: bool) -> None:
    page = Page((1, "stop", ""), at_once=at_once)
    assert page.ask("analyse", {"game": "ultimate", "time": 60}) == []
    assert page.local.running is None
    assert page.ask("position", {"game": "tictactoe"})[0]["ply"] == 0


def test_a_stop_is_for_one_search() -> None:
    page = Page((99, "stop", ""))
    assert len(page.ask("analyse", {"game": "ultimate", "nodes": 30_000})) == 1


@pytest.mark.parametrize("name", ["analyse", "review", "move"])
def test_a_search_in_slices_is_stopped(name: str) -> None:
    page = Page(shared=False)
    more = {"player": "engine:time=10"} if name == "move" else {"time": 60}
    request = {"game": "ultimate", "moves": ["5 5", "5 1"], **more}
    assert page.ask(name, request, between=lambda: page.local.stop(1)) == []
    assert page.local.running is None
    assert len(page.local.engines.idle) == (0 if name == "move" else 1)


def test_a_missing_module_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ttt.boards.qubic", None)
    from ttt.registry import board_class

    board_class.cache_clear()
    sent: list[tuple[int, str, str]] = []
    local = Local(lambda *message: sent.append(message))
    assert not local.handle(1, "position", '{"game": "qubic"}')
    assert sent == [(1, "missing", "ttt.boards.qubic")]


def test_names_of_missing_modules() -> None:
    error = ImportError("cannot import name", name="ttt_core.games")
    error.name_from = "qubic"  # type: ignore[attr-defined]
    assert missing_module(error) == "ttt_core.games.qubic"
    assert missing_module(ModuleNotFoundError("none", name="pdb")) == "pdb"


SINGLE = """
from ttt import Board, Engine
from ttt.solvers.base import solver_class
import threading
for make in (lambda: Engine("mnk", threads=2), lambda: solver_class("qubic")(threads=2)):
    try:
        make()
    except ValueError as error:
        print(error)
board = Board("qubic")
board.push_moves("111 222 144 333 114 232 441 414")
heard = []
found = Engine("qubic").solve(board, nodes=NODES, on_info=heard.append)
print(found.value, threading.active_count(), len(heard) > 0)
"""


def run_single(program: str, single: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "TTT_SINGLE_THREADED": single},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_single_threaded() -> None:
    program = SINGLE.replace("NODES", "3_000_000")
    found = run_single(program, "1")
    refused = "threads=2: searches run on one thread here; use threads=1"
    assert found[:2] == [refused, refused]
    assert found[2].split()[0] == run_single(program, "0")[-1].split()[0]


# --- modules -------------------------------------------------------------------------------------


def module(imported: list[str], exported: list[str]) -> bytes:
    """A WebAssembly module with functions of one type."""

    def named(text: str) -> bytes:
        return bytes([len(text)]) + text.encode()

    def section(number: int, items: list[bytes]) -> bytes:
        body = bytes([len(items)]) + b"".join(items)
        return bytes([number, len(body)]) + body

    calls = [named("env") + named(name) + b"\0\0" for name in imported]
    memory = named("env") + named("memory") + b"\2\0\1"
    return (
        b"\0asm\1\0\0\0"
        + section(1, [b"\x60\0\0"])
        + section(2, [memory, *calls])
        + section(7, [named(name) + b"\0\0" for name in exported])
    )


@pytest.mark.parametrize(
    ("imported", "reason"),
    [
        (["malloc"], ""),
        (["malloc", "nothing"], "imports nothing, which Pyodide does not export"),
        (["fstat"], "imports fstat, whose structures differ in Pyodide"),
        (["sigaction"], "imports sigaction, whose structures differ in Pyodide"),
        (["setjmp"], "imports setjmp, whose structures differ in Pyodide"),
        (["__errno_location"], "imports __errno_location, whose structures differ in Pyodide"),
    ],
)
def test_imports_are_checked(imported: list[str], reason: str, tmp_path: Path) -> None:
    known = ["malloc", "fstat", "sigaction", "setjmp", "__errno_location"]
    runtime, one = tmp_path / "runtime.wasm", tmp_path / "one.so"
    runtime.write_bytes(module([], known))
    one.write_bytes(module(imported, ["PyInit_one"]))
    assert imports(one) == {"memory", *imported}
    assert exports(one) == {"PyInit_one"}
    assert complaints(one, runtime) == ([f"one.so {reason}"] if reason else [])


def test_a_file_that_is_no_module(tmp_path: Path) -> None:
    path = tmp_path / "one.so"
    path.write_bytes(b"\x7fELF and more")
    with pytest.raises(ValueError, match="not a WebAssembly module"):
        imports(path)


def test_bundles() -> None:
    files = {"ttt/a.pyc": b"first", "ttt/data/b": b"", "c": b"last"}
    data = gzip.decompress(bundle(files))
    size = int.from_bytes(data[:4], "little")
    assert json.loads(data[4 : 4 + size]) == {"ttt/a.pyc": 5, "ttt/data/b": 0, "c": 4}
    assert data[4 + size :] == b"firstlast"
    assert bundle(files) == bundle(files)


def test_owners() -> None:
    assert owner("ttt_core/games/mnk.abi3.so") == "mnk"
    assert owner("ttt_core/solvers/nineboard/solver.abi3.so") == "nineboard"
    assert owner("ttt/data/nineboard-solver.weights") == "nineboard"
    assert owner("ttt/data/qubic.strategy") == "qubic"
    assert owner("ttt/data/puzzles.txt") == ""
