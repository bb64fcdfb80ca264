"""Players that the operator of a server adds to the page: programs, supervised and ended."""

from pathlib import Path
from typing import Any

import pytest

from support.bots import TTT, python_bot, ugi_bot
from support.inprocess import run
from support.processes import is_running, wait_until
from ttt import Board
from ttt.players.spec import make_player

pytest.importorskip("starlette", reason="needs the extra [web]: Starlette")
pytest.importorskip("uvicorn", reason="needs the extra [web]: uvicorn")

from support.web import ENDLESS, JSON_TYPE, QUICK, Client, encode, serve
from ttt.web.guests import parse_guests

PID = "open('pid', 'a').write(f'{os.getpid()}\\n')"


def started(folder: Path) -> list[int]:
    """The processes of bots that write their numbers."""
    path = folder / "pid"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def noting_bot(folder: Path, answer: str) -> str:
    """A UGI bot that writes its number to a file at each `go`."""
    return f"program:env -C {folder} {ugi_bot(folder, f'{PID}; {answer}')},protocol=ugi"


def move(client: Client, player: str, moves: list[str], **where: Any) -> Any:
    body = {**where, "moves": moves, "player": player}
    return client.post("/api/move", json=body)


def test_they_are_listed_by_name_only() -> None:
    with serve(players={"stock": f"program:{TTT} ugi connect4"}) as client:
        found = client.get("/api/games")
        assert found.json()["guests"] == ["stock"]
        assert "program:" not in found.text
    with serve() as client:
        assert client.get("/api/games").json()["guests"] == []


@pytest.mark.parametrize(
    ("where", "spec", "inside"),
    [
        ({"game": "connect4"}, f"program:{TTT} ugi connect4,protocol=ugi,nodes=300", "nodes=300"),
        (
            {"game": "ultimate", "options": {"tie": "boards"}},
            f"program:{TTT} codingame --player engine:nodes=60,protocol=codingame,time=60",
            "nodes=60",
        ),
    ],
    ids=["ugi", "codingame"],
)
def test_a_whole_game(where: dict[str, Any], spec: str, inside: str) -> None:
    """Both sides of a game; each keeps its process, and the moves are those of the same engine in
    this process."""
    board = Board(where["game"], **where.get("options", {}))
    players: list[Any] = [make_player(f"engine:{inside}", board) for _ in "xo"]
    with serve(players={"bot": spec}) as client:
        while not board.is_game_over():
            found = move(client, "bot", list(map(str, board.moves)), **where)
            assert found.status_code == 200, found.text
            mover = players[board.ply % 2]
            if board.ply < 2:
                mover.new_game(0)
            board.push(mover.choose(board.copy()))
            assert found.json()["move"] == str(board.peek())
        assert found.json()["position"]["outcome"]


def test_one_process_per_game(tmp_path: Path) -> None:
    """A game keeps its process; another game gets its own; all end with the server."""
    spec = noting_bot(tmp_path, "print('bestmove 1', flush=True)")
    with serve(players={"bot": spec}) as client:
        for moves in (["2"], ["2", "1", "3"], ["2", "1", "3", "1", "4"]):
            assert move(client, "bot", moves, game="connect4").json()["move"] == "1"
        assert len(set(started(tmp_path))) == 1
        assert move(client, "bot", ["5"], game="connect4").json()["move"] == "1"
        pids = set(started(tmp_path))
        assert len(pids) == 2
        assert all(map(is_running, pids))
    assert not any(map(is_running, pids))


def test_no_more_wait_than_the_server_allows(tmp_path: Path) -> None:
    spec = noting_bot(tmp_path, "print('bestmove 1', flush=True)")
    with serve(QUICK._replace(searches=2), players={"bot": spec}) as client:
        for first in "234":
            assert move(client, "bot", [first], game="connect4").status_code == 200
        pids = started(tmp_path)
        wait_until(lambda: [is_running(pid) for pid in pids] == [False, True, True])


def test_visitors_cannot_name_programs(tmp_path: Path) -> None:
    with serve(players={"bot": noting_bot(tmp_path, "")}) as client:
        for player in ("program:true", f"program:{TTT} ugi connect4", "bot:time=9", "bot2", "Bot"):
            found = move(client, player, [], game="connect4")
            assert found.status_code == 400, found.text
            assert "unknown player" in found.json()["detail"]
    assert not started(tmp_path)


@pytest.mark.parametrize(
    ("answer", "kind", "details"),
    [
        ("sys.exit('my secret')", "crash", "my secret"),
        ("print('bestmove 9', flush=True)", "BadNotation", "'9' is not a move"),
    ],
)
def test_a_failure_is_told_and_the_details_stay_here(
    tmp_path: Path, answer: str, kind: str, details: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with serve(players={"bot": noting_bot(tmp_path, answer)}) as client:
        found = move(client, "bot", [], game="connect4")
        assert found.status_code == 500
        assert f"bot failed: {kind};" in found.json()["detail"]
        assert details not in found.text
        pids = started(tmp_path)
        wait_until(lambda: not any(map(is_running, pids)))
    errors = capfd.readouterr().err
    assert "ttt web: bot: " in errors
    assert details in errors


def test_a_game_that_a_program_has_not_seen() -> None:
    spec = f"program:{TTT} codingame,protocol=codingame"
    with serve(players={"bot": spec}) as client:
        rules = {"game": "ultimate", "options": {"tie": "boards"}}
        found = move(client, "bot", ["55", "51", "11"], **rules)
        assert "plays games from the first move only" in found.json()["detail"]
        found = move(client, "bot", [], game="ultimate", options={"tie": "draw"})
        assert found.status_code == 400
        assert "protocol=codingame plays ultimate with tie=boards" in found.json()["detail"]


@pytest.mark.parametrize("hangs", ["at a move", "at the start"])
def test_killed_when_the_visitor_goes_away(tmp_path: Path, hangs: str) -> None:
    spec = noting_bot(tmp_path, "time.sleep(600)")
    if hangs == "at the start":
        bot = python_bot(tmp_path, f"import os, time; {PID}; time.sleep(600)")
        spec = f"program:env -C {tmp_path} {bot},protocol=ugi"
    with serve(ENDLESS, players={"bot": spec}) as client:
        body = encode({"game": "connect4", "player": "bot"})
        connection = client.start("POST", "/api/move", body, JSON_TYPE)
        wait_until(lambda: started(tmp_path))
        connection.close()
        client.wait_until_idle()
        assert not any(map(is_running, started(tmp_path)))


def test_killed_when_the_server_ends(tmp_path: Path) -> None:
    with serve(ENDLESS, players={"bot": noting_bot(tmp_path, "time.sleep(600)")}) as client:
        body = encode({"game": "connect4", "player": "bot"})
        connection = client.start("POST", "/api/move", body, JSON_TYPE)
        wait_until(lambda: started(tmp_path))
    connection.close()
    assert not any(map(is_running, started(tmp_path)))


def test_any_player_of_this_machine() -> None:
    """The limits for visitors do not apply to the operator."""
    with serve(players={"deep": "engine:nodes=50,hash=100"}) as client:
        assert move(client, "deep", [], game="mnk").status_code == 200
        assert move(client, "engine:hash=100", [], game="mnk").status_code == 400


@pytest.mark.parametrize(
    ("texts", "error"),
    [
        (["stock"], "expected NAME=PLAYER"),
        (["=first"], "expected NAME=PLAYER"),
        (["bot="], "expected NAME=PLAYER"),
        (["a b=first"], "expected NAME=PLAYER"),
        (["level-3=first"], "built-in"),
        (["engine=first"], "built-in"),
        (["bot=first", "bot=random"], "given twice"),
        (["bot=program:/no/such/program"], "not found"),
        (["bot=program:true,protocol=uci"], "choose from ugi, codingame, unsw"),
        (["bot=nobody"], "unknown player 'nobody'"),
    ],
)
def test_bad_texts(texts: list[str], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        parse_guests(texts)
    found = run("web", "--port", "0", *(f"--player={text}" for text in texts))
    assert found.returncode == 2
    assert error in found.stderr
