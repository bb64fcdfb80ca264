"""Learns the evaluation of ultimate from games of the engine with itself: `make train-ultimate`.

`learning.py` says how; src/ttt_core/evaluations/ultimate_model.pxd what the weights mean. They go
to src/ttt_core/evaluations/ultimate_weights.pxd, which `make build` takes in.

    bench/train_ultimate.py --match 4 1    the fourth generation against the first, in Elo
"""

from learning import Course, train

COURSE = Course(
    game="ultimate",
    version=5,
    rare=539,  # the classes
    options=(
        *[(("tie", "draw"), ("won", "closed"))] * 7,
        (("tie", "boards"), ("won", "closed")),
        (("tie", "draw"), ("won", "open")),
        (("tie", "boards"), ("won", "open")),
    ),
    hand="open-lines",
    hand_odds=120,
    odds=80,
)

if __name__ == "__main__":
    assert __doc__ is not None
    train(COURSE, __doc__, generations=8, shards=100, nodes=150)
