"""Ultimate: matches of the engine with equal time per move, and the cost of its evaluation.

    python bench/ultimate.py [--games N] [--seconds S]

Opponents: `mcts`, the engine with two-in-a-row, the write-up's own player, and OpenSpiel's compiled
MCTS, which has twice the time when it chooses a board and a cell in two actions.
Speed: nodes per CPU second on a few positions, for each evaluation, the best of ROUNDS; and
evaluations per second of `c/network.c`, a loop over the learned evaluation alone.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import pyspiel  # type: ignore[import-not-found,import-untyped,unused-ignore]
from peers.counting import COMPILE
from peers.spiel import SPIEL, mcts_bot

from support.ultimate_features import ROWS, expand, row_images, signs
from ttt import Board, Engine
from ttt.matches.match import play_match
from ttt.players.spec import FunctionPlayer
from ttt.storage.weights import load_shipped

ROUNDS = 3
POSITIONS = ["56 61 11 15 55", "55 51 15 52 25 56 65", "11 19 91 12 21"]
NODES = 300_000
SAMPLES = 5_000


def spiel_player(seconds: float) -> FunctionPlayer:
    """OpenSpiel's MCTS as a player."""
    game, bot = mcts_bot(pyspiel, SPIEL["ultimate"].name, 10**9, seconds)

    def choose(board: Board) -> str:
        state, replayed = game.new_initial_state(), Board("ultimate")
        for move in board.moves:
            if replayed.picture()[1] == "*":
                state.apply_action(move.number // 9)
            state.apply_action(move.number % 9)
            replayed.push(move)
        force: Any = board.picture()[1]
        if force == "*":
            force = bot.step(state)
            state.apply_action(force)
        return str(board.ruleset.moves[9 * force + bot.step(state)])

    return FunctionPlayer(choose)


def speed(evaluation: str) -> float:
    """Nodes per second."""
    spent, nodes = 0.0, 0
    for moves in POSITIONS:
        engine, board = Engine("ultimate", hash=16, evaluation=evaluation), Board("ultimate")
        board.push_moves(moves)
        began = process_time()
        nodes += engine.search(board, nodes=NODES).nodes
        spent += process_time() - began
    return nodes / spent


def running_positions() -> list[Board]:
    """Positions of random games, from the second ply on."""
    found = []
    for seed in range(SAMPLES):
        board = Board("ultimate").playout(seed)
        for _ in range(1 + seed % (board.ply - 1)):
            board.pop()
        found.append(board)
    return found


def packed(board: Board) -> bytes:
    """A position as `c/network.c` reads it."""
    marks, force, owners = board.picture()
    sides = "xo" if board.turn == "x" else "ox"
    stones = [
        [sum((marks[9 * i + j] == side) << j for j in range(9)) for i in range(9)] for side in sides
    ]
    owned = [sum((owners[i] == side) << i for i in range(9)) for side in sides]
    words = [*stones[0], *stones[1], *owned, 9 if force == "*" else force]
    return np.array(words, np.uint16).tobytes()


def network_loop() -> dict[str, Any]:
    """The result of the loop in C; its sum must equal the engine's."""
    boards = running_positions()
    weights = np.array(load_shipped("ultimate")).reshape(ROWS, -1)
    rows = expand(weights, row_images())[:, np.argsort(-signs(), kind="stable")]
    with TemporaryDirectory() as folder:
        program, data = Path(folder, "network"), Path(folder, "positions")
        subprocess.run([*COMPILE, "-o", program, Path(__file__).parent / "c/network.c"], check=True)
        data.write_bytes(rows.astype(np.int16).tobytes() + b"".join(map(packed, boards)))
        found: dict[str, Any] = json.loads(subprocess.check_output([program, data, "50"]))
    engine = Engine("ultimate", hash=1)
    if found["sum"] != sum(map(engine.evaluate, boards)):
        raise SystemExit("c/network.c and the module disagree")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200, help="in each match; 0: speed alone")
    parser.add_argument("--seconds", type=float, default=0.1, help="a move")
    arguments = parser.parse_args()
    names = Engine("ultimate", hash=1).core.evaluations
    rates = [{name: speed(name) for name in names} for _ in range(ROUNDS)]
    for name in names:
        print(f"{name}: {max(rate[name] for rate in rates) / 1e6:.2f} M nodes/s", flush=True)
    loop = network_loop()
    rate = loop["positions"] / loop["seconds"]
    print(f"c/network.c: {rate / 1e6:.2f} M evaluations/s, the same sum", flush=True)
    seconds = arguments.seconds
    opponents: list[str | FunctionPlayer] = [
        f"mcts:time={seconds}",
        f"engine:time={seconds},eval=two-in-a-row",
        "ultimate-b",
        spiel_player(seconds),
    ]
    for opponent in opponents if arguments.games else []:
        player = f"engine:time={seconds}"
        played = play_match(
            "ultimate", player, opponent, arguments.games, openings="random:2", seed=1
        )
        print(played.text(), flush=True)


if __name__ == "__main__":
    main()
