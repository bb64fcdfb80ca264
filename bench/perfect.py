"""Perfect play: the engine as first player wins every game of Connect Four and Qubic.

    python bench/perfect.py [connect4|qubic|second ...] [--games N] [--processes P]

The opponent's first two moves are random, so that games differ. Every game is replayed from its
saved moves. `second` is Qubic with the engine as second player, against imperfect players. The exit
status is 1 if a game that must be won was not won.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from random import Random

from ttt import Board
from ttt.matches.match import play_match
from ttt.matches.record import replay
from ttt.matches.result import MatchResult
from ttt.players.spec import make_player

SEED = 1
MATCHES = {
    # game, engine, opponents, number of games
    "connect4": (
        "connect4",
        "engine:time=10",
        ("first", "random", "connect-e", "mcts:time=0.1", "engine:time=1"),
        20,
    ),
    "qubic": (
        "qubic",
        "engine:time=0.1",
        ("random", "qubic-c", "mcts:time=0.1", "engine:time=0.1", "engine:time=1"),
        200,
    ),
}
HEAD = (
    "| game | engine | against | games | won by the engine | drawn | errors | plies, most |"
    " ms a move, mean and p95 |\n|---|---|---|---|---|---|---|---|---|"
)


def openings(game: str, engine: str, games: int) -> list[str]:
    """First four plies of games from the empty board: engine moves and random replies, all
    different."""
    player = make_player(engine, Board(game))
    dice, found, chosen = Random(SEED), dict[str, None](), dict[str, str]()
    most = min(games, 40 if game == "connect4" else games)
    while len(found) < most:
        board = Board(game)
        for _ in range(2):
            line = board.text()
            if line not in chosen:
                chosen[line] = str(player.choose(board.copy()))
            board.push(chosen[line])
            board.push(dice.choice(board.legal_moves))
        found[" ".join(board.moves)] = None
    return list(found)


def row(played: MatchResult, mine: int) -> str:
    """A match as a row of a table; `mine` is the index of the engine."""
    standing = played.standings[mine]
    for game in played.games:
        if replay(played.as_dict(), game).result() != game["result"]:
            sys.exit(f"game {game['game']} does not end as it was recorded")
    plies = max(len(replay(played.as_dict(), game).moves) for game in played.games)
    return (
        f"| {played.series.game} | `{standing.player}` | `{played.standings[1 - mine].player}` |"
        f" {len(played.games)} | {standing.won} | {standing.drawn} |"
        f" {sum(sum(entry.errors.values()) for entry in played.standings)} | {plies} |"
        f" {standing.mean_ms:.1f}, {standing.p95_ms:.1f} |"
    )


def first(name: str, games: int | None, processes: int) -> bool:
    game, engine, others, usual = MATCHES[name]
    games = games or usual
    perfect = True
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "openings"
        file.write_text("\n".join(openings(game, engine, games)) + "\n")
        for other in others:
            played = play_match(
                game,
                engine,
                other,
                games,
                seed=SEED,
                openings=str(file),
                sides="fixed",
                processes=processes,
            )
            print(row(played, 0), flush=True)
            perfect = perfect and played.standings[0].won == games
    return perfect


def second(games: int | None, processes: int) -> bool:
    for other in ("qubic-c", "mcts:time=0.1"):
        played = play_match(
            "qubic",
            other,
            "engine:time=0.1",
            games or 100,
            seed=SEED,
            openings="random:1",
            sides="fixed",
            processes=processes,
        )
        print(row(played, 1), flush=True)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*MATCHES, "second"], metavar="NAME")
    parser.add_argument("--games", type=int)
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    print(HEAD)
    perfect = True
    for name in asked.names or [*MATCHES, "second"]:
        part = (
            second(asked.games, asked.processes)
            if name == "second"
            else first(name, asked.games, asked.processes)
        )
        perfect = perfect and part
    return 0 if perfect else 1


if __name__ == "__main__":
    sys.exit(main())
