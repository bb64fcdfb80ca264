"""A match of `mcts` against OpenSpiel's MCTS with solver backups, with equal time per move. `make
bench` measures the speed of both.

    python bench/mcts.py [--games N] [--seconds S]
"""

import argparse

import pyspiel  # type: ignore[import-not-found,import-untyped,unused-ignore]
from peers.spiel import SPIEL, mcts_bot

from ttt import Board
from ttt.matches.match import play_match


class SpielPlayer:
    """OpenSpiel's MCTS as a player of connect4; its actions are columns from 0."""

    def __init__(self, seconds: float) -> None:
        self.game, self.bot = mcts_bot(pyspiel, SPIEL["connect4"].name, 10**9, seconds)

    def choose(self, board: Board) -> str:
        state = self.game.new_initial_state()
        for move in board.moves:
            state.apply_action(move.number)
        return str(board.ruleset.moves[self.bot.step(state)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20, help="number of games of connect4")
    parser.add_argument("--seconds", type=float, default=0.05, help="seconds per move")
    arguments = parser.parse_args()
    player = SpielPlayer(arguments.seconds)
    mine = f"mcts:time={arguments.seconds}"
    print(play_match("connect4", mine, player, arguments.games, openings="random:4", seed=1).text())


if __name__ == "__main__":
    main()
