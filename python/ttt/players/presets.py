"""Players by name: levels for people, and the players of the write-ups."""

PRESETS = {
    "advanced": ("nineboard", "alphabeta:depth=4,eval=line-weights"),
    "ultimate-b": ("ultimate", "alphabeta:depth=6,eval=two-in-a-row"),
    "qubic-c": ("qubic", "alphabeta:depth=2,eval=one-ten-hundred"),
    # Depth 2 of which every position at the horizon counts 0, won or not: it sees its own win.
    "qubic-c-blind": ("qubic", "alphabeta:depth=1,eval=none"),
    "nine-d": ("nineboard", "alphabeta:depth=adaptive,eval=two-in-a-row,ties=random"),
    "connect-e": ("connect4", "alphabeta:depth=7,eval=attack-block,ties=centre"),
}
"""Each write-up's own player: its game, and what it is."""

LEVELS = (
    "random",
    "montecarlo:playouts=1",
    "montecarlo:playouts=4",
    "montecarlo:playouts=30",
    "mcts:simulations=60",
    "mcts:simulations=300",
    "mcts:simulations=1200",
    "engine:nodes=50000",
    "engine:nodes=400000",
    "engine:time=2",
)
"""For people, from level 1 to 10; bench/levels.py measures the steps."""

HUMAN = "human"
"""The name of a person at the terminal: `ttt play` alone knows it."""


def level_name(level: int) -> str:
    """The text of a level from 1 to 10."""
    if not 1 <= level <= len(LEVELS):
        raise ValueError(f"level {level}: from 1 to {len(LEVELS)}")
    return f"level-{level}"
