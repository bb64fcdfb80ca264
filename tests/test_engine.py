"""The engine against the textbook algorithms, exact counts, the reference and known results."""

import pickle
from random import Random
from typing import Any

import pytest

import ttt
from support import tictactoe
from support.contract import GAMES, Game, choose, name_of
from support.data import connect4_lines
from ttt import Board, Engine, Limit, Result, Score, minimax_search


@pytest.mark.parametrize(
    ("opening", "depth", "nodes", "terminal", "horizon"),
    [
        ("1 3", 7, 3_944_002, 6_795, 3_461_920),
        ("5 5", 7, 3_615_136, 5_352, 3_174_840),
        ("1 1", 7, 3_615_160, 6_018, 3_174_198),
        ("1 3", 8, 32_268_688, 129_159, 28_202_322),
    ],
)
def test_minimax_counts(opening: str, depth: int, nodes: int, terminal: int, horizon: int) -> None:
    """Published for the opening 1 3 at depth 8, all reproduced by an independent program."""
    board = Board("nineboard")
    board.push(opening)
    found = minimax_search(board, "minimax", depth, "two-in-a-row")
    assert (found.nodes, found.terminal, found.horizon) == (nodes, terminal, horizon)
    assert found.score == Score(0) or (opening, depth) != ("1 3", 8)
    pruned = minimax_search(board, "alphabeta", depth, "two-in-a-row")
    engine = Engine("nineboard", evaluation="two-in-a-row", selective=False)
    assert found.score == pruned.score == engine.search(board, depth=depth).score
    if depth == 8:
        assert pruned.nodes <= 325_106
        assert engine.result is not None
        assert engine.result.nodes <= 60_000
        selective = Engine("nineboard", evaluation="two-in-a-row").search(board, depth=depth)
        assert (selective.score, selective.nodes <= 60_000) == (Score(0), True)


def random_position(game: Game, random: Random, peaceful: bool) -> Board:
    board = Board(game[0], **game[1])
    for _ in range(random.randrange(len(board.marks))):
        if board.is_game_over():
            board.pop()
            break
        board.push(choose(board, random.randrange, peaceful and random.random() < 0.8))
    if board.is_game_over():
        board.pop()
    return board


def feasible_depth(board: Board, random: Random) -> int:
    depth = 1
    while depth < 9 and len(board.legal_moves) ** (depth + 1) < 4_000:
        depth += 1
    return random.randint(1, depth)


@pytest.mark.parametrize("game", GAMES, ids=name_of)
def test_engine_equals_minimax(game: Game) -> None:
    """At the same depth, on 2,000 positions of each game, with every evaluation; symmetric images
    have the same value."""
    random = Random(7)
    share = -(-2_000 // sum(other[0] == game[0] for other in GAMES))
    names = Board(game[0], **game[1]).engine_type.evaluations
    for evaluation in names:
        engine = Engine(game[0], hash=1, evaluation=evaluation, selective=False, **game[1])
        for _ in range(share):
            board = random_position(game, random, peaceful=random.random() < 0.5)
            depth = feasible_depth(board, random)
            slow = minimax_search(board, "minimax", depth, evaluation)
            pruned = minimax_search(board, "alphabeta", depth, evaluation)
            assert {line.moves[0]: line.score for line in slow.lines} == {
                line.moves[0]: line.score for line in pruned.lines
            }
            engine.clear()
            fast = engine.search(board, depth=depth)
            assert fast.score == slow.score, board.text()
            best = {line.moves[0] for line in slow.lines if line.score == slow.score}
            assert fast.move in best, board.text()
            image = board.transform(random.randrange(board.ruleset.symmetries))
            assert minimax_search(image, "minimax", depth, evaluation).score == slow.score
            assert engine.search(image, depth=depth).score == slow.score


@pytest.mark.parametrize("game", GAMES, ids=name_of)
def test_a_kept_table_changes_no_value(game: Game) -> None:
    """A table with the entries of earlier searches, of both sides and of other depths: the value is
    still that of minimax. Each search is a ply later and a ply shallower than the one before, so
    that it meets the entries of the other side at its own depth."""
    random = Random(name_of(game))
    for evaluation in Board(game[0], **game[1]).engine_type.evaluations:
        engine = Engine(game[0], hash=1, evaluation=evaluation, selective=False, **game[1])
        for _ in range(25):
            board = random_position(game, random, peaceful=True)
            depth = 1
            while depth < 6 and len(board.legal_moves) ** (depth + 1) < 20_000:
                depth += 1
            while depth and not board.is_game_over():
                expected = minimax_search(board, "alphabeta", depth, evaluation)
                assert engine.search(board, depth=depth).score == expected.score, board.text()
                board.push(random.choice(board.legal_moves))
                depth -= 1


def test_every_position_of_tictactoe() -> None:
    """Value, distance and the set of best moves, of all 5,478 positions."""
    engine = Engine("tictactoe", hash=1)
    for board in tictactoe.positions():
        if board.is_game_over():
            assert engine.search(board).move is None
            continue
        values = tictactoe.values(board)
        best = max(values.values())
        found = engine.search(board, multipv=9)
        assert found.proven
        assert found.plies == (100 - abs(best) if best else None)
        assert found.score.sign == (best > 0) - (best < 0)
        assert {line.moves[0].number for line in found.lines if line.score == found.score} == {
            move for move, value in values.items() if value == best
        }


@pytest.mark.parametrize(
    ("m", "n", "k", "value"),
    [
        (3, 3, 3, 0),
        (4, 3, 3, 1),
        (4, 4, 3, 1),
        (4, 4, 4, 0),
        (7, 3, 4, 0),
        pytest.param(5, 5, 4, 0, marks=pytest.mark.slow),
        pytest.param(6, 4, 4, 0, marks=pytest.mark.slow),
    ],
)
def test_known_values(m: int, n: int, k: int, value: int) -> None:
    """Of small m,n,k games (Uiterwijk and van den Herik 2000)."""
    engine = Engine("mnk", hash=512, m=m, n=n, k=k)
    found = engine.search(Board("mnk", m=m, n=n, k=k))
    assert found.proven
    assert found.score.sign == value


def test_positions_without_open_lines_are_drawn_at_once() -> None:
    for text in (
        "tictactoe .ox/xoo/oxx x",
        "connect4:columns=4,rows=4 o..x/xx.o/ooxx/xxoo o",
        "mnk:m=4,n=4,k=4 ..ox/oxx./.ox./x..o o",
        "ultimate ooo....../xxxo.xo../oxoo.xxox/x....xxx./..xo.x..o/xo..oooxo/.oxoxxoxo/ooo.xox../"
        "x.o...xxx o *",
    ):
        board = Board.parse(text)
        found = Engine(board.game, hash=1, **board.options).search(board)
        assert (board.is_hopeless(), found.verdict()) == (True, "draw")
        assert found.nodes <= len(board.legal_moves) * (len(board.marks) - board.ply)


def c4_score(board: Board, plies: int, sign: int) -> int:
    """22 minus the number of stones that the winner has played, as in the published sets."""
    return sign * (22 - (board.ply + plies + 1) // 2)


@pytest.mark.parametrize("name", ["L3_R1", "L2_R1"])
def test_connect4_columns(name: str) -> None:
    """The exact value of every column of 500 published positions."""
    engine = Engine("connect4", solver=False)
    for line in connect4_lines(f"permove_{name}"):
        moves, values = line.split()
        board = Board("connect4")
        board.push_moves(moves)
        for column, text in enumerate(values.split(",")):
            if text == "43":
                assert str(column + 1) not in board.legal_moves
                continue
            board.push(str(column + 1))
            found = engine.search(board)
            assert found.proven
            assert c4_score(board, found.plies or 0, found.score.sign) == int(text)
            board.pop()


@pytest.mark.parametrize("game", ttt.games())
def test_one_thread_is_reproducible(game: str) -> None:
    board = Board(game).playout(5)
    while len(board.moves) > 4:
        board.pop()
    twins = [board, board.copy(), pickle.loads(pickle.dumps(board)), Board.parse(board.text())]
    found = [Engine(game, hash=4).search(twin, depth=5) for twin in twins]
    first = [(result.nodes, result.score, result.line) for result in found]
    assert first == first[:1] * 4


def test_two_threads_find_the_same_values() -> None:
    random = Random(3)
    one = Engine("connect4", hash=8, solver=False)
    two = Engine("connect4", hash=8, threads=2, solver=False)
    compared = 0
    while compared < 500:
        board = Board("connect4").playout(random.randrange(10**9))
        while board.ply > 24 or board.is_game_over():
            board.pop()
        if board.ply == 24:
            compared += 1
            assert one.search(board).score == two.search(board).score


@pytest.mark.parametrize("game", GAMES, ids=name_of)
def test_threads_leave_no_move_out(game: Game) -> None:
    """Without selective search the score is that of minimax, whatever the other threads do."""
    name, options = game
    engines = [
        Engine(name, hash=1, threads=threads, selective=False, solver=False, **options)
        for threads in (1, 2, 4)
    ]
    random, start = Random(5), Board(name, **options)
    for _ in range(40):
        board = start.playout(random.randrange(10**9))
        for _ in range(random.randint(board.ply // 2, board.ply)):
            board.pop()
        depth = 7 if len(board.legal_moves) < 10 else 4
        for engine in engines:
            engine.clear()  # proven entries of earlier positions hold at any depth
        assert len({engine.search(board, depth=depth).score for engine in engines}) == 1


def test_threads_leave_decided_nodes_with_the_same_values() -> None:
    """Long enough for threads to leave nodes that another has decided."""
    random, start = Random(6), Board("connect4")
    engines = [
        Engine("connect4", hash=4, threads=threads, selective=False, solver=False)
        for threads in (1, 2, 4)
    ]
    for _ in range(12):
        board = start.playout(random.randrange(10**9))
        for _ in range(board.ply - 6):
            board.pop()
        found = [engine.search(board, depth=13) for engine in engines]
        assert len({result.score for result in found}) == 1


def test_lines_and_chosen_moves() -> None:
    board = Board("connect4")
    board.push_moves("444333")
    engine = Engine("connect4", hash=4)
    found = engine.search(board, depth=6, multipv=3)
    assert len(found.lines) == 3
    assert len({line.moves[0] for line in found.lines}) == 3
    scores = [line.score for line in found.lines]
    assert scores == sorted(scores, reverse=True)
    for line in found.lines:
        replay = board.copy()
        for move in line.moves:
            replay.push(move)
    only = engine.search(board, depth=6, moves=["1", "7"])
    assert only.move in ("1", "7")
    assert len(engine.search(board, depth=2, multipv=50).lines) == 7


def test_quickest_win_and_slowest_loss() -> None:
    board = Board("tictactoe")
    board.push_moves("1 4 2 5")
    found = Engine("tictactoe", hash=1).search(board)
    assert (found.move, found.verdict(), found.score) == ("3", "win in 1", Score.win(1))
    board = Board("tictactoe")
    board.push_moves("1 2 5")
    lost = Engine("tictactoe", hash=1).search(board)
    assert (lost.move, lost.verdict(), lost.score) == ("9", "loss in 4", Score.loss(4))


def test_a_proven_win_is_looked_for_within_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    board = Board("mnk", m=4, n=3, k=3)
    engine = Engine("mnk", hash=1, m=4, n=3, k=3)
    found = engine.search(board)
    assert found.plies == 7
    for move in found.line[:2]:
        board.push(move)
    limits: list[Limit] = []
    search = engine._search

    def listen(board: Board, limit: Limit, *rest: Any) -> Result:
        limits.append(limit)
        return search(board, limit, *rest)

    monkeypatch.setattr(engine, "_search", listen)
    engine.search(board, nodes=1000, time=600.0)
    assert [limit[:2] for limit in limits] == [(5, 8000)]
    assert 1.0 < (limits[0].time or 0) <= 600.0


@pytest.mark.parametrize("game", ["nineboard", "ultimate", "qubic", "connect4"])
def test_announced_wins_are_won(game: str) -> None:
    """Once a win is proven it is played out in the plies announced, against every best defence."""
    random = Random(11)
    engine = Engine(game, hash=8)
    won = 0
    while won < 12:
        board = Board(game).playout(random.randrange(10**9))
        for _ in range(random.randrange(3, 12)):
            board.pop()
        found = engine.search(board, depth=7)
        if found.plies is None or found.score.win_in is None:
            continue
        won += 1
        winner, plies = board.turn, found.plies
        while not board.is_game_over():
            found = engine.search(board, depth=max(plies, 1))
            assert found.plies is not None
            assert found.plies <= plies, board.text()
            plies = found.plies - 1
            assert found.move is not None
            board.push(found.move)
        outcome = board.outcome()
        assert outcome is not None
        assert outcome.winner == winner


@pytest.mark.parametrize("limits", [{"nodes": 150_000}, {"nodes": 450_000}, {"time": 20.0}])
def test_the_table_outlasts_other_limits(limits: dict[str, Any]) -> None:
    """The table of one search helps the next, whose limits may be smaller or larger."""
    engine, board = Engine("nineboard", hash=16), Board("nineboard")
    board.push_moves("11 12 25")
    engine.search(board, nodes=1_000)
    first = engine.search(board, nodes=300_000)
    spent: list[int] = []

    def look(result: Result) -> None:
        if result.depth == first.depth:
            spent.append(result.nodes)
            engine.stop()

    engine.search(board, **limits, on_info=look)
    assert spent[0] < first.nodes / 5


@pytest.mark.parametrize("game", ["ultimate", "qubic"])
def test_a_search_cut_short_announces_no_false_loss(game: str) -> None:
    """A limit may end the search when the first move is refuted and the others are still open."""
    engine = Engine(game, hash=1, solver=False)
    announced = 0
    for seed in range(60):
        board = Board(game).playout(seed)
        for _ in range(min(8 + seed % 5, board.ply)):
            board.pop()
        engine.clear()
        truth = engine.search(board, nodes=300_000)
        for nodes in range(10, 100, 9):
            engine.clear()
            found = engine.search(board, nodes=nodes)
            if found.proven and truth.proven:
                announced += 1
                assert found.score.sign == truth.score.sign, (board.text(), nodes)
    assert announced > 20


def test_too_few_nodes_never_make_a_win_a_loss() -> None:
    text = (
        "..xx...x./.xxo.xoxx/oxoxxo.xx/ooooxxoxx/.o.xo.xxx/.ox.o..ox/..ox.oxo./oooxoxxox/.oooo..o."
    )
    board = Board.parse(f"ultimate:tie=boards,won=open {text} o 9 .xxoxo.oo")
    engine = Engine("ultimate", hash=1, tie="boards", won="open")
    assert engine.search(board).score.value == "win"
    for nodes in range(1, 300):
        engine.clear()
        assert engine.search(board, nodes=nodes).score.value != "loss", nodes


def test_lines_of_a_stopped_search_are_true() -> None:
    """A limit may stop the search between two lines: no line shows a bound as a win or loss."""
    random, decided = Random(7), 0
    for _ in range(60):
        board = Board("connect4").playout(random.randrange(2**32))
        while board.ply > 30 or board.is_game_over():
            board.pop()
        engine = Engine("connect4", hash=1, solver=False)
        found = engine.search(board, nodes=random.choice((1, 20, 100, 400, 1_500)), multipv=4)
        values = {entry.move: entry.score.value for entry in engine.solve_moves(board)}
        assert len({line.moves[0] for line in found.lines}) == len(found.lines) >= 1
        for line in found.lines:
            if line.score.value is not None:
                decided += 1
                assert line.score.value == values[line.moves[0]], (board.text(), line)
    assert decided > 50


@pytest.mark.parametrize("game", ["ultimate", "nineboard", "connect4"])
def test_lines_are_sorted(game: str) -> None:
    """Reductions differ between lines, so a later line may turn out better than an earlier one."""
    random, engine = Random(5), Engine(game, hash=1, solver=False)
    for _ in range(40):
        board = Board(game).playout(random.randrange(2**32))
        while board.ply > 20 or board.is_game_over():
            board.pop()
        engine.clear()
        found = engine.search(board, depth=random.choice((3, 5, 7)), multipv=3)
        scores = [line.score for line in found.lines]
        assert scores == sorted(scores, reverse=True)
        assert (found.move, found.score) == (found.lines[0].moves[0], scores[0])
