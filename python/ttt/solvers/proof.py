"""Winning strategies of Qubic: found by proof search, and checked against all replies."""

from functools import partial
from typing import Any

from ttt.board import Board
from ttt.limits import Budget, Limit, as_limit
from ttt.solvers.qubic import FEW, QubicSolver, stones
from ttt.solvers.strategy import BadStrategy, Strategy
from ttt_core.solvers.qubic import solver as core

OTHER = {"x": "o", "o": "x"}


def prove_win(
    board: Board,
    hash: int = 128,
    threads: int = 1,
    limit: Limit | None = None,
    *,
    nodes: int | None = None,
    time: float | None = None,
    on_info: Any = None,
) -> tuple[Strategy, dict[str, Any]]:
    """A winning strategy found by proof search, and the counters of the search: for the side to
    move, or for the other side if the first cannot win. Raises ValueError if no win is proven.
    `on_info` gets the counters of the running search and its "attacker"."""
    if board.game != "qubic":
        raise ValueError(f"expected a board of qubic, not of {board.game}")
    budget = Budget(as_limit(limit, nodes=nodes, time=time))
    if board.is_game_over():
        raise ValueError("the game is over")
    board = board.copy()
    found = QubicSolver(hash, threads)
    solver = found.core
    lost = found.solve(board, nodes=1).value == "loss"
    tried = []
    for attacking in (False,) if lost else (True, False):
        mine, theirs = stones(board) if attacking else stones(board)[::-1]
        winner = board.turn if attacking else OTHER[board.turn]
        tried.append(winner)
        inform = None if on_info is None else partial(name_attacker, on_info, winner)
        record: Any = {"expansions": 0, "positions": 0, "threat_nodes": 0, "seconds": 0.0}
        moves: dict[tuple[int, int], tuple[int, int]] = {}
        if not attacking or solver.threats(mine, theirs)[0] is None:
            record = solver.prove(
                mine, theirs, attacking, *FEW, budget.nodes_left, budget.seconds_left, inform
            )
            budget.nodes += record["threat_nodes"]
            if record["disproof"] == 0:
                continue
            if record["proof"] != 0:
                break
            moves = core.extract_strategy(solver, mine, theirs, *FEW, attacking)
        record["seconds"] = budget.seconds
        return Strategy.build(winner, (mine, theirs), moves), record
    within = " within the limits" if budget.limit else ""
    raise ValueError(f"no win for {' or '.join(tried)} was proven{within}")


def name_attacker(on_info: Any, attacker: str, record: dict[str, Any]) -> None:
    on_info({**record, "attacker": attacker})


def first_board(strategy: Strategy) -> Board:
    """The first position of a strategy; raises BadNotation if it is impossible."""
    x, o = strategy.root if strategy.winner == "x" else strategy.root[::-1]
    marks = ["x" if x >> i & 1 else "o" if o >> i & 1 else "." for i in range(64)]
    rows = "/".join("".join(marks[i : i + 16]) for i in range(0, 64, 16))
    if x & o:
        raise BadStrategy("the first position has two stones on one cell")
    return Board.parse(f"qubic {rows} {'x' if x.bit_count() == o.bit_count() else 'o'}")


def verify_strategy(strategy: Strategy, hash: int = 128) -> None:
    """Plays a strategy against all replies; raises BadStrategy if it does not always win."""
    mine, theirs = strategy.root
    start = first_board(strategy)
    if start.is_game_over():
        raise BadStrategy("the game is over in the first position of the strategy")
    attacking = start.turn == strategy.winner
    solver = QubicSolver(hash).core
    fault = core.verify_strategy(solver, mine, theirs, strategy.moves(), attacking)
    if fault is not None:
        position, reason = fault
        winner, other = (f"{word:016x}" for word in position)
        raise BadStrategy(f"{reason}: stones {winner} against {other}")


def longest(strategy: Strategy) -> int:
    """The plies of the longest game that a strategy allows."""
    mine, theirs = strategy.root
    attacking = first_board(strategy).turn == strategy.winner
    starts = (
        [theirs]
        if attacking
        else [theirs | 1 << i for i in range(64) if not (mine | theirs) >> i & 1]
    )
    solver = QubicSolver(hash=8).core
    plies = max((plies for _, plies in strategy.moves().values()), default=0)
    for start in starts if not plies else ():  # won by threats, which have no entries
        plies = max(plies, len(solver.threats(mine, start)[0] or ()))
    return plies + (not attacking)
