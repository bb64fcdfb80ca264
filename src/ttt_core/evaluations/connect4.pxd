"""The evaluations of Connect Four, for the side to move.

    none            0
    default         a tempo bonus of 32. Each line open to one side only counts by what it lacks:
                    10 for two, 4 for three, then half as much for each more. So does each empty
                    cell that would win, unless it lies above such a cell of the other side: on odd
                    rows (from 1 at the bottom) 67 for x and 28 for o, on even rows 11 and 43,
                    because zugzwang gives odd rows to x and even rows to o. Constants fitted by
                    `ttt train connect4`; a win is 100
    attack-block    for the player at the root, MAX. A disc of MAX counts in five directions (up,
                    left, right, both rising diagonals) 1, 3 or 7 times a weight of its cell while
                    the next one, two or three cells have no disc of MIN. A pair of MIN with a disc
                    of MAX next to an end counts 50 in each direction
"""

from libc.stdint cimport int16_t, uint64_t

from ttt_core.primitives.bits cimport popcount
from ttt_core.primitives.lines cimport Lines, list_lines
from ttt_core.primitives.scores cimport clipped
from ttt_core.games.connect4 cimport Rules, State, threats

cdef enum:
    NONE, DEFAULT, ATTACK_BLOCK, EVALUATIONS
    LEARNED_WEIGHTS = 0

cdef enum:
    TEMPO = 32
    PAIR = 10            # a line that lacks two discs
    SINGLE = 4           # one that lacks three
    X_ODD = 67           # cells that would win
    X_EVEN = 11
    O_ODD = 28
    O_EVEN = 43

ctypedef struct Weights:
    int lines
    uint64_t line[256]
    int worth[65]                  # of an open line, by its discs
    uint64_t odd_rows              # rows 1, 3, 5 from the bottom
    uint64_t plane[5][3]           # cells whose weight in a direction has bit 0, 1, 2
    int directions                 # 5, or only the first on a board of one column
    int stride[5]                  # from a cell to the next: up, left, right, up-left, up-right


# The number of lines of a direction through a cell.
cdef inline int lines_along(const Lines* lines, int stride, int cell) noexcept nogil:
    cdef int i, j, first, found = 0
    for i in range(lines.directions):
        if lines.stride[i] == stride:
            for j in range(lines.length):
                first = cell - j * stride
                if first >= 0 and lines.start[i] >> first & 1:
                    found += 1
    return found


# The worth of an open line by the discs it lacks. A line that lacks one is not counted here but as
# a cell that would win.
cdef inline int worth_of(int missing) noexcept nogil:
    return PAIR if missing == 2 else SINGLE >> min(missing - 3, 8) if missing > 2 else 0


cdef inline void prepare_weights(Weights* weights, const Rules* rules,
                                 const int16_t* learned) noexcept nogil:
    # The weight of a cell is the number of lines through it: vertical for up, horizontal for left
    # and right; for a diagonal those of the other diagonal, as in the original's tables.
    cdef int across = rules.stride
    cdef int[5] step = [1, -across, across, 1 - across, 1 + across]
    cdef int[5] axis = [1, across, across, across + 1, across - 1]
    cdef int i, cell, weight, direction
    cdef uint64_t where
    weights.lines = list_lines(&rules.lines, weights.line)
    for i in range(65):
        weights.worth[i] = worth_of(rules.connect - i) if i else 0
    weights.odd_rows = 0
    for i in range(0, rules.rows, 2):
        weights.odd_rows |= rules.bottom << i
    weights.directions = 5 if rules.columns > 1 else 1
    for direction in range(weights.directions):
        weights.stride[direction] = step[direction]
        weights.plane[direction][0] = 0
        weights.plane[direction][1] = 0
        weights.plane[direction][2] = 0
        for cell in range(rules.columns * rules.rows):
            where = <uint64_t> 1 << rules.bit[cell]
            weight = min(lines_along(&rules.lines, axis[direction], rules.bit[cell]), 7)
            for i in range(3):
                if weight >> i & 1:
                    weights.plane[direction][i] |= where


# The cells from which a step of the stride leads into the set.
cdef inline uint64_t before(uint64_t cells, int stride) noexcept nogil:
    return cells >> stride if stride > 0 else cells << -stride


cdef inline int attack_block(const Rules* rules, const Weights* weights, uint64_t max_discs,
                             uint64_t min_discs) noexcept nogil:
    cdef uint64_t free = rules.board & ~min_discs
    cdef uint64_t run, pair
    cdef int direction, steps, i, stride, found = 0
    for direction in range(weights.directions):
        stride = weights.stride[direction]
        run = max_discs
        pair = free
        for steps in range(3):
            pair = before(pair, stride)
            run &= pair
            for i in range(3):
                found += (popcount(run & weights.plane[direction][i]) << i) << steps
        pair = min_discs & before(min_discs, stride)
        pair &= before(max_discs, -stride) | before(before(max_discs, stride), stride)
        found += 50 * popcount(pair)
    return found


# The worth of the open lines on a board of stride 8 with four in a row, mine less theirs. All lines
# of a direction are counted in parallel: a line's number of discs is two bits at its first cell.
cdef inline int open_fours(const Rules* rules, uint64_t mine, uint64_t theirs) noexcept nogil:
    cdef uint64_t a, b, c, d, e, f, g, h, odd, pair, start
    cdef int i, stride, found = 0
    for i in range(rules.lines.directions):
        stride = rules.lines.stride[i]
        start = rules.lines.start[i]
        a, b, c, d = mine, mine >> stride, mine >> 2 * stride, mine >> 3 * stride
        e, f, g, h = theirs, theirs >> stride, theirs >> 2 * stride, theirs >> 3 * stride
        odd = a ^ b ^ c ^ d
        pair = (a & b) | (c & d) | ((a ^ b) & (c ^ d))
        found += open_worth(start & ~(e | f | g | h), odd, pair)
        odd = e ^ f ^ g ^ h
        pair = (e & f) | (g & h) | ((e ^ f) & (g ^ h))
        found -= open_worth(start & ~(a | b | c | d), odd, pair)
    return found


# The worth of lines; the number of a line's discs has the binary digits `pair` and `odd`.
cdef inline int open_worth(uint64_t lines, uint64_t odd, uint64_t pair) noexcept nogil:
    return SINGLE * popcount(lines & odd & ~pair) + PAIR * popcount(lines & pair & ~odd)


cdef inline int open_lines(const Weights* weights, uint64_t mine, uint64_t theirs) noexcept nogil:
    cdef int i, found = 0
    for i in range(weights.lines):
        if not weights.line[i] & theirs:
            found += weights.worth[popcount(weights.line[i] & mine)]
        elif not weights.line[i] & mine:
            found -= weights.worth[popcount(weights.line[i] & theirs)]
    return found


# In each column, the cells above the lowest of `cells`.
cdef inline uint64_t above(const Rules* rules, uint64_t cells) noexcept nogil:
    return ((cells | ((rules.board & ~cells) + rules.bottom)) & rules.board) << 1


cdef inline int evaluate(const Rules* rules, const Weights* weights, const State* state, int which,
                         bint mine_is_max) noexcept nogil:
    cdef uint64_t theirs = state.mine ^ state.discs
    cdef uint64_t mine_wins, their_wins, first_wins, second_wins
    cdef int found
    if which == NONE:
        return 0
    if which == ATTACK_BLOCK:
        if mine_is_max:
            return clipped(attack_block(rules, weights, state.mine, theirs))
        return clipped(-attack_block(rules, weights, theirs, state.mine))
    mine_wins = threats(rules, state, True)
    their_wins = threats(rules, state, False)
    first_wins = mine_wins & ~above(rules, their_wins)
    second_wins = their_wins & ~above(rules, mine_wins)
    if popcount(state.discs) & 1:
        first_wins, second_wins = second_wins, first_wins
    found = (X_ODD * popcount(first_wins & weights.odd_rows)
             + X_EVEN * popcount(first_wins & ~weights.odd_rows)
             - O_ODD * popcount(second_wins & weights.odd_rows)
             - O_EVEN * popcount(second_wins & ~weights.odd_rows))
    if popcount(state.discs) & 1:
        found = -found
    if rules.bytewise:
        found += open_fours(rules, state.mine, theirs)
    else:
        found += open_lines(weights, state.mine, theirs)
    return clipped(found + TEMPO)
