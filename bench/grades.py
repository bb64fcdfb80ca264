"""Checks that `ttt grade` rises with the levels of `ttt play`: grades every level on the same
positions of each game and prints a table. A step down counts only if the losses of the two levels
in the same positions differ by more than chance explains.

    python bench/grades.py [GAME ...] [--positions N] [--nodes N] [--levels 10] [--seed S]
"""

import argparse
import math

from ttt import Board
from ttt.grading.grade import Answer, grade_player, make_positions, mean_of, share_of
from ttt.matches.rating import Z95
from ttt.notation import parse_options

GAMES = ("tictactoe", "mnk:m=7,n=7,k=5", "nineboard", "ultimate", "qubic", "connect4")


def rises(lower: list[Answer], higher: list[Answer]) -> str:
    """Whether the mean loss falls from one level to the next: yes, no, or within chance (~)."""
    gains = [a.loss - b.loss for a, b in zip(lower, higher, strict=True)]
    mean = sum(gains) / len(gains)
    spread = sum((gain - mean) ** 2 for gain in gains) / max(len(gains) - 1, 1)
    half = Z95 * math.sqrt(spread / len(gains))
    return "yes" if mean > half else "NO" if mean < -half else "~"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", metavar="GAME", nargs="*", default=GAMES)
    parser.add_argument("--positions", type=int, default=40, help="of each of the three stages")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--levels", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
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
        print("| level | best move | result kept | mean loss | better than the one below |")
        print("|---|---|---|---|---|", flush=True)
        below: list[Answer] | None = None
        for level in range(1, arguments.levels + 1):
            answers = grade_player(game, f"level-{level}", positions, options=options)
            count = len(answers)
            best = share_of(sum(answer.best for answer in answers), count)
            kept = share_of(sum(answer.kept for answer in answers), count)
            loss = mean_of([answer.loss for answer in answers])
            print(
                f"| {level} | {best.share:.0%} | {kept.share:.0%} ({100 * kept.low:.0f}"
                f"-{kept.high:.0%}) | {loss.mean:.3f} ({loss.low:.3f}-{loss.high:.3f}) |"
                f" {'' if below is None else rises(below, answers)} |",
                flush=True,
            )
            below = answers


if __name__ == "__main__":
    main()
