# The part of the contract that the two games on nine boards share: counts, key, numbers of moves.
#
# Needs: Rules with `nine`; State with `stones`, `key` and `board`; Move; FULL move_image popcount.


cdef inline int cells(const Rules* rules) noexcept nogil:
    return 81


# The number of different moves, which are numbered from 0.
cdef inline int move_count(const Rules* rules) noexcept nogil:
    return 81


# The empty cells of a board.
cdef inline uint16_t empty(const State* state, int board) noexcept nogil:
    return FULL & ~(state.stones[0][board] | state.stones[1][board])


# The board of a move that can be played.
cdef inline int board_of(const State* state, Move move) noexcept nogil:
    return state.board if state.board < 9 else move // 9


cdef inline int ply(const Rules* rules, const State* state) noexcept nogil:
    cdef int board, found = 0
    for board in range(9):
        found += 9 - popcount(empty(state, board))
    return found


# The Zobrist key, valid for these rules only.
cdef inline uint64_t key(const Rules* rules, const State* state) noexcept nogil:
    return state.key


# A move is its own number.
cdef inline int number(const Rules* rules, Move move) noexcept nogil:
    return move


cdef inline Move numbered(const Rules* rules, const State* state, int number) noexcept nogil:
    return number


cdef inline int symmetries(const Rules* rules) noexcept nogil:
    return 8


cdef inline int image(const Rules* rules, int symmetry, int number) noexcept nogil:
    return move_image(&rules.nine, symmetry, number)
