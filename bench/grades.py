"""Checks that `ttt grade` rises with the levels of `ttt play`: grades every level on the same
positions of each game and prints a table. A level with random numbers answers several times in each
position, with other seeds. The last column has the change of the mean loss from the level below,
with its 95% interval, paired by position.

    python bench/grades.py [GAME ...] [--positions N] [--nodes N] [--repeats 8] [--seed S]
"""

import argparse
import math

from ttt import Board
from ttt.grading.grade import grade_player, make_positions, mean_of
from ttt.matches.rating import Z95
from ttt.notation import parse_options
from ttt.players.presets import level_name
from ttt.players.spec import expand

GAMES = ("tictactoe", "mnk:m=7,n=7,k=5", "nineboard", "ultimate", "qubic", "connect4")


def step(lower: list[float], higher: list[float]) -> str:
    """The change of the mean loss from one level to the next, with its interval."""
    changes = [b - a for a, b in zip(lower, higher, strict=True)]
    mean = sum(changes) / len(changes)
    spread = sum((change - mean) ** 2 for change in changes) / max(len(changes) - 1, 1)
    return f"{mean:+.3f} ± {Z95 * math.sqrt(spread / len(changes)):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", metavar="GAME", nargs="*", default=GAMES)
    parser.add_argument("--positions", type=int, default=40, help="of each of the three stages")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--levels", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=8, help="answers of levels that are random")
    arguments = parser.parse_args()
    for text in arguments.games:
        game, _, given = text.partition(":")
        options = Board(game, **parse_options(given)).options
        positions = sorted(
            make_positions(
                game,
                options,
                arguments.positions,
                arguments.seed,
                arguments.nodes,
                processes=arguments.processes,
            )
        )
        exact = sum(position.exact for position in positions)
        print(f"{text}: {len(positions)} positions, {exact} of them exact", flush=True)
        print("| level | best move | result kept | mean loss | change |")
        print("|---|---|---|---|---|", flush=True)
        below: list[float] | None = None
        for level in range(1, arguments.levels + 1):
            player = level_name(level)
            repeats = 1 if expand(player)[0] == "engine" else arguments.repeats
            runs = [
                grade_player(game, player, positions, options=options, seed=1000 * number)
                for number in range(repeats)
            ]
            count = repeats * len(positions)
            best = sum(answer.best for run in runs for answer in run) / count
            kept = sum(answer.kept for run in runs for answer in run) / count
            losses = [
                sum(answer.loss for answer in same) / repeats for same in zip(*runs, strict=True)
            ]
            loss = mean_of(losses)
            print(
                f"| {level} | {best:.0%} | {kept:.0%} | {loss.mean:.4f}"
                f" ({loss.low:.3f}-{loss.high:.3f}) | {step(below, losses) if below else ''} |",
                flush=True,
            )
            below = losses


if __name__ == "__main__":
    main()
