"""The contenders of OpenSpiel: its names for the games, perft, random games and MCTS."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ttt import Board


class Spiel(NamedTuple):
    """A game of OpenSpiel."""

    name: str
    chooses: bool = False
    """Whether choosing a board is a separate action."""
    undoes: bool = False
    """Whether actions can be undone."""


SPIEL = {
    "tictactoe": Spiel("tic_tac_toe", undoes=True),
    "connect4": Spiel("connect_four"),
    "ultimate": Spiel("ultimate_tic_tac_toe", chooses=True),
    "qubic": Spiel("gomoku(size=4,dims=3,connect=4)"),
}


def leaves(state: Any, depth: int, chooses: bool) -> int:
    """Perft in Python, one new state per node: OpenSpiel has no such call, and not all of its games
    have undo. A child with the same player to move is a choice of board, not a ply."""
    count = 0
    player = state.current_player() if chooses else None
    for action in state.legal_actions():
        child = state.child(action)
        over = child.is_terminal()
        if chooses and child.current_player() == player:
            count += leaves(child, depth, chooses)
        elif depth == 1:
            count += 1
        elif not over:
            count += leaves(child, depth - 1, chooses)
    return count


def rollouts(pyspiel: Any, name: str, games: int) -> Callable[[], object]:
    """Compiled random games: a bot with one simulation runs all rollouts of its evaluator from the
    root and nothing else."""
    rules = pyspiel.load_game(name)
    root = rules.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=games, seed=1)
    bot = pyspiel.MCTSBot(rules, evaluator, 1.0, 1, 1, False, 1, False)
    return lambda: bot.mcts_search(root)


def mcts_bot(pyspiel: Any, name: str, simulations: int, seconds: float = -1.0) -> Any:
    """(game, compiled MCTS bot): UCT, one random game per simulation, proven results backed up."""
    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    return game, pyspiel.MCTSBot(
        game, evaluator, 1.4, simulations, 1000, True, 1, False, max_wall_clock_time=seconds
    )


def same_state(pyspiel: Any, board: Board) -> Any:
    """The state of a board, for games whose actions have the same numbers as our moves."""
    state = pyspiel.load_game(SPIEL[board.game].name).new_initial_state()
    for move in board.moves:
        state.apply_action(move.number)
    return state
