"""The grade of a player: how its moves compare with the values of `ttt.grading.positions`."""

import math
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any, NamedTuple

from ttt.board import Board
from ttt.grading.positions import NODES, STAGES, GradedPosition, position_of
from ttt.jobs import run_jobs
from ttt.matches.game import call_player
from ttt.matches.rating import Z95
from ttt.players.spec import as_player, make_player
from ttt.protocols.clock import forfeit_limit

TRIES = 8
"""Games played for each position asked for, before a stage is given up."""


class Share(NamedTuple):
    """A share with its 95% confidence interval (Wilson's)."""

    share: float
    low: float
    high: float


class Mean(NamedTuple):
    """A mean with its 95% confidence interval."""

    mean: float
    low: float
    high: float


class StageGrade(NamedTuple):
    """The grade of a player in one stage, or in all."""

    stage: str
    """ "opening", "middle", "end" or "all"."""
    positions: int
    """The positions in which the player was asked for a move."""
    exact: int
    """Positions in which the value of every move is proven."""
    best: Share
    """Moves that are as good as the best one, including the plies to a win or loss."""
    kept: Share
    """Moves that keep the result of the position."""
    loss: Mean
    """The chance of winning given away per move; a draw is half a win."""
    errors: int
    """Illegal moves, exceptions and time-outs; they count as the worst move."""


class Answer(NamedTuple):
    """A player's move in a position."""

    position: GradedPosition
    move: str | None
    best: bool
    kept: bool
    loss: float
    error: str | None


def share_of(count: int, total: int) -> Share:
    """Wilson's interval of a share."""
    if not total:
        return Share(0.0, 0.0, 1.0)
    share, spread = count / total, Z95**2 / total
    middle = (share + spread / 2) / (1 + spread)
    half = Z95 / (1 + spread) * math.sqrt(share * (1 - share) / total + spread / (4 * total))
    return Share(share, max(0.0, middle - half), min(1.0, middle + half))


def mean_of(values: list[float]) -> Mean:
    """The normal interval of a mean."""
    if not values:
        return Mean(0.0, 0.0, 0.0)
    mean = sum(values) / len(values)
    if len(values) == 1:
        return Mean(mean, 0.0, 1.0)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    half = Z95 * math.sqrt(variance / len(values))
    return Mean(mean, max(0.0, mean - half), min(1.0, mean + half))


def make_positions(
    game: str,
    options: dict[str, Any],
    count: int,
    seed: int = 0,
    nodes: int = NODES,
    *,
    processes: int = 1,
    cluster: str | None = None,
) -> Generator[GradedPosition, None, None]:
    """`count` positions of each stage, no two of them symmetric, as they are found; fewer if the
    games have no more. The same seed gives the same positions, whatever the number of processes."""
    start = Board(game, **options)
    seen: set[int] = set()
    for number, stage in enumerate(STAGES):
        left = count
        for attempt in range(TRIES):
            first = ((seed * len(STAGES) + number) * TRIES + attempt) * 1_000_003
            jobs = [[first + i, stage] for i in range(left)]
            settings = {"game": game, "options": options, "nodes": nodes}
            found: dict[int, list[Any]] = {}
            with closing(
                run_jobs(
                    "ttt.grading.positions:worker",
                    settings,
                    jobs,
                    processes=processes,
                    cluster=cluster,
                )
            ) as results:
                for index, record in results:
                    if record is not None:
                        found[index] = record
            for index in sorted(found):  # in the order of the jobs: which of two is kept is fixed
                position = position_of(found[index])
                board = start.copy()
                board.push_moves(position.moves)
                if board.canonical_key() not in seen:
                    seen.add(board.canonical_key())
                    left -= 1
                    yield position
            if not left:
                break


def answer_of(
    position: GradedPosition, start: Board, player: Any, seed: int, time: float | None
) -> Answer:
    """Asks a player for its move in a position."""
    board = start.copy()
    board.push_moves(position.moves)
    limit = None if time is None else forfeit_limit(time)
    error = None
    prepare = getattr(player, "new_game", None)
    if prepare is not None:
        _, error = call_player(prepare, seed)
    found = None
    if error is None:
        found, error = call_player(player.choose, board.copy(), limit=limit)
    if error is None:
        try:
            move = board.parse_move(found)
            if not board.is_legal(move):
                error = "illegal", board.why_illegal(move)
        except (ValueError, TypeError) as problem:
            error = "illegal", str(problem)
    values = {value.move: value for value in position.values}
    best = position.values[0]
    if error is not None:
        worst = min(value.chance for value in position.values)
        return Answer(position, None, False, False, best.chance - worst, ": ".join(error))
    value = values[str(move)]
    loss = max(0.0, best.chance - value.chance)
    return Answer(position, str(move), value.rank == 0, value.keeps, loss, None)


def grade_player(
    game: str,
    player: str | Any,
    positions: list[GradedPosition],
    *,
    options: dict[str, Any] | None = None,
    seed: int = 0,
    time: float | None = None,
    on_answer: Callable[[Answer], None] | None = None,
) -> list[Answer]:
    """The moves of a player, a text, an object with `choose` or a function of the
    board, in graded positions."""
    start = Board(game, **(options or {}))
    found = make_player(player, start, time) if isinstance(player, str) else as_player(player)
    answers = []
    for number, position in enumerate(positions):
        answers.append(answer_of(position, start, found, seed + number, time))
        if on_answer is not None:
            on_answer(answers[-1])
    return answers


def stage_grade(stage: str, answers: list[Answer]) -> StageGrade:
    count = len(answers)
    return StageGrade(
        stage,
        count,
        sum(answer.position.exact for answer in answers),
        share_of(sum(answer.best for answer in answers), count),
        share_of(sum(answer.kept for answer in answers), count),
        mean_of([answer.loss for answer in answers]),
        sum(answer.error is not None for answer in answers),
    )


def summarise(answers: list[Answer]) -> list[StageGrade]:
    """The grade of each stage that has positions, and of all."""
    by_stage = {
        stage: [answer for answer in answers if answer.position.stage == stage] for stage in STAGES
    }
    grades = [stage_grade(stage, found) for stage, found in by_stage.items() if found]
    return [*grades, stage_grade("all", answers)]
