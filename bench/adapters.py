"""Steps per second of the Gymnasium vector environment, on one core: needs the extra [gymnasium].

The steps include observations, rewards and action masks; choosing the random moves is not counted.
"""

import argparse
from time import process_time

import numpy as np

from ttt.adapters.gymnasium import VectorGames
from ttt.board import games


def steps_per_second(game: str, size: int, seconds: float) -> float:
    envs = VectorGames(game, size)
    envs.reset(seed=1)
    spent, steps = 0.0, 0
    while spent < seconds:
        moves = np.maximum(envs.batch.random_moves(steps), 0)
        began = process_time()
        envs.step(moves)
        spent += process_time() - began
        steps += 1
    return steps * size / spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=4096, help="games at once; default 4096")
    parser.add_argument("--seconds", type=float, default=1.0, help="per game; default 1")
    arguments = parser.parse_args()
    for game in games():
        rate = steps_per_second(game, arguments.size, arguments.seconds)
        print(f"{game:10} {rate / 1e6:6.2f} M steps/s")


if __name__ == "__main__":
    main()
