"""Players: what their texts mean, that they play by the rules, and what random games find."""

import math
import os
import signal
import threading
import time
from functools import partial
from pathlib import Path
from random import Random

import pytest

import ttt
from support.contract import GAMES, Game, name_of
from support.reference import Reference, reference
from ttt import Board
from ttt.matches.game import Fixture, play_game
from ttt.players.builtin import PLAYERS
from ttt.players.presets import LEVELS, PRESETS
from ttt.players.spec import make_player
from ttt.search.mcts import montecarlo_search, tree_search

QUICK = {
    "mcts": "mcts:simulations=50",
    "montecarlo": "montecarlo:playouts=3",
    "minimax": "minimax:depth=2",
    "alphabeta": "alphabeta:depth=2",
    "engine": "engine:nodes=200,hash=1",
}


@pytest.mark.parametrize("game", GAMES, ids=name_of)
@pytest.mark.parametrize("name", PLAYERS)
def test_players_play_whole_games_by_the_rules(name: str, game: Game) -> None:
    board = Board(game[0], **game[1])
    spec = QUICK.get(name, name)
    players = {1: make_player(spec, board), 2: make_player("random", board)}
    for number, (x, o) in enumerate(((1, 2), (2, 1)), 1):
        played = play_game(Fixture(number, x, o, "", 5), board.copy(), players, None)
        assert "error" not in played
        replayed = board.copy()
        replayed.push_moves(played["moves"])
        assert replayed.is_game_over()


@pytest.mark.parametrize(
    "spec",
    [
        "random",
        "montecarlo:playouts=2",
        "mcts:simulations=40",
        "alphabeta:depth=2,ties=random",
        "engine:nodes=3000,hash=1",
        "level-3",
    ],
)
def test_seeded_players_are_reproducible(spec: str) -> None:
    def game(seed: int) -> list[str]:
        board = Board("nineboard")
        player = make_player(spec, board)
        found = []
        player.new_game(seed)  # type: ignore[attr-defined]
        for _ in range(6):
            found.append(player.choose(board.copy()))
            board.push(found[-1])
        return found

    games = [game(seed) for seed in (1, 1, 2, 3, 4)]
    assert games[0] == games[1]
    if not spec.startswith("engine"):
        assert len({tuple(moves) for moves in games}) > 1


def test_the_own_seed_counts_too() -> None:
    board = Board("qubic")
    moves = {make_player(f"random:seed={seed}", board).choose(board) for seed in range(8)}
    assert len(moves) > 3


def test_presets_and_levels_are_players() -> None:
    for name, (game, _) in PRESETS.items():
        board = Board(game)
        assert board.is_legal(make_player(name, board).choose(board))
        with pytest.raises(ValueError, match="plays"):
            make_player(name, Board("mnk"))
    for level in range(1, len(LEVELS)):
        board = Board("tictactoe")
        assert board.is_legal(make_player(f"level-{level}", board).choose(board))
    deeper = make_player("advanced:depth=2", Board("nineboard"))
    assert (deeper.depth, deeper.eval) == (2, "line-weights")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "is no player"),
        ("nobody", "is no player"),
        ("human", "`ttt play` only"),
        ("random:depth=3", "no option 'depth'"),
        ("alphabeta:depth=-1", "plies from 1"),
        ("alphabeta:depth=0", "plies from 1"),
        ("alphabeta:depth=4,depth=5", "twice"),
        ("alphabeta:eval=nonsense", "no evaluation"),
        ("alphabeta:ties=sometimes", "first, centre or random"),
        ("engine:time=nan", "a number from 0 up"),
        ("engine:time=inf", "a number from 0 up"),
        ("engine:time=-1", "a number from 0 up"),
        ("engine:depth=adaptive", "number of plies"),
        ("engine:hash=0", "from 1 up"),
        ("engine:threads=9999", "from 1 to 256"),
        ("mcts:simulations=0", "from 1 up"),
        ("mcts:simulations=²", "whole number"),
        ("mcts:exploration=x", "a number"),
        ("mcts:simulations", "write name=value"),
        ("level-0", "from 1 to 10"),
        ("level-11", "from 1 to 10"),
        ("level-x", "is no player"),
        ("no_such_module:thing", "ModuleNotFoundError"),
        ("os.path:nothing", "AttributeError"),
        ("math:pi", "no choose"),
        ("🙂", "is no player"),
        ("x" * 10_000, "is no player"),
    ],
)
def test_bad_players_are_refused_with_what_is_right(spec: str, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        make_player(spec, Board("connect4"))
    assert len(str(caught.value)) < 400


def test_players_from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(
        "def last(board): return board.legal_moves[-1]\n"
        "class Nth:\n"
        "    def __init__(self, n='0'): self.n = int(n)\n"
        "    def choose(self, board): return board.legal_moves[self.n]\n"
        "def factory(): return Nth('1')\n"
        "ready = Nth('2')\n"
        "def broken(): raise RuntimeError('no')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    board = Board("connect4")
    for spec, move in (
        ("mine:last", "7"),
        ("mine:Nth", "1"),
        ("mine:Nth:n=4", "5"),
        ("mine:factory", "2"),
        ("mine:ready", "3"),
    ):
        assert make_player(spec, board).choose(board) == move
    for spec in ("mine:broken", "mine:Nth:m=4", "mine:Nth:n=x"):
        with pytest.raises(ValueError, match="player"):
            make_player(spec, board)


# --- random games --------------------------------------------------------------------------------


def random_value(board: Board) -> float:
    """The expected result of uniformly random play for the side to move, from the tree."""
    result = board.result()
    if result is not None:
        return float(result)
    values = []
    for move in board.legal_moves:
        board.push(move)
        values.append(-random_value(board))
        board.pop()
    return sum(values) / len(values)


def test_flat_means_are_those_of_random_play() -> None:
    board = Board("tictactoe")
    board.push_moves("5 1 9")
    found = montecarlo_search(board, 40_000, seed=3)
    assert found.games == 40_000 * 6
    assert [sample.games for sample in found.moves] == [40_000] * 6
    for sample in found.moves:
        board.push(sample.move)
        expected = -random_value(board)
        board.pop()
        assert sample.value == pytest.approx(expected, abs=5 / math.sqrt(40_000))
    assert found.move == max(found.moves, key=lambda sample: sample.value).move


def late_position(game: Game, left: int, random: Random) -> tuple[Board, Reference] | None:
    """A running game with so many cells left, by the engine and by the slow rules."""
    board, slow = Board(game[0], **game[1]), reference(game[0], **game[1])
    cells = len(board.marks)
    while not board.is_game_over() and board.ply < cells - left:
        # Moves that win are put off: boards fill up.
        moves = [move for move in board.legal_moves if not ends(board, move)]
        move = random.choice(moves or board.legal_moves)
        board.push(move)
        slow.play(move.number)
    return None if board.is_game_over() else (board, slow)


def ends(board: Board, move: str) -> bool:
    board.push(move)
    over = board.is_game_over()
    board.pop()
    return over


PROOF_GAMES: list[tuple[Game, int]] = [
    (("tictactoe", {}), 7),
    (("mnk", {"m": 4, "n": 3, "k": 3}), 7),
    (("connect4", {"columns": 4, "rows": 4, "connect": 3}), 9),
    (("connect4", {}), 9),
    (("nineboard", {"full": "any"}), 24),
    (("nineboard", {"full": "draw"}), 25),
    (("ultimate", {"tie": "draw", "won": "closed"}), 20),
    (("ultimate", {"tie": "boards", "won": "closed"}), 16),
    (("ultimate", {"tie": "boards", "won": "open"}), 7),
]


@pytest.mark.parametrize(("game", "left"), PROOF_GAMES, ids=lambda value: str(value)[:24])
def test_what_the_tree_proves_is_true(game: Game, left: int) -> None:
    random = Random(name_of(game))
    seen = proven = 0
    for _ in range(400):
        found = late_position(game, left, random)
        if found is None or len(found[0].legal_moves) > 9:
            continue
        board, slow = found
        tree = tree_search(board, 3000, seed=seen, hash=1)
        seen += 1
        if tree.proven:
            proven += 1
            assert tree.value == slow.value()
            slow.play(tree.move.number)
            assert -slow.value() == tree.value
        if seen == 12:
            break
    assert proven >= 3


LENGTHS = {"tictactoe": (3, 7), "ultimate": (40, 70)}
"""Plies after which there is something to win in a random game."""


@pytest.mark.parametrize("game", ttt.games())
def test_wins_are_taken_and_threats_met(game: str) -> None:
    random = Random(game)
    taken = met = 0
    for _ in range(300):
        board = Board(game)
        for _ in range(random.randrange(*LENGTHS.get(game, (4, 30)))):
            if not board.is_game_over():
                board.push(random.choice(board.legal_moves))
        if board.is_game_over():
            continue
        wins = [move for move in board.wins() if board.is_legal(move)]
        move = tree_search(board, 1, seed=1, hash=1).move
        if wins:
            taken += 1
            assert move in wins
        elif board.safe_moves() and len(board.safe_moves()) < len(board.legal_moves):
            met += 1
            board.push(move)
            assert not any(map(board.is_legal, board.wins()))
    assert taken > 10
    assert met > 10


def test_the_tree_stays_within_its_memory() -> None:
    found = tree_search(Board("qubic"), 60_000, seed=1, hash=1)
    assert found.games == 60_000
    assert found.nodes * 16 <= 1 << 20
    assert sum(sample.games for sample in found.moves) >= 59_999
    assert found.moves[0].games == max(sample.games for sample in found.moves)


@pytest.mark.parametrize("search", [montecarlo_search, tree_search])
def test_limits_of_random_games(search: object) -> None:
    assert callable(search)
    board = Board("ultimate")
    began = time.monotonic()
    assert search(board, None, time=0.05).games > 10
    assert time.monotonic() - began < 5
    for bad in ({}, {"time": math.nan}, {"time": -1.0}, {"time": math.inf}):
        with pytest.raises(ValueError, match="time"):
            search(board, None, **bad)
    for count in (0, -1, 1.5, 2**63):
        with pytest.raises(ValueError, match="from 1 up"):
            search(board, count)
    board = Board("tictactoe")
    board.push_moves("1 2 4 5 7")
    with pytest.raises(ValueError, match="over"):
        search(board, 10)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        search(Board("ultimate"), 2**40)


def test_stop_from_another_thread() -> None:
    board = Board("qubic")
    sampler = board.sampler_type(board.ruleset)
    for work in (
        partial(sampler.montecarlo, board, 2**40, 0.0, 1),
        partial(sampler.mcts, board, 2**40, 0.0, 1, 16, 1.0),
    ):
        threading.Timer(0.2, sampler.stop).start()
        found = work()
        assert found["games"] > 0
        assert found["raised"] is None


def test_memory_that_is_not_there() -> None:
    for hash in (0, -1, 65_537, 10**12):
        with pytest.raises(ValueError, match="hash"):
            tree_search(Board("qubic"), 10, hash=hash)
    with pytest.raises(TypeError):
        tree_search(Board("qubic"), 10, hash=1.5)  # type: ignore[arg-type]


def test_more_games_play_better() -> None:
    """Not a speed test: strength must grow with the number of simulations."""
    players = {
        1: make_player("mcts:simulations=400", Board("connect4")),
        2: make_player("mcts:simulations=10", Board("connect4")),
    }
    points = 0.0
    for number in range(1, 21):
        x = 1 + number % 2
        game = play_game(Fixture(number, x, 3 - x, "", number), Board("connect4"), players, None)
        points += 0.5 if game["result"] == "draw" else float(game[game["result"]] == 1)
    assert points >= 15
