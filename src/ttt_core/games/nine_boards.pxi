# The part of the contract that the two games on nine boards share: counts, key, moves and their
# numbers.
#
# Needs: Rules with `nine`; State with `stones`, `key` and `board`; Move MoveSet; choice; FULL add
# lowest move_image nothing popcount.

cdef enum:
    BOARD_CELLS = 9


cdef inline int cells(const Rules* rules) noexcept nogil:
    return 81


# The number of different moves, which are numbered from 0.
cdef inline int move_count(const Rules* rules) noexcept nogil:
    return 81


# The empty cells of a board.
cdef inline uint16_t empty(const State* state, int board) noexcept nogil:
    return FULL & ~(state.stones[0][board] | state.stones[1][board])


# The boards on which the side to move of a game that nobody has won can play.
cdef inline unsigned int boards(const Rules* rules, const State* state) noexcept nogil:
    return <unsigned int> 1 << state.board if state.board < 9 else choice(rules, state)


# The moves on one of the `boards`, as bits.
cdef inline uint64_t board_moves(const Rules* rules, const State* state,
                                 int board) noexcept nogil:
    return empty(state, board)


# The moves of a game that nobody has won yet.
cdef inline MoveSet moves(const Rules* rules, const State* state) noexcept nogil:
    cdef MoveSet found = nothing()
    cdef unsigned int rest
    if state.board < 9:
        add(&found, state.board, empty(state, state.board))
        return found
    rest = choice(rules, state)
    while rest:
        add(&found, lowest(rest), empty(state, lowest(rest)))
        rest &= rest - 1
    return found


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
