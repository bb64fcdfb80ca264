"""Players: texts, options, legal play, custom players, and Monte Carlo searches."""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

import ttt
from support import tictactoe
from support.contract import GAMES, Game, name_of
from support.interrupts import ctrl_c, during_search
from support.processor import at_most
from support.reference import Reference, reference
from ttt import BadNotation, Board, Limit
from ttt.matches.game import play_game
from ttt.matches.record import score_of
from ttt.matches.series import Fixture
from ttt.players.builtin import PLAYERS
from ttt.players.presets import LEVELS, PRESETS
from ttt.players.spec import as_player, make_player
from ttt.search.mcts import Samples, mcts_search, montecarlo_search

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


def test_the_seed_option_matters_too() -> None:
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
        ("", "unknown player"),
        ("nobody", "unknown player 'nobody'; choose from first, random, .*, or module:name"),
        ("human", "only in `ttt play`"),
        ("random:depth=3", "unknown option 'depth'; choose from seed"),
        ("first:seed=3", "it has no options"),
        ("alphabeta:depth=-1", "plies from 1"),
        ("alphabeta:depth=0", "plies from 1"),
        ("alphabeta:depth=4,depth=5", "twice"),
        ("alphabeta:eval=nonsense", "unknown evaluation"),
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
        ("level-x", "unknown player"),
        ("no_such_module:thing", "No module named .*; choose from first"),
        ("./mybot.py:pick", "write mybot:pick and run it in the folder of mybot.py"),
        ("bots/mybot.py:pick:n=4", "write mybot:pick and run"),
        ("mybot.py:pick", "write mybot:pick and run"),
        (":pick", "write module:name"),
        ("os.path:nothing", "AttributeError"),
        ("math:pi", "no method choose"),
        ("🙂", "unknown player"),
        ("x" * 10_000, "unknown player"),
    ],
)
def test_errors_of_bad_players_name_the_valid_ones(spec: str, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        make_player(spec, Board("connect4"))
    assert len(str(caught.value)) < 400


def test_custom_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_custom_players_that_fail_to_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "failing.py").write_text(
        "def none(): return None\n"
        "def interrupted(): raise KeyboardInterrupt\n"
        "class Silent: pass\n"
        "number = 3\n"
    )
    (tmp_path / "broken.py").write_text("import no_such_module\n")
    monkeypatch.syspath_prepend(tmp_path)
    for spec, words in (
        ("failing:none", "None has no method choose"),
        ("failing:Silent", "has no method choose"),
        ("failing:number", "3 has no method choose"),
        ("failing:missing", "AttributeError"),
        ("broken:thing", "No module named 'no_such_module'$"),
    ):
        with pytest.raises(BadNotation, match=words):
            make_player(spec, Board("connect4"))
    with pytest.raises(KeyboardInterrupt):
        make_player("failing:interrupted", Board("connect4"))


def test_players_from_objects() -> None:
    class Last:
        def choose(self, board: Board) -> str:
            return board.legal_moves[-1]

    def last(board: Board) -> str:
        return board.legal_moves[-1]

    board = Board("connect4")
    assert as_player(Last()).choose(board) == "7"
    assert as_player(last).choose(board) == "7"
    assert repr(as_player(last)) == "last"
    for wrong in (Last, 3, None):
        with pytest.raises(TypeError, match=r"an object with choose\(board\) or a function"):
            as_player(wrong)
    with pytest.raises(TypeError, match="expected a player text"):
        make_player(3, board)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", PLAYERS)
def test_players_summarise_their_latest_move(name: str) -> None:
    board = Board("tictactoe")
    player: Any = make_player(QUICK.get(name, name), board)
    assert player.summary() == ""
    player.choose(board)
    assert bool(player.summary()) == (name not in ("first", "random"))


@pytest.mark.parametrize("ties", ["first", "centre", "random"])
def test_ties(ties: str) -> None:
    board = Board("tictactoe")  # every first move draws
    moves = {make_player(f"alphabeta:ties={ties},seed={i}", board).choose(board) for i in range(9)}
    if ties == "random":
        assert len(moves) > 2
    else:
        assert moves == {{"first": "1", "centre": "5"}[ties]}


def test_a_time_for_players_without_one() -> None:
    board = Board("tictactoe")
    player: Any = make_player("engine", board, 0.25)
    assert player.limit == Limit(time=0.25)
    player = make_player("engine:time=0.5", board, 0.25)
    assert player.limit == Limit(time=0.5)
    player = make_player("level-10:nodes=5", board)
    assert player.limit == Limit(nodes=5)
    assert make_player("random", board, 0.25)


# --- Monte Carlo ---------------------------------------------------------------------------------


def random_value(board: Board) -> float:
    """The expected result of uniformly random play for the side to move, from the tree."""
    result = board.outcome_value()
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
    """A running game with `left` empty cells, as a board and as the reference."""
    board, slow = Board(game[0], **game[1]), reference(game[0], **game[1])
    cells = len(board.marks)
    while not board.is_game_over() and board.ply < cells - left:
        # Winning moves are avoided, so that boards fill up.
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
def test_proven_results_of_mcts_are_true(game: Game, left: int) -> None:
    random = Random(name_of(game))
    seen = proven = 0
    for _ in range(400):
        found = late_position(game, left, random)
        if found is None or len(found[0].legal_moves) > 9:
            continue
        board, slow = found
        tree = mcts_search(board, 3000, seed=seen, hash=1)
        seen += 1
        if tree.proven:
            proven += 1
            assert tree.value == slow.value()
            slow.play(tree.move.number)
            assert -slow.value() == tree.value
        if seen == 12:
            break
    assert proven >= 3


@pytest.mark.parametrize("simulations", [1, 4, 15, 50, 4_000])
def test_proofs_of_mcts_in_every_position_of_tictactoe(simulations: int) -> None:
    """A proven value is the true one, and the move keeps it; enough simulations prove all."""
    proven = 0
    for seed, board in enumerate(tictactoe.positions()):
        if board.is_game_over():
            continue
        found = mcts_search(board, simulations, seed=seed, hash=1)
        values = tictactoe.values(board)
        best = max(values.values())
        if found.proven:
            proven += 1
            assert found.value == (best > 0) - (best < 0), board.text()
            assert (values[found.move.number] > 0) == (best > 0)
            assert (values[found.move.number] < 0) == (best < 0)
    assert proven >= {1: 2_800, 4: 3_400, 15: 3_850, 50: 4_150, 4_000: 4_450}[simulations]


@pytest.mark.parametrize("search", [montecarlo_search, mcts_search])
def test_random_games_depend_on_the_seed_alone(search: Callable[..., Samples]) -> None:
    board = Board("ultimate")
    found = [search(board, 30, seed=seed)._replace(seconds=0.0) for seed in (1, 1, 2, 2**63, -1)]
    assert found[0] == found[1]
    assert len({str(samples) for samples in found}) == 4


LENGTHS = {"tictactoe": (3, 7), "ultimate": (40, 70)}
"""Plies after which a random game offers wins."""


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
        move = mcts_search(board, 1, seed=1, hash=1).move
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
    found = mcts_search(Board("qubic"), 60_000, seed=1, hash=1)
    assert found.games == 60_000
    assert found.nodes * 16 <= 1 << 20
    assert sum(sample.games for sample in found.moves) >= 59_999
    assert found.moves[0].games == max(sample.games for sample in found.moves)


@pytest.mark.parametrize("search", [montecarlo_search, mcts_search])
def test_limits_of_random_games(search: object) -> None:
    assert callable(search)
    board = Board("ultimate")
    with at_most(10):
        assert search(board, None, time=0.05).games > 0
    for bad in ({}, {"time": math.nan}, {"time": -1.0}, {"time": math.inf}):
        with pytest.raises(ValueError, match="time"):
            search(board, None, **bad)
    for count in (0, -1, 1.5, 2**63):
        with pytest.raises((ValueError, TypeError), match="expected a whole number from 1"):
            search(board, count)
    board = Board("tictactoe")
    board.push_moves("1 2 4 5 7")
    with pytest.raises(ValueError, match="over"):
        search(board, 10)
    with pytest.raises(KeyboardInterrupt), during_search(ctrl_c):
        search(Board("ultimate"), 2**40)


def test_mcts_needs_no_more_games_than_before() -> None:
    """To prove late positions. It wastes games if it tries moves again that it knows to lose."""
    games = 0
    for seed in (9, 12, 17, 22, 25):
        board = Board("ultimate").playout(seed)
        for _ in range(10):
            board.pop()
        found = mcts_search(board, 20_000, seed=1)
        assert found.proven
        games += found.games
    assert games <= 4_082


def test_stop_from_another_thread() -> None:
    board = Board("qubic")
    sampler = board.sampler_type(board.ruleset)
    for work in (
        partial(sampler.montecarlo, board, 2**40, 0.0, 1),
        partial(sampler.mcts, board, 2**40, 0.0, 1, 16, 1.0),
    ):
        with during_search(sampler.stop, caller=__file__):
            found = work()
        assert found["games"] > 0
        assert found["raised"] is None


def test_bad_sizes_of_the_tree_are_refused() -> None:
    for hash in (0, -1, 65_537, 10**12):
        with pytest.raises(ValueError, match="hash"):
            mcts_search(Board("qubic"), 10, hash=hash)
    with pytest.raises(TypeError):
        mcts_search(Board("qubic"), 10, hash=1.5)  # type: ignore[arg-type]


def test_exploration() -> None:
    """Without exploration the best move gets nearly all visits; with much of it, none does."""
    board = Board("connect4")
    visits = {}
    for exploration in (0, 1, 100):
        found = mcts_search(board, 2_000, seed=1, hash=1, exploration=exploration)
        visits[exploration] = max(sample.games for sample in found.moves)
    assert visits[0] > visits[1] > visits[100]
    assert visits[100] < 2 * 2_000 / 7
    for wrong in (-1, -1e-9, 1e6, math.nan, math.inf):
        with pytest.raises(ValueError, match="exploration"):
            mcts_search(board, 10, exploration=wrong)


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
        points += score_of(game, 1)
    assert points >= 15
