"""Time management: the engine under a game clock against itself with the same clock spent evenly.

    python bench/clock.py GAME [--set NAME=VALUE] [--clock 0.5+0.005] [--games N]

One side may end a move sooner or think longer than planned (`soft_time`), the other takes what is
planned for each move. The clocks count a million nodes as a second, so that neither the load nor
the speed of the machine matters: the default is half a million nodes for the game and 5,000 more
for each move. Every random opening is played from both sides.
"""

import argparse
from random import Random
from unittest.mock import patch

from ttt import Board, Engine
from ttt.limits import SoftLimit
from ttt.matches.rating import rate
from ttt.notation import parse_options
from ttt.protocols.clock import Clock, limit_for_move, moves_left, parse_clock
from ttt.search.result import Result

NODES = 1_000_000
"""Nodes a second."""
LEAST = 64
"""Nodes of a move."""


class Side:
    """An engine with its clock."""

    def __init__(self, clock: Clock, soft: bool, board: Board) -> None:
        self.clock = clock
        self.soft = soft
        self.engine = Engine(board.game, hash=16, solver=False, **board.options)
        self.nodes = self.moves = 0
        self.least = self.left = clock.initial

    def new_game(self) -> None:
        self.left = self.clock.initial
        self.engine.clear()

    def play(self, board: Board) -> None:
        """Makes a move, and takes its nodes from the clock."""
        limit = limit_for_move(self.left, self.clock.increment, moves_left(board), overhead=0)
        assert limit.time
        assert limit.soft_time
        now = 0.0

        def after_depth(result: Result) -> None:
            nonlocal now
            now = result.nodes / NODES
            if self.soft and soft.reached(result.line[0]):
                self.engine.stop()

        with patch("ttt.limits.perf_counter", lambda: now):
            soft = SoftLimit(limit.soft_time if len(board.legal_moves) > 1 else 0)
            most = limit.time if self.soft else limit.soft_time
            # With `moves` a known win does not stretch the node limit.
            found = self.engine.search(
                board,
                nodes=max(int(most * NODES), LEAST),
                moves=board.legal_moves,
                on_info=after_depth,
            )
        self.left -= found.nodes / NODES
        self.least = min(self.least, self.left)
        self.left += self.clock.increment
        self.nodes += found.nodes
        self.moves += 1
        assert found.move
        board.push(found.move)


def opening(start: Board, plies: int, random: Random) -> Board:
    """A running game after random moves that do not lose at once."""
    while True:
        board = start.copy()
        while board.ply < plies and not board.is_game_over():
            board.push(random.choice(board.safe_moves() or board.legal_moves))
        if not board.is_game_over():
            return board


def points(board: Board, sides: tuple[Side, Side]) -> float:
    """Plays a game to its end, the first of `sides` as x, and returns its points."""
    for side in sides:
        side.new_game()
    while not board.is_game_over():
        sides[board.turn == "o"].play(board)
    return {"1-0": 1.0, "0-1": 0.0}.get(board.result(), 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--set", default="", metavar="NAME=VALUE,...")
    parser.add_argument("--clock", type=parse_clock, default=Clock(0.5, 0.005))
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--plies", type=int, default=2, help="of the openings")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    start = Board(arguments.game, **parse_options(arguments.set))
    soft, even = (Side(arguments.clock, each, start) for each in (True, False))
    random = Random(arguments.seed)
    scores = []
    for _ in range(arguments.games // 2):
        board = opening(start, arguments.plies, random)
        scores += [points(board.copy(), (soft, even)), 1 - points(board.copy(), (even, soft))]
    won, drawn, lost = map(scores.count, (1, 0.5, 0))
    pairs = [sum(scores[i : i + 2]) / 2 for i in range(0, len(scores), 2)]
    found = rate(won, drawn, lost, pairs)
    print(f"{arguments.game} {arguments.set}, {arguments.clock}: {won}-{drawn}-{lost},")
    print(f"{found.score:.1%}, Elo {found.elo:+.0f} ({found.low:+.0f} to {found.high:+.0f});")
    for side in (soft, even):
        print(f"{side.nodes / side.moves:,.0f} nodes a move, least clock {side.least:.3f}")


if __name__ == "__main__":
    main()
