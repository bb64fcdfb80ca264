"""A small proof of nine-board."""

from pathlib import Path
from random import Random

from ttt import Board
from ttt.proofs.nineboard import Proof, Settings, Tree
from ttt.solvers.certificate import Certificate

LATE = "86 62 28 84 42 27 74 46 61 18 88 82 21 14 49 95 56 63 32 25 59 97"
"""Moves to a position that x wins; its proof with leaves at ply 26 has some twenty leaves."""
SMALL = Settings(leaf_ply=26, leaf_nodes=(200_000, 400_000), move_nodes=5_000)


def late_board() -> Board:
    board = Board("nineboard", full="draw")
    board.push_moves(LATE)
    return board


def finish(proof: Proof, most: int | None = None) -> Tree:
    """Runs a proof in this process until it is complete, or until `most` jobs are done."""
    done = 0
    while jobs := proof.jobs(tree := proof.tree()):
        for _ in proof.run(jobs, 1, None):
            done += 1
            if done == most:
                return proof.tree()
    return tree


def small_certificate(folder: Path) -> Certificate:
    """The certificate of the late position, proven in an empty folder."""
    proof = Proof(folder, late_board(), SMALL)
    found = proof.certificate(finish(proof))
    proof.close()
    return found


def random_boards(count: int, seed: int, plies: tuple[int, int]) -> list[Board]:
    """Running games under full=draw with a board in force and nobody winning at once."""
    random = Random(seed)
    found: list[Board] = []
    while len(found) < count:
        board = Board("nineboard", full="draw")
        for _ in range(random.randint(*plies)):
            moves = board.safe_moves()
            if not moves or board.is_game_over():
                break
            board.push(random.choice(moves))
        if (
            board.ply >= plies[0]
            and board.safe_moves()
            and not any(map(board.is_legal, board.wins()))
        ):
            found.append(board)
    return found
