"""The ConnectX agent, in a small simulation of Kaggle's environment."""

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from hardening.mutate import TRICKY
from support.reference import lines_of
from ttt.protocols.kaggle import agent, simple_move

Agent = Any


class Environment:
    """ConnectX as the environment's specification describes it."""

    def __init__(self, columns: int, rows: int, inarow: int, seconds: float = 0.02) -> None:
        self.configuration = {
            "columns": columns, "rows": rows, "inarow": inarow, "actTimeout": seconds,
            "timeout": 2, "agentTimeout": 60, "episodeSteps": 1000, "runTimeout": 1200,
        }  # fmt: skip
        self.columns, self.rows = columns, rows
        self.board = [0] * (columns * rows)
        self.lines = lines_of((rows, columns), inarow)

    def won(self, mark: int) -> bool:
        return any(all(self.board[cell] == mark for cell in line) for line in self.lines)

    def run(self, agents: list[Agent], as_dicts: bool = False) -> int:
        """The mark of the winner, or 0; raises if a column is invalid."""
        kind: Any = dict if as_dicts else SimpleNamespace
        step = 0
        while True:
            mark = step % 2 + 1
            observation = kind(
                board=list(self.board), mark=mark, step=step, remainingOverageTime=60
            )
            column = agents[mark - 1](observation, kind(**self.configuration))
            assert type(column) is int
            assert 0 <= column < self.columns
            row = max(r for r in range(self.rows) if self.board[r * self.columns + column] == 0)
            self.board[row * self.columns + column] = mark
            if self.won(mark):
                return mark
            if 0 not in self.board:
                return 0
            step += 1


def random_agent(seed: int) -> Agent:
    random = Random(seed)
    return lambda observation, configuration: random.choice(
        [
            column
            for column in range(_get(configuration, "columns"))
            if _get(observation, "board")[column] == 0
        ]
    )


def _get(record: Any, name: str) -> Any:
    return record[name] if isinstance(record, dict) else getattr(record, name)


@pytest.mark.parametrize(
    "size",
    [(7, 6, 4), (4, 5, 3), (9, 5, 4), (1, 4, 2), (3, 3, 5), (10, 8, 5), (40, 3, 4), (5, 5, 1)],
)
@pytest.mark.parametrize("as_dicts", [False, True])
def test_whole_games(size: tuple[int, int, int], as_dicts: bool) -> None:
    for seed in range(2):
        Environment(*size).run([agent, random_agent(seed)], as_dicts)
        Environment(*size).run([random_agent(seed), agent], as_dicts)


def test_beats_random_play() -> None:
    assert Environment(7, 6, 4).run([agent, random_agent(1)]) == 1
    assert Environment(7, 6, 4).run([random_agent(2), agent]) == 2
    assert Environment(12, 9, 4).run([agent, random_agent(3)]) == 1  # by the simple rule


def test_finds_a_long_win() -> None:
    """After 4 4 5 5 the side to move wins in three plies; so does Kaggle's mark 1."""
    board = [0] * 42
    for cell, mark in ((38, 1), (31, 2), (39, 1), (32, 2)):
        board[cell] = mark
    configuration = {"columns": 7, "rows": 6, "inarow": 4, "timeout": 1}
    assert agent({"board": board, "mark": 1}, configuration) in (2, 5)


def test_the_simple_rule() -> None:
    def move(rows: list[str], mark: int) -> int:
        cells = [".12".index(mark) for row in rows for mark in row]
        return simple_move(cells, mark, len(rows[0]), len(rows), 4)

    assert move([".........", "111......"], 1) == 3  # wins
    assert move([".........", "222......"], 1) == 3  # blocks
    assert move(["..........", "111....222"], 2) == 6  # wins rather than blocks
    assert move(["2222.2222", "2221.1222"], 1) == 4  # the only free column
    assert move([".........", "........."], 1) == 4  # the centre


def test_does_not_prepare_a_win_for_the_opponent() -> None:
    rows = [".......", "222....", "112...."]
    cells = [".12".index(mark) for row in rows for mark in row]
    assert simple_move(cells, 1, 7, 3, 4) != 3


@pytest.mark.parametrize(
    ("observation", "configuration"),
    [
        ({}, {}),
        ({"board": [0] * 42, "mark": 1}, {"columns": 7, "rows": 6}),
        ({"board": [0] * 41, "mark": 1}, {"columns": 7, "rows": 6, "inarow": 4}),
        ({"board": [0] * 42, "mark": 3}, {"columns": 7, "rows": 6, "inarow": 4}),
        ({"board": [1] * 42, "mark": 1}, {"columns": 7, "rows": 6, "inarow": 4}),
        ({"board": None, "mark": 1}, {"columns": 7, "rows": 6, "inarow": 4}),
        ({"board": [0] * 42, "mark": 1}, {"columns": 7, "rows": 6, "inarow": 0}),
        ({"board": [], "mark": 1}, {"columns": 0, "rows": 6, "inarow": 4}),
    ],
)
def test_bad_observations(observation: Any, configuration: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        agent(observation, configuration)


def test_mutated_observations() -> None:
    check_mutated_observations(1000)


def check_mutated_observations(count: int) -> None:
    """Each is answered with a free column, or refused by a ValueError."""
    random = Random(4)
    for _ in range(count):
        columns, rows, inarow = random.choice([(7, 6, 4), (4, 4, 3), (12, 9, 4)])
        configuration: dict[str, Any] = {
            "columns": columns, "rows": rows, "inarow": inarow, "actTimeout": 0.001
        }  # fmt: skip
        board: list[Any] = [0] * (columns * rows)
        for _ in range(random.randrange(columns * rows)):
            board[random.randrange(len(board))] = random.randrange(3)
        observation: dict[str, Any] = {"board": board, "mark": random.choice((1, 2))}
        for record in (observation, configuration):
            if random.random() < 0.5:
                name = random.choice([*record])
                value: Any = random.choice([*TRICKY, -1, 0, 1, 99, 10**30, None, 1.5, [], [7]])
                record[name] = value
        if random.random() < 0.2 and isinstance(observation["board"], list):
            observation["board"] = observation["board"] * 2
        try:
            column = agent(observation, configuration)
        except ValueError:
            continue
        assert 0 <= column < int(configuration["columns"])
        assert int(observation["board"][column]) == 0
