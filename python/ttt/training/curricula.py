"""Settings of training by self-play: one Curriculum per network."""

from typing import NamedTuple

Options = tuple[tuple[str, str], ...]
"""Rule options of a game, as pairs of name and value."""


class Curriculum(NamedTuple):
    """How a network is trained by self-play."""

    name: str
    """The network, and its weights file."""
    game: str
    version: int
    """Version of the weights; a change of the features needs a new one."""
    class_rows: int
    """The first row of the board classes. Their features are rare: these rows start from zero."""
    options: tuple[Options, ...]
    """Rule options of the games; the files of games take them in turn."""
    first_evaluation: str
    """The hand-made evaluation that plays the first generation."""
    first_scale: float
    """The score, in searches with that evaluation, that stands for log-odds of 1."""
    scale: float
    """The same for the learned evaluation. Less than its own unit, because a search is surer of the
    result than the static evaluation."""
    generations: int
    """Default number of generations."""
    shards: int
    """Default number of files of games in each."""
    nodes: int
    """Default number of nodes per move."""

    def shard_options(self, shard: int) -> Options:
        """The rule options of a file of games."""
        return self.options[shard % len(self.options)]


def ultimate(name: str, tie: str) -> Curriculum:
    """The curriculum of ultimate under one rule for ties: the value of a position depends on it."""
    return Curriculum(
        name=name,
        game="ultimate",
        version=6,
        class_rows=539,
        options=(
            *[(("tie", tie), ("won", "closed"))] * 4,
            (("tie", tie), ("won", "open")),
        ),
        first_evaluation="open-lines",
        first_scale=120,
        scale=80,
        generations=20,
        shards=50,
        nodes=150,
    )


NINEBOARD = Curriculum(
    name="nineboard",
    game="nineboard",
    version=6,
    class_rows=737,
    options=(*[(("full", "any"),)] * 9, (("full", "draw"),)),
    first_evaluation="threats",
    first_scale=30,
    scale=16,
    generations=6,
    shards=60,
    nodes=250,
)
CURRICULA = {
    curriculum.name: curriculum
    for curriculum in (
        NINEBOARD,
        ultimate("ultimate", tie="draw"),
        ultimate("ultimate-boards", tie="boards"),
    )
}
