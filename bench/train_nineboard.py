"""Learns the evaluation of nine-board from games of the engine with itself: `make train-nineboard`.

`learning.py` says how; src/ttt_core/evaluations/nineboard_model.pxd what the weights mean. They go
to src/ttt_core/evaluations/nineboard_weights.pxd, which `make build` takes in.

    bench/train_nineboard.py --match 4 0    the fourth generation against `threats` (0), in Elo
"""

from learning import Course, train

COURSE = Course(
    game="nineboard",
    version=5,
    rare=737,  # the classes
    options=(*[(("full", "any"),)] * 9, (("full", "draw"),)),
    hand="threats",
    hand_odds=30,
    odds=16,
)

if __name__ == "__main__":
    assert __doc__ is not None
    train(COURSE, __doc__, generations=6, shards=60, nodes=250)
