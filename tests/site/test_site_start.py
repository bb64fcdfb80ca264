"""The start of the site in a real browser: the board before the engine, files, offline visits.
`make test-site` runs this."""

import os
from typing import TYPE_CHECKING, Any

import pytest

if not os.environ.get("TTT_SITE"):
    pytest.skip("needs the site and a browser: run `make test-site`", allow_module_level=True)

from support.browser import Open, next_move
from support.site import OpenHost, ask, host, wait_for_engine
from ttt import Board
from ttt.registry import games
from ttt.web.records import position_record

if TYPE_CHECKING:
    from playwright.sync_api import Page


# --- before the engine ---------------------------------------------------------------------------


@pytest.mark.parametrize("game", games())
def test_two_people_play_before_the_engine(
    game: str, open_host: OpenHost, open_visit: Open
) -> None:
    """A whole game, while the engine is still on its way. With it comes what the rules alone do not
    say, such as the winning line."""
    found = open_host()
    found.gate.clear()
    one = open_visit(found.home)
    one.remember(seat_o="human")
    page = one.open(f"?game={game}")
    page.wait_for_selector("#boot progress")
    board = Board(game)
    while not board.is_game_over():
        one.play(board, next_move(board))
        one.wait_for_ply(len(board.moves))
        if not board.is_game_over():
            assert page.inner_text("#status") == position_record(board)["status"]
    outcome = board.outcome()
    assert outcome is not None
    assert one.marks() == board.marks
    assert page.locator("#board .cell.won").count() == len(outcome.line)
    assert page.get_attribute("body", "data-engine") is None
    found.gate.set()
    wait_for_engine(page, "shared")
    if outcome.line:
        page.wait_for_selector(".winline", state="attached")
    one.assert_finished(board)
    assert page.locator("#boot").count() == 0


BY_RULES = """async ([game, games]) => {
    const { engine } = await import("./engine.js");
    const { Rules } = await import("./rules.js");
    const rules = await Rules.load(await engine.game(game));
    return games.map((moves) => rules.position(moves));
}"""


@pytest.mark.parametrize("game", games())
def test_positions_by_the_rules_equal_those_of_the_service(game: str, shared: "Page") -> None:
    """In random games, all that the rules say before the engine runs is what it says later."""
    boards = []
    for seed in range(8):
        whole = Board(game).playout(seed)
        board = Board(game)
        for move in [None, *whole.moves]:
            if move is not None:
                board.push(move)
            boards.append(board.copy())
    lists = [[str(move) for move in board.moves] for board in boards]
    for board, found in zip(boards, shared.evaluate(BY_RULES, [game, lists]), strict=True):
        assert found == provisional(position_record(board), found["position"])
    assert sum(board.is_game_over() for board in boards) == 8


def provisional(record: dict[str, Any], text: str) -> dict[str, Any]:
    """What the rules alone say of a position."""
    outcome = record["outcome"]
    if outcome is not None:
        named = {name: outcome[name] for name in ("winner", "result", "cells")}
        record["outcome"] = {**named, "lines": [], "block_lines": []}
        record["status"] = record["status"].partition(":")[0]
    return {**record, "threats": [], "position": text}


def test_the_rules_refuse_what_cannot_be_played(shared: "Page") -> None:
    wrong = [["5", "5"], ["0"], ["nonsense"], ["1", "4", "2", "5", "3", "9"]]
    assert shared.evaluate(BY_RULES, ["tictactoe", wrong]) == [None] * 4


def test_an_address_is_shown_before_the_engine(open_host: OpenHost, open_visit: Open) -> None:
    """The board of an address with moves does not wait for the engine either."""
    found = open_host()
    for query, marks in (
        ("?game=connect4&moves=44", {38: "x", 31: "o"}),
        ("?game=ultimate&moves=5-5,5-1", {40: "x", 36: "o"}),
        ("?game=ultimate&moves=5-5", {40: "x"}),
    ):
        found.gate.clear()
        one = open_visit(found.home)
        one.remember(seat_o="human")
        page = one.open(query)
        shown = {cell: mark for cell, mark in enumerate(one.marks()) if mark != "."}
        assert shown == marks
        assert page.get_attribute("body", "data-engine") is None


def test_what_needs_the_engine_waits_for_it(open_host: OpenHost, open_visit: Open) -> None:
    """A reply, also after one that was taken back, and an address in other notation."""
    found = open_host()
    found.gate.clear()
    one = open_visit(found.home)
    one.remember(seat_o="level-3")
    page = one.open("?game=ultimate")
    page.click('#board [data-cell="40"]')
    one.wait_for_ply(1)
    page.click("#undo")  # ends a search that has not begun
    one.wait_for_ply(0)
    page.click('#board [data-cell="41"]')
    one.wait_for_ply(1)
    two = open_visit(found.home)
    two.page.goto(f"{found.home}/?game=nineboard&moves=55+51")
    two.page.wait_for_selector("#boot progress")
    assert page.get_attribute("#board", "data-ply") == "1"
    found.gate.set()
    one.wait_for_ply(2)
    two.wait_for_ply(2)


def test_two_people_play_without_any_engine(open_host: OpenHost, open_visit: Open) -> None:
    """If it cannot start, the page says so, and the rules go on."""
    found = open_host()
    found.lost = True
    one = open_visit(found.home)
    one.remember(seat_o="human")
    page = one.open("?game=nineboard")
    page.wait_for_selector("text=The engine cannot start: cannot load")
    board = Board("nineboard")
    while not board.is_game_over():
        one.play(board, next_move(board))
        one.wait_for_ply(len(board.moves))
    assert page.inner_text("#status").startswith(("X wins", "O wins", "Draw"))
    one.wrong = [text for text in one.wrong if not text.startswith("cannot load")]


# --- files ---------------------------------------------------------------------------------------


def test_a_game_loads_its_own_modules_only(open_host: OpenHost, open_visit: Open) -> None:
    found = open_host()
    one = open_visit(found.home, service_workers="block")  # it would fetch all, to keep it
    page = one.open("?game=connect4&moves=44")
    wait_for_engine(page, "shared")
    packed = {name for name in found.asked if ".packed" in name}
    assert packed == {"wasm.packed", "stdlib.packed", "base.packed", "connect4.packed"}
    assert ask(page, "position", {"game": "qubic", "moves": ["111"]})["marks"][0] == "x"
    assert "qubic.packed" in found.asked


def test_offline_after_the_first_visit(open_visit: Open) -> None:
    """On a host without headers of its own the service worker lets page and worker share memory,
    and keeps all files: the page opens, and plays any game, when the host is gone."""
    with host(isolated=False) as found:
        one = open_visit(found.home)
        one.remember(seat_o="level-8")
        page = one.open("?game=tictactoe")
        wait_for_engine(page, "shared")
        page.wait_for_selector('body[data-offline="ready"]')
    page.goto(f"{found.home}/?game=ultimate&moves=5-5")
    page.wait_for_selector("#board[data-ready]")
    wait_for_engine(page, "shared")
    one.wait_for_ply(2)


# --- accessibility -------------------------------------------------------------------------------


VIEWS = [
    "?game=nineboard",
    "?game=connect4&moves=4455&tab=analyse",
    "?game=tictactoe&moves=5273149&tab=review",
    "?game=connect4&moves=445533662&tab=puzzles",
]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_accessible(width: int, scheme: str, open_host: OpenHost, open_visit: Open) -> None:
    """axe-core finds nothing wrong, with the engine and while it is loading."""
    found = open_host()
    one = open_visit(found.home, width=width, color_scheme=scheme, bypass_csp=True)
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
