"""Prints the answers of a fixed piece of work in every game: the same on every platform and for
every processor, so that another build can be compared with this one."""

import ttt
from ttt.board import board_class
from ttt.search.mcts import mcts_search

for game in ttt.games():
    board = ttt.Board(game)
    print(game, board.perft(3), board.playouts(1000, seed=1))
    for evaluation in board_class(game).engine_type.evaluations:
        engine = ttt.Engine(game, hash=1, solver=False, evaluation=evaluation)
        result = engine.search(board, depth=4)
        print(game, evaluation, result.nodes, result.score, *result.line)
    sampled = mcts_search(board, 500, seed=1, hash=1)
    print(game, "mcts", sampled.nodes, *(f"{row.move}:{row.games}" for row in sampled.moves[:3]))
board = ttt.Board("connect4")
board.push_moves("444444522613")
found = ttt.Engine("connect4").solve(board)
print(found.game_score, found.nodes, found.best)
