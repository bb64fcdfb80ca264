"""UGI: dialogues from the grammar, checked against the slow reference; errors; mutated lines."""

import os
import re
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hardening.mutate import mutate
from support.commands import run, start
from support.contract import GAMES, Game, name_of
from support.dialogues import Answers, names_of, random_game, ugi_lines
from support.reference import reference
from ttt import Board, Score
from ttt.protocols.moves import token
from ttt.protocols.ugi import UgiSession

INFO = re.compile(
    r"info depth (\d+) seldepth (\d+) multipv (\d+) score ((?:cp|mate) -?\d+(?: (?:lower|upper)"
    r"bound)?) nodes (\d+) nps (\d+) hashfull (\d+) time (\d+) pv((?: \S+)+)"
)


def session(game: str, options: dict[str, Any] | None = None) -> tuple[UgiSession, Answers]:
    answers = Answers()
    return UgiSession(game, options or {}, answers, hash_limit=16), answers


def ask(talk: UgiSession, answers: Answers, line: str, first_word: str) -> list[str]:
    assert talk.handle(line)
    return answers.until(first_word)


@pytest.mark.parametrize("game", GAMES, ids=name_of)
def test_dialogue_from_the_grammar(game: Game) -> None:
    name, options = game
    random = Random(name_of(game))
    names = names_of(name, options)
    talk, answers = session(name, options)
    assert ask(talk, answers, "ugi", "ugiok")[0].startswith("id name ttt")
    assert ask(talk, answers, "isready", "readyok") == ["readyok"]
    for _ in range(12):
        position, moves = random_game(random, name, options)
        text = "".join(f" {names[move]}" for move in moves)
        talk.handle(f"position startpos{' moves' if moves else ''}{text}")
        outcome = position.outcome()
        queries = {
            "p1turn": str(position.turn == "x").lower(),
            "gameover": str(outcome is not None).lower(),
            "result": {None: "none", "x": "p1win", "o": "p2win", "draw": "draw"}[
                outcome and (outcome[0] or "draw")
            ],
        }
        for query, answer in queries.items():
            assert ask(talk, answers, f"query {query}", "response") == [f"response {answer}"]
        limit = random.choice(
            ["depth 3", "nodes 500", "movetime 3", "p1time 50 p2time 60 p1inc 5 p2inc 5"]
        )
        lines = random.choice([1, 3])
        talk.handle(f"setoption name MultiPV value {lines}")
        *infos, best = ask(talk, answers, f"go {limit}", "bestmove")
        if outcome is not None:
            assert best == "bestmove none"
            continue
        legal = {names[move] for move in position.legal()}
        assert best.split()[1] in legal
        assert len(best.split()) == 2
        matches = [INFO.fullmatch(info) for info in infos]
        assert all(matches), infos
        assert matches
        ranks = {int(match[3]) for match in matches if match}
        assert ranks == set(range(1, min(lines, len(legal)) + 1))
        for match in matches:
            assert match is not None
            line = reference(name, **options)
            for number in moves:
                line.play(number)
            for word in match[9].split():
                line.play(names.index(word))  # raises unless it is legal
    assert not talk.handle("quit")
    assert answers.take() == []


def test_positions_as_text() -> None:
    talk, answers = session("nineboard", {"full": "draw"})
    board = Board("nineboard", full="draw")
    board.push_moves("5 6 6 1")
    after = board.copy()
    after.push_moves("12 29")
    for text in (board.text(), board.text().partition(" ")[2]):
        talk.handle(f"position fen {text} moves 12 29")
        assert talk.board.text() == after.text()
    talk.handle("position fen nineboard" + board.text()[len("nineboard:full=draw") :])
    assert "other options" in answers.take()[-1]


@pytest.mark.parametrize(
    ("game", "moves", "score"),
    [
        ("tictactoe", "1 4 2 5", "mate 1"),
        ("tictactoe", "1 4 2 5 9", "mate 1"),
        ("tictactoe", "1 2 5", "mate -4"),
        ("connect4", "4 4 5 5", "mate 3"),
        ("tictactoe", "", "cp 0"),
    ],
)
def test_scores(game: str, moves: str, score: str) -> None:
    talk, answers = session(game)
    talk.handle(f"position startpos moves {moves}")
    *_, last, _ = ask(talk, answers, "go depth 9", "bestmove")
    assert f" score {score} " in last


def test_score_of_unknown_length() -> None:
    talk, _ = session("connect4")
    assert talk._score(Score.win()) == "cp 31000 lowerbound"
    assert talk._score(Score.loss()) == "cp -31000 upperbound"
    assert talk._score(Score(-25)) == "cp -50"  # the scale of connect4 is 50


def test_bounds_are_labelled() -> None:
    talk, answers = session("qubic")
    *_, last, _ = ask(talk, answers, "go nodes 3000000", "bestmove")
    assert " score mate 59 lowerbound " in last
    assert talk._score(Score.win(5)) == "mate 5"
    assert talk._score(Score.loss(8, exact=False)) == "mate -8 upperbound"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("hello", "unknown command 'hello'"),
        ("go depth", "go depth '': expected a whole number"),
        ("go depth x", "go depth 'x': expected a whole number"),
        ("go fast", "go 'fast': expected infinite or p1time"),
        ("position", "expected position startpos or position fen"),
        ("position startpos moves 5 6", "'5' is not a move|'5' is not a single move"),
        ("position startpos moves 56 56", "cannot be played"),
        ("position fen x", "expected 3"),
        ("position fen connect4 x", "expected a position of nineboard"),
        ("setoption Hash 3", "expected setoption name NAME value VALUE"),
        ("setoption name Hash value 0", "expected a whole number from 1 to 16"),
        ("setoption name Colour value 0", "unknown option 'Colour'; choose from Hash, Threads"),
        ("setoption name full value maybe", "expected any or draw"),
        ("query", "expected query p1turn, gameover, result"),
    ],
)
def test_bad_lines_are_answered(line: str, error: str) -> None:
    talk, answers = session("nineboard")
    assert talk.handle(line)
    (found,) = answers.take()
    assert found.startswith("info string ")
    assert re.search(error, found)
    assert talk.board == Board("nineboard")
    assert ask(talk, answers, "isready", "readyok") == ["readyok"]


def test_options_of_the_game_in_any_order() -> None:
    talk, answers = session("mnk")
    for name, value in (("k", 5), ("m", 7), ("n", 6)):  # k alone does not fit on 3 x 3
        talk.handle(f"setoption name {name} value {value}")
    talk.handle("position startpos moves g6")
    assert answers.take() == []
    assert talk.board.options == {"m": 7, "n": 6, "k": 5}
    talk.handle("setoption name m value 20")
    assert "info string error" in ask(talk, answers, "isready", "readyok")[0]
    assert talk.board.options == {"m": 7, "n": 6, "k": 5}
    assert ask(talk, answers, "isready", "readyok") == ["readyok"]


def test_commands_during_a_search() -> None:
    talk, answers = session("ultimate")
    talk.handle("go infinite")
    assert ask(talk, answers, "isready", "readyok")[-1] == "readyok"
    for line in ("position startpos", "go depth 1", "uginewgame", "setoption name Hash value 1"):
        talk.handle(line)
        assert any("send stop first" in answer for answer in answers.take())
    talk.handle("stop")
    assert answers.take()[-1].startswith("bestmove ")
    talk.handle("stop")
    assert answers.take() == []


def test_a_new_game_forgets() -> None:
    talk, answers = session("connect4")

    def infos() -> list[str]:
        found = ask(talk, answers, "go depth 12", "bestmove")
        return [re.sub(r"(nps|time) \d+", "", line) for line in found]

    first = infos()
    assert infos() != first
    talk.handle("uginewgame")
    assert infos() == first


@pytest.mark.parametrize("game", ["tictactoe", "mnk", "connect4", "nineboard", "ultimate", "qubic"])
def test_mutated_lines(game: str) -> None:
    check_mutated_lines(game, 500)


def check_mutated_lines(game: str, count: int) -> None:
    """Each line is answered or ignored, and the next command is answered."""
    random = Random(game)
    options = {choice.name: choice.default for choice in Board(game).choices}
    valid = ugi_lines(random, game, options)
    pool = list(islice(valid, 200))
    talk, answers = session(game, options)
    for number in range(count):
        line = random.choice(pool)
        if random.random() < 0.8:
            line = mutate(random, line, random.choice(pool))
        if number % 100 == 99:
            pool = list(islice(valid, 200))
        for piece in line.split("\n"):
            talk.handle(piece)
        talk.handle("stop")
        assert ask(talk, answers, "isready", "readyok")[-1] == "readyok", line
        assert not any("Traceback" in answer for answer in answers.take())
    talk.handle("stop")
    talk.handle("position startpos")
    assert ask(talk, answers, "go nodes 10", "bestmove")


def test_as_a_process() -> None:
    text = "ugi\nsetoption name Hash value 1\nposition startpos moves 56\nhello\nisready\n"
    done = run("ugi", "nineboard", "--set", "full=draw", "--hash", "2", text=text)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "option name full type combo default draw var any var draw" in done.stdout
    assert done.stdout.splitlines()[-1] == "readyok"


@pytest.mark.parametrize("ending", ["quit\n", ""])
def test_the_end_of_the_input_ends_a_search(ending: str) -> None:
    done = run("ugi", "ultimate", text=f"go infinite\n{ending}")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith("bestmove ")


def test_no_reader() -> None:
    process = start("ugi", "connect4")
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.write("isready\nisready\n")
    process.stdin.close()
    assert process.wait(300) == 141
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()


def test_usage() -> None:
    assert run("ugi", "chess").stderr.startswith("ttt ugi: unknown game 'chess'; choose from")
    assert "--threads: '0': expected" in run("ugi", "mnk", "--threads", "0").stderr


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.03, 0.04])
def test_delays_are_learned_from_the_clock(delay: float) -> None:
    """With 1 s + 10 ms, 25 moves that each cost some more than their thinking are still in time,
    even if every fourth takes as long as it may."""
    talk, _ = session("connect4")
    left, times = 1.0, list[float]()
    for number in range(25):
        limit = talk._read_limit(f"p1time {1000 * left:.0f} p1inc 10".split())
        times.append(limit.time or 0.0)
        spent = (limit.time if number % 4 == 0 else limit.soft_time) or 0.0
        talk._note_time(talk.board, spent)
        left -= spent + delay
        assert left > 0 < spent
        left += 0.01
    talk.handle("uginewgame")  # keeps what was learned
    again = talk._read_limit(["p1time", "1000", "p1inc", "10"]).time or 0.0
    assert 0 < again <= times[0]


def test_a_command_may_follow_the_best_move_at_once() -> None:
    """Even while the thread of the search is about to end."""
    talk, answers = session("connect4")
    for number in range(300):
        moves = "4 " * (number % 5)
        talk.handle(f"position startpos moves {moves}")
        assert answers.take() == []
        assert len(talk.board.moves) == number % 5
        ask(talk, answers, "go nodes 20", "bestmove")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
@pytest.mark.parametrize("game", ["connect4", "nineboard", "qubic"])
def test_the_first_search_finds_its_tables_ready(game: str) -> None:
    """A search that is the first to write to its tables waits for the system's pages, and does not
    answer `stop` meanwhile. All of it must be there before."""

    def resident() -> float:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    talk, answers = session(game)
    ask(talk, answers, "isready", "readyok")
    before = resident()
    moves = Board(game).playout(3).moves[:20]
    talk.handle(f"position startpos moves {' '.join(map(token, moves))}")
    ask(talk, answers, "go nodes 20000", "bestmove")
    assert resident() - before < 8
