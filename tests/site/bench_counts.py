"""Runs in Pyodide: the nodes of `ttt bench` and of a solve, as JSON."""

import json

from ttt.board import Board, games
from ttt.cli.bench import search_positions
from ttt.engine import Engine

board = Board("connect4")
board.push_moves("32164625")
solved = Engine("connect4", hash=16).solve(board)
found = {game: search_positions(game, None) for game in games()}
json.dumps(
    {
        "nodes": {game: nodes for game, (nodes, _) in found.items()},
        "seconds": {game: seconds for game, (_, seconds) in found.items()},
        "solved": [solved.game_score, solved.nodes],
    }
)
