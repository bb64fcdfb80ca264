"""The site without a server: under Node, then in a real browser. `make test-site` runs this."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if not os.environ.get("TTT_SITE"):
    pytest.skip("needs the site and a browser: run `make test-site`", allow_module_level=True)

from support.browser import Visit, browser
from support.site import SITE, Host, host
from ttt import Board, Engine
from ttt.registry import games
from ttt.web.local import Local
from ttt.web.site.imports import complaints
from ttt.web.site.ingredients import pyodide

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HERE = Path(__file__).parent
BENCH = HERE.parent / "data/bench.txt"
MODULES = sorted(Path("build/wasm/modules").rglob("*.so"))
NAMES = [str(path.relative_to("build/wasm/modules")) for path in MODULES]

Open = Callable[..., Visit]


# --- under Node ----------------------------------------------------------------------------------


def test_node_counts_equal_those_of_native_code(tmp_path: Path) -> None:
    node = shutil.which("node")
    assert node is not None
    command = [node, str(HERE / "node.mjs"), str(SITE), str(tmp_path / "unpacked")]
    done = subprocess.run(
        [*command, str(HERE / "bench_counts.py")], capture_output=True, text=True, timeout=1200
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    lines = [line.split() for line in BENCH.read_text(encoding="utf-8").splitlines()]
    assert found["nodes"] == {line[0]: int(line[1]) for line in lines if line[0] != "#"}
    board = Board("connect4")
    board.push_moves("32164625")
    native = Engine("connect4", hash=16).solve(board)
    assert found["solved"] == [native.game_score, native.nodes]


@pytest.mark.parametrize("module", MODULES, ids=NAMES)
def test_imports_are_those_that_pyodide_exports(module: Path) -> None:
    assert complaints(module, pyodide() / "pyodide.asm.wasm") == []


# --- in the browser ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium() -> "Iterator[Browser]":
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def isolated() -> Iterator[Host]:
    with host() as found:
        yield found


@pytest.fixture
def visit(chromium: "Browser") -> Iterator[Open]:
    visits: list[Visit] = []

    def start(home: str, **more: Any) -> Visit:
        visits.append(Visit(chromium, home, **more))
        return visits[-1]

    yield start
    for one in visits:
        one.close()


@pytest.fixture(scope="module")
def shared(chromium: "Browser", isolated: Host) -> Iterator["Page"]:
    """A page with a running engine, for tests that ask it directly."""
    one = Visit(chromium, isolated.home)
    page = one.open("?game=tictactoe")
    wait_for_engine(page, "shared")
    yield page
    one.close()


def wait_for_engine(page: "Page", kind: str) -> None:
    page.wait_for_selector(f'body[data-engine="{kind}"]')


def ask(page: "Page", name: str, request: dict[str, Any]) -> Any:
    """The answer of the page's engine."""
    script = """async ([name, request]) => {
        const { engine } = await import("./engine.js");
        return engine.call(name, request);
    }"""
    return page.evaluate(script, [name, request])


def answer(name: str, request: dict[str, Any]) -> Any:
    """The answer of native code to the same request."""
    sent: list[tuple[str, str]] = []
    local = Local(lambda _, kind, text: sent.append((kind, text)), lambda: None)
    assert not local.handle(1, name, json.dumps(request))
    assert sent[-1][0] == "result", sent[-1]
    return json.loads(sent[-1][1])


def timeless(record: Any) -> Any:
    """A record without what depends on the clock."""
    clock = ("seconds", "nodes_per_second")
    return {name: value for name, value in record.items() if name not in clock}


def next_move(board: Board) -> Any:
    """A move of a short game: a win if there is one, else somewhere."""
    legal = board.legal_moves
    wins = [move for move in board.wins() if move in legal]
    return wins[0] if wins else legal[(7 * board.ply + 3) % len(legal)]


def cell_of(board: Board, move: Any) -> int:
    after = board.copy()
    after.push(move)
    cell = after.last_cell()
    assert cell is not None
    return cell


def moves_on(page: "Page") -> list[str]:
    """The moves of the game on the board."""
    script = "() => [...document.querySelectorAll('#moves .move')].map((b) => b.firstChild.data)"
    return [str(move) for move in page.evaluate(script)]


@pytest.mark.parametrize("game", games())
def test_play_against_level_3(game: str, visit: Open, isolated: Host) -> None:
    one = visit(isolated.home)
    one.remember(seat_o="level-3")
    page = one.open(f"?game={game}")
    board = Board(game)
    while not board.is_game_over():
        move = next_move(board)
        page.click(f'#board [data-cell="{cell_of(board, move)}"]')
        board.push(move)
        if not board.is_game_over():
            one.wait_for_ply(len(board.moves) + 1)
            board.push(moves_on(page)[-1])
    one.wait_for_ply(len(board.moves))
    assert one.marks() == board.marks
    outcome = str(board.outcome()).removeprefix("a ").lower()
    assert page.inner_text("#status").lower().startswith(outcome)


POSITIONS = {
    "tictactoe": "5",
    "mnk": "b2",
    "connect4": "4455",
    "nineboard": "5 5, 5 1, 1 2",
    "ultimate": "5 5, 5 1",
    "qubic": "111 222 144 333",
}


@pytest.mark.parametrize("game", games())
def test_analysis_equals_that_of_native_code(game: str, shared: "Page") -> None:
    board = Board(game)
    board.push_moves(POSITIONS[game])
    request = {"game": game, "moves": [str(move) for move in board.moves], "nodes": 100_000}
    assert timeless(ask(shared, "analyse", request)) == timeless(answer("analyse", request))


def test_moves_equal_those_of_native_code(shared: "Page") -> None:
    for player in ("level-4", "level-7", "level-8"):
        request = {"game": "ultimate", "moves": "5-5", "player": player, "seed": 7}
        assert ask(shared, "move", request)["move"] == answer("move", request)["move"]


def test_review_equals_that_of_native_code(shared: "Page") -> None:
    request = {"game": "connect4", "moves": "44444433", "nodes": 5_000}
    found, native = ask(shared, "review", request), answer("review", request)
    assert timeless(found) == timeless(native)


def test_connect4_is_solved(visit: Open, isolated: Host) -> None:
    page = visit(isolated.home).open("?game=connect4&moves=32164625&tab=analyse")
    page.wait_for_selector('#board .figure[data-move="3"] .exact')
    figure = page.locator('#board .figure[data-move="3"]')
    assert figure.locator(".exact").text_content() == "+11"
    assert figure.locator("text").first.text_content() == "W13"


def test_nineboard_is_solved(shared: "Page") -> None:
    moves = "55 51 12 27 76 64 41 15 52 28 84 47 73 36 69 92 21 13 33 39 98 85"
    board = Board("nineboard")
    board.push_moves(moves)
    request = {"game": "nineboard", "moves": [str(move) for move in board.moves]}
    found = ask(shared, "analyse", request)
    assert found["proven"]
    values = {entry["move"]: (entry["value"], entry["plies"]) for entry in found["moves"]}
    native = answer("analyse", request)["moves"]
    assert values == {entry["move"]: (entry["value"], entry["plies"]) for entry in native}


def test_qubic_strategy_wins(shared: "Page") -> None:
    """The first player follows the shipped strategy: a win is proven in each of its positions."""
    board = Board("qubic")
    while not board.is_game_over():
        if board.turn == "x":
            request = {"game": "qubic", "moves": [str(move) for move in board.moves]}
            found = ask(shared, "move", {**request, "player": "engine:nodes=2000"})
            assert "win" in found["summary"]
            board.push(found["move"])
        else:
            board.push(next_move(board))
    outcome = board.outcome()
    assert outcome is not None
    assert outcome.winner == "x"


def test_errors_are_those_of_the_service(shared: "Page") -> None:
    for request in ({"game": "chess"}, {"game": "connect4", "moves": "9"}, {}):
        with pytest.raises(Exception, match=r"unknown game|not a move|game is missing"):
            ask(shared, "position", request)
    with pytest.raises(Exception, match=r"use threads=1|allows at most 1"):
        ask(shared, "move", {"game": "mnk", "player": "engine:threads=2"})


INTERRUPT = """async () => {
    const { engine } = await import("./engine.js");
    const took = { answers: [], stops: [] };
    for (let i = 0; i < 5; i++) {
        const control = new AbortController();
        let begun;
        const info = new Promise((resolve) => (begun = resolve));
        const position = { game: "ultimate", moves: ["5 5"] };
        const running = engine.analyse(position, { time: 60 }, begun, control.signal);
        running.catch(() => {});
        await info;
        let began = performance.now();
        await engine.call("position", { game: "ultimate", moves: ["5 5", "5 1"] });
        took.answers.push(performance.now() - began);
        began = performance.now();
        control.abort();
        await engine.move({ game: "tictactoe", moves: [] }, "level-1", 1);
        took.stops.push(performance.now() - began);
    }
    return took;
}"""


@pytest.mark.parametrize("kind", ["shared", "sliced"])
def test_a_search_can_be_interrupted(kind: str, visit: Open) -> None:
    """A running search lets other requests through, and ends when nobody wants its result. The
    search would last a minute; how long both really take is printed, not asserted."""
    with host(isolated=kind == "shared") as found:
        one = visit(found.home, **({} if kind == "shared" else {"service_workers": "block"}))
        page = one.open("?game=ultimate")
        wait_for_engine(page, kind)
        took = page.evaluate(INTERRUPT)
    print(kind, {name: [round(ms) for ms in values] for name, values in took.items()}, "ms")
    assert max(took["answers"] + took["stops"]) < 30_000


def test_memory_stays_flat(shared: "Page") -> None:
    """50 games against a level that allocates a table for each move."""
    play = """async (count) => {
        const { engine } = await import("./engine.js");
        for (let i = 0; i < count; i++) {
            const moves = [];
            for (let over = false; !over; ) {
                const level = moves.length % 2 ? "level-8" : "level-1";
                const found = await engine.move({ game: "tictactoe", moves }, level, i);
                moves.push(found.move);
                over = found.position.outcome !== null;
            }
        }
        return engine.memory();
    }"""
    before = shared.evaluate(play, 5)
    assert shared.evaluate(play, 50) == before


def test_without_shared_memory(visit: Open) -> None:
    """A browser that allows neither: searches run in slices."""
    with host(isolated=False) as found:
        one = visit(found.home, service_workers="block")
        one.remember(seat_o="engine:time=0.3")
        page = one.open("?game=connect4")
        wait_for_engine(page, "sliced")
        page.click('#board [data-cell="3"]')
        one.wait_for_ply(2)
        page.click("#tab-analyse")
        page.wait_for_selector("#board .figure")
        page.click("text=Pause")
        page.wait_for_selector("text=Continue")
        position = {"game": "connect4", "moves": "4444443333335"}
        proven = ask(page, "analyse", position)
        assert proven["proven"]
        native = answer("analyse", position)
        assert [entry["plies"] for entry in proven["moves"]] == [
            entry["plies"] for entry in native["moves"]
        ]
        review = ask(page, "review", {"game": "tictactoe", "moves": "5273149"})
        assert review["turning_point"] == 2


def test_offline_after_the_first_visit(visit: Open) -> None:
    """On a host without headers of its own the service worker lets page and worker share memory,
    and keeps all files: the page opens, and plays any game, when the host is gone."""
    with host(isolated=False) as found:
        one = visit(found.home)
        one.remember(seat_o="level-8")
        page = one.open("?game=tictactoe")
        wait_for_engine(page, "shared")
        page.wait_for_selector('body[data-offline="ready"]')
    page.goto(f"{found.home}/?game=ultimate&moves=5-5")
    page.wait_for_selector("#board[data-ready]")
    wait_for_engine(page, "shared")
    one.wait_for_ply(2)


def test_the_board_comes_before_the_engine(visit: Open) -> None:
    """The board is drawn, and the first move played, while the engine is still on its way."""
    with host() as found:
        found.gate.clear()
        one = visit(found.home)
        one.remember(seat_o="human")
        page = one.open("?game=ultimate")
        page.wait_for_selector("#boot progress")
        page.click('#board [data-cell="40"]')
        one.wait_for_ply(1)
        assert "O to move on board 5" in page.inner_text("#status")
        assert page.get_attribute("body", "data-engine") is None
        page.click('#board [data-cell="36"]')  # waits for the engine
        found.gate.set()
        one.wait_for_ply(2)
        wait_for_engine(page, "shared")
        assert page.locator("#boot").count() == 0


def test_a_game_loads_its_own_modules_only(visit: Open, isolated: Host) -> None:
    one = visit(isolated.home, service_workers="block")  # it would fetch all, to keep it
    asked: list[str] = []
    one.context.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page = one.open("?game=connect4&moves=44")
    wait_for_engine(page, "shared")
    packed = {name for name in asked if name.endswith(".packed")}
    assert packed <= {"wasm.packed", "stdlib.packed", "base.packed", "connect4.packed"}
    assert ask(page, "position", {"game": "qubic", "moves": ["111"]})["marks"][0] == "x"


VIEWS = [
    "?game=nineboard",
    "?game=connect4&moves=4455&tab=analyse",
    "?game=tictactoe&moves=5273149&tab=review",
    "?game=connect4&moves=445533662&tab=puzzles",
]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_accessible(width: int, scheme: str, visit: Open) -> None:
    """axe-core finds nothing wrong, with the engine and while it is loading."""
    with host() as found:
        one = visit(found.home, width=width, color_scheme=scheme, bypass_csp=True)
        found.gate.clear()
        one.open(VIEWS[0]).wait_for_selector("#boot progress")
        wrong = one.violations()
        found.gate.set()
        for address in VIEWS:
            page = one.open(address)
            if "analyse" in address:
                page.wait_for_selector("#board .figure")
            if "review" in address:
                page.wait_for_selector("text=Review again")
            wait_for_engine(page, "shared")
            wrong += [f"{address} {text}" for text in one.violations()]
        assert wrong == []
