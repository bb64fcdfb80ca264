"""CodinGame's protocol: dialogues from its grammar, checked against the slow reference."""

from random import Random

import pytest

from hardening.mutate import mutate
from support.commands import run
from support.dialogues import CodingameReferee
from ttt import Board, Limit
from ttt.players.spec import make_player
from ttt.protocols.codingame import CodingameSession, Turn, cell_of, move_at
from ttt.protocols.thinker import EngineThinker, PlayerThinker

START = Board("ultimate", tie="boards")


def session(player: str, complaints: list[str]) -> CodingameSession:
    return CodingameSession(PlayerThinker(make_player(player, START)), complaints.append)


def test_cells_are_rows_and_columns() -> None:
    for move in START.ruleset.moves:
        assert cell_of(move) == CodingameReferee.cell(move.number)
        assert move_at(START, cell_of(move)) == move
    assert cell_of(START.parse_move("2 1")) == (0, 3)
    assert cell_of(START.parse_move("4 9")) == (5, 2)


@pytest.mark.parametrize("player", ["random", "engine:nodes=100"])
def test_dialogues_from_the_grammar(player: str) -> None:
    """Several games with one session, as x and as o."""
    complaints: list[str] = []
    playing = session(player, complaints)
    random = Random(player)
    for number in range(16):
        game = CodingameReferee(random, "xo"[number % 2])
        while lines := game.turn():
            answers = [playing.answer(line) for line in lines]
            assert answers[:-1] == [None] * (len(lines) - 1)
            assert answers[-1] is not None
            game.answer(answers[-1])
        assert game.position.outcome() is not None
    assert complaints == []


def test_turns_are_written_as_they_are_read() -> None:
    turn = Turn((4, 4), [(3, 3), (5, 5)])
    assert turn.lines() == ["4 4", "2", "3 3", "5 5"]


def test_mutated_lines() -> None:
    check_mutated_lines(1000)


def check_mutated_lines(count: int) -> None:
    """After each damaged line, a whole turn of the same game is answered with a listed move."""
    random = Random(3)
    complaints: list[str] = []
    playing = session("first", complaints)
    game, lines = CodingameReferee(random, "x"), list[str]()
    for _ in range(count):
        lines = lines or game.turn()
        if not lines:
            game = CodingameReferee(random, random.choice("xo"))
            lines = game.turn()
        at = random.randrange(len(lines))
        damaged = [*lines[:at], mutate(random, lines[at], random.choice(lines)), *lines[at + 1 :]]
        for line in "\n".join(damaged).split("\n"):
            answer = playing.answer(line)
            assert answer is None or len(answer.split()) == 2
        fresh = CodingameReferee(random, "x")
        *_, answer = [playing.answer(line) for line in fresh.turn()]
        assert answer is not None
        fresh.answer(answer)
        lines = []
        if random.random() < 0.5:
            game.position.play(random.choice(game.position.legal()))


def test_turns_that_do_not_fit() -> None:
    complaints: list[str] = []
    playing = session("first", complaints)
    answers = [playing.answer(line) for line in ("4 4", "2", "0 0", "0 1")]
    assert answers[-1] == "0 0"  # one of the listed moves
    assert "do not fit" in complaints[-1]
    playing.answer("hello")
    assert complaints[-1] == "ignored 'hello': expected ROW COL or a number"


def test_the_time_for_moves() -> None:
    given: list[float] = []

    class Counting(EngineThinker):
        def choose(self, board: Board, limit: Limit) -> str:
            assert limit.time is not None
            given.append(limit.time)
            return board.legal_moves[0]

    playing = CodingameSession(Counting(START, hash=1), print)
    game = CodingameReferee(Random(1), "o")
    for _ in range(3):
        *_, answer = [playing.answer(line) for line in game.turn()]
        assert answer is not None
        game.answer(answer)
    assert given == pytest.approx([0.75, 0.075, 0.075])


def test_as_a_process() -> None:
    lines = CodingameReferee(Random(1), "x").turn()
    text = "\n".join(["nonsense", *lines, ""])
    done = run("codingame", "--player", "first", text=text)
    assert (done.returncode, done.stdout) == (0, "0 0\n")
    assert done.stderr == "ignored 'nonsense': expected ROW COL or a number\n"
    done = run("codingame", "--hash", "1", text=text)
    assert len(done.stdout.split()) == 2
    assert run("codingame", "--player", "nobody").returncode == 2
