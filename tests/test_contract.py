"""Random games of every game and option against the slow reference."""

from collections import Counter
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from support.contract import (
    GAMES,
    NINE_BOARD_GAMES,
    Game,
    agree,
    choose,
    chooser,
    name_of,
    nearly_full,
    pop_restores,
    symmetry_holds,
    text_round_trips,
    whole_game,
)
from support.reference import OTHER, Reference, Ultimate, reference
from ttt import Board

every_game = pytest.mark.parametrize("game", GAMES, ids=name_of)
quick = settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # shrinking a whole game takes minutes and shows little
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
numbers = st.lists(st.integers(0, 999), min_size=81, max_size=162)


@every_game
@quick
@given(numbers, st.booleans(), st.integers(0, 191))
def test_whole_games(game: Game, picks: list[int], peaceful: bool, symmetry: int) -> None:
    board, _ = whole_game(game, chooser(picks), peaceful)
    pop_restores(board.copy())
    while board.moves:
        text_round_trips(board)
        symmetry_holds(board, symmetry + board.ply)
        board.pop()


@every_game
def test_symmetries_are_the_references(game: Game) -> None:
    board, slow = Board(game[0], **game[1]), reference(game[0], **game[1])
    rules = board.ruleset
    ours = [[rules.image(i, move).number for move in rules.moves] for i in range(rules.symmetries)]
    assert ours[0] == list(range(len(rules.moves)))
    assert sorted(ours) == sorted(slow.symmetries())
    assert len(board.symmetries()) == rules.symmetries


@pytest.mark.parametrize("game", NINE_BOARD_GAMES, ids=name_of)
def test_full_boards(game: Game) -> None:
    """Full small boards, free choice of a board, and every way to end a game."""
    random = Random(5)
    ends = Counter[tuple[bool, str]]()
    freed = 0
    for number in range(60):
        fast, slow = nearly_full(game, random)
        agree(fast, slow)
        text_round_trips(fast)
        for depth in (1, 2, 3):
            assert fast.perft(depth) == slow.perft(depth)
        while slow.legal():
            move = choose(fast, random.randrange, peaceful=number % 3 > 0)
            fast.push(move)
            slow.play(move.number)
            agree(fast, slow)
            text_round_trips(fast)
            freed += fast.picture()[1] == "*"
        outcome = slow.outcome()
        assert outcome is not None
        ends[outcome[0] is None, outcome[1]] += 1
    if game[1].get("full") == "draw":
        assert set(ends) == {(True, "pointed"), (False, "line")}
    else:
        assert freed > 20
        assert ends[True, "full"] > 3
    if game[1].get("tie") == "boards":
        assert ends[False, "boards"] > 3


@every_game
def test_mirror_exchanges_left_and_right(game: Game) -> None:
    board = Board(game[0], **game[1]).playout(seed=3)
    width, height, _, across = board.layout
    mirrored = [""] * len(board.marks)
    for cell, mark in enumerate(board.marks):
        block, within = divmod(cell, width * height)
        row, column = divmod(within, width)
        if game in NINE_BOARD_GAMES:
            block = block // across * across + across - 1 - block % across
        mirrored[(block * height + row) * width + width - 1 - column] = mark
    assert board.mirror().marks == "".join(mirrored)
    assert board.mirror().mirror() == board


def can_win(slow: Reference, side: str) -> bool:
    """Whether a side has a line without a mark of the other side; in ultimate, a line of boards
    that it owns or can still win."""
    lines = [line for line in slow.lines if all(slow.marks[cell] != OTHER[side] for cell in line)]
    if not isinstance(slow, Ultimate):
        return bool(lines)
    boards = {line[0] // 9 for line in lines if slow.owners[line[0] // 9] == "."}
    boards |= {board for board in range(9) if slow.owners[board] == side}
    return any(boards.issuperset(row) for row in slow.rows)


@pytest.mark.parametrize(
    "game", [game for game in GAMES if game[1].get("tie") != "boards"], ids=name_of
)
def test_hopeless_positions(game: Game) -> None:
    """Neither side has a line left to win by: at every ply of peaceful games."""
    random, seen = Random(name_of(game)), 0
    for _ in range(4 if len(Board(game[0], **game[1]).marks) > 64 else 12):
        fast, slow = Board(game[0], **game[1]), reference(game[0], **game[1])
        while slow.legal():
            move = choose(fast, random.randrange, random.random() < 0.9)
            slow.play(move.number)
            fast.push(move)
            if not fast.is_game_over():
                expected = not (can_win(slow, "x") or can_win(slow, "o"))
                assert fast.is_hopeless() == expected, fast.text()
                seen += expected
    assert seen or game not in (("tictactoe", {}), ("connect4", {}))
