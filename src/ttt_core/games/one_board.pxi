# The part of the contract that games on one board share: it is board 0, and a move is its bit.
#
# Needs: Rules State Undo MoveSet; moves enter leave.

cdef enum:
    BOARD_CELLS = 64


# The boards on which the side to move of a game that nobody has won can play, as bits.
cdef inline unsigned int boards(const Rules* rules, const State* state) noexcept nogil:
    return 1


# The moves on one of the `boards`, as bits.
cdef inline uint64_t board_moves(const Rules* rules, const State* state,
                                 int board) noexcept nogil:
    return moves(rules, state)


# Makes a move of `board_moves`: `cell` is its place, `stone` its bit. `unput` takes it back.
cdef inline State* put(const Rules* rules, State* state, int board, int cell, uint64_t stone,
                       Undo* undo, bint tracked) noexcept nogil:
    return enter(rules, state, stone, undo)


cdef inline void unput(const Rules* rules, State* state, int board, const Undo* undo,
                       bint tracked) noexcept nogil:
    pass
