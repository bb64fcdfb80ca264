"""Stateful tests: push, pop, copy, pickle, search and parse in any order, compared with the
reference implementation."""

import pickle
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import ttt
from hardening import Row
from support.contract import GAMES, agree
from support.reference import Reference, reference
from ttt import Board, Engine, IllegalMove
from ttt.score import Score

PARTS = ttt.games()
QUICK = 0.004
EXAMPLES = 10_000
numbers = st.integers(0, 2**20)


@cache
def engine(game: str, options: tuple[tuple[str, Any], ...]) -> Engine:
    return Engine(game, hash=1, solver=False, **dict(options))


class Play(RuleBasedStateMachine):
    """A board and the reference, which must agree after every step."""

    game = ""
    games = plies = 0

    @initialize(which=numbers)
    def begin(self, which: int) -> None:
        variants = [options for name, options in GAMES if name == self.game]
        options = variants[which % len(variants)]
        self.board = Board(self.game, **options)
        self.slow = reference(self.game, **options)
        self.before: list[Reference] = []

    def play(self, which: int) -> None:
        legal = self.slow.legal()
        assert [move.number for move in self.board.legal_moves] == legal
        if not legal:
            return
        move = legal[which % len(legal)]
        self.before.append(self.slow.copy())
        self.slow._put(move)
        self.board.push(self.board.ruleset.moves[move])
        type(self).plies += 1

    @rule(moves=st.lists(numbers, min_size=1, max_size=12))
    def push(self, moves: list[int]) -> None:
        for which in moves:
            self.play(which)

    @rule(plies=st.integers(1, 5))
    def pop(self, plies: int) -> None:
        for _ in range(min(plies, len(self.before))):
            last = self.board.peek()
            assert self.board.pop() == last
            self.slow = self.before.pop()

    @rule(which=numbers)
    def copy(self, which: int) -> None:
        """Continues with a copy; the original changes, which must not affect the copy."""
        other, self.board = self.board, self.board.copy()
        if other.legal_moves:
            other.push(other.legal_moves[which % len(other.legal_moves)])
        while other.moves:
            other.pop()

    @rule()
    def pickle(self) -> None:
        moves = self.board.moves
        self.board = pickle.loads(pickle.dumps(self.board))
        assert self.board.moves == moves

    @rule()
    def parse(self) -> None:
        """Continues with the position, without its history."""
        key = self.board.key
        self.board = Board.parse(self.board.text())
        assert self.board.key == key
        self.before.clear()

    @rule(which=numbers)
    def refuse(self, which: int) -> None:
        """An illegal move is refused and changes nothing."""
        moves = self.board.ruleset.moves
        move = moves[which % len(moves)]
        if move.number in self.slow.legal():
            return
        before = self.board.moves
        try:
            self.board.push(move)
        except IllegalMove:
            assert self.board.moves == before
            return
        raise AssertionError(f"{move} was played")

    @precondition(lambda self: not self.board.is_game_over())
    @rule(nodes=st.integers(1, 100))
    def search(self, nodes: int) -> None:
        searcher = engine(self.game, tuple(self.board.options.items()))
        text = self.board.text()
        found = searcher.search(self.board, nodes=nodes)
        assert found.move is not None
        assert found.move.number in self.slow.legal()
        assert self.board.text() == text
        if self.board.ply % 4 == 0:
            one = searcher.search(self.board, depth=1)
            wins = set(self.slow.legal()) & self.slow.wins(self.slow.turn)
            assert one.score == Score.win(1) or not wins
            if one.score == Score.win(1):
                assert one.move is not None
                outcome = self.slow._after(one.move.number).outcome()
                assert outcome is not None
                assert outcome[0] == self.slow.turn

    @invariant()
    def same(self) -> None:
        if not hasattr(self, "board"):
            return
        assert list(self.board.marks) == self.slow.marks
        assert self.board.turn == self.slow.turn
        outcome = self.board.outcome()
        assert (outcome and (outcome.winner, outcome.termination)) == self.slow.outcome()
        assert len(self.board.moves) == len(self.before)

    def teardown(self) -> None:
        """Plays the game to its end."""
        if not hasattr(self, "board"):
            return
        random = Random(self.board.key)
        while not self.board.is_game_over():
            self.play(random.randrange(2**20))
        agree(self.board, self.slow)
        type(self).games += 1


def check(part: str, scale: float) -> Iterator[Row]:
    examples = max(20, int(EXAMPLES * scale))
    machine = Play
    machine.game = part
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=8,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )
    figure = f"{machine.games:,} games, {machine.plies:,} plies, no difference"
    limit = f"{examples:,} games agree"
    yield Row(f"stateful {part}", figure, limit, machine.games >= examples)
