"""Named settings of the built-in players: levels for people, and the players of the write-ups."""

from ttt.limits import check_whole

PRESETS = {
    "advanced": ("nineboard", "alphabeta:depth=4,eval=line-weights"),
    "ultimate-b": ("ultimate", "alphabeta:depth=6,eval=two-in-a-row"),
    "qubic-c": ("qubic", "alphabeta:depth=2,eval=one-ten-hundred"),
    # Depth 1: without an evaluation, the second ply of the write-up's depth 2 changes nothing.
    "qubic-c-blind": ("qubic", "alphabeta:depth=1,eval=none"),
    "nine-d": ("nineboard", "alphabeta:depth=adaptive,eval=two-in-a-row,ties=random"),
    "connect-e": ("connect4", "alphabeta:depth=7,eval=attack-block,ties=centre"),
}
"""The players of the write-ups: the game and the player text of each."""

LEVELS = (
    "random",
    "montecarlo:playouts=1",
    "montecarlo:playouts=3",
    "montecarlo:playouts=8",
    "montecarlo:playouts=20",
    "mcts:simulations=500",
    "mcts:simulations=4000",
    "engine:nodes=50000",
    "engine:nodes=400000",
    "engine:nodes=3000000",
)
"""Opponents for people, level 1 first; bench/levels.py checks that each beats the previous one,
bench/grades.py that its moves are better. None has a time limit, so that a level plays alike on
every machine; level 10 takes a second at most on a desktop. Flat Monte Carlo plays so many games
for every move; tree search, which shares its games, needs several hundred to be better on a wide
board."""

HUMAN = "human"
"""The name of a person at the terminal; only `ttt play` accepts it."""

PROGRAM = "program"
"""The name of an external program; `ttt.protocols.program` describes its text."""


def level_name(level: int) -> str:
    """The player text of a level, from 1."""
    check_whole("level", level, len(LEVELS))
    return f"level-{level}"
