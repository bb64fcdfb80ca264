"""Connect Four on any board that fits a word: discs fall, `connect` in a row wins.

Each column is `stride` bits, lowest disc first, with at least one bit above it that stays empty:

    5 13 21 29 37 45 53      stride 8 (7x6 and every board of at most 8 columns and 7 rows):
    4 12 20 28 36 44 52      a column is a byte, and left-right mirroring swaps the bytes.
    3 11 19 27 35 43 51      Otherwise stride = rows + 1.
    2 10 18 26 34 42 50
    1  9 17 25 33 41 49      Adding `bottom` to the discs carries up each column
    0  8 16 24 32 40 48      to its first empty cell.

The spare bits also separate the columns: no run of discs crosses from one into the next.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from ttt_core.primitives.bits cimport expect, lowest, mix, popcount, swap_bytes
from ttt_core.primitives.cells64 cimport Move, MoveSet, replies
from ttt_core.primitives.lines cimport Lines, find_lines, line_cells, line_open, line_wins, lined
from ttt_core.primitives.picture cimport NO_BOARD, Picture

cdef extern from *:
    """
    /* Whether the discs contain four in a row on a board of stride 8. Testing the four directions
       in one vector makes perft 1.5 times as fast (bench/RESULTS.md). */
    static inline int ttt_four(uint64_t discs) {
    #ifdef TTT_AVX2
        __m256i pairs = _mm256_set1_epi64x((long long)discs);
        __m256i once = _mm256_setr_epi64x(1, 7, 8, 9), twice = _mm256_slli_epi64(once, 1);
        pairs = _mm256_and_si256(pairs, _mm256_srlv_epi64(pairs, once));
        pairs = _mm256_and_si256(pairs, _mm256_srlv_epi64(pairs, twice));
        return !_mm256_testz_si256(pairs, pairs);
    #else
        uint64_t upright = discs & discs >> 1, falling = discs & discs >> 7;
        uint64_t along = discs & discs >> 8, rising = discs & discs >> 9;
        return ((upright & upright >> 2) | (falling & falling >> 14)
                | (along & along >> 16) | (rising & rising >> 18)) != 0;
    #endif
    }
    """
    bint four "ttt_four"(uint64_t discs) noexcept nogil

cdef enum:
    PLIES = 63
    MOVES = 32
    CANONICAL_PLIES = 63  # up to this ply symmetric positions share a table entry

ctypedef struct Rules:
    int columns, rows, connect
    int stride
    bint bytewise        # stride 8 and connect 4: the shifts are constants
    uint64_t bottom      # the lowest cell of each column
    uint64_t board
    uint8_t bit[64]      # of each cell in reading order
    Lines lines

ctypedef struct State:
    uint64_t mine        # the discs of the side to move
    uint64_t discs       # of both sides

ctypedef State Undo      # 16 bytes: the child is a copy


# Sets the options; returns NULL, or what is wrong with them.
cdef inline const char* prepare(Rules* rules, int columns, int rows, int connect) noexcept nogil:
    cdef int column, cell
    if columns < 1 or rows < 1 or connect < 1:
        return "columns, rows and connect must be at least 1"
    if columns > 64 or rows > 64 or columns * (rows + 1) > 64:
        return "the board is too large: columns x (rows + 1) must be at most 64"
    if connect > columns and connect > rows:
        return "no line of that length fits: connect must be at most the larger of columns and rows"
    rules.columns, rules.rows, rules.connect = columns, rows, connect
    rules.stride = 8 if columns <= 8 and rows <= 7 else rows + 1
    rules.bytewise = rules.stride == 8 and connect == 4
    rules.bottom = rules.board = 0
    for column in range(columns):
        rules.bottom |= <uint64_t> 1 << (column * rules.stride)
        rules.board |= ((<uint64_t> 1 << rows) - 1) << (column * rules.stride)
    for cell in range(columns * rows):
        rules.bit[cell] = cell % columns * rules.stride + rows - 1 - cell // columns
    find_lines(&rules.lines, connect, columns, rows, 1, rules.stride, 1, 64)
    return NULL


cdef inline int cells(const Rules* rules) noexcept nogil:
    return rules.columns * rules.rows


# The number of different moves, which are numbered from 0.
cdef inline int move_count(const Rules* rules) noexcept nogil:
    return rules.columns


cdef inline void start(const Rules* rules, State* state) noexcept nogil:
    state.mine = 0
    state.discs = 0


cdef inline int ply(const Rules* rules, const State* state) noexcept nogil:
    return popcount(state.discs)


# Unique, not just a hash: discs + bottom marks the height of each column, and below it the bits of
# `mine` tell whose disc is where.
cdef inline uint64_t key(const Rules* rules, const State* state) noexcept nogil:
    return mix(state.mine + state.discs + rules.bottom)


# The moves of a game that nobody has won yet: the first empty cell of each column.
cdef inline MoveSet moves(const Rules* rules, const State* state) noexcept nogil:
    return (state.discs + rules.bottom) & rules.board


# Whether a game that nobody has won is over because no move is left.
cdef inline bint no_moves_left(const Rules* rules, const State* state) noexcept nogil:
    return state.discs == rules.board


# Whether the side that has just moved has won.
cdef inline bint won(const Rules* rules, const State* state) noexcept nogil:
    if rules.bytewise:
        return four(state.mine ^ state.discs)
    return lined(&rules.lines, state.mine ^ state.discs)


# Whether a game without a line may be won or lost when no move is left.
cdef inline bint end_decides(const Rules* rules) noexcept nogil:
    return False


# The result for the side to move (1, 0, -1) when nobody has won and no move is left.
cdef inline int final_result(const Rules* rules, const State* state) noexcept nogil:
    return 0


# The cells, playable or not, that would complete four in a row of the discs on a board of stride 8.
# May contain cells that are taken or off the board.
cdef inline uint64_t four_wins(uint64_t discs) noexcept nogil:
    cdef uint64_t pair, found = (discs << 1) & (discs << 2) & (discs << 3)
    cdef int stride
    for stride in range(7, 10):
        pair = (discs << stride) & (discs << 2 * stride)
        found |= pair & ((discs << 3 * stride) | (discs >> stride))
        pair = (discs >> stride) & (discs >> 2 * stride)
        found |= pair & ((discs >> 3 * stride) | (discs << stride))
    return found


# The empty cells, playable or not, that would win for a side.
cdef inline uint64_t threats(const Rules* rules, const State* state, bint mine) noexcept nogil:
    cdef uint64_t discs = state.mine if mine else state.mine ^ state.discs
    cdef uint64_t found = four_wins(discs) if rules.bytewise else line_wins(&rules.lines, discs)
    return found & rules.board & ~state.discs


# The moves that would win at once for the side to move (mine) or for the other side.
cdef inline MoveSet wins(const Rules* rules, const State* state, bint mine) noexcept nogil:
    return threats(rules, state, mine) & moves(rules, state)


# The moves that win at once for the side to move.
cdef inline MoveSet immediate(const Rules* rules, const State* state) noexcept nogil:
    return wins(rules, state, True)


# The moves after which the other side cannot win at once; valid if this side cannot either.
cdef inline MoveSet safe(const Rules* rules, const State* state) noexcept nogil:
    cdef uint64_t playable = moves(rules, state)
    cdef uint64_t theirs = threats(rules, state, False)
    return replies(playable, playable & theirs) & ~(theirs >> 1)


# Whether the side to move (mine) or the other side can still complete a line.
cdef inline bint winnable(const Rules* rules, const State* state, bint mine) noexcept nogil:
    cdef uint64_t blocked = state.mine ^ state.discs if mine else state.mine
    if rules.bytewise:
        return four(rules.board & ~blocked)
    return line_open(&rules.lines, blocked)


cdef inline void play(const Rules* rules, State* state, Move move) noexcept nogil:
    expect(moves(rules, state) & move)
    state.mine ^= state.discs
    state.discs |= move


# Plays a move and returns the resulting state; `leave` takes the move back.
cdef inline State* enter(const Rules* rules, State* state, Move move, Undo* undo) noexcept nogil:
    undo.mine = state.mine ^ state.discs
    undo.discs = state.discs | move
    return undo


cdef inline void leave(const Rules* rules, State* state, Move move,
                       const Undo* undo) noexcept nogil:
    pass


include "one_board.pxi"


# A move's number is its column.
cdef inline int number(const Rules* rules, Move move) noexcept nogil:
    return lowest(move) // rules.stride


# The move in a column; 0 if the column is full or does not exist.
cdef inline Move numbered(const Rules* rules, const State* state, int number) noexcept nogil:
    if number < 0 or number >= rules.columns:
        return 0
    return moves(rules, state) & (((<uint64_t> 1 << rules.rows) - 1) << (number * rules.stride))


# The identity and left-right mirroring.
cdef inline int symmetries(const Rules* rules) noexcept nogil:
    return 2 if rules.columns > 1 else 1


cdef inline int image(const Rules* rules, int symmetry, int number) noexcept nogil:
    return rules.columns - 1 - number if symmetry else number


cdef inline uint64_t mirrored(const Rules* rules, uint64_t discs) noexcept nogil:
    cdef uint64_t found = 0
    cdef int _
    if rules.stride == 8:
        return swap_bytes(discs) >> (8 * (8 - rules.columns))
    for _ in range(rules.columns):
        found = (found << rules.stride) | (discs & ((<uint64_t> 1 << rules.stride) - 1))
        discs >>= rules.stride
    return found


cdef inline void transform(const Rules* rules, int symmetry, const State* state,
                           State* found) noexcept nogil:
    found[0] = state[0]
    if symmetry:
        found.mine = mirrored(rules, state.mine)
        found.discs = mirrored(rules, state.discs)


cdef inline void describe(const Rules* rules, const State* state, Picture* picture) noexcept nogil:
    cdef uint64_t theirs = state.mine ^ state.discs
    cdef uint64_t first, line
    cdef int cell
    picture.ply = ply(rules, state)
    picture.board = NO_BOARD
    first = theirs if picture.ply & 1 else state.mine
    for cell in range(cells(rules)):  # arithmetic, so that the compiler vectorises it
        picture.marks[cell] = <char> (
            c'.' + (c'o' - c'.') * <int> (state.discs >> rules.bit[cell] & 1)
            + (c'x' - c'o') * <int> (first >> rules.bit[cell] & 1))
    memset(picture.line, 0, sizeof(picture.line))
    if won(rules, state):
        line = line_cells(&rules.lines, theirs)
        for cell in range(cells(rules)):
            picture.line[cell] = line >> rules.bit[cell] & 1


# Sets up the position of a picture whose counts of marks are consistent; returns NULL, or why the
# position is impossible.
cdef inline const char* arrange(const Rules* rules, State* state,
                                const Picture* picture) noexcept nogil:
    cdef char mover = c'o' if picture.ply & 1 else c'x'
    cdef int cell
    start(rules, state)
    for cell in range(cells(rules)):
        if picture.marks[cell] == c'.':
            continue
        state.discs |= <uint64_t> 1 << rules.bit[cell]
        if picture.marks[cell] == mover:
            state.mine |= <uint64_t> 1 << rules.bit[cell]
    # Every disc rests on the bottom or on another disc.
    if state.discs & ~((state.discs << 1) | rules.bottom):
        return "a disc floats above an empty cell"
    if lined(&rules.lines, state.mine):
        return "the side to move has a line already"
    return NULL
