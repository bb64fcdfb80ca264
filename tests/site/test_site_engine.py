"""The engine of the site in a real browser: it plays, analyses, solves and stops as native code
does. `make test-site` runs this."""

import os
from typing import TYPE_CHECKING, Any

import pytest

if not os.environ.get("TTT_SITE"):
    pytest.skip("needs the site and a browser: run `make test-site`", allow_module_level=True)

from support.browser import Open, next_move
from support.site import Host, OpenHost, answer, ask, wait_for_engine
from ttt import Board
from ttt.registry import games

if TYPE_CHECKING:
    from playwright.sync_api import Page


def timeless(record: Any) -> Any:
    """A record without what depends on the clock."""
    clock = ("seconds", "nodes_per_second")
    return {name: value for name, value in record.items() if name not in clock}


def moves_on(page: "Page") -> list[str]:
    """The moves of the game on the board."""
    script = "() => [...document.querySelectorAll('#moves .move')].map((b) => b.firstChild.data)"
    return [str(move) for move in page.evaluate(script)]


@pytest.mark.parametrize("game", games())
def test_play_against_level_3(game: str, open_visit: Open, isolated: Host) -> None:
    one = open_visit(isolated.home)
    one.remember(seat_o="level-3")
    page = one.open(f"?game={game}")
    board = Board(game)
    while not board.is_game_over():
        one.play(board, next_move(board))
        if not board.is_game_over():
            one.wait_for_ply(len(board.moves) + 1)
            board.push(moves_on(page)[-1])
    one.assert_finished(board)


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


def test_connect4_is_solved(open_visit: Open, isolated: Host) -> None:
    page = open_visit(isolated.home).open("?game=connect4&moves=32164625&tab=analyse")
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
def test_a_search_can_be_interrupted(kind: str, open_host: OpenHost, open_visit: Open) -> None:
    """A running search lets other requests through, and ends when nobody wants its result. The
    search would last a minute; how long both really take is printed, not asserted."""
    found = open_host(isolated=kind == "shared")
    one = open_visit(found.home, **({} if kind == "shared" else {"service_workers": "block"}))
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


def test_without_shared_memory(open_host: OpenHost, open_visit: Open) -> None:
    """A browser that allows neither: searches run in slices."""
    found = open_host(isolated=False)
    one = open_visit(found.home, service_workers="block")
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
