"""Properties that every game must have, checked against the slow reference at every ply.

A game here is a name with options; `GAMES` lists the ones that the tests play.
"""

import pickle
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from support.reference import Reference, reference
from ttt import Board, Move

Game = tuple[str, dict[str, Any]]

GAMES: list[Game] = [
    ("tictactoe", {}),
    ("mnk", {"m": 4, "n": 3, "k": 3}),
    ("mnk", {"m": 5, "n": 5, "k": 4}),
    ("mnk", {"m": 8, "n": 8, "k": 5}),
    ("mnk", {"m": 1, "n": 7, "k": 2}),
    ("mnk", {"m": 64, "n": 1, "k": 6}),
    ("mnk", {"m": 2, "n": 32, "k": 9}),
    ("nineboard", {"full": "any"}),
    ("nineboard", {"full": "draw"}),
    ("ultimate", {"tie": "draw", "won": "closed"}),
    ("ultimate", {"tie": "boards", "won": "closed"}),
    ("ultimate", {"tie": "draw", "won": "open"}),
    ("ultimate", {"tie": "boards", "won": "open"}),
    ("qubic", {}),
    ("connect4", {}),
    ("connect4", {"columns": 8, "rows": 7, "connect": 5}),
    ("connect4", {"columns": 9, "rows": 6, "connect": 4}),
    ("connect4", {"columns": 4, "rows": 12, "connect": 3}),
    ("connect4", {"columns": 1, "rows": 63, "connect": 2}),
    ("connect4", {"columns": 32, "rows": 1, "connect": 4}),
]

NINE_BOARD_GAMES = [game for game in GAMES if game[0] in ("nineboard", "ultimate")]

Chooser = Callable[[int], int]
"""Returns a number below its argument."""


def name_of(game: Game) -> str:
    """An id for test reports, such as connect4-8-7-5."""
    return "-".join([game[0], *map(str, game[1].values())])


def choose(board: Board, below: Chooser, peaceful: bool) -> Move:
    """A legal move. With `peaceful`, one that leaves as few winning moves as possible, so that
    boards fill up."""
    moves = board.legal_moves
    if peaceful:
        return min(moves, key=lambda move: (danger(board, move), below(1000)))
    return moves[below(len(moves))]


def danger(board: Board, move: Move) -> int:
    """The number of winning moves of both sides after a move; a move that wins counts most."""
    board.push(move)
    found = len(board.wins("x")) + len(board.wins("o"))
    found += 9 * len({*board.legal_moves} & {*board.wins()}) + 99 * bool(board.line_cells())
    board.pop()
    return found


def whole_game(game: Game, below: Chooser, peaceful: bool) -> tuple[Board, Reference]:
    """Plays a game to its end on both boards and compares them at every ply."""
    fast, slow = Board(game[0], **game[1]), reference(game[0], **game[1])
    agree(fast, slow)
    while slow.legal():
        move = choose(fast, below, peaceful)
        slow.play(move.number)
        fast.push(move)
        agree(fast, slow)
    return fast, slow


def agree(fast: Board, slow: Reference) -> None:
    """Fast and slow rules agree on a position."""
    assert list(fast.marks) == slow.marks
    assert fast.turn == slow.turn
    assert fast.ply == len(slow.marks) - slow.marks.count(".")
    assert [move.number for move in fast.legal_moves] == slow.legal()
    for side in ("x", "o"):
        assert {move.number for move in fast.wins(side)} == slow.wins(side)
    if fast.ply % 4 == 0 or len(fast.legal_moves) < 10:
        assert {move.number for move in fast.safe_moves()} == safe(slow)
    outcome = fast.outcome()
    assert fast.is_game_over() == (outcome is not None)
    assert (outcome and (outcome.winner, outcome.termination)) == slow.outcome()
    if outcome is None:
        force = fast.picture()[1]
        assert (None if force == "*" else force) == slow.board
    else:
        assert list(outcome.line) == slow.winning_cells()
    if fast.game == "ultimate":
        assert list(fast.picture()[2]) == slow.owners


def safe(slow: Reference) -> set[int]:
    """The moves after which the opponent cannot complete a line at once."""
    found = set()
    for move in slow.legal():
        after = slow.copy()
        after.play(move)
        outcome = after.outcome()
        if (outcome and outcome[1] == "line") or not set(after.legal()) & after.wins(after.turn):
            found.add(move)
    return found


def text_round_trips(board: Board) -> None:
    """Text and pickle restore the board; the key computed from scratch is the same."""
    again = Board.parse(board.text())
    assert again == board
    assert hash(again) == hash(board)
    assert again.key == board.key
    assert again.text() == board.text()
    assert again.legal_moves == board.legal_moves
    assert again.outcome() == board.outcome()
    assert [again.wins("x"), again.wins("o")] == [board.wins("x"), board.wins("o")]
    revived = pickle.loads(pickle.dumps(board))
    assert revived == board
    assert revived.moves == board.moves


def pop_restores(board: Board) -> None:
    """Popping all moves passes through the same positions as replaying the game."""
    moves = board.moves
    before = board.copy()
    fresh = board.root()
    seen = [fresh.text()]
    keys = [fresh.key]
    for move in moves:
        fresh.push(move)
        seen.append(fresh.text())
        keys.append(fresh.key)
    for move in reversed(moves):
        assert (board.text(), board.key) == (seen.pop(), keys.pop())
        assert board.peek() == move
        assert board.pop() == move
    assert [(board.text(), board.key)] == list(zip(seen, keys, strict=True))
    assert before.moves == moves


def symmetry_holds(board: Board, which: int) -> None:
    """A symmetry maps the game to a legal game with the same outcome and canonical key."""
    symmetry = which % board.ruleset.symmetries
    image = board.transform(symmetry)
    replayed = board.root()
    for move in board.moves:
        replayed.push(board.ruleset.image(symmetry, move))
    assert replayed == image
    assert replayed.moves == image.moves
    assert replayed.key == image.key
    assert image.canonical_key() == board.canonical_key()
    images = {move: board.ruleset.image(symmetry, move) for move in board.ruleset.moves}
    assert {*image.legal_moves} == {images[move] for move in board.legal_moves}
    assert {*image.safe_moves()} == {images[move] for move in board.safe_moves()}
    assert image.is_hopeless() == board.is_hopeless()
    for side in ("x", "o"):
        assert {*image.wins(side)} == {images[move] for move in board.wins(side)}
    here, there = board.outcome(), image.outcome()
    assert (here and here[:2]) == (there and there[:2])


def chooser(numbers: Sequence[int]) -> Chooser:
    """Chooses by the given numbers in order, then always the first."""
    rest = iter(numbers)
    return lambda below: next(rest, 0) % below


DRAWN_BOARDS = ["xxooxxxoo", "xoxxoxoxo", "xoxxoooxx", "xoxoxxoxo", "oxoxxoxox", "ooxxxooxx"]
"""Full small boards without a line."""


def nearly_full(game: Game, random: Random) -> tuple[Board, Reference]:
    """A nine-board position with few empty cells and hardly any line; random play never reaches
    one."""
    flip = str.maketrans("xo", "ox")
    while True:
        boards = [random.choice(DRAWN_BOARDS) for _ in range(9)]
        boards = [text.translate(flip) if random.random() < 0.5 else text for text in boards]
        marks = list("".join(boards))
        while marks.count(".") < 9:
            side = "x" if marks.count("x") > marks.count("o") else "o"
            marks[random.choice([i for i in range(81) if marks[i] == side])] = "."
        turn = "x" if marks.count("x") == marks.count("o") else "o"
        playable = [i for i in range(9) if "." in marks[9 * i : 9 * i + 9]]
        board = random.choice(playable)
        slow = reference(game[0], **game[1])
        slow.marks, slow.turn, slow.board = marks, turn, board
        fast = Board(game[0], **game[1])
        owners = "." * 9 if game[0] == "ultimate" else ""
        try:
            fast.set_picture("".join(marks), board, owners)
        except ValueError:
            continue
        return fast, slow
