from typing import Any, TypedDict

SHAPE: tuple[int, int]
"""Of the learned weights: rows, units."""

class ProofRecord(TypedDict):
    """Result of `Solver.prove`. Exists for type checkers only."""

    proof: int
    """Proof number of the root; 0: the attacker wins."""
    disproof: int
    """Disproof number of the root; 0: the attacker does not win."""
    drawn: bool
    """Whether the disproof depends on a draw; if not, the attacker loses."""
    seconds: float
    expansions: int
    """Nodes expanded."""
    positions: int
    """Children generated."""
    nodes: int
    children: list[tuple[int, int, int, int]]
    """(move, proof, disproof, effort) of each safe move, or of a winning one alone; effort is the
    binary logarithm of the nodes spent, 0 if it is not in the table."""

class Solver:
    """Proof search of nine-board; `ttt.solvers.nineboard.NineboardSolver` is the public class.

    A position is given as by `Position.picture`: its 81 marks, and the board in force.
    """

    hash: int
    """MiB of the table."""
    slots: int
    """Number of entries that the table can hold."""
    threads: int

    def __init__(self, full_draws: bool, hash: int, threads: int, weights: Any) -> None: ...
    def clear(self) -> None:
        """Empties the table."""
    def stop(self) -> None:
        """Stops a search that runs in another thread."""
    def wins_and_safe(self, marks: str, board: int | str | None) -> tuple[list[int], list[int]]:
        """(moves that win at once, moves after which the opponent cannot), by number."""
    def evaluate_children(self, marks: str, board: int | str | None) -> dict[int, float]:
        """The log-odds after each safe move, as the search computes them, by the move's number."""
    def evaluate(self, marks: str, board: int | str | None) -> float:
        """The log-odds that the side to move wins, by the network."""
    def prove(
        self, marks: str, board: int | str | None, attacker: int, nodes: int, limit: float
    ) -> ProofRecord:
        """Tries to prove that the attacker (0: x, 1: o) wins a running game in which no move wins
        at once and some move is safe. Resumes what an earlier call has left in the table."""
    def wins_within(
        self,
        marks: str,
        board: int | str | None,
        attacker: int,
        plies: int,
        nodes: int,
        limit: float,
    ) -> tuple[bool | None, int]:
        """(won, nodes): whether the attacker wins a running game, in which no move wins at once,
        within `plies`; None if a limit was reached first."""
    def safe_moves(self, plies: int, seed_value: int) -> list[int]:
        """The moves of a random game of `plies` safe moves, by number: after each of them the
        opponent cannot win at once and has a safe move. ValueError if no such game is found."""
    def efforts(self) -> list[int]:
        """Number of entries of each effort, 0 (empty) to 63."""
    def entries(self, least: int, most: int, first: int, slots: int) -> bytes:
        """The entries of effort `least` to `most` in the slots from `first` on, 16 bytes each."""
    def put_entries(self, entries: bytes) -> None:
        """Puts bytes that `entries` returned back into the table."""

class Trainer:
    """Gathers positions and fits the network to them. Sets the solver's weights to zero first."""

    positions: int
    rows: list[list[int]]

    def __init__(self, solver: Solver, capacity: int, seed_value: int) -> None: ...
    def add_solved(self, moves: list[int], nodes: int, rarity: int) -> None: ...
    def add_game(self, moves: list[int], chances: list[float | None]) -> None: ...
    def fit(self, epochs: int, rate: float, held_out: int) -> list[tuple[float, float]]: ...
    def clear(self) -> None: ...

def canonical(position: str) -> tuple[str, int]:
    """(position, symmetry): the canonical one of the eight symmetric images of a position with x to
    move, and the symmetry that leads to it.

    The position is a text of 82 characters: its 81 marks, board by board, and the board in force,
    1-9, or * for any. The canonical one is the least.
    """

def image_of_move(symmetry: int, move: int) -> int:
    """The move that a symmetry maps a move to."""

def original_of_move(symmetry: int, move: int) -> int:
    """The move that a symmetry maps to a move."""

def wins_at_once(position: str) -> bool:
    """Whether x completes a line with its next move."""

def replies(position: str, move: int) -> tuple[list[str], int]:
    """(positions, wins): the positions after a move of x and every reply of o in which x does not
    win at once, in the order of the replies, and the number of replies after which x does.

    The rule is full=draw. Raises ValueError if the move is illegal, wins, points to a full board or
    lets o win or draw at once.
    """
