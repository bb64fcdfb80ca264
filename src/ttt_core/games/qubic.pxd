"""Qubic: 4x4x4, four in a line wins, no gravity.

Cell 16 x level + 4 x row + column is a bit of a word. There are 76 lines; the eight corner and the
eight central cells lie on seven of them each, the other 48 cells on four.

The win test covers only the lines through the cell just played: eight words for each cell, padded
by repeating a line, which are tested as one vector.

The 192 symmetries (Silver 1967) are the 48 of the cube, each combined with one of four exchanges of
coordinates that keep opposite ones opposite, the same on all axes.
"""

from libc.stdint cimport uint8_t, uint64_t

from ttt_core.primitives.bits cimport contains, expect, lowest, mix, popcount
from ttt_core.primitives.cells64 cimport Move, MoveSet, replies
from ttt_core.primitives.lines cimport (
    Lines, find_lines, line_cells, line_open, line_wins, lined, permuted,
)
from ttt_core.primitives.picture cimport NO_BOARD, Picture, read_stones, show_stones

cdef enum:
    PLIES = 64
    MOVES = 64
    CANONICAL_PLIES = 5  # up to this ply symmetric positions share a table entry
    SYMMETRIES = 192

ctypedef struct Rules:
    Lines lines
    uint64_t through[64][8]
    uint8_t image[SYMMETRIES][64]   # where each symmetry sends each cell

ctypedef struct State:
    uint64_t mine                   # the stones of the side to move
    uint64_t theirs
    uint64_t won                    # whether the side that has just moved has won

ctypedef State Undo                 # 24 bytes: the child is a copy


# Lists the lines through each cell.
cdef inline void list_through(Rules* rules) noexcept nogil:
    cdef int found[64]
    cdef int direction, cell, i, first
    cdef uint64_t line
    for cell in range(64):
        found[cell] = 0
    for direction in range(rules.lines.directions):
        for first in range(64):
            if not rules.lines.start[direction] >> first & 1:
                continue
            line = 0
            for i in range(4):
                line |= <uint64_t> 1 << (first + i * rules.lines.stride[direction])
            for i in range(4):
                cell = first + i * rules.lines.stride[direction]
                rules.through[cell][found[cell]] = line
                found[cell] += 1
    for cell in range(64):
        for i in range(found[cell], 8):
            rules.through[cell][i] = rules.through[cell][0]


# Lists where each symmetry sends each cell: an exchange of coordinates (4 ways), reversed axes
# (8 ways) and the order of the axes (6 ways).
cdef inline void list_symmetries(Rules* rules) noexcept nogil:
    cdef int[4][4] exchange = [[0, 1, 2, 3], [0, 2, 1, 3], [1, 0, 3, 2], [1, 3, 0, 2]]
    cdef int[6][3] orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    cdef int symmetry, cell, axis, value, found
    for symmetry in range(SYMMETRIES):
        for cell in range(64):
            found = 0
            for axis in range(3):
                value = exchange[symmetry // 48][(cell >> 2 * axis) & 3]
                if symmetry % 8 >> axis & 1:
                    value = 3 - value
                found |= value << 2 * orders[symmetry // 8 % 6][axis]
            rules.image[symmetry][cell] = found


cdef inline const char* prepare(Rules* rules) noexcept nogil:
    find_lines(&rules.lines, 4, 4, 4, 4, 1, 4, 16)
    list_through(rules)
    list_symmetries(rules)
    return NULL


cdef inline int cells(const Rules* rules) noexcept nogil:
    return 64


# The number of different moves, which are numbered from 0.
cdef inline int move_count(const Rules* rules) noexcept nogil:
    return 64


cdef inline void start(const Rules* rules, State* state) noexcept nogil:
    state.mine = 0
    state.theirs = 0
    state.won = 0


cdef inline int ply(const Rules* rules, const State* state) noexcept nogil:
    return popcount(state.mine | state.theirs)


# A hash of the position, valid for these rules only.
cdef inline uint64_t key(const Rules* rules, const State* state) noexcept nogil:
    return mix(state.mine + mix(state.theirs + <uint64_t> 0x9E3779B97F4A7C15))


# The moves of a game that nobody has won yet.
cdef inline MoveSet moves(const Rules* rules, const State* state) noexcept nogil:
    return ~(state.mine | state.theirs)


# Whether a game that nobody has won is over because no move is left.
cdef inline bint no_moves_left(const Rules* rules, const State* state) noexcept nogil:
    return ~(state.mine | state.theirs) == 0


# Whether the side that has just moved has won.
cdef inline bint won(const Rules* rules, const State* state) noexcept nogil:
    return state.won != 0


# Whether a game without a line may be won or lost when no move is left.
cdef inline bint end_decides(const Rules* rules) noexcept nogil:
    return False


# The result for the side to move (1, 0, -1) when nobody has won and no move is left.
cdef inline int final_result(const Rules* rules, const State* state) noexcept nogil:
    return 0


# The moves that would win at once for the side to move (mine) or for the other side.
cdef inline MoveSet wins(const Rules* rules, const State* state, bint mine) noexcept nogil:
    return line_wins(&rules.lines, state.mine if mine else state.theirs) & moves(rules, state)


# The moves that win at once for the side to move.
cdef inline MoveSet immediate(const Rules* rules, const State* state) noexcept nogil:
    return wins(rules, state, True)


# The moves after which the other side cannot win at once; valid if this side cannot either.
cdef inline MoveSet safe(const Rules* rules, const State* state) noexcept nogil:
    return replies(moves(rules, state), wins(rules, state, False))


# Whether the side to move (mine) or the other side can still complete a line.
cdef inline bint winnable(const Rules* rules, const State* state, bint mine) noexcept nogil:
    cdef uint64_t others = state.theirs if mine else state.mine
    # Ten stones block at most 70 of the 76 lines.
    return popcount(others) <= 10 or line_open(&rules.lines, others)


# Plays a move and returns the resulting state; `leave` takes the move back.
cdef inline State* enter(const Rules* rules, State* state, Move move, Undo* undo) noexcept nogil:
    cdef uint64_t mover = state.mine | move
    expect(moves(rules, state) & move)
    undo.mine = state.theirs
    undo.theirs = mover
    undo.won = contains(mover, rules.through[lowest(move)])
    return undo


cdef inline void leave(const Rules* rules, State* state, Move move,
                       const Undo* undo) noexcept nogil:
    pass


cdef inline void play(const Rules* rules, State* state, Move move) noexcept nogil:
    cdef State child
    enter(rules, state, move, &child)
    state[0] = child


include "one_board.pxi"


cdef inline int number(const Rules* rules, Move move) noexcept nogil:
    return lowest(move)


cdef inline Move numbered(const Rules* rules, const State* state, int number) noexcept nogil:
    return <uint64_t> 1 << number


cdef inline int symmetries(const Rules* rules) noexcept nogil:
    return SYMMETRIES


cdef inline int image(const Rules* rules, int symmetry, int number) noexcept nogil:
    return rules.image[symmetry][number]


cdef inline void transform(const Rules* rules, int symmetry, const State* state,
                           State* found) noexcept nogil:
    found.mine = permuted(state.mine, rules.image[symmetry])
    found.theirs = permuted(state.theirs, rules.image[symmetry])
    found.won = state.won


cdef inline void describe(const Rules* rules, const State* state, Picture* picture) noexcept nogil:
    picture.ply = ply(rules, state)
    picture.board = NO_BOARD
    show_stones(picture, 64, state.mine, state.theirs,
                line_cells(&rules.lines, state.theirs) if state.won else 0)


# Sets up the position of a picture whose counts of marks are consistent; returns NULL, or why the
# position is impossible.
cdef inline const char* arrange(const Rules* rules, State* state,
                                const Picture* picture) noexcept nogil:
    state.mine = read_stones(picture, 0, 64, True)
    state.theirs = read_stones(picture, 0, 64, False)
    state.won = lined(&rules.lines, state.theirs)
    if lined(&rules.lines, state.mine):
        return "the side to move has a line already"
    return NULL
