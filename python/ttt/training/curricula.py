"""Settings of training by self-play: one Curriculum per game."""

from typing import NamedTuple

Options = tuple[tuple[str, str], ...]
"""Rule options of a game, as pairs of name and value."""


class Curriculum(NamedTuple):
    """How the evaluation of a game is trained by self-play."""

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


CURRICULA = {
    "nineboard": Curriculum(
        game="nineboard",
        version=5,
        class_rows=737,
        options=(*[(("full", "any"),)] * 9, (("full", "draw"),)),
        first_evaluation="threats",
        first_scale=30,
        scale=16,
        generations=6,
        shards=60,
        nodes=250,
    ),
    "ultimate": Curriculum(
        game="ultimate",
        version=5,
        class_rows=539,
        options=(
            *[(("tie", "draw"), ("won", "closed"))] * 7,
            (("tie", "boards"), ("won", "closed")),
            (("tie", "draw"), ("won", "open")),
            (("tie", "boards"), ("won", "open")),
        ),
        first_evaluation="open-lines",
        first_scale=120,
        scale=80,
        generations=8,
        shards=100,
        nodes=150,
    ),
}
