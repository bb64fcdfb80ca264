"""The web server without a browser: every route, and every refusal with its reason."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support import contract
from support.reference import reference
from ttt import Board, Engine, Game
from ttt.puzzles.collection import shipped_puzzles
from ttt.registry import games
from ttt.web import records, service
from ttt.web.limits import DEFAULT_LIMITS

pytest.importorskip("starlette", reason="needs the extra [web]: Starlette")
pytest.importorskip("uvicorn", reason="needs the extra [web]: uvicorn")

from support.web import QUICK, Client, Response, serve
from ttt.web.app import routes
from ttt.web.guard import Rates, allowed_hosts


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with serve() as client:
        yield client


def events(response: Response) -> list[tuple[str, Any]]:
    """The server-sent events of a response."""
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    found = []
    for block in response.text.strip().split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def refused(response: Response, status: int, reason: str) -> None:
    """Asserts a problem with a reason."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    record = response.json()
    assert record["status"] == status
    assert reason in record["detail"], record["detail"]


# --- routes --------------------------------------------------------------------------------------


def test_games_lists_every_game_with_its_layout(client: Client) -> None:
    found = client.get("/api/games").json()
    assert [game["game"] for game in found["games"]] == list(games())
    for game in found["games"]:
        start = Board(game["game"])
        layout = game["layout"]
        assert len(layout["cells"]) == len(start.marks)
        assert {cell["move"] for cell in layout["cells"]} == {*map(str, start.ruleset.moves)}
        assert layout["width"] * layout["height"] * layout["blocks"] == len(start.marks)
        assert game["rules"] == start.rules()
        assert game["first"] == client.get("/api/position", {"game": game["game"]}).json()
        assert {choice["name"] for choice in game["choices"]} == set(start.options)
    assert len(found["levels"]) == 10
    assert found["limits"]["seconds"] == 60


def test_game_takes_options(client: Client) -> None:
    found = client.get("/api/games/mnk", params={"options": "m=4,n=5,k=4"}).json()
    assert found["options"] == {"m": 4, "n": 5, "k": 4}
    assert found["option_text"] == "m=4,n=5,k=4"
    assert len(found["layout"]["cells"]) == 20


@pytest.mark.parametrize("game", contract.GAMES, ids=str)
def test_position_agrees_with_the_slow_rules(game: Any, client: Client) -> None:
    """A whole game, move by move, against rules written without the core."""
    name, options = game
    slow = reference(name, **options)
    moves: list[str] = []
    while True:
        body = {"game": name, "options": options, "moves": moves}
        found = client.post("/api/position", json=body).json()
        assert found["marks"] == "".join(slow.marks)
        assert found["turn"] == slow.turn
        outcome = slow.outcome()
        if outcome is not None:
            assert found["legal"] == []
            assert found["outcome"]["winner"] == outcome[0]
            assert sorted(found["outcome"]["cells"]) == slow.winning_cells()
            return
        by_number = {move.number: str(move) for move in Board(name, **options).ruleset.moves}
        legal = slow.legal()
        assert [entry["move"] for entry in found["legal"]] == [by_number[i] for i in legal]
        number = legal[(7 * len(moves) + 3) % len(legal)]
        slow.play(number)
        landed = next(entry for entry in found["legal"] if entry["move"] == by_number[number])
        assert slow.marks[landed["cell"]] == found["turn"]
        moves.append(by_number[number])


def test_get_and_post_position_agree(client: Client) -> None:
    got = client.get("/api/position", params={"game": "connect4", "moves": "4455"})
    posted = client.post("/api/position", json={"game": "connect4", "moves": ["4", "4", "5", "5"]})
    assert got.json() == posted.json()
    assert got.json()["status"] == "X to move"
    assert got.json()["last"] == 32


def test_winning_lines_are_given_from_end_to_end(client: Client) -> None:
    body = {"game": "mnk", "options": "m=5,n=5,k=3", "moves": "a1 a2 b1 b2 d1 d2 e1 e2 c1"}
    outcome = client.post("/api/position", json=body).json()["outcome"]
    assert outcome["lines"] == [[0, 1, 2, 3, 4]]
    body["moves"] = "a1 a5 b1 d5 c2 b4 c3 e4 c1"  # completes a row and a column
    outcome = client.post("/api/position", json=body).json()["outcome"]
    assert sorted(outcome["lines"]) == [[0, 1, 2], [2, 7, 12]]


def test_ultimate_is_won_by_a_line_of_boards() -> None:
    board = Board("ultimate")
    number = 1
    while board.outcome() is None or board.outcome().winner is None:  # type: ignore[union-attr]
        board = Board("ultimate")
        while not board.is_game_over():
            board.push(board.legal_moves[number % len(board.legal_moves)])
            number = number * 69069 + 1 & 0xFFFFFFFF
    outcome = records.outcome_record(board)
    assert outcome is not None
    for line in outcome["block_lines"]:
        assert len(line) == 3
        assert {board.picture()[2][block] for block in line} == {outcome["winner"]}


def test_threats_of_qubic_have_their_lines(client: Client) -> None:
    body = {"game": "qubic", "moves": "111 211 112 212 113"}
    found = client.post("/api/position", json=body).json()["threats"]
    assert found == [{"side": "x", "move": "114", "cell": 3, "lines": [[0, 1, 2, 3]]}]


def test_qubic_has_76_lines() -> None:
    lines = Board("qubic").winning_lines()
    assert len(set(lines)) == 76
    for line in lines:
        slow = reference("qubic")
        for cell in line:
            slow.marks[cell] = "x"
        assert sorted(slow.winning_cells()) == sorted(line)


@pytest.mark.parametrize("player", ["level-1", "level-3", "level-6", "engine:nodes=1000", "first"])
@pytest.mark.parametrize("game", games())
def test_move_is_legal(player: str, game: str, client: Client) -> None:
    found = client.post("/api/move", json={"game": game, "player": player, "seed": 7}).json()
    board = Board(game)
    board.push(found["move"])
    assert found["position"]["position"] == board.text()
    again = client.post("/api/move", json={"game": game, "player": player, "seed": 7}).json()
    assert again["move"] == found["move"]


@pytest.mark.parametrize(
    ("game", "moves"), [("tictactoe", "51"), ("connect4", "4444443333335"), ("mnk", "b2")]
)
def test_analysis_equals_that_of_the_engine(game: str, moves: str, client: Client) -> None:
    response = client.post("/api/analyse", json={"game": game, "moves": moves, "time": 30})
    name, found = events(response)[-1]
    board = Board(game)
    board.push_moves(moves)
    with Engine(game) as engine:
        expected = engine.analyse_moves(board)
    assert name == "result"
    assert found["proven"]
    for entry in found["moves"]:
        wanted = expected[entry["move"]]
        value = wanted.score.value or "draw"
        assert (entry["value"], entry["plies"]) == (value, wanted.plies)
        assert entry["game_score"] == wanted.game_score


def test_analysis_streams_while_it_deepens(client: Client) -> None:
    found = events(client.post("/api/analyse", json={"game": "ultimate", "time": 1}))
    assert [name for name, _ in found[:2]] == ["info", "info"]
    depths = [record["depth"] for _, record in found]
    assert depths == sorted(depths)
    assert depths[0] < depths[-1]
    for _, record in found:
        assert len(record["moves"]) == 81
        assert all(0 <= entry["x"] <= 1 for entry in record["moves"])


def test_analysis_of_qubic_has_a_chain_of_threats(client: Client) -> None:
    moves = "111 222 144 333 114 232 141"
    body = {"game": "qubic", "moves": moves, "nodes": 1000}
    _, found = events(client.post("/api/analyse", json=body))[-1]
    board = Board("qubic")
    board.push_moves(moves)
    chain = Engine("qubic").threats(board)
    assert found["chain"] == (None if chain is None else [*map(str, chain)])


def test_analysis_of_a_finished_game_is_empty(client: Client) -> None:
    body = {"game": "tictactoe", "moves": "14253"}
    assert events(client.post("/api/analyse", json=body))[-1][1]["moves"] == []


def test_review_finds_the_blunder(client: Client) -> None:
    body = {"game": "tictactoe", "moves": "5 2 7 3 1"}
    name, found = events(client.post("/api/review", json=body))[-1]
    assert name == "result"
    assert found["reviewed"] == found["plies"] == 5
    assert found["turning_point"] == 2
    second = found["moves"][1]
    assert (second["label"], second["best"], second["score"]["value"]) == ("blunder", "1", "loss")
    assert second["score"]["x"] == 1


def test_review_ends_when_its_time_is_over(client: Client) -> None:
    board = Board("ultimate")
    for _ in range(40):
        board.push(board.legal_moves[0])
    moves = [*map(str, board.moves)]
    body = {"game": "ultimate", "moves": moves, "nodes": 10**8, "time": 0.3}
    _, found = events(client.post("/api/review", json=body))[-1]
    assert found["reviewed"] < found["plies"] == 40


SAVED = '[Game "nineboard"]\n[Options "full=draw"]\n[X "me"]\n\n5-6 6-1\n1-9'


@pytest.mark.parametrize(
    ("text", "game", "position"),
    [
        ("4455", "connect4", "connect4 ......./......./......./......./...oo../...xx.. x"),
        ("5-6, 61", "nineboard", None),
        ("tictactoe x../.o./... x", "connect4", "tictactoe x../.o./... x"),
        ("x../.o./... x", "tictactoe", "tictactoe x../.o./... x"),
        (SAVED, "connect4", None),
    ],
)
def test_parse(text: str, game: str, position: str | None, client: Client) -> None:
    found = client.post("/api/parse", json={"text": text, "game": game}).json()
    if position:
        assert found["position"] == position
    if text == SAVED:
        assert found["headers"]["X"] == "me"
        assert found["game"] == "nineboard"
        assert found["option_text"] == "full=draw"
        assert found["moves"] == ["5 6", "6 1", "1 9"]


def test_export_can_be_parsed_again(client: Client) -> None:
    body = {"game": "nineboard", "options": {"full": "draw"}, "moves": "56 61 19"}
    wanted = client.post("/api/position", json=body).json()
    for form in ("game", "moves", "position"):
        given = client.post("/api/export", json={**body, "format": form})
        assert given.headers["content-disposition"] == 'attachment; filename="nineboard.txt"'
        text = {"text": given.text, "game": "nineboard", "options": {"full": "draw"}}
        again = client.post("/api/parse", json=text).json()
        assert again["position"] == wanted["position"]


def test_export_of_a_resigned_game_can_be_replayed(client: Client) -> None:
    body = {
        "game": "connect4",
        "moves": "4455",
        "format": "game",
        "headers": {"X": "me", "O": "level-3"},
        "result": "0-1",
    }
    game = Game.parse(client.post("/api/export", json=body).text)
    assert game.headers["Result"] == "0-1"
    assert game.headers["O"] == "level-3"
    assert game.board().moves == ["4", "4", "5", "5"]


def test_export_of_drawings(client: Client) -> None:
    board = Board("connect4")
    board.push_moves("44")
    body = {"game": "connect4", "moves": "44"}
    drawn = client.post("/api/export", json={**body, "format": "svg", "size": 500})
    assert drawn.text == board.svg(500)
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert client.post("/api/export", json={**body, "format": "text"}).text == f"{board}\n"


def test_puzzles(client: Client) -> None:
    found = client.get("/api/puzzles").json()
    assert len(found["puzzles"]) == len(shipped_puzzles())
    only = client.get("/api/puzzles", params={"game": "connect4"}).json()["puzzles"]
    assert {puzzle["game"] for puzzle in only} == {"connect4"}
    ids = [puzzle["id"] for puzzle in found["puzzles"]]
    assert len(set(ids)) == len(ids)


def test_a_puzzle_is_solved_move_by_move(client: Client) -> None:
    for puzzle in client.get("/api/puzzles").json()["puzzles"][::7]:
        moves: list[str] = []
        answer: Any = {"solved": False}
        while not answer["solved"]:
            moves.append(puzzle["line"][len(moves)])
            answer = client.post("/api/puzzle", json={"id": puzzle["id"], "moves": moves}).json()
            assert answer["correct"], (puzzle, moves)
            if answer["reply"] is not None:
                moves.append(answer["reply"])
            assert answer["position"]["moves"] == moves
        assert moves == puzzle["line"]


def test_a_wrong_move_in_a_puzzle(client: Client) -> None:
    puzzle = client.get("/api/puzzles").json()["puzzles"][-1]
    legal = Board.parse(puzzle["position"]).legal_moves
    wrong = next(str(move) for move in legal if move != puzzle["move"])
    answer = client.post("/api/puzzle", json={"id": puzzle["id"], "moves": [wrong]}).json()
    assert (answer["correct"], answer["solved"], answer["reply"]) == (False, False, None)
    assert answer["position"]["moves"] == [wrong]


def test_description_names_every_route(client: Client) -> None:
    document = client.get("/api").json()
    assert document["openapi"].startswith("3.")
    described = {
        (path, method.upper()) for path, methods in document["paths"].items() for method in methods
    }
    served = {
        (route.path, method)
        for route in routes()
        for method in route.methods or ()
        if route.path.startswith("/api") and method != "HEAD"
    }
    assert described == served


def test_the_page_is_served_with_strict_headers(client: Client) -> None:
    page = client.get("/", headers={"accept-encoding": "gzip"})
    assert page.headers["content-encoding"] == "gzip"
    assert "<html" in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in page.headers
    again = client.get("/", headers={"if-none-match": page.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    plain = client.get("/", headers={"accept-encoding": "identity"})
    assert plain.text == page.text


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/api/games", "/api/status", "/nothing"])
@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:8000", "", "[", "10.0.0.1"]
)
def test_foreign_host(path: str, host: str, client: Client) -> None:
    refused(client.get(path, headers={"host": host}), 421, "not this server")


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:8000", "LOCALHOST"])
def test_own_host(host: str, client: Client) -> None:
    assert client.get("/api/status", headers={"host": host}).status_code == 200


def test_hosts_of_a_public_server() -> None:
    assert "*ip" not in allowed_hosts("127.0.0.1")
    with serve(host="0.0.0.0", allow_hosts=["Games.example"]) as client:
        assert client.get("/api/status", headers={"host": "10.0.0.1:80"}).status_code == 200
        assert client.get("/api/status", headers={"host": "games.example"}).status_code == 200
        refused(client.get("/api/status", headers={"host": "evil.example"}), 421, "evil.example")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "file://", "http://[", ""]
)
def test_foreign_origin(origin: str, client: Client) -> None:
    for path in ("/api/games", "/"):
        refused(client.get(path, headers={"origin": origin}), 403, "not allowed")
    body = {"game": "tictactoe", "player": "level-1"}
    refused(client.post("/api/move", json=body, headers={"origin": origin}), 403, "not allowed")


def test_own_origin(client: Client) -> None:
    assert client.get("/api/status", headers={"origin": client.home}).status_code == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nothing", 404),
        ("/api/nothing", 404),
        ("/../pyproject.toml", 404),
        ("/%2e%2e/%2e%2e/etc/passwd", 404),
        ("/..%2fapp.py", 404),
        ("/page/../app.py", 404),
        ("/index.html/", 404),
        ("//etc/passwd", 404),
        ("/%00", 404),
    ],
)
def test_unknown_paths(path: str, status: int, client: Client) -> None:
    refused(client.get(path), status, "page")


@pytest.mark.parametrize(
    ("method", "path"),
    [("PUT", "/api/position"), ("DELETE", "/"), ("GET", "/api/move"), ("POST", "/api/games")],
)
def test_wrong_method(method: str, path: str, client: Client) -> None:
    refused(client.request(method, path), 405, "not possible")


POSTS = ("position", "parse", "export", "puzzle", "move", "analyse", "review")


@pytest.mark.parametrize("path", POSTS)
def test_bad_bodies(path: str, client: Client) -> None:
    url = f"/api/{path}"
    kind = {"content-type": "application/json"}
    refused(client.post(url, content=b"{", headers=kind), 400, "not valid JSON")
    refused(client.post(url, content=b"\xff", headers=kind), 400, "not valid JSON")
    refused(client.post(url, content=b"[" * 50_000, headers=kind), 400, "not valid JSON")
    refused(client.post(url, content=b'{"time": NaN}', headers=kind), 400, "NaN")
    refused(client.post(url, content=b"[]", headers=kind), 400, "expected a JSON object")
    refused(client.post(url, content=b"{}"), 415, "expected application/json")
    form = {"content-type": "application/x-www-form-urlencoded"}
    refused(client.post(url, content=b"game=mnk", headers=form), 415, "expected application/json")
    large = b'{"game": "' + b"x" * 70_000 + b'"}'
    refused(client.post(url, content=large, headers=kind), 413, "at most 65,536 bytes")

    def pieces() -> Iterator[bytes]:
        for _ in range(70):
            yield b"x" * 1000

    refused(client.post(url, content=pieces(), headers=kind), 413, "at most 65,536 bytes")
    refused(client.post(url, json={"nonsense": 1}), 400, "unknown field 'nonsense'")


@pytest.mark.parametrize("path", ["position", "move", "analyse", "review"])
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({}, "game is missing"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": 7}, "expected text"),
        ({"game": "\ud800", "position": "tictactoe .../.../... x"}, "unknown game '\\ud800'"),
        ({"game": "../boards/mnk"}, "unknown game"),
        ({"game": "tictactoe", "moves": "55"}, "5 cannot be played: that cell is taken"),
        ({"game": "tictactoe", "moves": ["0"]}, "'0' is not a move"),
        ({"game": "tictactoe", "moves": [5]}, "expected a Move or its text"),
        ({"game": "tictactoe", "moves": 5}, "expected a list of moves"),
        ({"game": "tictactoe", "moves": ["5"] * 300}, "at most 256"),
        ({"game": "mnk", "options": {"m": 10**9}}, "option m=1000000000"),
        ({"game": "mnk", "options": {"m": 9, "n": 9}}, ""),
        ({"game": "mnk", "options": {"q": 1}}, "unknown option 'q'"),
        ({"game": "mnk", "options": "m"}, "write name=value"),
        ({"game": "mnk", "options": []}, "expected an object or text"),
        ({"game": "connect4", "position": "tictactoe .../.../... x"}, "a position of connect4"),
        ({"game": "tictactoe", "position": "tictactoe ... x"}, "3 groups of 3"),
        ({"game": "tictactoe", "position": "tictactoe xxx/.../... x"}, ""),
    ],
)
def test_bad_positions(path: str, body: Any, reason: str, client: Client) -> None:
    more = {"player": "level-1"} if path == "move" else {}
    refused(client.post(f"/api/{path}", json={**body, **more}), 400, reason)


@pytest.mark.parametrize("path", ["analyse", "review"])
@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ({"time": 10**9}, "at most 60 seconds"),
        ({"time": 61}, "at most 60 seconds"),
        ({"time": 0}, "more than 0"),
        ({"time": -1}, "more than 0"),
        ({"time": "1"}, "expected seconds"),
        ({"time": True}, "expected seconds"),
        ({"nodes": 10**10}, "at most 1,000,000,000"),
        ({"nodes": 10**30}, "at most 1,000,000,000"),
        ({"nodes": 0}, "whole number"),
        ({"nodes": 1.5}, "whole number"),
        ({"threads": 64}, "unknown field 'threads'"),
    ],
)
def test_bad_limits(path: str, limit: Any, reason: str, client: Client) -> None:
    body = {"game": "connect4", "moves": "4", **limit}
    refused(client.post(f"/api/{path}", json=body), 400, reason)


def test_depth_is_bounded(client: Client) -> None:
    body = {"game": "connect4", "depth": 10**6}
    refused(client.post("/api/analyse", json=body), 400, "from 1 to 255")


@pytest.mark.parametrize(
    ("player", "reason"),
    [
        (None, "player is missing"),
        (5, "expected text"),
        ("level-0", "whole number from 1 to 10"),
        ("level-11", "whole number from 1 to 10"),
        ("human", "unknown player 'human'"),
        ("os:system", "unknown player 'os:system'"),
        ("antigravity:x", "unknown player"),
        ("mybot:pick:depth=3", "unknown player"),
        ("exec:rm", "unknown player"),
        ("engine:time=1000000000", "at most 10"),
        ("level-10:time=11", "at most 10"),
        ("engine:hash=4096", "at most 64"),
        ("mcts:hash=4096,simulations=5", "at most 64"),
        ("engine:threads=64", "at most 1"),
        ("engine:nodes=99999999999", "at most 1e+09"),
        ("engine:depth=x", "depth='x'"),
        ("engine:bogus=1", "unknown option 'bogus'"),
        ("qubic-c", "plays qubic"),
    ],
)
def test_bad_players(player: Any, reason: str, client: Client) -> None:
    body = {"game": "connect4"} if player is None else {"game": "connect4", "player": player}
    refused(client.post("/api/move", json=body), 400, reason)


def test_custom_players_are_never_imported(client: Client) -> None:
    import sys

    body = {"game": "tictactoe", "player": "this:s"}
    refused(client.post("/api/move", json=body), 400, "unknown player")
    assert "this" not in sys.modules


def test_bad_moves_and_reviews(client: Client) -> None:
    over = {"game": "tictactoe", "moves": "14253"}
    refused(client.post("/api/move", json={**over, "player": "level-1"}), 400, "game is over")
    bad = {"game": "tictactoe", "player": "level-1", "seed": -1}
    refused(client.post("/api/move", json=bad), 400, "seed=-1")
    refused(client.post("/api/review", json={"game": "mnk"}), 400, "no move has been played")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"text": ""}, "nothing to read"),
        ({"text": 5}, "expected text"),
        ({"text": "4455"}, "choose a game first"),
        ({"text": "abc", "game": "connect4"}, "'abc' is not a move"),
        ({"text": '[Game "chess"]\n\n1', "game": "connect4"}, "unknown game"),
        ({"text": "[Game]", "game": "connect4"}, "expected a header"),
        ({"text": "x" * 30_000, "game": "connect4"}, "too long"),
    ],
)
def test_bad_texts(body: Any, reason: str, client: Client) -> None:
    refused(client.post("/api/parse", json=body), 400, reason)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({}, "format is missing"),
        ({"format": "exe"}, "unknown format 'exe'"),
        ({"format": "svg", "size": 10**9}, "16 to 4096"),
        ({"format": "svg", "size": "9"}, "16 to 4096"),
        ({"format": "game", "headers": {"Result": "1-0"}}, "header Result"),
        ({"format": "game", "headers": {"X": "a\nb"}}, "expected one line"),
        ({"format": "game", "headers": []}, "expected an object"),
        ({"format": "game", "result": "2-0"}, "unknown result"),
    ],
)
def test_bad_exports(body: Any, reason: str, client: Client) -> None:
    refused(client.post("/api/export", json={"game": "mnk", **body}), 400, reason)


def test_puzzles_of_an_unknown_game(client: Client) -> None:
    refused(client.get("/api/puzzles", params={"game": "chess"}), 400, "unknown game")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({}, "id is missing"),
        ({"id": 7}, "expected text"),
        ({"id": "../data"}, "unknown puzzle '../data'"),
        ({"id": "", "moves": []}, "unknown puzzle ''"),
    ],
)
def test_bad_puzzles(body: Any, reason: str, client: Client) -> None:
    refused(client.post("/api/puzzle", json=body), 400, reason)


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ([], "no move to judge"),
        (5, "expected a list of moves"),
        ([5], "expected a Move or its text"),
        (["z9"], "is not a move"),
        (["5"] * 300, "at most 256"),
        (["1", "2", "3"], "3 moves: the solution has 1"),
    ],
)
def test_bad_attempts(moves: Any, reason: str, client: Client) -> None:
    puzzles = client.get("/api/puzzles", params={"game": "tictactoe"}).json()["puzzles"]
    body = {"id": puzzles[0]["id"], "moves": moves}
    refused(client.post("/api/puzzle", json=body), 400, reason)


def test_rate_limit() -> None:
    body = {"game": "tictactoe", "player": "level-1"}
    with serve(DEFAULT_LIMITS._replace(rate=0.01, burst=3)) as client:
        for _ in range(3):
            assert client.post("/api/move", json=body).status_code == 200
        response = client.post("/api/move", json=body)
        refused(response, 429, "too many searches")
        assert int(response.headers["retry-after"]) > 50
        assert client.get("/api/games").status_code == 200


def test_rates_refill_and_forget() -> None:
    now = 0.0
    rates = Rates(2, 4, lambda: now)
    assert [rates.wait("a") for _ in range(5)] == [0, 0, 0, 0, 0.5]
    assert rates.wait("b") == 0
    now = 1.0
    assert [rates.wait("a") for _ in range(3)] == [0, 0, 0.5]
    for number in range(5_000):
        rates.wait(str(number))
    assert len(rates.buckets) <= 4_096


def test_too_many_searches() -> None:
    with serve(QUICK._replace(searches=1)) as client:
        client.searches.running.add(object())  # type: ignore[arg-type]
        response = client.post("/api/move", json={"game": "tictactoe", "player": "level-1"})
        refused(response, 503, "1 searches are running")
        assert response.headers["retry-after"] == "1"
        client.searches.running.clear()


def test_an_unexpected_error_is_told_without_details(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*arguments: Any) -> None:
        raise RuntimeError("secret")

    monkeypatch.setitem(service.ANSWERS, "puzzles", fail)
    response = client.get("/api/puzzles")
    refused(response, 500, "an error in the server")
    assert "secret" not in response.text
    assert "secret" in caplog.text


def test_a_failing_search_is_reported(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any) -> None:
        raise ValueError("no luck")

    monkeypatch.setattr(service.AnalysisTask, "run", fail)
    monkeypatch.setattr(service.MoveTask, "run", fail)
    name, record = events(client.post("/api/analyse", json={"game": "mnk"}))[-1]
    assert (name, record["detail"]) == ("error", "no luck")
    refused(client.post("/api/move", json={"game": "mnk", "player": "first"}), 500, "no luck")
