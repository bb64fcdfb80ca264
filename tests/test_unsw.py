"""The UNSW protocol: dialogues from its grammar, checked against the slow reference."""

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from random import Random

import pytest

from hardening.mutate import mutate
from support import failing
from support.commands import run as run_process
from support.commands import start
from support.dialogues import UnswReferee
from support.inprocess import run
from ttt import Board, Limit
from ttt.players.spec import make_player
from ttt.protocols import unsw_server
from ttt.protocols.clock import Clock
from ttt.protocols.connection import Connection
from ttt.protocols.thinker import EngineThinker, PlayerThinker
from ttt.protocols.unsw import UnswAgent, parse_message
from ttt.protocols.unsw_server import AgentSeat, PlayerSeat, RefereedGame, first_move, referee

LONG = Clock(60.0, 0.0)
START = Board("nineboard", full="draw")
GRAMMAR = re.compile(
    r"(init\. )?(start\([xo]\)\. (second_move\(\d,\d\)\. |third_move\(\d,\d,\d\)\. )?"
    r"(next_move\(\d\)\. )*(last_move\(\d\)\. )?"
    r"(win|loss|draw)\((triple|timeout|illegal_move|full_board)\)\. )*(end\. )?"
)


def agent(player: str = "random", complaints: list[str] | None = None) -> UnswAgent:
    thinker = PlayerThinker(make_player(player, START))
    return UnswAgent(thinker, (complaints if complaints is not None else []).append)


# --- the agent -----------------------------------------------------------------------------------


@pytest.mark.parametrize("player", ["random", "engine:nodes=100"])
def test_dialogues_from_the_grammar(player: str) -> None:
    complaints: list[str] = []
    playing = agent(player, complaints)
    random = Random(player)
    assert playing.answer("init.") is None
    for number in range(30):
        game = UnswReferee(random, "xo"[number % 2])
        seen = ""
        while messages := game.take():
            seen += "".join(f"{message} " for message in messages)
            answers = [playing.answer(message) for message in messages]
            asked = messages[-1].split("(")[0] in ("second_move", "third_move", "next_move")
            assert [answer is not None for answer in answers] == [False] * (len(answers) - 1) + [
                asked
            ]
            if answers[-1] is not None:
                game.answer(answers[-1])
        assert GRAMMAR.fullmatch(seen)
        assert game.position.outcome() is not None
    assert complaints == []


def test_messages_in_pieces() -> None:
    """Several messages in a line, and blank lines; the agent leaves on `end.`."""
    answers: list[str] = []
    lines = ["init.", "", "start(o). second_move(5,3).", "end.", "start(o).", "second_move(1,1)."]
    agent("first").run(lines, answers.append)
    assert answers == ["1"]


@pytest.mark.parametrize(
    "message",
    ["", "init", "start(z).", "second_move(5).", "second_move(0,1).", "third_move(1,2,33).",
     "next_move(x).", "win(luck).", "hello(1).", "next_move(1,2).", "start(x)", "(1).", "end(1)."],
)  # fmt: skip
def test_bad_messages(message: str) -> None:
    with pytest.raises(ValueError, match="unknown message"):
        parse_message(message)
    complaints: list[str] = []
    playing = agent("first", complaints)
    assert playing.answer(message) is None
    assert len(complaints) == 1
    assert playing.answer("second_move(5,3).") == "1"


def test_impossible_moves_are_reported() -> None:
    complaints: list[str] = []
    playing = agent("first", complaints)
    assert playing.answer("next_move(5).") is None  # no game has begun
    assert playing.answer("second_move(5,5).") == "1"  # plays 5 1
    assert playing.answer("next_move(1).") is not None
    assert playing.answer("third_move(5,5,5).") is None
    assert ["no board is in force" in complaints[0], "taken" in complaints[1]] == [True, True]


def test_mutated_messages() -> None:
    check_mutated_messages(2000)


def check_mutated_messages(count: int) -> None:
    random = Random(1)
    playing = agent("first")
    pool = ["init.", "end.", "win(triple).", "loss(timeout).", "draw(full_board)."]
    while len(pool) < 100:
        game = UnswReferee(random, random.choice("xo"))
        while messages := game.take():
            pool += messages
            if "_move(" in messages[-1] and "last" not in messages[-1]:
                board = game.position.board
                game.answer(str(next(m for m in game.position.legal() if m // 9 == board) % 9 + 1))
    for _ in range(count):
        line = mutate(random, random.choice(pool), random.choice(pool))
        for message in line.split():
            answer = playing.answer(message)
            assert answer is None or answer in "123456789"
        game = UnswReferee(random, "o")
        *_, answer = [playing.answer(message) for message in game.take()]
        assert answer is not None
        game.answer(answer)


def test_the_agent_keeps_its_clock() -> None:
    given: list[float] = []

    class Counting(EngineThinker):
        def choose(self, board: Board, limit: Limit) -> str:
            assert limit.time is not None
            assert limit.soft_time is not None
            assert limit.soft_time <= limit.time < 10
            given.append(limit.soft_time)
            return board.legal_moves[0]

    playing = UnswAgent(Counting(START, hash=1), print, Clock(30, 2))
    random = Random(2)
    game = UnswReferee(random, "o")
    while messages := game.take():
        for message in messages:
            answer = playing.answer(message)
            if answer:
                game.answer(answer)
    assert 2 < given[0] < 4
    assert all(1 < seconds < 10 for seconds in given)


def test_no_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = run("unsw", "agent", "-p", str(port), "--player", "first")
    assert done.returncode == 2
    assert done.stderr.startswith(f"ttt unsw: cannot connect to localhost port {port}: ")


# --- the server ----------------------------------------------------------------------------------


def pair() -> tuple[AgentSeat, socket.socket]:
    """A seat and the agent's end of its connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        there = socket.create_connection(server.getsockname())
        here = server.accept()[0]
    return AgentSeat("agent", Connection(here)), there


def play_against(
    behave: Callable[[str, int], bytes | None], opponent: str = "first", clock: Clock = LONG
) -> tuple[RefereedGame, list[str]]:
    """A game of o, which answers the request with a number by `behave`, and what o was told."""
    seat, link = pair()
    told: list[str] = []

    def agent_thread() -> None:
        asked = 0
        with link, link.makefile("r") as lines:
            for line in lines:
                told.append(line.strip())
                if line.startswith(("second", "third", "next")):
                    asked += 1
                    answer = behave(line, asked)
                    if answer is None:
                        return
                    link.sendall(answer)

    thread = threading.Thread(target=agent_thread)
    thread.start()
    x = PlayerSeat(opponent, make_player(opponent, START))
    game = referee(1, {"x": x, "o": seat}, "5 5", clock)
    seat.tell("end.")
    seat.connection.close()
    thread.join(300)
    return game, told


def own_cells() -> Callable[[str, int], bytes]:
    """The behaviour of our own agent."""
    playing = agent("random")
    return lambda line, asked: f"{playing.answer(line.strip())}\n".encode()


def test_the_server_speaks_the_grammar() -> None:
    game, told = play_against(own_cells(), "random")
    assert game["cause"] in ("triple", "full_board")
    board = START.copy()
    board.push_moves(game["moves"])
    assert board.result() == game["result"]
    assert GRAMMAR.fullmatch("".join(f"{line} " for line in told))
    assert told[0] == "start(o)."
    assert told[1] == "second_move(5,5)."


@pytest.mark.parametrize(
    ("answer", "cause", "error"),
    [
        (b"5\n", "illegal_move", "taken"),
        (b"0\n", "illegal_move", "'0' is not a cell, 1-9"),
        (b"10\n", "illegal_move", "'10' is not a cell, 1-9"),
        (b"\xff\xfe\n", "illegal_move", "is not a cell"),
        (b"x" * 100_000 + b"\n", "illegal_move", "is not a cell"),
        (None, "timeout", "disconnected"),
    ],
)
def test_agents_that_misbehave(answer: bytes | None, cause: str, error: str) -> None:
    game, told = play_against(lambda line, asked: answer)
    assert (game["result"], game["cause"]) == ("1-0", cause)
    assert error in game["error"]
    if answer is not None:
        assert told[-2:] == [f"loss({cause}).", "end."]


def test_time_out() -> None:
    game, told = play_against(lambda line, asked: b"", clock=Clock(0.2, 0.1))
    assert (game["result"], game["cause"]) == ("1-0", "timeout")
    assert "loss(timeout)." in told


def test_a_player_that_is_too_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second of its moves, of 40 seconds each, takes more than is left of a minute."""
    passed = 0.0

    def slow(board: Board) -> str:
        nonlocal passed
        passed += 40
        return board.legal_moves[0]

    monkeypatch.setattr(failing, "slow", slow, raising=False)
    monkeypatch.setattr(unsw_server, "monotonic", lambda: time.monotonic() + passed)
    game, told = play_against(own_cells(), "support.failing:slow", Clock(60, 0))
    assert len(game["moves"].split()) == 2 * 4  # by the server, o, x, o
    assert (game["result"], game["cause"]) == ("0-1", "timeout")
    assert told[-2] == "win(timeout)."


def test_only_the_opponent_is_told_the_last_move() -> None:
    seen = set()
    for seed in range(20):
        game, told = play_against(own_cells(), f"random:seed={seed}")
        last = "x" if len(game["moves"].split()) // 2 % 2 == 1 else "o"
        expected = [f"last_move({game['moves'][-1]})."] if last == "x" else []
        assert [line for line in told if line.startswith("last")] == expected
        seen.add(last)
    assert seen == {"x", "o"}


def test_a_player_that_fails() -> None:
    game, told = play_against(own_cells(), "support.failing:broken")
    assert (game["result"], game["cause"]) == ("0-1", "illegal_move")
    assert "RuntimeError: broken" in game["error"]
    assert told[-2] == "win(illegal_move)."


# --- as processes --------------------------------------------------------------------------------


def server_and_agents(*arguments: str, players: tuple[str, ...]) -> Iterator[str]:
    """The output of a server to which these players connect, line by line."""
    server = start("unsw", "server", "-p", "0", *arguments)
    assert server.stdout is not None
    assert server.stderr is not None
    log = server.stderr if "--json" in arguments else server.stdout
    first = log.readline()
    yield first.strip()
    port = first.split()[4]
    agents = []
    for player in players:
        agents.append(start("unsw", "agent", "-p", port, "--player", player))
        yield log.readline().strip()  # it is connected
    yield from log.read().splitlines()
    yield from server.stdout.read().splitlines()
    assert server.wait(300) == 0
    for stream in (server.stdin, server.stdout, server.stderr):
        assert stream is not None
        stream.close()
    for process in agents:
        out, err = process.communicate(timeout=300)
        assert (process.returncode, out, err) == (0, "", "")


def test_twenty_equal_games_by_processes() -> None:
    """Two agents and a server; the games are those of the same players in this process."""
    players = ("engine:nodes=150", "engine:nodes=250")
    lines = list(server_and_agents("--json", "-n", "20", "--swap", players=players))
    found = json.loads(lines[-1])["games"]
    assert len(found) == 20
    seats = [make_player(player, START) for player in players]
    for number, game in enumerate(found, 1):
        board = START.copy()
        board.push(first_move(number, 0))
        for seat in seats:
            seat.new_game(0)  # type: ignore[attr-defined]
        while not board.is_game_over():
            mover = (board.turn == "o") != (number % 2 == 0)
            board.push(seats[mover].choose(board.copy()))
        assert game["moves"] == " ".join(board.moves)
        assert game["result"] == board.result()
        assert game["error"] == ""


def test_the_log_for_people() -> None:
    lines = list(server_and_agents("--o", "random", "--first", "5 3", players=("first",)))
    text = "\n".join(lines)
    assert lines[0].startswith("listening on 127.0.0.1 port")
    assert "  1. x 5 3  (chosen by the server)" in lines
    assert re.search(r"^  2\. o 3 \d  \d+ ms, \d+\.\d s left$", text, re.MULTILINE)
    assert re.search(r"^game 1: (x wins|o wins|draw) \((triple|full_board)\)$", text, re.MULTILINE)
    assert re.search(r"^1 games: agent 127\.0\.0\.1:\d+ \d, random \d, drawn \d$", lines[-1])


def test_two_players_need_no_agent() -> None:
    done = run("unsw", "server", "--x", "first", "--o", "random", "-n", "3", "--json")
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["games"]) == 3


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["server", "--clock", "0"], "clock '0': expected seconds"),
        (["server", "--first", "0 0"], "is not a move"),
        (["server", "-n", "0"], "games=0: expected a whole number"),
        (["server", "--x", "nobody"], "unknown player 'nobody'"),
        (["server", "-p", "70000"], "port 70000: expected 0 to 65535"),
        (["agent", "-p", "70000"], "port 70000: expected 0 to 65535"),
        (["agent", "--clock", "x"], "clock 'x': expected seconds"),
        ([], "the following arguments are required: ROLE"),
    ],
)
def test_usage(arguments: list[str], error: str) -> None:
    done = run("unsw", *arguments)
    assert done.returncode == 2
    assert error in done.stderr


def test_help() -> None:
    assert "--swap" in run_process("unsw", "server", "--help").stdout


def test_a_port_in_use() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as used:
        done = run("unsw", "server", "-p", str(used.getsockname()[1]))
    assert "address already in use" in done.stderr
