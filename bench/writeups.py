"""Reproduces the results of the five write-ups: writes bench/writeups.md.

    python bench/writeups.py               everything: some minutes
    python bench/writeups.py --games 4     a quick run with 4 games per match, to stdout only

Everything is seeded. Only times, and games of the engine at 50 ms per move, vary between runs.
"""

import argparse
import platform
import sys
import time
from collections import Counter
from pathlib import Path

from ttt import Board, Engine, minimax_search
from ttt.matches.match import play_match
from ttt.matches.record import replay, score_of
from ttt.matches.result import MatchResult
from ttt.players.spec import Player, make_player
from ttt.search.minimax import depth_for

REPORT = Path(__file__).parent / "writeups.md"
PROCESSES = 2
SEED = 1


class Report:
    """The lines of the report, and the claims that were not reproduced."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.missed: list[str] = []

    def add(self, text: str = "") -> None:
        self.lines.append(text)
        print(text, flush=True)

    def verdict(self, good: bool, text: str) -> None:
        """Adds a line: a claim, and whether it was reproduced."""
        self.add(f"- {'reproduced' if good else '**not reproduced**'}: {text}")
        if not good:
            self.missed.append(text)


MATCH_HEAD = (
    "| game | player | opponent | won | drawn | lost | errors | ms per move: mean, p95 | "
    "opponent's |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def match_row(played: MatchResult) -> str:
    """The result of a match as a table row."""
    first, second = played.standings
    errors = sum(first.errors.values()) + sum(second.errors.values())
    return (
        f"| {played.series.game} | `{first.player}` | `{second.player}` | {first.won} | "
        f"{first.drawn} | {first.lost} | {errors} | {first.mean_ms:.2f}, {first.p95_ms:.2f} | "
        f"{second.mean_ms:.2f}, {second.p95_ms:.2f} |"
    )


def every_reply(board: Board, side: str, player: Player, counts: Counter[str]) -> None:
    """Counts the results of a player against every possible sequence of replies."""
    outcome = board.outcome()
    if outcome:
        counts[
            "drawn" if outcome.winner is None else "won" if outcome.winner == side else "lost"
        ] += 1
        return
    moves = [player.choose(board.copy())] if board.turn == side else board.legal_moves
    for move in moves:
        board.push(move)
        every_reply(board, side, player, counts)
        board.pop()


def writeup_a(report: Report, games: int) -> None:
    report.add("## A: 3x3 minimax, and nine-board at depth 4\n")
    report.add("| 3x3 minimax as | games | won | drawn | lost |\n|---|---|---|---|---|")
    lost = 0
    for side in ("x", "o"):
        board = Board("tictactoe")
        counts: Counter[str] = Counter()
        every_reply(board, side, make_player("minimax", board), counts)
        lost += counts["lost"]
        report.add(
            f"| {side} | {sum(counts.values())} | {counts['won']} | {counts['drawn']} | "
            f"{counts['lost']} |"
        )
    report.add()
    report.verdict(not lost, "minimax never loses 3x3 against any replies")
    played = play_match("nineboard", "advanced", "random", games, seed=SEED, processes=PROCESSES)
    report.add(f"\n{MATCH_HEAD}\n{match_row(played)}\n")
    report.verdict(not played.standings[0].lost, f"no loss in {games} games against random")


def writeup_b(report: Report, games: int) -> None:
    report.add("\n## B: ultimate at depth 6\n")
    played = play_match("ultimate", "ultimate-b", "random", games, seed=SEED, processes=PROCESSES)
    report.add(f"{MATCH_HEAD}\n{match_row(played)}\n")
    report.verdict(played.standings[0].won >= 0.95 * games, "at least 95% won against random")


def writeup_c(report: Report, games: int) -> None:
    report.add("\n## C: 4x4x4, series of 101 games, random first player\n")
    games = 101 if games == 100 else games
    report.add(MATCH_HEAD)
    won = {}
    sighted = "alphabeta:depth=2,eval=none"
    for opponent in ("random", "qubic-c-blind", "qubic-c", sighted):
        played = play_match(
            "qubic", "qubic-c", opponent, games, seed=SEED, sides="random", processes=PROCESSES
        )
        report.add(match_row(played))
        won[opponent] = played.standings[0].won, played.standings[1].won
    report.add()
    report.verdict(won["random"][0] == games, "every game won against random (write-up: 101-0)")
    report.verdict(
        won["qubic-c-blind"][0] >= games - 2,
        "at most two games not won against the same search without evaluation (write-up: 101-0)",
    )
    report.verdict(
        min(won["qubic-c"]) > 35 * games / 101, "a split against itself (write-up: 55-46)"
    )
    report.add(
        "- Against itself it plays the same game every time, and x wins it: the split is chance."
    )
    report.add(
        "- An assumption: the write-up's player without evaluation scores every position at its "
        "horizon as 0, even won ones, so it sees its own win but no reply. If it scored won "
        f"positions (`{sighted}`), the result would not be 101-0: {won[sighted][0]} games are won "
        "(last row)."
    )


TABLE_D = [
    # game, moves before, algorithm, depth, evaluation, counts of the write-up
    ("nineboard", "13", "minimax", 8, "two-in-a-row", (32_268_688, 129_159, 28_202_322)),
    ("nineboard", "13", "alphabeta", 8, "two-in-a-row", None),
    ("nineboard", "13", "minimax", 7, "two-in-a-row", (3_944_002, 6_795, 3_461_920)),
    ("nineboard", "55", "minimax", 7, "two-in-a-row", (3_615_136, 5_352, 3_174_840)),
    ("nineboard", "11", "minimax", 7, "two-in-a-row", (3_615_160, 6_018, 3_174_198)),
    ("tictactoe", "5", "alphabeta", 9, "default", None),
]


def writeup_d(report: Report, games: int) -> None:
    report.add("\n## D: the search summary, alpha-beta, the adaptive depth\n")
    report.add(
        "| game, after | algorithm | depth | nodes | terminal | horizon | best utility | ms |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    equal = True
    for game, moves, algorithm, depth, evaluation, counted in TABLE_D:
        board = Board(game)
        board.push_moves(moves)
        found = minimax_search(board, algorithm, depth, evaluation)
        counts = found.nodes, found.terminal, found.horizon
        equal = equal and counted in (None, counts)
        report.add(
            f"| {game} {' '.join(board.moves)} | {algorithm} | {depth} | {found.nodes:,} | "
            f"{found.terminal:,} | {found.horizon:,} | {found.verdict()} | "
            f"{found.seconds * 1000:.0f} |"
        )
    report.add()
    report.verdict(equal, "the write-up's minimax counts, exactly")
    report.add(
        "- The write-up's alpha-beta took 325,106 nodes (9,710 terminal, 224,464 horizon) after "
        "`1 3`, and 6,138 nodes on 3x3 after the centre; it does not say how it orders moves and "
        "handles bounds.\n"
    )
    depths = [depth_for("adaptive", 81 - ply) for ply in range(81)]
    report.add("The adaptive depth (ply:depth wherever it changes):")
    changes = [ply for ply in range(81) if not ply or depths[ply] != depths[ply - 1]]
    report.add(" ".join(f"{ply}:{depths[ply]}" for ply in changes) + "\n")
    played = play_match("nineboard", "nine-d", "random", games, seed=SEED, processes=PROCESSES)
    own = []
    for one in played.games:
        side = "x" if one["x"] == 1 else "o"
        if score_of(one, 1) == 1:
            plies = len(replay(played.series.settings(), one).moves)
            own.append((plies + (side == "x")) // 2)
    mean = sum(own) / max(len(own), 1)
    report.add(f"{MATCH_HEAD}\n{match_row(played)}\n")
    report.verdict(
        not played.standings[0].lost and mean <= 12,
        f"wins against random in {mean:.1f} moves on average ({min(own, default=0)} to "
        f"{max(own, default=0)}; write-up: about 8 to 12)",
    )


def writeup_e(report: Report, games: int) -> None:
    report.add("\n## E: Connect Four, twenty games and their final boards\n")
    report.add(MATCH_HEAD)
    boards = []
    won = 0
    for opponent, count in (("first", 5), ("random", 5), ("montecarlo", 10)):
        played = play_match("connect4", "connect-e", opponent, count, seed=SEED)
        report.add(match_row(played))
        won += played.standings[0].won
        for game in played.games:
            board = replay(played.series.settings(), game)
            title = f"{opponent} {game['game']}: {game['result']}"
            mark = "x" if game["x"] == 1 else "o"
            boards.append([title, f"(E is {mark})", *str(board).split("\n")])
    report.add()
    report.verdict(won >= 18, f"{won} of 20 won (write-up: 18)")
    report.add("\n```")
    for first in range(0, len(boards), 4):
        for row in zip(*boards[first : first + 4], strict=True):
            report.add("".join(part.ljust(22) for part in row).rstrip())
        report.add()
    report.add("```")
    longer = play_match(
        "connect4", "connect-e", "montecarlo", games, seed=SEED, processes=PROCESSES
    )
    report.add(
        "\nThe write-up gives neither its depth nor the number of random games of its Monte Carlo "
        "player. Here they are 7 (the best of 3 to 7 against `montecarlo`) and 100 per move. Ten "
        "games are few; a longer match of the same players:"
    )
    report.add(f"\n{MATCH_HEAD}\n{match_row(longer)}")


def against_theory(played: MatchResult) -> tuple[int, int]:
    """The number of games that the first player did not win, and the number of these in which it
    scored less than the game-theoretic value of the opening."""
    solver = Engine(played.series.game)
    unwon = worse = 0
    for game in played.games:
        got = score_of(game, 1)
        if got < 1:
            board = replay(played.as_dict(), game)
            while board.ply > game["opening"]:
                board.pop()
            value = {"win": 1.0, "draw": 0.5, "loss": 0.0}[solver.solve(board, weak=True).value]
            unwon += 1
            worse += got < (value if game[board.turn] == 1 else 1 - value)
    return unwon, worse


def engine_matches(report: Report, games: int) -> None:
    report.add("\n## The engine at 50 ms per move against each player\n")
    report.add("Each pair of games starts with the same two random moves, except on 3x3.\n")
    report.add(MATCH_HEAD)
    verdicts = []
    for game, opponent, openings in (
        ("tictactoe", "minimax", ""),
        ("nineboard", "advanced", "random:2"),
        ("ultimate", "ultimate-b", "random:2"),
        ("qubic", "qubic-c", "random:2"),
        ("nineboard", "nine-d", "random:2"),
        ("connect4", "connect-e", "random:2"),
    ):
        played = play_match(
            game,
            "engine:time=0.05",
            opponent,
            games,
            seed=SEED,
            openings=openings,
        )
        report.add(match_row(played))
        score = played.rating().score
        good, theory = score >= 0.95, ""
        if game == "tictactoe":
            good, theory = score == 0.5, " (both play 3x3 perfectly: a draw)"
        elif game == "connect4":
            unwon, worse = against_theory(played)
            good = good or not worse
            theory = (
                f" ({unwon} games not won; in {unwon - worse} of them the opening is worth no more "
                "to the engine than it scored)"
            )
        verdicts.append((good, f"{opponent}: {score:.1%} of the points{theory}"))
    report.add()
    for good, text in verdicts:
        report.verdict(good, text)


PARTS = {
    "a": writeup_a,
    "b": writeup_b,
    "c": writeup_c,
    "d": writeup_d,
    "e": writeup_e,
    "engine": engine_matches,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, help="games per match; writes no file")
    parser.add_argument("--only", choices=PARTS, help="run one part; writes no file")
    arguments = parser.parse_args()
    report = Report()
    report.add("# The five write-ups, reproduced\n")
    report.add(
        f"Made by `make writeups` on {time.strftime('%Y-%m-%d')} ({platform.machine()}, Python "
        f"{platform.python_version()}). Seeded: only times, and games of the engine at 50 ms per "
        "move, vary between runs.\n"
    )
    for name, part in PARTS.items():
        if arguments.only in (None, name):
            part(report, arguments.games or 100)
    if not (arguments.games or arguments.only):
        REPORT.write_text("\n".join(report.lines) + "\n", encoding="utf-8")
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
