# Flat Monte Carlo: random games after every move, and the move whose games went best.
#
# Needs: Rules State Move MOVES; play; playout.pxi and interrupted of perft.pxi.

from ttt_core.runtime.clock cimport seconds
from ttt_core.runtime.atomics cimport load_flag

cdef enum:
    SAMPLE_POLL = 64           # random games between two looks at the clock
    SAMPLE_SIGNAL_POLL = 20    # milliseconds between two looks for Ctrl-C

ctypedef struct Sampling:
    const Rules* rules
    Random random
    uint64_t games             # random games played
    uint64_t limit             # stop after so many
    double deadline            # on the clock of `seconds`; 0: none
    double signal_time
    const int* stop            # set from outside
    bint stopped
    bint interrupted           # stopped by a signal, whose exception is set

ctypedef struct Sample:
    Move move
    uint64_t games
    int64_t total              # results for the side to move at the root: 1, 0, -1 each


# Counts a game and looks at the limits; the work ends when `stopped`.
cdef inline void count_game(Sampling* sampling) noexcept nogil:
    cdef double now
    sampling.games += 1
    if sampling.games >= sampling.limit:
        sampling.stopped = True
    elif sampling.games % SAMPLE_POLL == 0:
        now = seconds()
        if load_flag(sampling.stop) or (sampling.deadline and now >= sampling.deadline):
            sampling.stopped = True
        if now >= sampling.signal_time:
            sampling.signal_time = now + SAMPLE_SIGNAL_POLL / 1000.0
            if interrupted():
                sampling.stopped = sampling.interrupted = True


# Plays random games after each move in turn until a limit is reached.
cdef void sample_moves(Sampling* sampling, const State* root, Sample* samples,
                       int total) noexcept nogil:
    cdef State state
    cdef int i = 0, length
    while not sampling.stopped:
        state = root[0]
        play(sampling.rules, &state, samples[i].move)
        samples[i].total -= playout(sampling.rules, &state, &sampling.random, NULL, &length)
        samples[i].games += 1
        count_game(sampling)
        i = i + 1 if i + 1 < total else 0
