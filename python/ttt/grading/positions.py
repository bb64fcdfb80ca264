"""Positions from all stages of a game, with the value of every legal move.

The positions come from games that begin with random moves and go on with a mixture of good and
random ones, so that they look like games of real players. A position is used only if its moves
differ: where every move is as good as any other, a player can show nothing.

Values are exact if every move is proven within the node limit; otherwise they are those of a deep
search, and the position is labelled so.
"""

import random
from typing import Any, NamedTuple

from ttt.board import Board
from ttt.engine import Engine
from ttt.limits import Limit
from ttt.review import winning_chance

STAGES = ("opening", "middle", "end")
NODES = 1_000_000
"""Nodes of the search for the values of a position."""
GOOD_MOVES = 0.8
"""Share of the moves in the games that the engine chooses."""
QUICK = Limit(nodes=2_000)
"""For those moves."""
CLOSE = 0.05
"""Moves whose chances of winning differ by less than this are equally good, unless proven."""


class MoveValue(NamedTuple):
    """What a move is worth to the side that makes it."""

    move: str
    chance: float
    """The chance of winning, 0 to 1; exactly 1, 0.5 or 0 if proven."""
    proven: bool
    rank: int
    """0 for the best moves; quicker wins and slower losses rank higher where plies are known."""
    keeps: bool
    """Whether the move keeps the result of the position."""


class GradedPosition(NamedTuple):
    """A position and the values of its moves."""

    moves: str
    """The moves that lead to it."""
    stage: str
    exact: bool
    """Whether every value is proven."""
    values: list[MoveValue]


def stage_of(ply: int, longest: int) -> str:
    """The stage of a position: thirds of the usual length of a game."""
    return STAGES[min(2, 3 * ply // max(longest, 1))]


def typical_length(start: Board) -> int:
    """The plies of an average game of random moves; games between players last about as long."""
    games = 200
    return max(3, start.playouts(games, seed=1)["plies"] // games)


def random_game(start: Board, engine: Engine, seed: int) -> Board:
    """A game of good and random moves to its end."""
    dice = random.Random(seed)
    board = start.copy()
    engine.clear()
    for _ in range(dice.randint(0, 3)):
        if not board.is_game_over():
            board.push(dice.choice(board.legal_moves))
    while not board.is_game_over():
        good = dice.random() < GOOD_MOVES
        move = engine.search(board, QUICK).move if good else dice.choice(board.legal_moves)
        assert move is not None
        board.push(move)
    return board


def values_of(board: Board, engine: Engine, nodes: int) -> tuple[list[MoveValue], bool]:
    """The value of every move, best first, and whether all of them are proven."""
    engine.clear()
    found = engine.analyse_moves(board, nodes=nodes)
    scale = board.evaluation_scale
    entries = list(found)
    best = entries[0]
    best_chance = winning_chance(best.score, best.proven, scale)
    values = []
    rank = 0
    for before, entry in zip([best, *entries], entries, strict=False):
        if entry.score != before.score:
            rank += 1
        chance = winning_chance(entry.score, entry.proven, scale)
        if entry.proven and best.proven:
            keeps = chance == best_chance
        else:
            keeps = best_chance - chance < CLOSE
        values.append(MoveValue(str(entry.move), chance, entry.proven, rank, keeps))
    return values, found.proven


def differ(values: list[MoveValue]) -> bool:
    """Whether some move is clearly worse than the best."""
    return not all(value.keeps for value in values)


def worker(settings: dict[str, Any]) -> Any:
    """For `ttt.jobs`: a seed and a stage become a graded position, or None if the game has none."""
    start = Board(settings["game"], **settings["options"])
    longest = typical_length(start)
    engine = Engine(start.game, hash=32, **start.options)

    def work(job: list[Any]) -> Any:
        seed, stage = job
        board = random_game(start, engine, seed)
        dice = random.Random(seed)
        plies = [ply for ply in range(board.ply) if stage_of(ply, longest) == stage]
        dice.shuffle(plies)
        for ply in plies[:4]:
            position = start.copy()
            position.push_moves([str(move) for move in board.moves[:ply]])
            if len(position.legal_moves) < 2:
                continue
            values, exact = values_of(position, engine, settings["nodes"])
            if differ(values):
                played = " ".join(str(move) for move in position.moves)
                return [played, stage, exact, [list(value) for value in values]]
        return None

    return work


def position_of(record: list[Any]) -> GradedPosition:
    """The result of a job as a position."""
    moves, stage, exact, values = record
    return GradedPosition(moves, stage, exact, [MoveValue(*value) for value in values])
