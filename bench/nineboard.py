"""Measures the nine-board solver: nodes to solve random positions, short wins, proofs checked.

    bench/nineboard.py medians [--plies 24,20,18,16,14]   20 positions per ply, empty table for each
    bench/nineboard.py short                              wins within 17 plies of the empty board
    bench/nineboard.py verify                             checks ten proofs against every reply
    bench/nineboard.py match OTHER                        the engine against another evaluation
    bench/nineboard.py matches [PLAYER]                   the engine from all 81 first moves, both
                                                          sides, 100 ms per move, against PLAYER
                                                          or nine-d, advanced and mcts; Ctrl-C
                                                          stops, --out FILE saves and resumes
    bench/nineboard.py first [FOLDER]                     200 games of the engine as x with the
                                                          shipped proof, half under each rule;
                                                          saved in FOLDER and checked

Positions are random games of safe moves: the seed of the i-th of ply p is 1000 p + i.
"""

import argparse
import math
import statistics
import sys
import time
from itertools import product
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support import nineboard_check
from support.reference import reference
from ttt import Board, Engine
from ttt.matches.match import play_series
from ttt.matches.record import SavedGame, read_games
from ttt.matches.series import Series
from ttt.solvers.certificate import Certificate, shipped
from ttt.solvers.nineboard import SOLVER, NineboardSolver


def random_board(solver: NineboardSolver, ply: int, seed: int) -> Board:
    board = solver.start.copy()
    for number in solver.core.safe_moves(ply, seed):
        board.push(board.ruleset.moves[number])
    return board


def medians(plies: list[int], positions: int, nodes: int) -> None:
    solver = SOLVER(hash=1024)
    for ply in plies:
        spent, unknown, began = [], 0, time.process_time()
        for i in range(positions):
            solver.clear()
            found = solver.solve(random_board(solver, ply, 1000 * ply + i), nodes=nodes)
            spent.append(found.nodes)
            unknown += found.value == "unknown"
        rate = sum(spent) / (time.process_time() - began) / 1e6
        print(
            f"ply {ply}: median {statistics.median(spent):,.0f}, most {max(spent):,} nodes,"
            f" {unknown} unknown, {rate:.2f} M/s",
            flush=True,
        )


def short(plies: int) -> None:
    solver = SOLVER(hash=256)
    total = 0
    for left in range(9, plies + 1, 2):
        for attacker in (0, 1):
            won, nodes = solver.core.wins_within("." * 81, "*", attacker, left, 10**9, 0.0)
            total += nodes
            print(f"{'xo'[attacker]} wins within {left}: {won}, {nodes:,} nodes, {total:,} in all")


def verify(proofs: int, nodes: int) -> None:
    """Checks the first `proofs` proofs of plies 14 to 18 that take at most `nodes` nodes."""
    solver = SOLVER(hash=1024)
    i = done = 0
    while done < proofs:
        ply, i = 14 + i % 5, i + 1
        solver.clear()
        board = random_board(solver, ply, 1000 * ply + i)
        found = solver.solve(board, nodes=nodes)
        if found.value == "unknown":
            continue
        done += 1
        side = board.ply % 2
        winner = side if found.value == "win" else 1 - side
        position = nineboard_check.Position()
        for move in board.moves:
            position.play(move.number)
        began = time.process_time()
        at, depth = board.copy(), [0]

        def choose(
            played: list[int], at: Board = at, depth: list[int] = depth, start: Board = board
        ) -> int:
            while len(at.moves) > len(start.moves):
                at.pop()
            for number in played:
                at.push(at.ruleset.moves[number])
            answer = solver.solve(at, nodes=50_000_000)
            assert answer.value == "win", f"{answer.value}: {at.text()}"
            assert answer.move is not None
            depth[0] = max(depth[0], len(played))
            return answer.move.number

        positions = nineboard_check.verify(position, winner, choose)
        print(
            f"{board.text()}: {found.value}, {found.nodes:,} nodes, checked over {positions:,}"
            f" positions, {depth[0]} plies deep, {time.process_time() - began:.0f} s",
            flush=True,
        )


def match(other: str, games: int, nodes: int, solver: bool) -> None:
    """Pairs of games from random openings, each side once: score with its 95% interval."""
    openings = SOLVER(hash=1)
    points: list[float] = []
    for i in range(games // 2):
        opening = random_board(openings, 4 + i % 3, 555 + i)
        pair = 0.0
        for mine in (0, 1):
            players = [
                Engine("nineboard", hash=16, solver=solver),
                Engine("nineboard", hash=16, evaluation=other, solver=False),
            ]
            board = opening.copy()
            while (outcome := board.outcome()) is None:
                move = players[board.ply % 2 != mine].search(board, nodes=nodes).move
                assert move is not None
                board.push(move)
            winner = {"x": 0, "o": 1, None: None}[outcome.winner]
            pair += 0.5 if winner is None else float(winner == mine)
        points.append(pair / 2)
    mean = statistics.mean(points)
    error = 1.96 * statistics.stdev(points) / math.sqrt(len(points))
    low, middle, high = (elo(mean + part) for part in (-error, 0, error))
    print(f"{mean:.1%} of {games} games: {middle:+.0f} Elo ({low:+.0f} to {high:+.0f})")


def matches(players: list[str], out: str | None) -> None:
    """The engine against players, equal time per move, from every first move."""
    lines = [str(move) for move in Board("nineboard").legal_moves]
    for player in players:
        series = Series(
            "nineboard", ["engine", player], 162, openings="first moves", lines=lines, time=0.1
        )
        resume = out is not None and Path(out).exists()
        print(play_series(series, out=out, resume=resume).text(), flush=True)


def first(folder: str) -> None:
    """The engine as x, 2 s a move, in 25 games under each rule against each of four players. They
    begin with two moves of the proof and random replies. The saved games are replayed by the tests'
    slow rules."""
    book = shipped()
    if book is None:
        sys.exit("bench/nineboard.py: the package contains no proof")
    random = Random(1)
    won = dict.fromkeys(("engine:time=2", "mcts:time=1", "nine-d", "random"), 0)
    for opponent, full in product(won, ("any", "draw")):
        lines = [proven_line(book, random) for _ in range(25)]
        out = Path(folder) / f"{opponent.partition(':')[0]}-{full}.games"
        series = Series(
            "nineboard",
            ["engine:time=2", opponent],
            25,
            options={"full": full},
            lines=lines,
            openings="proof",
            sides="fixed",
            time=2,
        )
        print(play_series(series, out=str(out), resume=out.exists()).text(), flush=True)
        won[opponent] += sum(won_by_x(game, full) for game in read_games(str(out))[1])
    print("won, replayed and checked:", won)


def won_by_x(game: SavedGame, full: str) -> bool:
    """Whether x won a saved game, by the slow rules too."""
    board = Board("nineboard", full=full)
    board.push_moves(game["moves"])
    rules = reference("nineboard", full=full)
    for move in board.moves:
        assert rules.outcome() is None
        rules.play(move.number)
    won = rules.outcome() == ("x", "line")
    assert won == (board.result() == "1-0" == game["result"])
    return won


def proven_line(book: Certificate, random: Random) -> str:
    """Two moves of x by the proof, each with a random reply."""
    board = Board("nineboard", full="any")
    for _ in range(2):
        record = book.find(board)
        assert record is not None
        board.push(board.ruleset.moves[record.move])
        board.push(random.choice(board.legal_moves))
    return " ".join(map(str, board.moves))


def elo(share: float) -> float:
    share = min(max(share, 0.001), 0.999)
    return 400 * math.log10(share / (1 - share))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("medians", "short", "verify", "match", "matches", "first"))
    parser.add_argument(
        "other", nargs="?", help="match: the other evaluation; matches: a player; first: a folder"
    )
    parser.add_argument("--plies", default="24,20,18", help="medians: plies of the positions")
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--games", type=int, default=120)
    parser.add_argument("--nodes", type=int, help="node limit per position, or per move of a match")
    parser.add_argument("--solver", action="store_true", help="match: our engine uses the solver")
    parser.add_argument("--out", help="matches: save the games of one match here, and resume")
    arguments = parser.parse_args()
    if arguments.what == "medians":
        plies = [int(ply) for ply in arguments.plies.split(",")]
        medians(plies, arguments.positions, arguments.nodes or 10**9)
    elif arguments.what == "short":
        short(17)
    elif arguments.what == "verify":
        verify(min(arguments.positions, 10), arguments.nodes or 300_000)
    elif arguments.what == "matches":
        others = [arguments.other] if arguments.other else ["nine-d", "advanced", "mcts"]
        matches(others, arguments.out)
    elif arguments.what == "first":
        first(arguments.other or ".")
    else:
        match(
            arguments.other or "threats",
            arguments.games,
            arguments.nodes or 10_000,
            arguments.solver,
        )


if __name__ == "__main__":
    main()
