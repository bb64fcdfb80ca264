"""Elo differences with their intervals, and the sequential test (SPRT)."""

import math
from pathlib import Path
from random import Random
from statistics import NormalDist, fmean, pvariance, variance

import pytest

from ttt.matches.match import play_match
from ttt.matches.rating import Sprt, elo_of, expected_score, parse_sprt, rate
from ttt.matches.record import read_games


def test_elo() -> None:
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    assert elo_of(0.75) == pytest.approx(190.848, abs=1e-3)
    assert elo_of(expected_score(123.4)) == pytest.approx(123.4)
    assert elo_of(1) == math.inf
    assert elo_of(0) == -math.inf


def test_rating() -> None:
    # Wilson's interval of 80 of 100 is 0.71117 to 0.86664.
    found = rate(80, 0, 20)
    assert found.elo == pytest.approx(240.82, abs=0.01)
    assert expected_score(found.low) == pytest.approx(0.71117, abs=1e-5)
    assert expected_score(found.high) == pytest.approx(0.86664, abs=1e-5)
    assert found.los == pytest.approx(1.0, abs=1e-6)
    # 10 wins to 5: the normal distribution at 5 / sqrt(15).
    assert rate(10, 85, 5).los == pytest.approx(0.9016, abs=1e-3)
    mirrored = rate(20, 0, 80)
    assert mirrored.low == pytest.approx(-found.high)
    # Draws give a narrower interval than wins and losses; a score of 100% has a finite lower end.
    drawish = rate(20, 70, 10)
    assert drawish.high - drawish.low < rate(55, 0, 45).high - rate(55, 0, 45).low
    assert 400 < rate(100, 0, 0).low < 700
    assert rate(0, 0, 0).los == 0.5
    # Pairs that always split have no variance.
    assert rate(50, 0, 50, [0.5] * 48 + [1.0, 0.0]).high < rate(50, 0, 50).high / 3


@pytest.mark.parametrize(
    ("won", "drawn", "lost"),
    [(80, 0, 20), (10, 85, 5), (3, 1, 9), (1, 0, 0), (0, 7, 3), (40, 5, 2)],
)
def test_superiority_by_the_normal_distribution(won: int, drawn: int, lost: int) -> None:
    """(won - lost) / sqrt(won + lost) standard deviations above 0; draws do not matter."""
    expected = NormalDist().cdf((won - lost) / math.sqrt(won + lost))
    assert rate(won, drawn, lost).los == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("won", "drawn", "lost", "pairs"),
    [
        (80, 0, 20, []),
        (30, 50, 20, []),
        (2, 1, 4, []),
        (10, 10, 4, [1.0, 0.75, 0.75, 0.5, 0.5, 1.0, 0.25, 0.75, 0.5, 0.75, 0.5, 0.25]),
    ],
)
def test_ends_of_the_interval_solve_its_definition(
    won: int, drawn: int, lost: int, pairs: list[float]
) -> None:
    """Wilson's interval: the scores p whose distance from the observed one is 1.96 standard
    deviations of p, for the number of decisive games that have the observed variance."""
    games = won + drawn + lost
    results = [1.0] * won + [0.5] * drawn + [0.0] * lost
    spread = 2 * variance(pairs) if pairs else pvariance(results)
    score = fmean(results)
    decisive = games * score * (1 - score) / spread
    found = rate(won, drawn, lost, pairs)
    assert found.score == pytest.approx(score)
    assert expected_score(found.elo) == pytest.approx(score)
    for end, side in ((found.low, -1), (found.high, 1)):
        p = expected_score(end)
        deviation = math.sqrt(p * (1 - p) / decisive)
        assert (p - score) / deviation == pytest.approx(side * NormalDist().inv_cdf(0.975))


def test_the_interval_holds_the_truth() -> None:
    random = Random(1)
    held = 0
    for _ in range(300):
        scores = random.choices((1.0, 0.5, 0.0), (0.4, 0.35, 0.25), k=60)
        found = rate(scores.count(1.0), scores.count(0.5), scores.count(0.0))
        held += found.low <= elo_of(0.575) <= found.high
    assert 270 <= held <= 298


def test_sprt_decides_rightly() -> None:
    random = Random(2)
    sprt = Sprt(0, 60)
    for strength, wanted in ((0.0, "H0"), (60.0, "H1")):
        chance = expected_score(strength)
        accepted = []
        for _ in range(60):
            scores: list[float] = []
            while (found := sprt.accepted(scores)) is None:
                scores += [float(random.random() < chance) for _ in range(20)]
            accepted.append(found)
        assert accepted.count(wanted) >= 51
    for bad in ("", "5", "5,5", "10,0", "nan,1", "0,inf", "0,10,2,2", "0,10,0.05,0.05,1", "x,y"):
        with pytest.raises(ValueError, match="sprt"):
            parse_sprt(bad)


def log_likelihood_ratio(sprt: Sprt, scores: list[float]) -> float:
    """By its definition, with normal distributions of the variance of the scores and one draw."""
    mean = fmean(scores)
    spread = sum((score - mean) ** 2 for score in [*scores, 0.5]) / len(scores)
    low, high = (
        NormalDist(expected_score(elo), math.sqrt(spread)) for elo in (sprt.elo0, sprt.elo1)
    )
    return sum(math.log(high.pdf(score) / low.pdf(score)) for score in scores)


def test_the_log_likelihood_ratio_by_its_definition() -> None:
    random = Random(4)
    for _ in range(100):
        elo0 = random.uniform(-100, 100)
        sprt = Sprt(elo0, elo0 + random.uniform(1, 100))
        scores = random.choices((1.0, 0.75, 0.5, 0.25, 0.0), k=random.randrange(2, 80))
        assert sprt.llr(scores) == pytest.approx(log_likelihood_ratio(sprt, scores))
    # 6 wins and 2 losses: mean 0.75, variance (6/16 + 2 * 9/16 + 1/16) / 8 = 0.1953125;
    # 8 * (p1 - p0) * (2 * 0.75 - p0 - p1) / (2 * 0.1953125), with p0 = 1/2 and p1 = 10/11.
    assert Sprt(0, 400).llr([1.0] * 6 + [0.0] * 2) == pytest.approx(
        8 * (10 / 11 - 1 / 2) * (1.5 - 1 / 2 - 10 / 11) / 0.390625
    )
    assert Sprt(0, 10).llr([]) == Sprt(0, 10).llr([1.0]) == 0


def test_sprt_bounds_are_those_of_wald(monkeypatch: pytest.MonkeyPatch) -> None:
    """H1 from log((1 - beta) / alpha) on, H0 from log(beta / (1 - alpha)) down."""
    sprt = parse_sprt("0,10,0.01,0.2")
    assert sprt == Sprt(0, 10, alpha=0.01, beta=0.2)
    assert Sprt(0, 10)[2:] == (0.05, 0.05)
    for llr, accepted in (
        (4.383, "H1"),  # log(0.8 / 0.01) = 4.3820
        (4.381, None),
        (0.0, None),
        (-1.599, None),  # log(0.2 / 0.99) = -1.5994
        (-1.600, "H0"),
    ):
        monkeypatch.setattr(Sprt, "llr", lambda self, scores, llr=llr: llr)
        assert sprt.accepted([]) == accepted, llr


def test_sprt_errors_are_as_rare_as_asked() -> None:
    """Unequal error rates, with drawn games: at most about alpha and beta of wrong verdicts."""
    random, sprt = Random(6), Sprt(-30, 30, alpha=0.02, beta=0.3)
    for elo, wrong, most in ((-30, "H1", 0.02), (30, "H0", 0.3)):
        win = expected_score(elo) - 0.2
        verdicts = []
        for _ in range(300):
            scores: list[float] = []
            while (found := sprt.accepted(scores)) is None:
                scores += random.choices((1.0, 0.5, 0.0), (win, 0.4, 0.6 - win), k=10)
            verdicts.append(found)
        assert verdicts.count(wrong) <= 300 * most * 1.5
        assert wrong == "H1" or verdicts.count(wrong) > 300 * most / 3


def test_sprt_ends_a_match_early(tmp_path: Path) -> None:
    path = str(tmp_path / "games.txt")
    for resume in (False, True):
        played = play_match(
            *("connect4", "mcts:simulations=200", "random", 500),
            sprt=Sprt(0, 100),
            out=path,
            resume=resume,
        )
        assert played.stopped == "H1"
        assert len(played.games) < 100
        assert played.as_dict()["sprt"]["accepted"] == "H1"
    assert len(read_games(path)[1]) == len(played.games)


def test_a_report_of_a_sequential_test() -> None:
    played = play_match("tictactoe", "minimax", "first", 2, sprt=Sprt(0, 10))
    assert "SPRT of Elo 0 (H0) against 10 (H1): log-likelihood ratio +0.00, undecided" in (
        played.text()
    )
    assert played.as_dict()["sprt"]["accepted"] is None
    played = play_match("tictactoe", "minimax", "first", 40, sprt=Sprt(0, 100), time=1.0)
    assert "H1 accepted" in played.text()
    assert "1 s per move" in played.text()
    played = play_match("tictactoe", "minimax", "first", 60, sides="fixed", sprt=Sprt(0, 100))
    assert played.stopped == "H1"
    assert "first player is x" in played.text()
