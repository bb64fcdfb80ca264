# For games whose evaluation has nothing to reuse between similar positions.
#
# Needs: Rules State Weights evaluate.

ctypedef struct Accumulator:
    char unused


cdef inline int evaluate_near(const Rules* rules, const Weights* weights, const State* state,
                              int which, bint mine_is_max, Accumulator* near) noexcept nogil:
    return evaluate(rules, weights, state, which, mine_is_max)
