"""The page in a real browser; `make test-web` runs this."""

import os
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

if not os.environ.get("TTT_BROWSER"):
    pytest.skip("needs a browser: run `make test-web`", allow_module_level=True)

from support.browser import Open, Visit, cell_of, next_move
from support.web import Client, serve
from ttt import Board, Engine, Game
from ttt.puzzles.collection import shipped_puzzles
from ttt.registry import games

OPTIONS: dict[str, dict[str, Any]] = {"mnk": {"m": 4, "n": 4, "k": 3}}
"""Options other than the default, so that the page cannot know the board by heart."""


@pytest.fixture(scope="module")
def server() -> Iterator[Client]:
    with serve() as client:
        yield client


@pytest.fixture
def visit(open_visit: Open, server: Client) -> Open:
    return partial(open_visit, server.home)


def query(game: str, **more: str) -> str:
    options = ",".join(f"{name}={value}" for name, value in OPTIONS.get(game, {}).items())
    fields = {"game": game, **({"options": options} if options else {}), **more}
    return "?" + "&".join(f"{name}={value}" for name, value in fields.items())


def start_board(game: str) -> Board:
    return Board(game, **OPTIONS.get(game, {}))


def finished(one: Visit, board: Board) -> None:
    """Asserts that the page shows the end of the game, and says so to people who do not see it."""
    one.assert_finished(board)
    assert one.page.inner_text("#status") in one.page.inner_text("#live")


@pytest.mark.parametrize("game", games())
def test_play_by_mouse(game: str, visit: Open) -> None:
    one = visit()
    one.remember(seat_o="human")
    one.open(query(game))
    board = start_board(game)
    while not board.is_game_over():
        one.play(board, next_move(board))
        one.wait_for_ply(len(board.moves))
    finished(one, board)


def coordinates(board: Board) -> list[tuple[int, int]]:
    """Row and column of each cell on the whole board."""
    width, height, _, across = board.layout
    found = []
    for cell in range(len(board.marks)):
        block, rest = divmod(cell, width * height)
        found.append(
            (block // across * height + rest // width, block % across * width + rest % width)
        )
    return found


@pytest.mark.parametrize("game", games())
def test_play_by_keyboard_alone(game: str, visit: Open) -> None:
    one = visit()
    one.remember(seat_o="human")
    page = one.open(query(game))
    focused = "() => Number(document.activeElement.dataset.cell ?? -1)"
    while page.evaluate(focused) < 0:
        page.keyboard.press("Tab")
    board = start_board(game)
    where = coordinates(board)
    while not board.is_game_over():
        move = next_move(board)
        row, column = where[cell_of(board, move)]
        here = where[page.evaluate(focused)]
        for key, count in (("Down", row - here[0]), ("Right", column - here[1])):
            way = key if count > 0 else {"Down": "Up", "Right": "Left"}[key]
            for _ in range(abs(count)):
                page.keyboard.press(f"Arrow{way}")
        page.keyboard.press("Enter")
        board.push(move)
        one.wait_for_ply(len(board.moves))
    finished(one, board)


@pytest.mark.parametrize(
    ("game", "typed"),
    [("connect4", "4"), ("nineboard", "5 6"), ("mnk", "b3"), ("qubic", "123"), ("tictactoe", "5")],
)
def test_typed_moves(game: str, typed: str, visit: Open) -> None:
    one = visit()
    one.remember(seat_o="human")
    page = one.open(query(game))
    page.keyboard.type(typed)
    page.keyboard.press("Enter")
    one.wait_for_ply(1)
    board = start_board(game)
    board.push(typed)
    assert one.marks() == board.marks
    page.keyboard.type("99")
    page.keyboard.press("Enter")
    page.wait_for_selector("#toast:not([hidden])")
    assert "no legal move" in page.inner_text("#toast")


def test_short_forms_of_typed_moves(visit: Open) -> None:
    """On nine boards the cell alone is enough when one board is in force."""
    one = visit()
    one.remember(seat_o="human")
    page = one.open("?game=ultimate&moves=5-6")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    one.wait_for_ply(2)
    assert "6-1" in page.url


def figures(one: Visit) -> dict[str, str]:
    """The figure of each move."""
    found = one.page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('#board .figure')].map(
        (figure) => [figure.dataset.move, figure.querySelector('text').textContent]))"""
    )
    return dict(found)


@pytest.mark.parametrize(
    ("game", "moves"),
    [
        ("tictactoe", "5 1"),
        ("mnk", "b2"),
        ("connect4", "4444443333335"),
        ("nineboard", "55 51 12 27 76 64 41 15 52 28 84 47 73 36 69 92 21 13 33 39 98 85"),
    ],
)
def test_analysis_equals_that_of_the_engine(game: str, moves: str, visit: Open) -> None:
    board = start_board(game)
    board.push_moves(moves)
    with Engine(game, **OPTIONS.get(game, {})) as engine:
        expected = engine.analyse_moves(board)
    one = visit()
    listed = ",".join(move.replace(" ", "-") for move in board.moves)
    page = one.open(query(game, moves=listed, tab="analyse"))
    page.wait_for_selector("text=Continue", timeout=60_000)  # all is proven, or the time is over
    letters = {"win": "W", "loss": "L", None: "D"}
    wanted = {
        str(entry.move): letters[entry.score.value]
        + ("" if entry.score.exact else "≤")
        + str(entry.plies or "")
        for entry in expected
    }
    assert expected.proven
    assert figures(one) == wanted
    best = expected.moves[0]
    label = page.get_attribute(f'#board [data-cell="{cell_of(board, best.move)}"]', "aria-label")
    assert label is not None
    assert best.verdict() in label
    if game == "connect4":
        shown = page.locator("#board .figure .exact").all_text_contents()
        scores = {entry.game_score for entry in expected}
        assert {int(text.replace("\N{MINUS SIGN}", "-")) for text in shown} == scores
    share = {"win": 1.0, "loss": 0.0, None: 0.5}[best.score.value]
    share = share if board.turn == "x" else 1 - share
    assert f"X {share:.0%}" in str(page.get_attribute("#bar", "aria-label"))


def test_analysis_deepens_pauses_and_continues(visit: Open) -> None:
    one = visit()
    page = one.open("?game=ultimate&moves=5-5,5-1&tab=analyse")
    page.wait_for_selector("#board .figure")
    assert page.locator("#board .figure").count() == 9
    page.hover('#board [data-cell="1"]')
    assert re.match(r"1 2: .*about \d+% for [XO]", page.inner_text("#seats"))
    page.click("text=Pause")
    page.wait_for_selector("text=Continue")
    page.click("text=Continue")
    page.wait_for_selector("text=Pause")
    page.select_option("select[aria-label='Number of lines']", "5")
    assert page.locator(".lines li").count() == 5
    first = page.locator(".lines li").first
    page.wait_for_function(
        "() => document.querySelectorAll('.lines li:first-child .pv button').length > 1"
    )
    first.locator(".pv button").nth(1).click()
    page.wait_for_selector("#preview:not([hidden])")
    assert one.marks().count("x") + one.marks().count("o") == 4
    page.keyboard.press("Escape")
    page.wait_for_selector("#preview", state="hidden")
    assert one.marks().count("x") + one.marks().count("o") == 2
    page.click('#board [data-cell="4"]')  # interrupts the search
    one.wait_for_ply(3)


def test_searches_end_with_the_page(visit: Open, server: Client) -> None:
    one = visit()
    one.open("?game=ultimate&tab=analyse").wait_for_selector("#board .figure")
    assert server.get("/api/status").json()["running"]
    one.page.goto("about:blank")
    server.wait_until_idle()


def test_qubic_shows_the_chain_and_the_cube(visit: Open) -> None:
    one = visit()
    page = one.open("?game=qubic&moves=111,222,144,333,114,232&tab=analyse")
    page.wait_for_selector(".chain:not([hidden])")
    board = Board("qubic")
    board.push_moves("111 222 144 333 114 232")
    chain = Engine("qubic").threats(board)
    assert chain is not None
    assert page.locator(".chain .pv button").all_text_contents() == [*map(str, chain)]
    assert page.locator("#cube .place").count() == 64
    before = page.locator("#cube .sheet").first.get_attribute("points")
    box = page.locator("#cube svg").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] + 40)
    page.mouse.up()
    assert page.locator("#cube .sheet").first.get_attribute("points") != before
    page.locator('#cube [data-cell="63"] .hit').click()
    one.wait_for_ply(7)
    assert one.marks()[63] == "x"


def test_threats_are_drawn(visit: Open) -> None:
    one = visit()
    one.remember(seat_o="human", threats="yes")
    page = one.open("?game=qubic&moves=111,211,112,212,113")
    assert page.locator("#board .threat-x").count() == 1
    assert page.locator("#cube .threat.x").count() == 1


def test_undo_and_redo(visit: Open) -> None:
    one = visit()
    one.remember(seat_o="human")
    page = one.open("?game=tictactoe&moves=513")
    page.click("#undo")
    one.wait_for_ply(2)
    page.keyboard.press("u")
    one.wait_for_ply(1)
    page.keyboard.press("r")
    one.wait_for_ply(2)
    page.click("#redo")
    one.wait_for_ply(3)
    page.keyboard.press("Home")
    one.wait_for_ply(0)
    page.keyboard.press("End")
    one.wait_for_ply(3)
    assert page.is_disabled("#redo")
    page.click(".moves .move >> nth=0")
    one.wait_for_ply(1)
    page.click('#board [data-cell="8"]')
    one.wait_for_ply(2)
    assert "moves=59" in page.url


def test_against_a_level(visit: Open) -> None:
    one = visit()
    one.remember(seat_o="level-1")
    page = one.open("?game=tictactoe")
    page.click('#board [data-cell="4"]')
    one.wait_for_ply(2)
    assert "you play X" in page.inner_text("#seats")
    page.click("#undo")
    one.wait_for_ply(0)
    page.click("#redo")
    one.wait_for_ply(2)
    page.click("text=Resign")
    assert "X resigned: O wins. You lose." in page.inner_text("#status")
    page.click("#new")
    one.wait_for_ply(0)
    page.select_option("#seat-x", "level-2")
    page.select_option("#seat-o", "human")
    one.wait_for_ply(1)


def test_players_among_themselves(visit: Open) -> None:
    one = visit()
    one.remember(seat_x="level-1", seat_o="mcts:simulations=50", delay="0")
    page = one.open("?game=connect4")
    page.wait_for_timeout(300)
    assert page.get_attribute("#board", "data-ply") == "0"
    page.click("#panel >> text=Start")
    page.wait_for_function("() => /wins|Draw/.test(document.getElementById('status').textContent)")


def test_a_bad_player_is_explained(visit: Open) -> None:
    one = visit()
    one.remember(seat_o="os:system")
    page = one.open("?game=tictactoe")
    page.click('#board [data-cell="4"]')
    page.wait_for_selector("#toast:not([hidden])")
    assert "unknown player 'os:system'" in page.inner_text("#toast")


@pytest.mark.parametrize(
    "address",
    [
        "?game=nineboard&options=full=draw&moves=5-6,6-1,1-9",
        "?game=connect4&moves=4455&at=2",
        "?game=mnk&options=m=5,n=4,k=4&moves=a1,b2&tab=analyse",
        "?game=tictactoe&position=tictactoe+x../.o./...+x&moves=9",
        "?game=qubic&moves=111&tab=review",
    ],
)
def test_the_address_holds_the_game(address: str, visit: Open) -> None:
    one = visit()
    one.remember(seat_o="human")
    page = one.open(address)
    page.wait_for_function("() => document.getElementById('status').textContent")
    marks = one.marks()
    assert marks.strip(".")
    assert page.url == f"{one.home}/{address}"
    page.reload()
    page.wait_for_selector("#board[data-ready]")
    assert one.marks() == marks
    assert page.url == f"{one.home}/{address}"


def test_back_returns_to_the_last_game(visit: Open) -> None:
    one = visit()
    one.remember(seat_o="human")
    page = one.open("?game=tictactoe&moves=51")
    page.click("#games >> text=Qubic")
    page.wait_for_function("() => document.body.dataset.game === 'qubic'")
    page.go_back()
    page.wait_for_function("() => document.body.dataset.game === 'tictactoe'")
    assert one.marks() == "o...x...."


def test_a_bad_address_is_explained(visit: Open) -> None:
    one = visit()
    page = one.open("?game=connect4&moves=4x")
    page.wait_for_selector("#toast:not([hidden])")
    assert "is not a move" in page.inner_text("#toast")
    assert page.locator("#board .cell").count() > 0


def test_tabs_keep_the_position(visit: Open) -> None:
    one = visit()
    one.remember(seat_o="human")
    page = one.open("?game=connect4&moves=4455")
    marks = one.marks()
    for name in ("analyse", "review", "puzzles", "play"):
        page.click(f"#tab-{name}")
        assert page.get_attribute(f"#tab-{name}", "aria-selected") == "true"
        assert one.marks() == marks


def test_review_finds_the_blunder(visit: Open) -> None:
    one = visit()
    page = one.open("?game=tictactoe&moves=52731&tab=review")
    page.click("text=Review this game")
    page.wait_for_selector("text=Review again")
    assert "O lost it with move 2, 2; best was" in page.inner_text(".turning")
    assert page.locator(".moves .sign.blunder").count() >= 1
    page.click(".turning button")
    one.wait_for_ply(2)
    assert "a blunder" in page.inner_text("#seats")
    assert "X 100%" in str(page.get_attribute("#bar", "aria-label"))
    page.click('.strip[data-ply="4"]')
    one.wait_for_ply(4)


def test_review_can_be_cancelled(visit: Open, server: Client) -> None:
    one = visit()
    board = Board("ultimate")
    for _ in range(30):
        board.push(board.safe_moves()[0])
    assert not board.is_game_over()
    moves = ",".join(move.replace(" ", "-") for move in board.moves)
    page = one.open(f"?game=ultimate&moves={moves}&tab=review")
    page.click("text=Review this game")
    page.wait_for_selector("progress:not([hidden])")
    page.click("text=Cancel")
    server.wait_until_idle()
    assert not page.is_visible("progress")


def test_puzzle(visit: Open) -> None:
    one = visit()
    page = one.open("?game=tictactoe&moves=5&tab=puzzles")
    page.wait_for_selector("#puzzle-grade option", state="attached")
    page.select_option("#puzzle-game", "connect4")
    by_position = {puzzle.position: puzzle for puzzle in shipped_puzzles()}

    def start(button: str) -> Any:
        before = page.url
        page.click(f"text={button}")
        page.wait_for_url(lambda url: url != before)
        page.wait_for_selector("text=to move and win")
        position = page.url.partition("position=")[2].partition("&")[0].replace("+", " ")
        return by_position[position]

    puzzle = start("Start")
    board = Board.parse(puzzle.position)
    wrong = next(move for move in board.legal_moves if move != puzzle.move)
    page.click(f'#board [data-cell="{cell_of(board, wrong)}"]')
    page.wait_for_selector("text=does not win")
    assert one.marks() == board.marks
    page.click("text=Solution")
    page.wait_for_selector("text=The only winning move is")
    puzzle = start("Next puzzle")
    board = Board.parse(puzzle.position)
    for ply in range(0, len(puzzle.line), 2):
        page.click(f'#board [data-cell="{cell_of(board, puzzle.line[ply])}"]')
        for move in puzzle.line[ply : ply + 2]:
            board.push(move)
        one.wait_for_ply(len(board.moves))
    page.wait_for_selector("text=Solved")
    assert one.marks() == board.marks
    assert "Streak 1" in page.inner_text("#panel")
    page.click("text=Back to my game")
    page.wait_for_selector('#board [data-cell="41"]', state="detached")  # connect4's last cell
    assert one.marks() == "....x...."


def test_paste_and_download(visit: Open) -> None:
    one = visit(accept_downloads=True)
    one.remember(seat_o="human")
    page = one.open("?game=tictactoe")
    page.click("#share")
    page.fill("#paste", "nonsense")
    page.click("dialog >> text=Open")
    page.wait_for_function(
        "() => document.querySelector('.wrong').textContent.includes('not a move')"
    )
    page.fill("#paste", '[Game "nineboard"]\n[Options "full=draw"]\n[Result "1-0"]\n\n5-6 6-1 1-9')
    page.click("dialog >> text=Open")
    one.wait_for_ply(3)
    assert "O resigned: X wins" in page.inner_text("#status")
    page.click("#share")
    with page.expect_download() as waiting:
        page.click("dialog >> text=Game")
    game = Game.load(waiting.value.path())
    assert game.headers["Result"] == "1-0"
    assert game.board().text().startswith("nineboard:full=draw")
    with page.expect_download() as waiting:
        page.locator("dialog button", has_text="PNG").last.click()
    with open(waiting.value.path(), "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"


def test_options(visit: Open) -> None:
    one = visit()
    page = one.open("?game=mnk")
    page.click("text=Rules of this game")
    page.fill("#option-m", "5")
    page.fill("#option-n", "4")
    page.click("text=New game with these rules")
    page.wait_for_function("() => document.querySelectorAll('#board .cell').length === 20")
    assert "options=m=5,n=4" in page.url
    page.fill("#option-k", "9")
    page.click("text=New game with these rules")
    page.wait_for_selector("#toast:not([hidden])")
    assert page.locator("#board .cell").count() == 20


@pytest.mark.parametrize("game", games())
def test_phone(game: str, visit: Open) -> None:
    one = visit(width=360, height=740, has_touch=True)
    one.remember(seat_o="human")
    page = one.open(query(game))
    board = start_board(game)
    for _ in range(5):
        move = next_move(board)
        if board.has_board_in_force and len({m.number // 9 for m in board.legal_moves}) > 1:
            page.tap(f'#board [data-cell="{move.number}"]')  # chooses the board
        cell = page.locator(f'#board [data-cell="{cell_of(board, move)}"] .hit')
        box = cell.bounding_box()
        assert box is not None
        assert box["width"] >= 40
        assert box["height"] >= 40
        cell.tap()
        board.push(move)
        one.wait_for_ply(len(board.moves))
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
    assert one.marks() == board.marks
    if board.has_board_in_force:
        assert page.is_visible("#minimap")


def test_dark_and_light(visit: Open) -> None:
    shade = "() => getComputedStyle(document.body).backgroundColor"
    dark = visit(color_scheme="dark").open("?game=ultimate")
    light = visit(color_scheme="light").open("?game=ultimate")

    def brightness(text: str) -> int:
        return sum(map(int, re.findall(r"\d+", text)[:3]))

    assert brightness(dark.evaluate(shade)) < 150
    assert brightness(light.evaluate(shade)) > 650
    light.click("#theme")
    light.click("#theme")
    assert brightness(light.evaluate(shade)) < 150


def test_motion_can_be_reduced(visit: Open) -> None:
    for motion, expected in (("no-preference", "fall"), ("reduce", "none")):
        one = visit(reduced_motion=motion)
        one.remember(seat_o="human")
        page = one.open("?game=connect4")
        page.click('#board [data-cell="3"]')
        one.wait_for_ply(1)
        name = "() => getComputedStyle(document.querySelector('.disc')).animationName"
        assert page.evaluate(name) == expected


VIEWS = [
    "?game=mnk",
    "?game=nineboard",
    "?game=ultimate&moves=5-5,5-1,1-1&tab=analyse",
    "?game=connect4&moves=4455&tab=analyse",
    "?game=tictactoe&moves=5273149&tab=review",
    "?game=connect4&moves=445533662&tab=puzzles",
    "?game=qubic&moves=111,222,144,333,114,232&tab=analyse",
]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_accessible(width: int, scheme: str, visit: Open) -> None:
    """axe-core finds nothing wrong on any view."""
    one = visit(width=width, color_scheme=scheme)
    one.remember(rules_open="yes")
    found = []
    for address in VIEWS:
        page = one.open(address)
        if "analyse" in address:
            page.wait_for_selector("#board .figure")
            page.wait_for_selector(".lines .tag")
        if "review" in address:
            page.wait_for_selector("text=Review again")
        found += [f"{address} {text}" for text in one.violations()]
    for opener in ("#share", "#help"):
        page.click(opener)
        found += [f"{opener} {text}" for text in one.violations()]
        page.keyboard.press("Escape")
    assert found == []
