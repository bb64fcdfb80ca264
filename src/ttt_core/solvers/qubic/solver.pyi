from array import array
from collections.abc import Callable
from typing import TypedDict

class ProofRecord(TypedDict):
    """Result of `Solver.prove`, and what its `on_info` gets. Exists for type checkers only."""

    proof: int
    """Proof number of the root; 0: the attacker wins."""
    disproof: int
    """Disproof number of the root; 0: the attacker does not win with the moves it may try."""
    seconds: float
    expansions: int
    """Move lists generated."""
    positions: int
    """Children generated."""
    threat_nodes: int
    """Nodes of the threat search."""

Strategy = dict[tuple[int, int], tuple[int, int]]
"""{(attacker's stones, defender's stones), in canonical form: (move, plies to the end)}. Exists for
type checkers only."""

class Unproven(Exception):
    """The requested win is not proven."""

class Solver:
    """Threat search and proof search; `ttt.solvers.qubic.QubicSolver` is the public class.

    A position is two words, the stones of two sides: bit 16 x level + 4 x row + column is a cell.
    The first word is that of the side to move or of the attacker, as the argument's name says.
    """

    def __init__(self, hash: int = 128, threads: int = 1) -> None: ...
    @property
    def stopped(self) -> bool:
        """Whether a limit stopped the latest call."""
    def stop(self) -> None:
        """Stops a search that runs in another thread."""
    def clear(self) -> None:
        """Forgets all results."""
    def threats(
        self, mine: int, theirs: int, nodes: int = ..., limit: float = 0
    ) -> tuple[list[int] | None, int]:
        """(cells, nodes): the threat sequence by which the side to move wins, or None.

        The cells are gain, reply, gain, reply, ..., last gain and its two replies; a single cell
        if it completes a line. Also None if a limit was reached: then `stopped` is true.
        """
    def threats_many(self, words: array[int]) -> tuple[bytes, int]:
        """(wins, nodes) of many positions, each two words, the side to move first. `wins` has a
        byte for each: 1 if it wins by a threat sequence."""
    def prove(
        self,
        attacker: int,
        defender: int,
        attacking: bool,
        early: int,
        later: int,
        nodes: int,
        limit: float,
        on_info: Callable[[ProofRecord], None] | None = None,
    ) -> ProofRecord:
        """Tries to prove that the attacker wins; `attacking`: it is to move.

        The attacker tries `early` moves in positions of at most four stones, then `later`.
        `nodes` and `limit`, in seconds (0: none), end the search early; `on_info` gets a record
        twice a second.
        """
    def moves(
        self, attacker: int, defender: int, attacking: bool, early: int, later: int
    ) -> list[int] | None:
        """The moves that the proof search tries, one of each symmetric set; None if it tries none.
        Neither side has won and the side to move has no threat sequence."""
    def winning_move(self, attacker: int, defender: int) -> int:
        """A move that `prove` has proven to win for the attacker, which is to move and has no
        threat sequence; raises Unproven if there is none."""

def extract_strategy(
    solver: Solver, attacker: int, defender: int, early: int, later: int, attacking: bool = True
) -> Strategy:
    """The strategy of a win that `prove` has proven, `attacking` if the attacker is to move: every
    position that can arise while the attacker plays its moves and has no threat sequence. Its plies
    are the longest way to the end that the defender has."""

def verify_strategy(
    solver: Solver, attacker: int, defender: int, strategy: Strategy, attacking: bool = True
) -> tuple[tuple[int, int], str] | None:
    """Plays a strategy against all replies from a position; `attacking` if the attacker is to move.
    None if it wins every game, else ((attacker's stones, defender's stones), reason) of the first
    fault."""

def canonical(first: int, second: int) -> tuple[int, int, int]:
    """(first, second, symmetry): the canonical form of a position, the image whose words are the
    least, and the number of the symmetry that maps the position to it."""

def from_canonical(which: int, cell: int) -> int:
    """The cell that symmetry number `which` maps to `cell`."""
