"""Checks that each level of `ttt play` beats the one below: matches of neighbouring levels in every
game; prints the score of the higher level. Level 10 is not included by default: it takes long.

    python bench/levels.py [--games N] [--top 9]
"""

import argparse

from ttt.matches.match import play_match

GAMES = ("connect4", "nineboard", "ultimate", "qubic")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--top", type=int, default=9)
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    print("| levels | " + " | ".join(GAMES) + " |\n|---|" + "---|" * len(GAMES), flush=True)
    for level in range(1, arguments.top):
        scores = []
        for game in GAMES:
            played = play_match(
                game,
                f"level-{level + 1}",
                f"level-{level}",
                arguments.games,
                seed=1,
                openings="random:2",
                processes=arguments.processes,
            )
            scores.append(f"{played.rating().score:.0%}")
        print(f"| {level + 1} against {level} | " + " | ".join(scores) + " |", flush=True)


if __name__ == "__main__":
    main()
