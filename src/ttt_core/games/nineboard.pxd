"""Nine-board tic-tac-toe: a mark in cell i sends the opponent to board i; a line anywhere wins.

A move is 9 x board + cell, both in reading order. Each side's stones on a board are nine bits:

    stones[side][board]        side 0 is x
    threats(state, side)       the boards on which the side completes a line in one move,
                               updated by each move: sending the side there loses

A state is large, so moves are made and taken back in place. Intermediate values stay in registers:
reading back what has just been written would be the main cost of a move (bench/search.py).
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from ttt_core.primitives.bits cimport expect, lowest, popcount
from ttt_core.primitives.cells81 cimport Move, MoveSet, add, nothing
from ttt_core.primitives.lines cimport LineTable, table_lined
from ttt_core.primitives.nine cimport (
    FULL, Nine, move_image, points_into, points_to, prepare_nine, show_lines, show_nine,
    stones_image, stones_key,
)
from ttt_core.primitives.picture cimport ANY_BOARD, NO_BOARD, Picture, read_stones

cdef enum:
    PLIES = 81
    MOVES = 81
    CANONICAL_PLIES = 3  # up to this ply symmetric positions share a table entry

ctypedef struct Rules:
    Nine nine
    bint full_draws            # a move to a full board draws; otherwise it frees the opponent

ctypedef struct State:
    uint16_t stones[2][9]
    uint64_t key               # Zobrist key
    uint32_t threats           # of x in the low half, of o in the high half
    uint16_t full              # the boards without an empty cell
    uint8_t board              # the board in force, or ANY_BOARD
    uint8_t side               # to move
    uint8_t won                # the side that has just moved has won
    uint8_t drawn

ctypedef struct Undo:          # what a move changes, apart from `won` and `drawn`
    uint64_t key
    uint32_t threats
    uint16_t full
    uint16_t stones            # of the mover on the board of the move
    uint8_t board


# The boards to choose from when any may be played on.
cdef inline unsigned int choice(const Rules* rules, const State* state) noexcept nogil:
    return 0 if state.drawn else FULL & ~state.full


include "nine_boards.pxi"


cdef inline const char* prepare(Rules* rules, bint full_draws) noexcept nogil:
    prepare_nine(&rules.nine)
    rules.full_draws = full_draws
    return NULL


cdef inline void start(const Rules* rules, State* state) noexcept nogil:
    cdef int board
    for board in range(9):
        state.stones[0][board] = 0
        state.stones[1][board] = 0
    state.key = rules.nine.board_key[ANY_BOARD]
    state.threats = 0
    state.full = 0
    state.board = ANY_BOARD
    state.side = 0
    state.won = 0
    state.drawn = 0


# The boards on which a side completes a line in one move.
cdef inline unsigned int threats(const State* state, int side) noexcept nogil:
    return state.threats >> (16 * side) & FULL


# Whether a game that nobody has won is over because no move is left.
cdef inline bint no_moves_left(const Rules* rules, const State* state) noexcept nogil:
    return state.drawn


# Whether the side that has just moved has won.
cdef inline bint won(const Rules* rules, const State* state) noexcept nogil:
    return state.won


# Whether a game without a line may be won or lost when no move is left.
cdef inline bint end_decides(const Rules* rules) noexcept nogil:
    return False


# The result for the side to move (1, 0, -1) when nobody has won and no move is left.
cdef inline int final_result(const Rules* rules, const State* state) noexcept nogil:
    return 0


# The moves, on any board, that would win at once for the side to move (mine) or the other side.
cdef inline MoveSet wins(const Rules* rules, const State* state, bint mine) noexcept nogil:
    cdef MoveSet found = nothing()
    cdef int board, side = state.side if mine else 1 - state.side
    cdef unsigned int boards = threats(state, side)
    while boards:
        board = lowest(boards)
        boards &= boards - 1
        add(&found, board, rules.nine.table.wins[state.stones[side][board]] & empty(state, board))
    return found


# The cells of a board in which a move leaves the other side no win in one.
cdef inline uint64_t safe_cells(const Rules* rules, const State* state, int board) noexcept nogil:
    cdef int other = 1 - state.side
    cdef unsigned int against = threats(state, other)
    cdef uint64_t vacant = empty(state, board)
    cdef uint64_t danger = rules.nine.table.wins[state.stones[other][board]] & vacant
    cdef uint64_t here = <uint64_t> 1 << board
    cdef uint64_t full = state.full
    # A move to another board is safe if there is no threat on it, a move to this one if it blocks
    # all threats here.
    cdef uint64_t found = vacant & ~against & ~here & ~full
    if vacant & here:
        if vacant == here:
            full |= here
        elif not danger & ~here:
            found |= here
    # A move to a full board draws, or is safe if no threat is left on any board.
    full &= vacant
    if rules.full_draws or not (against & ~here or danger):
        found |= full
    elif not against & ~here and not danger & (danger - 1):
        found |= full & danger
    return found


# The moves that win at once for the side to move, on the board in force.
cdef inline MoveSet immediate(const Rules* rules, const State* state) noexcept nogil:
    cdef MoveSet found = nothing()
    cdef int board = state.board, side = state.side
    if board == ANY_BOARD:
        return wins(rules, state, True)
    if threats(state, side) >> board & 1:
        add(&found, board, rules.nine.table.wins[state.stones[side][board]] & empty(state, board))
    return found


# The moves after which the other side cannot win at once; valid if this side cannot either.
cdef inline MoveSet safe(const Rules* rules, const State* state) noexcept nogil:
    cdef MoveSet found = nothing()
    cdef int board
    if state.board < 9:
        add(&found, state.board, safe_cells(rules, state, state.board))
    elif not state.drawn:
        for board in range(9):
            add(&found, board, safe_cells(rules, state, board))
    return found


# Whether the side to move (mine) or the other side can still complete a line.
cdef inline bint winnable(const Rules* rules, const State* state, bint mine) noexcept nogil:
    cdef const uint16_t* blocked = state.stones[1 - state.side if mine else state.side]
    cdef int board
    for board in range(9):
        if table_lined(&rules.nine.table, FULL & ~blocked[board]):
            return True
    return False


# Updates who completes a line in one move on a board where `side` has the stones `mine`, the other
# side `theirs`, and the cells `vacant` are empty.
cdef inline void update_threats(const Rules* rules, State* state, int board, int side,
                                unsigned int mine, unsigned int theirs,
                                unsigned int vacant) noexcept nogil:
    cdef const LineTable* table = &rules.nine.table
    cdef uint32_t found = (<uint32_t> ((table.wins[mine] & vacant) != 0) << (16 * side)
                           | <uint32_t> ((table.wins[theirs] & vacant) != 0) << (16 - 16 * side))
    state.threats = state.threats & ~(<uint32_t> 0x10001 << board) | found << board


# Adds a stone of the side to move, see `put`.
cdef inline void place(const Rules* rules, State* state, int board, int cell, unsigned int stone,
                       bint tracked) noexcept nogil:
    cdef int side = state.side, target = cell
    cdef unsigned int mine = state.stones[side][board] | stone
    cdef unsigned int theirs = state.stones[1 - side][board]
    cdef unsigned int vacant = FULL & ~(mine | theirs)
    expect(empty(state, board) >> cell & 1 or not (stone or tracked))
    state.stones[side][board] = mine
    state.full |= (vacant == 0) << board
    state.won = table_lined(&rules.nine.table, mine)
    if tracked:
        update_threats(rules, state, board, side, mine, theirs, vacant)
    if state.won:
        target = ANY_BOARD
    elif state.full >> cell & 1:
        target = ANY_BOARD
        state.drawn = rules.full_draws or state.full == FULL
    if tracked:
        state.key ^= (rules.nine.stone_key[side][9 * board + cell]
                      ^ rules.nine.board_key[state.board] ^ rules.nine.board_key[target])
    state.board = target
    state.side = side ^ 1


cdef inline void play(const Rules* rules, State* state, Move move) noexcept nogil:
    cdef int board = board_of(state, move), cell = move - 9 * board
    place(rules, state, board, cell, <unsigned int> 1 << cell, True)


# The key of the position after a move that does not win.
cdef inline uint64_t key_after(const Rules* rules, const State* state, Move move) noexcept nogil:
    cdef int board = board_of(state, move), target = move - 9 * board
    cdef unsigned int vacant = empty(state, board) ^ 1 << target
    if state.full >> target & 1 or (target == board and not vacant):
        target = ANY_BOARD
    return (state.key ^ rules.nine.stone_key[state.side][move]
            ^ rules.nine.board_key[state.board] ^ rules.nine.board_key[target])


# Makes a move: adds `stone`, the bit of `cell`, for the side to move. `unput` takes it back. What
# only searches read (threats and key) is left as it was unless `tracked`, a literal. Without it
# `stone` may also be 0: then no stone is added, so that nobody wins by it.
cdef inline State* put(const Rules* rules, State* state, int board, int cell, uint64_t stone,
                       Undo* undo, bint tracked) noexcept nogil:
    undo.key = state.key
    undo.threats = state.threats
    undo.full = state.full
    undo.board = state.board
    undo.stones = state.stones[state.side][board]
    place(rules, state, board, cell, <unsigned int> stone, tracked)
    return state


cdef inline void unput(const Rules* rules, State* state, int board, const Undo* undo,
                       bint tracked) noexcept nogil:
    if tracked:
        state.key = undo.key
        state.threats = undo.threats
    state.full = undo.full
    state.board = undo.board
    state.side ^= 1
    state.won = state.drawn = 0
    state.stones[state.side][board] = undo.stones


# Plays a move and returns the resulting state; `leave` takes the move back.
cdef inline State* enter(const Rules* rules, State* state, Move move, Undo* undo) noexcept nogil:
    cdef int board = board_of(state, move), cell = move - 9 * board
    return put(rules, state, board, cell, <uint64_t> 1 << cell, undo, True)


cdef inline void leave(const Rules* rules, State* state, Move move,
                       const Undo* undo) noexcept nogil:
    state.board = undo.board
    unput(rules, state, board_of(state, move), undo, True)


# The Zobrist key computed from scratch; `play` updates it incrementally.
cdef inline uint64_t whole_key(const Rules* rules, const State* state) noexcept nogil:
    return (rules.nine.board_key[state.board]
            ^ stones_key(&rules.nine, state.stones[0], state.stones[1]))


cdef inline void transform(const Rules* rules, int symmetry, const State* state,
                           State* found) noexcept nogil:
    cdef const uint16_t* sets = rules.nine.image[symmetry]
    cdef int side
    found[0] = state[0]
    for side in range(2):
        stones_image(&rules.nine, symmetry, state.stones[side], found.stones[side])
    found.threats = sets[threats(state, 0)] | <uint32_t> sets[threats(state, 1)] << 16
    found.full = sets[state.full]
    if state.board < 9:
        found.board = rules.nine.cell_image[symmetry][state.board]
    found.key = whole_key(rules, found)


cdef inline void describe(const Rules* rules, const State* state, Picture* picture) noexcept nogil:
    picture.ply = ply(rules, state)
    picture.board = NO_BOARD if state.won or state.drawn else state.board
    show_nine(picture, state.stones[0], state.stones[1])
    show_lines(&rules.nine, picture, state.stones[1 - state.side],
               FULL if state.won else 0)


# Sets up the position of a picture whose counts of marks are consistent; returns NULL, or why the
# position is impossible.
cdef inline const char* arrange(const Rules* rules, State* state,
                                const Picture* picture) noexcept nogil:
    cdef int board, mover = picture.ply & 1
    cdef const uint16_t* theirs = state.stones[1 - mover]
    start(rules, state)
    state.side = mover
    for board in range(9):
        state.stones[mover][board] = <uint16_t> read_stones(picture, 9 * board, 9, True)
        state.stones[1 - mover][board] = <uint16_t> read_stones(picture, 9 * board, 9, False)
        state.full |= (empty(state, board) == 0) << board
        update_threats(rules, state, board, mover, state.stones[mover][board], theirs[board],
                       empty(state, board))
        state.won |= table_lined(&rules.nine.table, state.stones[1 - mover][board])
        if table_lined(&rules.nine.table, state.stones[mover][board]):
            return "the side to move has a line already"
    if picture.board < 9:
        state.board = picture.board
        if state.won:
            return "the game is over: no board is in force (-)"
        if state.full >> picture.board & 1:
            return "the board in force has no empty cell"
        if not points_to(theirs, picture.board):
            return "no mark of the side that has just moved points to the board in force"
    elif picture.board == ANY_BOARD:
        if state.won or state.full == FULL:
            return "the game is over: no board is in force (-)"
        if picture.ply and (rules.full_draws or not points_into(theirs, state.full)):
            return "a board is in force (1-9): the last move did not free the choice"
    elif picture.board == NO_BOARD and not state.won:
        state.drawn = 1
        if state.full != FULL and not (
                rules.full_draws and points_into(theirs, state.full)):
            return "the game is not over: a board is in force (1-9, or * for any)"
    state.key = whole_key(rules, state)
    return NULL
