"""Monte Carlo tree search: simulations a second, and matches at equal times, against OpenSpiel's.

    python bench/mcts.py [--simulations N] [--matches GAMES] [--seconds S]

Speed: both search the first position, in turn, ROUNDS times, with UCT, one random game a
simulation and proven results backed up; CPU time, the best of the rounds. Ours also looks for wins
and threats; random games of some games look for them too (TACTICS).
Matches: `mcts` against OpenSpiel's at so many wall-clock seconds a move.
"""

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any

import pyspiel  # type: ignore[import-not-found,import-untyped,unused-ignore]

from ttt import Board
from ttt.match import play_match
from ttt.montecarlo import tree_search

ROUNDS = 5
SPIEL = {
    "tictactoe": "tic_tac_toe",
    "connect4": "connect_four",
    "ultimate": "ultimate_tic_tac_toe",
    "qubic": "gomoku(size=4,dims=3,connect=4)",
}


def spiel_bot(name: str, simulations: int, seconds: float = -1.0) -> Any:
    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    return game, pyspiel.MCTSBot(
        game, evaluator, 1.4, simulations, 1000, True, 1, False, max_wall_clock_time=seconds
    )


def timed(action: Callable[[], Any]) -> float:
    began = process_time()
    action()
    return process_time() - began


def speed(game: str, simulations: int) -> tuple[float, float]:
    """Simulations a second of CPU time: ours, OpenSpiel's."""
    board = Board(game)
    theirs, bot = spiel_bot(SPIEL[game], simulations // 10)
    ours_best = theirs_best = 0.0
    for i in range(ROUNDS):
        began = process_time()
        found = tree_search(board, simulations, seed=i)
        ours_best = max(ours_best, found.games / (process_time() - began))
        state = theirs.new_initial_state()
        spent = timed(lambda state=state: bot.mcts_search(state))  # type: ignore[misc]
        theirs_best = max(theirs_best, simulations // 10 / spent)
    return ours_best, theirs_best


class SpielPlayer:
    """OpenSpiel's MCTS as a player of connect4: its moves are the columns, from 0."""

    def __init__(self, seconds: float) -> None:
        self.game, self.bot = spiel_bot("connect_four", 10**9, seconds)

    def choose(self, board: Board) -> str:
        state = self.game.new_initial_state()
        for move in board.moves:
            state.apply_action(move.number)
        return str(board.ruleset.moves[self.bot.step(state)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=100_000)
    parser.add_argument("--matches", type=int, default=20, help="games of connect4")
    parser.add_argument("--seconds", type=float, default=0.05, help="a move, in the match")
    arguments = parser.parse_args()
    print("| game | ours, k/s | OpenSpiel, k/s | ratio |\n|---|---|---|---|")
    for game in SPIEL:
        ours, theirs = speed(game, arguments.simulations)
        print(
            f"| {game} | {ours / 1e3:,.0f} | {theirs / 1e3:,.0f} | {ours / theirs:.0f} |",
            flush=True,
        )
    if arguments.matches:
        played = play_match(
            "connect4",
            f"mcts:time={arguments.seconds}",
            SpielPlayer(arguments.seconds),
            arguments.matches,
            openings="random:4",
            seed=1,
        )
        print(played.text())


if __name__ == "__main__":
    main()
