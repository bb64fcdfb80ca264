# Random playouts: uniformly random moves to the end of the game.
#
# Needs: Rules State Move MoveSet; moves won final_result play number; some count pick.

from ttt_core.primitives.random cimport Random, below
from ttt_core.primitives.random cimport seed as seed_random
from ttt_core.runtime.limits cimport Limits, poll

cdef enum:
    POLL_GAMES = 1024  # games between two polls


# Plays `state` to its end, writes the numbers of the moves to `played` unless that is NULL, and
# their count to `length`. Returns the result for the side to move at the start: 1, 0 or -1.
cdef inline int playout(const Rules* rules, State* state, Random* random, uint8_t* played,
                        int* length) noexcept nogil:
    cdef MoveSet options
    cdef Move move
    cdef int sign = -1
    length[0] = 0
    while not won(rules, state):
        options = moves(rules, state)
        if not some(options):
            return -sign * final_result(rules, state)
        move = pick(options, below(random, count(options)))
        if played != NULL:
            played[length[0]] = number(rules, move)
        play(rules, state, move)
        length[0] += 1
        sign = -sign
    return sign


# Counts a game; the `nodes` of these limits are games.
cdef inline void count_game(Limits* limits) noexcept nogil:
    limits.nodes += 1
    if limits.nodes >= limits.next_poll:
        poll(limits)
