"""Proves that x wins nine-board, as many small jobs.

The top of the tree has one move of x in every position, chosen by the engine, and all replies of o.
Its leaves, by default the positions after 12 plies, are solved one by one. What stays open is
escalated: the leaf becomes part of the tree, with leaves two plies deeper; after two such steps it
gets more nodes; then the position above tries its next move, and so on up to the first position.
So nearly every leaf can be solved again in seconds, and x finds its moves below it in less.

Everything is a function of the log (`ttt.proofs.log`): a run that was stopped resumes exactly, and
the same positions give the same moves and node counts on every machine. The rule is full=draw. The
proof holds under full=any as well, because nobody points to a full board in it.
"""

import os
from collections.abc import Callable, Generator
from contextlib import closing
from hashlib import sha256
from typing import Any, NamedTuple

from ttt.board import Board
from ttt.engine import Engine
from ttt.jobs import Shard, run_jobs
from ttt.proofs.log import Leaf, ProofLog
from ttt.solvers.certificate import Certificate, Record, board_of, position_of
from ttt.solvers.nineboard import NineboardSolver, conditions
from ttt_core.solvers.nineboard import solver as core

TABLE_MIB = 64
MOVE_NODES = 60_000
"""Nodes of the engine for a move of x."""
LEAF_NODES = (30_000_000, 240_000_000)
"""Node limits of a leaf, one after the other. Those after the first are for the deepest leaves."""
LEAF_PLY = 12
MOST_DEEPER = 4
"""Plies by which an open leaf may be moved down."""
OPENING = {"": "5 5", "5 5 5 1": "1 1", "5 5 5 2": "2 2"}
"""Moves of x that are given: after the answers in the corner and at the edge the position keeps a
symmetry, which nearly halves the tree below."""


class Settings(NamedTuple):
    """What a proof depends on, besides its first position."""

    leaf_ply: int = LEAF_PLY
    leaf_nodes: tuple[int, ...] = LEAF_NODES
    move_nodes: int = MOVE_NODES


class Tree(NamedTuple):
    """The proof so far, as far down as moves are known."""

    moves: dict[str, int]
    """The move of x in each canonical position inside the tree, in canonical orientation."""
    leaves: dict[str, Leaf]
    """The solved leaves, all won."""
    missing_moves: list[dict[str, Any]]
    """Jobs: positions that need a move of x."""
    missing_leaves: list[dict[str, Any]]
    """Jobs: leaves to solve."""
    failed: set[str]
    """Positions in which every try has failed."""
    parents: dict[str, list[tuple[str, int]]]
    """The positions and moves that lead to a position."""


class Proof:
    """A proof in a folder: its log, and what follows from it."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        first: Board | None = None,
        settings: Settings = Settings(),  # noqa: B008
        shard: Shard | None = None,
    ) -> None:
        self.first = Board("nineboard", full="draw") if first is None else first
        if self.first.game != "nineboard" or self.first.options != {"full": "draw"}:
            raise ValueError("expected a board of nineboard with the option full=draw")
        if self.first.is_game_over() or self.first.turn != "x" or not self.first.safe_moves():
            raise ValueError("x must be to move, and must have a move that does not lose at once")
        if core.wins_at_once(position_of(self.first)):
            raise ValueError("x wins at once: there is nothing to prove")
        self.settings = settings
        self.shard = shard
        self.conditions = conditions(TABLE_MIB)
        self.log = ProofLog(
            folder,
            {
                "first": position_of(self.first),
                **self.conditions._asdict(),
                **settings._asdict(),
            },
            None if shard is None else str(shard),
        )
        self.refuted: set[tuple[str, int]] = set()
        """Tries, (canonical position, move in it), that lead to a failed position."""
        self.given = given_moves() if self.first == Board("nineboard", full="draw") else {}

    # --- the tree --------------------------------------------------------------------------------

    def tree(self) -> Tree:
        """The current tree. Each failed position refutes the moves that lead to it first."""
        while True:
            tree = self.walk()
            above = {parent for key in tree.failed for parent in tree.parents.get(key, ())}
            if not above:
                return tree
            self.refuted |= above

    def walk(self) -> Tree:
        """Follows the first move of each position that is not refuted, ply by ply. A position is
        kept in the orientation in which it was first met: the engine's moves depend on it."""
        tree = Tree({}, {}, [], [], set(), {})
        first = position_of(self.first)
        level = {core.canonical(first)[0]: first}
        ply = self.first.ply
        while level:
            below: dict[str, str] = {}
            for key, met in level.items():
                position = self.log.seen_as.get(key, met)
                if ply >= self.settings.leaf_ply and not self._deeper(tree, key, ply):
                    continue
                move = self._choose(tree, key, position)
                if move is None:
                    continue
                for after in core.replies(position, move)[0]:
                    after_key = core.canonical(after)[0]
                    tree.parents.setdefault(after_key, []).append((key, tree.moves[key]))
                    below.setdefault(after_key, after)
            level, ply = below, ply + 2
        return tree

    def _deeper(self, tree: Tree, key: str, ply: int) -> bool:
        """Whether a leaf is too hard and becomes a position of the tree. Otherwise it is added to
        the leaves, jobs or failures of the tree."""
        leaf = self.log.leaves.get(key)
        limits = self.settings.leaf_nodes
        deepest = ply >= self.settings.leaf_ply + MOST_DEEPER
        if leaf is None:
            tree.missing_leaves.append({"leaf": key, "nodes": limits[0]})
        elif leaf.value in ("draw", "loss"):
            tree.failed.add(key)
        elif leaf.value == "win" and (deepest or leaf.nodes <= limits[0]):
            tree.leaves[key] = leaf
        elif not deepest:
            return True
        elif larger := [nodes for nodes in limits if nodes > 2 * leaf.nodes]:
            tree.missing_leaves.append({"leaf": key, "nodes": larger[0]})
        else:
            tree.failed.add(key)
        return False

    def _choose(self, tree: Tree, key: str, position: str) -> int | None:
        """The move of x in a position, which is added to the tree; None if there is none yet."""
        symmetry = core.canonical(position)[1]
        tried = self.log.moves.get(key, [])
        if position in self.given and not tried:
            tried = [self.given[position]]
        for move in tried:
            image = core.image_of_move(symmetry, move)
            if (key, image) not in self.refuted:
                tree.moves[key] = image
                return move
        untried = [move for move in self._safe_moves(position) if move not in tried]
        if untried:
            tree.missing_moves.append({"position": position, "moves": untried})
        else:
            tree.failed.add(key)
        return None

    def _safe_moves(self, position: str) -> list[int]:
        """The moves of x that neither lose at once nor let o draw at once."""
        found = []
        for move in board_of(position).legal_moves:
            try:
                core.replies(position, move.number)
            except ValueError:
                continue
            found.append(move.number)
        return found

    # --- the work --------------------------------------------------------------------------------

    def jobs(self, tree: Tree) -> list[dict[str, Any]]:
        """What to do next: moves first, then the leaves of this shard, in an order that looks
        random, so that the leaves done so far are a sample of all."""
        if tree.missing_moves:
            return tree.missing_moves
        leaves = {sha256(job["leaf"].encode()).digest(): job for job in tree.missing_leaves}
        return [
            leaves[digest]
            for digest in sorted(leaves)
            if self.shard is None or self.shard.has(int.from_bytes(digest[-4:], "big"))
        ]

    def run(
        self, jobs: list[dict[str, Any]], processes: int, cluster: str | None
    ) -> Generator[dict[str, Any], None, None]:
        """Does jobs, adds each result to the log and yields the finished job."""
        with closing(
            run_jobs(
                "ttt.proofs.nineboard:worker",
                {"move_nodes": self.settings.move_nodes, "hash": self.conditions.hash},
                jobs,
                processes=processes,
                cluster=cluster,
            )
        ) as results:
            for index, result in results:
                job = jobs[index]
                if "leaf" in job:
                    self.log.add_leaf(job["leaf"], Leaf(*result))
                else:
                    self.log.add_move(job["position"], result)
                yield job

    def certificate(self, tree: Tree) -> Certificate:
        """The certificate of a finished tree."""
        found = Certificate(position_of(self.first), self.conditions, [])
        level = [core.canonical(found.first)[0]]
        while level:
            below: set[str] = set()
            for key in sorted(level):
                leaf = tree.leaves.get(key)
                if leaf is not None:
                    found.records.append(Record(leaf.move, leaf.nodes))
                    continue
                found.records.append(Record(tree.moves[key], None))
                after = core.replies(key, tree.moves[key])[0]
                below.update(core.canonical(position)[0] for position in after)
            level = sorted(below)
        return found

    def close(self) -> None:
        self.log.close()


def given_moves() -> dict[str, int]:
    """The moves of OPENING, by position."""
    found = {}
    for moves, answer in OPENING.items():
        board = Board("nineboard", full="draw")
        board.push_moves(moves)
        found[position_of(board)] = board.parse_move(answer).number
    return found


# --- the worker ----------------------------------------------------------------------------------


def worker(settings: dict[str, Any]) -> Callable[[dict[str, Any]], Any]:
    """A function that does one job: the engine's move, or [value, nodes, move] of a leaf."""
    engine = Engine("nineboard", solver=False, full="draw")
    solver = NineboardSolver(settings["hash"], full="draw")

    def work(job: dict[str, Any]) -> Any:
        if "leaf" in job:
            return list(solve_leaf(solver, job["leaf"], job["nodes"]))
        board = board_of(job["position"])
        engine.clear()
        found = engine.search(board, nodes=settings["move_nodes"]).move
        if found is None or found.number not in job["moves"]:
            engine.clear()
            moves = [board.ruleset.moves[number] for number in job["moves"]]
            found = engine.search(board, nodes=settings["move_nodes"], moves=moves).move
            assert found is not None
        return found.number

    return work


def solve_leaf(solver: NineboardSolver, position: str, nodes: int) -> Leaf:
    """Solves a leaf with an empty table, so that its nodes are the same every time."""
    solver.clear()
    found = solver.solve(board_of(position), nodes=nodes, no_book=True)
    assert found.move is not None
    return Leaf(found.value, found.nodes, found.move.number)
