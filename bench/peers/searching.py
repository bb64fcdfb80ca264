"""Searches: alpha-beta to a fixed depth, MCTS, and time by depth."""

from functools import partial
from statistics import median
from time import perf_counter, process_time
from typing import Any

from peers.counting import easy_game
from peers.measure import OURS, Bench, Row, Timing, all_cores, cost, rate
from peers.spiel import SPIEL, mcts_bot, same_state
from ttt import Board, Engine, Score, minimax_search
from ttt.search.mcts import mcts_search

SEARCHES = {
    # opening moves, depth
    "tictactoe": ("5", 8),
    "connect4": ("4455", 5),
    "nineboard": ("5 6", 5),
    "ultimate": ("5 6", 5),
    "qubic": ("111", 3),
}
DEEP = {"tictactoe": ("", 9), "connect4": ("4455", 10)}
SIMULATIONS, SPIEL_SIMULATIONS = 50_000, 5_000
SLOW_DEPTH = 0.5
"""Seconds: a depth that takes longer is the last one tried."""
HASHES = (1, 4, 16, 64, 256)
TABLE_DEPTH = {"connect4": 15, "nineboard": 10, "ultimate": 12, "qubic": 8}


def placed(game: str, moves: str) -> Board:
    board = Board(game)
    board.push_moves(moves)
    return board


def spiel_value(minimax: Any, state: Any, depth: int) -> float:
    """OpenSpiel's alpha-beta (in Python, on compiled states): 1, 0 or -1 for the side to move."""
    mover = state.current_player()
    found = minimax.alpha_beta_search(
        state.get_game(), state, lambda _: 0.0, depth, maximizing_player_id=mover
    )
    return float(found[0])


def sign(score: float) -> int:
    return (score > 0) - (score < 0)


def measure_alphabeta(bench: Bench) -> None:
    pyspiel = bench.peer("pyspiel", "OpenSpiel")
    minimax = pyspiel and bench.peer("open_spiel.python.algorithms.minimax", "OpenSpiel's search")
    easyai = bench.peer("easyAI", "easyAI")
    easy_games = easyai and bench.peer("easyAI.games", "easyAI")
    counted = "the whole search; each program visits its own number of nodes"
    for game, (moves, depth) in SEARCHES.items():
        board = placed(game, moves)
        value = minimax_search(board, "alphabeta", depth, "none").score.sign
        task = board, "alphabeta", depth, "none"
        timings: dict[str, Timing] = {OURS: cost(partial(minimax_search, *task))}
        if minimax and game in SPIEL and not SPIEL[game].chooses:
            state = same_state(pyspiel, board)
            if spiel_value(minimax, state, depth) != value:
                raise SystemExit(f"{game}: OpenSpiel's value is not {value}")
            timings["OpenSpiel"] = cost(partial(spiel_value, minimax, state, depth))
        if easy_games and game in ("tictactoe", "connect4"):
            easy = easy_game(easy_games, game)
            for move in board.moves:
                easy.play_move(move.number + (game == "tictactoe"))
            search = easyai.Negamax(depth)
            search(easy)
            if sign(round(search.alpha)) != value:
                raise SystemExit(f"{game}: easyAI's value is not {value}")
            timings["easyAI"] = cost(partial(search, easy))
        note = "OpenSpiel counts the choice of a board as a ply: not the same search"
        note = note if game == "ultimate" else ""
        bench.measure(Row(f"alpha-beta, depth {depth}", game, "ms", counted, {}, note), timings)
    measure_deep(bench)


def measure_deep(bench: Bench) -> None:
    """The same algorithm, node for node, written for numba."""
    numba = bench.peer("numba", "numba") and bench.peer("peers.compiled", "numba")
    if not numba:
        return
    import numpy as np

    counted = "a position generated below the root; both programs make the same ones"
    for game, (moves, depth) in DEEP.items():
        board = placed(game, moves)
        words = numba.position(game, [move.number for move in board.moves])
        nodes = np.zeros(1, np.int64)
        value = numba.ROOTS[game](*words, depth, nodes)
        ours = minimax_search(board, "alphabeta", depth, "none")
        if (Score.from_core(value), nodes[0]) != (ours.score, ours.nodes):
            raise SystemExit(f"{game}: numba's {value}, {nodes[0]} nodes, differ from {ours}")
        task = board, "alphabeta", depth, "none"
        search = numba.ROOTS[game]
        timings: dict[str, Timing] = {
            OURS: rate(partial(minimax_search, *task), ours.nodes),
            "numba": rate(
                partial(search, *words, depth, nodes),
                ours.nodes,
            ),
        }
        row = Row(f"alpha-beta, the core, depth {depth}", game, "nodes/s", counted, {})
        bench.measure(row, timings)


def measure_mcts(bench: Bench) -> None:
    """Simulations from the first position."""
    pyspiel = bench.peer("pyspiel", "OpenSpiel")
    counted = "a simulation: down the tree, one random game, back up"
    for game in SEARCHES:
        board = Board(game)
        timings: dict[str, Timing] = {}
        games = mcts_search(board, SIMULATIONS, seed=1).games
        timings[OURS] = rate(partial(mcts_search, board, SIMULATIONS, seed=1), games)
        if pyspiel and game in SPIEL:
            rules, bot = mcts_bot(pyspiel, SPIEL[game].name, SPIEL_SIMULATIONS)
            root = rules.new_initial_state()
            timings["OpenSpiel"] = rate(partial(bot.mcts_search, root), SPIEL_SIMULATIONS)
        note = "" if game == "tictactoe" else "ours also looks for wins and threats"
        bench.measure(Row("MCTS", game, "simulations/s", counted, {}, note), timings)


def timed(run: Any) -> float:
    """CPU milliseconds of the better of two runs."""
    found = []
    for _ in range(2):
        began = process_time()
        run()
        found.append(1000 * (process_time() - began))
    return min(found)


def grown(run: Any, most: int) -> dict[int, float]:
    """The time to each depth from 2 on, until one takes SLOW_DEPTH."""
    found: dict[int, float] = {}
    for depth in range(2, most + 1):
        found[depth] = timed(partial(run, depth))
        if found[depth] > 1000 * SLOW_DEPTH:
            break
    return found


def measure_growth(bench: Bench) -> None:
    """Time to depth of each program; then by table size and threads."""
    pyspiel = bench.peer("pyspiel", "OpenSpiel")
    minimax = pyspiel and bench.peer("open_spiel.python.algorithms.minimax", "OpenSpiel's search")
    for game in SEARCHES:
        if bench.late(f"time to depth, {game}"):
            continue
        board = Board(game)
        most = len(board.marks)

        def engine(depth: int, game: str = game, board: Board = board) -> None:
            Engine(game, hash=16, solver=False).search(board, depth=depth)

        def alphabeta(depth: int, board: Board = board) -> None:
            minimax_search(board, "alphabeta", depth, "none")

        programs = {"engine": grown(engine, most), "alphabeta": grown(alphabeta, most)}
        if minimax and game in SPIEL and not SPIEL[game].chooses:
            state = same_state(pyspiel, board)

            def theirs(depth: int, state: Any = state) -> None:
                spiel_value(minimax, state, depth)

            programs["OpenSpiel's alpha-beta"] = grown(theirs, most)
        depths = range(2, max(max(found) for found in programs.values()) + 1)
        lines = [
            [name, *(f"{found[depth]:.3g}" if depth in found else "" for depth in depths)]
            for name, found in programs.items()
        ]
        bench.tables.append(
            {
                "title": f"Time to depth, {game}",
                "note": "CPU ms from the first position, the better of two, until a depth takes "
                f"{SLOW_DEPTH} s. The engine has an empty table of 16 MiB and its own evaluation, "
                "the others none.",
                "head": ["depth", *map(str, depths)],
                "lines": lines,
            }
        )
        print(bench.tables[-1]["title"], lines, flush=True)
    measure_tables(bench)


def searched(game: str, hash: int, threads: int) -> tuple[int, float]:
    """Nodes and wall seconds of a search to the game's depth, from an empty table."""
    engine = Engine(game, hash=hash, threads=threads, solver=False)
    engine.clear()  # touches the memory before the clock starts
    began = perf_counter()
    found = engine.search(Board(game), depth=TABLE_DEPTH[game])
    return found.nodes, perf_counter() - began


def measure_tables(bench: Bench) -> None:
    """One thread by table size; then two threads on all cores."""
    lines = []
    for game in TABLE_DEPTH:
        if bench.late(f"table size, {game}"):
            continue
        cells = []
        for hash in HASHES:
            runs = [searched(game, hash, 1) for _ in range(2)]
            cells.append(f"{1000 * min(run[1] for run in runs):,.0f} ms, {runs[0][0]:,}")
        with all_cores():
            pairs = [(searched(game, 64, 1)[1], searched(game, 64, 2)[1]) for _ in range(3)]
        cells.append(f"{median(one / two for one, two in pairs):.2f}")
        lines.append([f"{game}, depth {TABLE_DEPTH[game]}", *cells])
        print(lines[-1], flush=True)
    bench.tables.append(
        {
            "title": "Time against table size and threads",
            "note": "The engine without solver from the first position to a fixed depth: wall time "
            "(the better of two) and nodes by the size of the table, one thread; then how many "
            "times faster two threads are with 64 MiB (median of three).",
            "head": ["search", *(f"{hash} MiB" for hash in HASHES), "two threads"],
            "lines": lines,
        }
    )
