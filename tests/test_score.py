"""Scores, limits and budgets: values, order, checks."""

import copy
import doctest
import pickle
from importlib import import_module

import pytest

from ttt import Limit, Score
from ttt.limits import UNLIMITED, Budget, as_limit, parse_depth


def test_scores_are_ordered() -> None:
    worst_first = [
        Score.loss(0),
        Score.loss(8),
        Score.loss(),
        Score(-30_000),
        Score(0),
        Score(12),
        Score.win(),
        Score.win(5),
        Score.win(1),
    ]
    shuffled = worst_first[::2] + worst_first[1::2]
    assert sorted(shuffled) == worst_first
    assert -worst_first[-1] == Score.loss(1)
    assert len({*worst_first, Score(12), Score.win(5)}) == len(worst_first)
    assert Score(12) != 12
    with pytest.raises(TypeError):
        Score(12) < 13  # type: ignore[operator]  # noqa: B015


@pytest.mark.parametrize(
    ("score", "text", "evaluation", "win_in", "loss_in", "value"),
    [
        (Score(12), "+12", 12, None, None, None),
        (Score(0), "+0", 0, None, None, None),
        (Score(-7), "-7", -7, None, None, None),
        (Score.win(5), "win in 5", None, 5, None, "win"),
        (Score.loss(8), "loss in 8", None, None, 8, "loss"),
        (Score.win(), "win", None, None, None, "win"),
        (Score.loss(), "loss", None, None, None, "loss"),
        (Score.win(59, exact=False), "win in at most 59", None, 59, None, "win"),
        (Score.loss(8, exact=False), "loss in at most 8", None, None, 8, "loss"),
    ],
)
def test_score_properties(
    score: Score,
    text: str,
    evaluation: int | None,
    win_in: int | None,
    loss_in: int | None,
    value: str | None,
) -> None:
    found = (str(score), score.evaluation, score.win_in, score.loss_in, score.value)
    assert found == (text, evaluation, win_in, loss_in, value)
    assert eval(repr(score), {"Score": Score}) == score
    assert pickle.loads(pickle.dumps(score)) == score
    negative = -score
    assert -negative == score
    copies = (eval(repr(score)), pickle.loads(pickle.dumps(score)), -negative, score.before())
    assert {found.exact for found in copies} == {"at most" not in text}
    with pytest.raises(AttributeError):
        score.evaluation = 3  # type: ignore[misc]


def test_scores_one_ply_earlier() -> None:
    assert Score.loss(0).before() == Score.win(1)
    assert Score.win(4).before() == Score.loss(5)
    assert Score.loss().before() == Score.win()
    assert Score(3).before() == Score(-3)


@pytest.mark.parametrize("bad", [31_000, -31_000, 10**9])
def test_evaluations_that_are_none(bad: int) -> None:
    with pytest.raises(ValueError, match="evaluation="):
        Score(bad)
    with pytest.raises(ValueError, match="plies="):
        Score.win(bad)


def test_limits() -> None:
    assert Limit(nodes=UNLIMITED) == Limit(nodes=2**80) == Limit()
    assert not Limit()
    assert Limit(time=3)
    assert as_limit(None, 3) == Limit(depth=3)
    assert as_limit(Limit(depth=3)) == Limit(depth=3)
    limit = Limit(depth=3, nodes=4, time=5.0)
    assert pickle.loads(pickle.dumps(limit)) == copy.copy(limit) == limit
    with pytest.raises(TypeError):
        Limit(3)  # type: ignore[call-arg]
    assert Limit(nodes=10, time=4).share(2) == Limit(nodes=6, time=2)
    with pytest.raises(AttributeError):
        Limit().depth = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "rules", "depth"),
    [("1", False, 1), ("255", True, 255), ("007", False, 7), ("adaptive", True, "adaptive")],
)
def test_depths(text: str, rules: bool, depth: int | str) -> None:
    assert parse_depth(text, rules) == depth


@pytest.mark.parametrize("text", ["0", "256", "", "-1", "2.5", "x", "²", "9" * 5000, "adaptive"])
def test_bad_depths(text: str) -> None:
    with pytest.raises(ValueError, match=r"plies from 1 to 255$"):
        parse_depth(text)
    if text != "adaptive":
        with pytest.raises(ValueError, match="plies from 1 to 255, adaptive or filling"):
            parse_depth(text, rules=True)


def test_budgets() -> None:
    free = Budget(Limit())
    free.spend(10**9)
    assert (free.nodes_left, free.seconds_left, free.exhausted) == (UNLIMITED, 0.0, False)
    assert free.left(50) == Limit(nodes=50)
    few = Budget(Limit(nodes=10))
    few.spend(4)
    assert (few.nodes_left, few.exhausted, few.left()) == (6, False, Limit(nodes=6))
    few.spend(8)
    assert (few.nodes_left, few.exhausted, few.left()) == (0, True, Limit(nodes=1))
    late = Budget(Limit(time=1e-9))
    assert late.exhausted
    assert 0 < late.seconds_left <= 1e-6


MODULES = ("limits", "score", "board", "engine", "game", "search.result", "search.minimax")


@pytest.mark.parametrize("name", [*MODULES, "search.mcts"])
def test_documentation(name: str) -> None:
    """The examples that editors show are true."""
    module = import_module(f"ttt.{name}")
    assert doctest.testmod(module, extraglobs={"Board": import_module("ttt").Board}).failed == 0
