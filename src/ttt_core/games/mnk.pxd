"""m,n,k: a board of m columns and n rows, k in a row wins; (3, 3, 3) is tic-tac-toe.

Cell row x m + column is a bit of a word, row 0 on top:

    0 1 2      After each move the whole board is tested for a line: with a table of all
    3 4 5      sets of stones on boards of at most nine cells, else by shifts.
    6 7 8
"""

from libc.stdint cimport uint8_t, uint64_t

from ttt_core.primitives.bits cimport expect, likely, lowest, mix, popcount
from ttt_core.primitives.cells64 cimport Move, MoveSet, replies
from ttt_core.primitives.lines cimport (
    Lines, LineTable, find_lines, grid_image, line_cells, line_open, line_wins, lined, permuted,
    table_lined, tabulate,
)
from ttt_core.primitives.picture cimport NO_BOARD, Picture, read_stones, show_stones

cdef enum:
    PLIES = 64  # of the longest game
    MOVES = 64  # the greatest number of moves
    CANONICAL_PLIES = 12  # up to this ply symmetric positions share a table entry

ctypedef struct Rules:
    int m, n, k
    int cells
    int symmetries
    uint64_t board
    Lines lines
    LineTable table          # filled if cells <= 9
    uint8_t image[8][64]     # where each symmetry sends each cell

ctypedef struct State:
    uint64_t mine            # the stones of the side to move
    uint64_t theirs

ctypedef State Undo          # 16 bytes: the child is a copy


# Sets the options; returns NULL, or what is wrong with them.
cdef inline const char* prepare(Rules* rules, int m, int n, int k) noexcept nogil:
    cdef int symmetry, cell, other, same
    if m < 1 or n < 1 or k < 1:
        return "m, n and k must be at least 1"
    if m > 64 or n > 64 or m * n > 64:
        return "the board is too large: m x n must be at most 64"
    if k > m and k > n:
        return "no line of k fits on the board: k must be at most the larger of m and n"
    rules.m, rules.n, rules.k = m, n, k
    rules.cells = m * n
    rules.board = ~(<uint64_t> 0) >> (64 - m * n)
    find_lines(&rules.lines, k, m, n, 1, 1, m, 64)
    if rules.cells <= 9:
        tabulate(&rules.table, &rules.lines)
    rules.symmetries = 0
    for symmetry in range(8 if m == n else 4):
        for cell in range(rules.cells):
            rules.image[rules.symmetries][cell] = grid_image(m, n, symmetry, cell)
        # On a board of one row or column some symmetries coincide: keep one of each.
        same = 0
        for other in range(rules.symmetries):
            same = 1
            for cell in range(rules.cells):
                if rules.image[other][cell] != rules.image[rules.symmetries][cell]:
                    same = 0
                    break
            if same:
                break
        if not same:
            rules.symmetries += 1
    return NULL


cdef inline int cells(const Rules* rules) noexcept nogil:
    return rules.cells


# The number of different moves, which are numbered from 0.
cdef inline int move_count(const Rules* rules) noexcept nogil:
    return rules.cells


cdef inline void start(const Rules* rules, State* state) noexcept nogil:
    state.mine = 0
    state.theirs = 0


cdef inline int ply(const Rules* rules, const State* state) noexcept nogil:
    return popcount(state.mine | state.theirs)


# A hash of the position, valid for these rules only.
cdef inline uint64_t key(const Rules* rules, const State* state) noexcept nogil:
    return mix(state.mine + mix(state.theirs + <uint64_t> 0x9E3779B97F4A7C15))


# The moves of a game that nobody has won yet.
cdef inline MoveSet moves(const Rules* rules, const State* state) noexcept nogil:
    return rules.board & ~(state.mine | state.theirs)


# Whether a game that nobody has won is over because no move is left.
cdef inline bint no_moves_left(const Rules* rules, const State* state) noexcept nogil:
    return (state.mine | state.theirs) == rules.board


# Whether the side that has just moved has won.
cdef inline bint won(const Rules* rules, const State* state) noexcept nogil:
    if likely(rules.cells <= 9):
        return table_lined(&rules.table, state.theirs)
    return lined(&rules.lines, state.theirs)


# Whether a game without a line may be won or lost when no move is left.
cdef inline bint end_decides(const Rules* rules) noexcept nogil:
    return False


# The result for the side to move (1, 0, -1) when nobody has won and no move is left.
cdef inline int final_result(const Rules* rules, const State* state) noexcept nogil:
    return 0


# The moves that would win at once for the side to move (mine) or for the other side.
cdef inline MoveSet wins(const Rules* rules, const State* state, bint mine) noexcept nogil:
    cdef uint64_t stones = state.mine if mine else state.theirs
    if rules.cells <= 9:
        return rules.table.wins[stones] & moves(rules, state)
    return line_wins(&rules.lines, stones) & moves(rules, state)


# The moves that win at once for the side to move.
cdef inline MoveSet immediate(const Rules* rules, const State* state) noexcept nogil:
    return wins(rules, state, True)


# The moves after which the other side cannot win at once; valid if this side cannot either.
cdef inline MoveSet safe(const Rules* rules, const State* state) noexcept nogil:
    return replies(moves(rules, state), wins(rules, state, False))


# Whether the side to move (mine) or the other side can still complete a line.
cdef inline bint winnable(const Rules* rules, const State* state, bint mine) noexcept nogil:
    return line_open(&rules.lines, state.theirs if mine else state.mine)


cdef inline void play(const Rules* rules, State* state, Move move) noexcept nogil:
    cdef uint64_t mover = state.mine | move
    expect(moves(rules, state) & move)
    state.mine = state.theirs
    state.theirs = mover


# Plays a move and returns the resulting state; `leave` takes the move back.
cdef inline State* enter(const Rules* rules, State* state, Move move, Undo* undo) noexcept nogil:
    undo.mine = state.theirs
    undo.theirs = state.mine | move
    return undo


cdef inline void leave(const Rules* rules, State* state, Move move,
                       const Undo* undo) noexcept nogil:
    pass


include "one_board.pxi"


cdef inline int number(const Rules* rules, Move move) noexcept nogil:
    return lowest(move)


cdef inline Move numbered(const Rules* rules, const State* state, int number) noexcept nogil:
    return <uint64_t> 1 << number


cdef inline int symmetries(const Rules* rules) noexcept nogil:
    return rules.symmetries


cdef inline int image(const Rules* rules, int symmetry, int number) noexcept nogil:
    return rules.image[symmetry][number]


cdef inline void transform(const Rules* rules, int symmetry, const State* state,
                           State* found) noexcept nogil:
    found.mine = permuted(state.mine, rules.image[symmetry])
    found.theirs = permuted(state.theirs, rules.image[symmetry])


cdef inline void describe(const Rules* rules, const State* state, Picture* picture) noexcept nogil:
    picture.ply = ply(rules, state)
    picture.board = NO_BOARD
    show_stones(picture, rules.cells, state.mine, state.theirs,
                line_cells(&rules.lines, state.theirs) if won(rules, state) else 0)


# Sets up the position of a picture whose counts of marks are consistent; returns NULL, or why the
# position is impossible.
cdef inline const char* arrange(const Rules* rules, State* state,
                                const Picture* picture) noexcept nogil:
    state.mine = read_stones(picture, 0, rules.cells, True)
    state.theirs = read_stones(picture, 0, rules.cells, False)
    if lined(&rules.lines, state.mine):
        return "the side to move has a line already"
    return NULL
