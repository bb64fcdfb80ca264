"""Perft (one call, a Python loop, the core alone) and random games."""

import json
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from peers.measure import OURS, Bench, Row, Timing, rate
from peers.spiel import SPIEL, leaves, rollouts
from ttt import Board

COMPILE = ("cc", "-O3", "-march=native", "-std=c11")
LEAF = "a leaf: a position after exactly `depth` plies, entered and tested for a win"
CORE_DEPTH = {"tictactoe": 9, "connect4": 9, "nineboard": 7, "ultimate": 7, "qubic": 4}
CALL_DEPTH = {"tictactoe": 5, "connect4": 5, "nineboard": 5, "ultimate": 4, "qubic": 3}
WALK_DEPTH = {"tictactoe": 4, "connect4": 3, "nineboard": 4, "ultimate": 3, "qubic": 2}
GAMES, SPIEL_GAMES = 20_000, 1_000  # random games per run
KEPT = ("nineboard", "ultimate")
"""Games with a C program that also updates what our searches need, `bench/c/<game>_kept.c`. The
states of the others hold nothing beside the stones."""
SLOWER = {
    "nineboard": "ttt's perft leaves out the threats and the Zobrist key by a literal flag, but "
    "keeps the general rules, of which the C fixes one (`full`). Tried: counts in registers, a "
    "loop for the last ply, all nine cells tried without a branch",
    "ultimate": "ttt's perft leaves out the threats and the Zobrist key by a literal flag",
    "tictactoe": "ttt plays any m,n,k: each win test first asks for the size of the board",
}


def check(who: str, game: str, depth: int, nodes: int) -> None:
    if nodes != (ours := Board(game).perft(depth)):
        raise SystemExit(f"{game}, depth {depth}: {who} counts {nodes} nodes, ttt {ours}")


def walk(board: Board, depth: int) -> int:
    """Perft in Python, through the calls of a board."""
    count = 0
    for move in board.legal_moves:
        board.push(move)
        over = board.is_game_over()
        if depth == 1:
            count += 1
        elif not over:
            count += walk(board, depth - 1)
        board.pop()
    return count


def easy_game(easyai: Any, game: str) -> Any:
    """The game in easyAI."""
    kind = {"tictactoe": "TicTacToe", "connect4": "ConnectFour"}[game]
    return getattr(easyai, kind)([None, None])


def easy_walk(game: Any, depth: int) -> int:
    """Perft through easyAI's calls: with undo if the game has it, otherwise on copies."""
    count = 0
    undoes = hasattr(game, "unmake_move")
    for move in game.possible_moves():
        child = game if undoes else game.copy()
        child.make_move(move)
        child.switch_player()
        over = child.is_over()
        if depth == 1:
            count += 1
        elif not over:
            count += easy_walk(child, depth - 1)
        if undoes:
            game.switch_player()
            game.unmake_move(move)
    return count


def c_perft(game: str, depth: int, folder: Path, suffix: str = "") -> Timing:
    """The hand-written C of `bench/c/`."""
    program = str(folder / (game + suffix))
    source = Path(__file__).parent.parent / f"c/{game}{suffix}.c"
    subprocess.run([*COMPILE, "-o", program, source], check=True)

    def run(repeats: int) -> tuple[int, float]:
        command = [program, str(depth), str(repeats)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        return found["nodes"], found["seconds"]

    nodes, once = run(1)
    check("C", game, depth, nodes)
    return lambda seconds: nodes / run(1 + int(seconds / once))[1]


def measure_calls(bench: Bench) -> None:
    """Perft from Python: one call, and the loop that a user would write."""
    pyspiel = bench.peer("pyspiel", "OpenSpiel")
    easyai = bench.peer("easyAI.games", "easyAI")
    for game, depth in CALL_DEPTH.items():
        board = Board(game)
        timings: dict[str, Timing] = {}
        nodes = board.perft(depth)
        timings[OURS] = rate(partial(board.perft, depth), nodes)
        if pyspiel and game in SPIEL:
            root = pyspiel.load_game(SPIEL[game].name).new_initial_state()
            task = root, depth, SPIEL[game].chooses
            check("OpenSpiel", game, depth, leaves(*task))
            timings["OpenSpiel"] = rate(partial(leaves, *task), nodes)
        note = "OpenSpiel has no such call: a loop in Python, one new state per node"
        row = Row(f"perft, one call, depth {depth}", game, "nodes/s", LEAF, {}, note)
        bench.measure(row, timings)
    for game, depth in WALK_DEPTH.items():
        board = Board(game)
        nodes = board.perft(depth)
        check("a walk", game, depth, walk(board, depth))
        timings = {OURS: rate(partial(walk, board, depth), nodes)}
        if pyspiel and game in SPIEL:
            root = pyspiel.load_game(SPIEL[game].name).new_initial_state()
            task = root, depth, SPIEL[game].chooses
            timings["OpenSpiel"] = rate(partial(leaves, *task), nodes)
        if easyai and game in ("tictactoe", "connect4"):
            easy = easy_game(easyai, game)
            check("easyAI", game, depth, easy_walk(easy, depth))
            timings["easyAI"] = rate(partial(easy_walk, easy, depth), nodes)
        row = Row(f"perft, a loop in Python, depth {depth}", game, "nodes/s", LEAF, {})
        bench.measure(row, timings)


def measure_core(bench: Bench) -> None:
    """Perft at full depth: compiled loops only."""
    numba = bench.peer("numba", "numba") and bench.peer("peers.compiled", "numba")
    with_c = shutil.which(COMPILE[0]) is not None
    if not with_c:
        bench.absent["C"] = "no C compiler (cc)"
    with tempfile.TemporaryDirectory() as folder:
        for game, depth in CORE_DEPTH.items():
            board = Board(game)
            nodes = board.perft(depth)
            timings: dict[str, Timing] = {}
            timings[OURS] = rate(partial(board.count_leaves, depth), nodes)
            if numba and game in numba.LEAVES:
                count = numba.LEAVES[game]
                found, won = divmod(count(0, 0, depth), 1 << numba.WON_BIT)[::-1]
                if (found, won) != board.count_leaves(depth):
                    raise SystemExit(f"{game}: numba counts {found} leaves, {won} of them won")
                timings["numba"] = rate(partial(count, 0, 0, depth), nodes)
            if with_c:
                timings["C for perft alone"] = c_perft(game, depth, Path(folder))
                if game in KEPT:
                    timings["C that also updates keys and threats"] = c_perft(
                        game, depth, Path(folder), "_kept"
                    )
            note = SLOWER.get(game, "")
            row = Row(f"perft, the core, depth {depth}", game, "nodes/s", LEAF, {}, note)
            bench.measure(row, timings)


def measure_playouts(bench: Bench) -> None:
    """Random games from the first position."""
    pyspiel = bench.peer("pyspiel", "OpenSpiel")
    numba = bench.peer("numba", "numba") and bench.peer("peers.compiled", "numba")
    for game in CORE_DEPTH:
        board = Board(game)
        timings: dict[str, Timing] = {}
        timings[OURS] = rate(partial(board.playouts, GAMES, seed=1), GAMES)
        if pyspiel and game in SPIEL:
            timings["OpenSpiel"] = rate(
                rollouts(pyspiel, SPIEL[game].name, SPIEL_GAMES), SPIEL_GAMES
            )
        if numba and game in numba.PLAYOUTS:
            play = numba.PLAYOUTS[game]
            found = board.playouts(10 * GAMES, seed=1)
            means = play(10 * GAMES, 1), found["x"] - found["o"]
            if abs(means[0] - means[1]) > 0.1 * GAMES:
                raise SystemExit(f"{game}: numba's random games have other results: {means}")
            timings["numba"] = rate(partial(play, GAMES, 1), GAMES)
        note = "OpenSpiel first draws a board where any may be chosen" if game == "ultimate" else ""
        row = Row("random games", game, "games/s", "a game played to its end", {}, note)
        bench.measure(row, timings)
