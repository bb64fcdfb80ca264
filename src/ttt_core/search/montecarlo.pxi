# Flat Monte Carlo: random games after every move; the move with the best mean result is best.
#
# Needs: Rules State Move MOVES; play; playout.pxi.

from ttt_core.runtime.limits cimport Limits

cdef enum:
    SAMPLE_POLL = 64           # games between two polls

ctypedef struct Sampling:
    const Rules* rules
    Random random
    Limits limits              # its `nodes` are games

ctypedef struct Sample:
    Move move
    uint64_t games
    int64_t total              # of the results (1, 0 or -1) for the side to move at the root


# Plays random games, one after each move, round-robin, until a limit is reached.
cdef void sample_moves(Sampling* sampling, const State* root, Sample* samples,
                       int total) noexcept nogil:
    cdef State state
    cdef int i = 0, length
    while not sampling.limits.stopped:
        state = root[0]
        play(sampling.rules, &state, samples[i].move)
        samples[i].total -= playout(sampling.rules, &state, &sampling.random, NULL, &length)
        samples[i].games += 1
        count_game(&sampling.limits)
        i = i + 1 if i + 1 < total else 0
