"""Perft and random playouts: nodes and games a second, next to hand-written C and to OpenSpiel.

    python bench/perft.py [--json] [--seconds S]

The contenders take turns, ROUNDS times, S seconds of CPU time a turn; a turn counts by its fastest
run. `best` is the best turn, `median` the middle one; ratios are those of the best. A contender
that counts another number of nodes than ours stops the bench.

OpenSpiel's perft is driven from Python, a clone a node, to a smaller depth; its playouts are
compiled. Where any board may be chosen in ultimate, they draw first the board and then the cell.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, NamedTuple

from ttt import Board

try:
    import pyspiel  # type: ignore[import-not-found,import-untyped,unused-ignore]
except ImportError:
    pyspiel = None

COMPILE = ("cc", "-O3", "-march=native", "-std=c11")
ROUNDS = 5
OUR_GAMES, SPIEL_GAMES = 20_000, 1_000  # playouts a run
NODE = "a node is a leaf: a position after exactly `depth` plies, entered and tested for a win"

Contender = Callable[[float], float]  # CPU seconds of a turn -> units a second, its fastest run
Row = dict[str, Any]  # the columns of a table


class Game(NamedTuple):
    name: str
    depth: int
    spiel: str = ""  # OpenSpiel's name; empty: it has no such game
    spiel_depth: int = 0
    chooses: bool = False  # whether OpenSpiel chooses a board by an action of its own


GAMES = (
    Game("tictactoe", 9, "tic_tac_toe", 5),
    Game("connect4", 9, "connect_four", 5),
    Game("nineboard", 7),
    Game("ultimate", 7, "ultimate_tic_tac_toe", 4, chooses=True),
    Game("qubic", 4, "gomoku(size=4,dims=3,connect=4)", 3),
)


def check(who: str, game: Game, depth: int, nodes: int) -> None:
    if nodes != (ours := Board(game.name).perft(depth)):
        raise SystemExit(f"{game.name}, depth {depth}: {who} counts {nodes} nodes, not {ours}")


def repeated(run: Callable[[], object], units: int) -> Contender:
    def turn(seconds: float) -> float:
        fastest, end = float("inf"), process_time() + seconds
        while (start := process_time()) < end or fastest == float("inf"):
            run()
            fastest = min(fastest, process_time() - start)
        return units / fastest

    return turn


def c_perft(game: Game, folder: Path) -> Contender:
    program = str(folder / game.name)
    source = Path(__file__).with_name("c") / f"{game.name}.c"
    subprocess.run([*COMPILE, "-o", program, source], check=True)

    def run(repeats: int) -> tuple[int, float]:
        command = [program, str(game.depth), str(repeats)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        return found["nodes"], found["seconds"]

    nodes, once = run(1)
    check("C", game, game.depth, nodes)
    return lambda seconds: nodes / run(1 + int(seconds / once))[1]


def spiel_leaves(state: Any, depth: int, chooses: bool) -> int:
    """A child with the same player to move has only had its board chosen: that is no ply."""
    count = 0
    player = state.current_player() if chooses else None
    for action in state.legal_actions():
        child = state.child(action)
        over = child.is_terminal()
        if chooses and child.current_player() == player:
            count += spiel_leaves(child, depth, chooses)
        elif depth == 1:
            count += 1
        elif not over:
            count += spiel_leaves(child, depth - 1, chooses)
    return count


def spiel_perft(game: Game) -> Contender:
    root = pyspiel.load_game(game.spiel).new_initial_state()
    nodes = spiel_leaves(root, game.spiel_depth, game.chooses)
    check("OpenSpiel", game, game.spiel_depth, nodes)
    return repeated(lambda: spiel_leaves(root, game.spiel_depth, game.chooses), nodes)


def spiel_playouts(game: Game) -> Contender:
    """A bot of one simulation does all its evaluator's rollouts from the root, and no more."""
    rules = pyspiel.load_game(game.spiel)
    root = rules.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=SPIEL_GAMES, seed=1)
    bot = pyspiel.MCTSBot(rules, evaluator, 1.0, 1, 1, False, 1, False)
    return repeated(lambda: bot.mcts_search(root), SPIEL_GAMES)


def measure(contenders: dict[str, Contender], seconds: float) -> Row:
    rounds = [{name: turn(seconds) for name, turn in contenders.items()} for _ in range(ROUNDS)]
    found: Row = {}
    for name in contenders:
        rates = [turns[name] for turns in rounds]
        found |= {f"{name} best": round(max(rates)), f"{name} median": round(median(rates))}
    for name in sorted(contenders.keys() - {"ours"}):
        found[f"ours/{name}"] = found["ours best"] / found[f"{name} best"]
    return found


def measure_perft(game: Game, folder: Path, with_c: bool, seconds: float) -> Row:
    board = Board(game.name)
    row: Row = {"game": game.name, "depth": game.depth}
    contenders = {"C": c_perft(game, folder)} if with_c else {}
    contenders["ours"] = repeated(lambda: board.count_leaves(game.depth), board.perft(game.depth))
    if pyspiel and game.spiel:
        row["OpenSpiel depth"] = game.spiel_depth
        contenders["OpenSpiel"] = spiel_perft(game)
    return row | measure(contenders, seconds)


def measure_playouts(game: Game, seconds: float) -> Row:
    board = Board(game.name)
    contenders = {"ours": repeated(lambda: board.playouts(OUR_GAMES), OUR_GAMES)}
    if pyspiel and game.spiel:
        contenders["OpenSpiel"] = spiel_playouts(game)
    return {"game": game.name} | measure(contenders, seconds)


def table(rows: list[Row]) -> str:
    """The first row has all the columns."""
    form = {str: "{}", int: "{:,}", float: "{:.2f}"}
    lines = [list(rows[0])]
    for row in rows:
        cells = [row.get(column, "-") for column in rows[0]]
        lines.append([form[type(cell)].format(cell) for cell in cells])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Perft and playouts: ours, C and OpenSpiel.")
    parser.add_argument("--json", action="store_true", help="one JSON object, no tables")
    parser.add_argument("--seconds", type=float, default=0.3, help="CPU seconds a turn (0.3)")
    asked = parser.parse_args()
    with_c = shutil.which(COMPILE[0]) is not None
    notes = [] if with_c else ["No C compiler (cc): the hand-written C is left out."]
    if not pyspiel:
        notes.append("No pyspiel (the extra [bench] brings it): OpenSpiel is left out.")
    with tempfile.TemporaryDirectory() as folder:
        perft = [measure_perft(game, Path(folder), with_c, asked.seconds) for game in GAMES]
    playouts = [measure_playouts(game, asked.seconds) for game in GAMES]
    if asked.json:
        print(json.dumps({"node": NODE, "notes": notes, "perft": perft, "playouts": playouts}))
    else:
        print(*notes, f"Perft, nodes a CPU second; {NODE}.", table(perft), sep="\n")
        print("\nPlayouts, random games a CPU second.", table(playouts), sep="\n")


if __name__ == "__main__":
    main()
