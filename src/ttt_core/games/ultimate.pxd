"""Ultimate tic-tac-toe: a mark in cell i sends the opponent to board i; three BOARDS in a row win.

A move is 9 x board + cell, both in reading order. Each side's stones on a board are nine bits, and
so are the boards it owns:

    stones[side][board]        side 0 is x
    owned(state, side)         the boards on which the side was first to complete a line
    closed(state)              the boards on which nobody can play: full ones, and (unless won
                               boards stay open) owned ones
    threats(state, side)       the boards nobody owns on which the side completes a line in one move
    alive(state, side)         the boards nobody owns on which it still has a line to complete

A state is large, so moves are made and taken back in place. Intermediate values stay in registers:
reading back what has just been written would be the main cost of a move (bench/search.py). This is
why the seven sets of boards share one word.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t

from ttt_core.primitives.bits cimport expect, lowest, popcount
from ttt_core.primitives.cells81 cimport Move, MoveSet, add, nothing
from ttt_core.primitives.lines cimport LineTable, line_cells, table_lined
from ttt_core.primitives.nine cimport (
    FULL, Nine, lined_at_once, move_image, points_into, points_to, prepare_nine, show_lines,
    show_nine, stones_image, stones_key,
)
from ttt_core.primitives.picture cimport ANY_BOARD, NO_BOARD, UNKNOWN_BOARD, Picture, read_stones

cdef enum:
    PLIES = 81
    MOVES = 81
    CANONICAL_PLIES = 3  # up to this ply symmetric positions share a table entry
    SIDE = 9             # bits of a set of boards: the set of o follows that of x
    OWNED = 0            # the lowest bits of the sets in their word
    THREATS = 18
    ALIVE = 36
    CLOSED = 54

cdef extern from *:
    """
    #define TTT_THREATS_AND_ALIVE (UINT64_C(0x8040201) << 18)
    """
    const uint64_t THREATS_AND_ALIVE "TTT_THREATS_AND_ALIVE"  # the bits of board 0, of both sides

ctypedef struct Rules:
    Nine nine
    bint count_boards          # with no move left the side that owns more boards wins
    bint won_open              # a won board can be played on until it is full

ctypedef struct State:
    uint16_t stones[2][9]
    uint64_t key               # Zobrist key
    uint64_t sets              # of boards: see OWNED to CLOSED
    uint8_t board              # the board in force, or ANY_BOARD
    uint8_t side               # to move
    uint8_t won                # the side that has just moved has three boards in a row

ctypedef struct Undo:          # what a move changes, apart from `won`
    uint64_t key
    uint64_t sets
    uint16_t stones            # of the mover on the board of the move
    uint8_t board


# The boards on which nobody can play.
cdef inline unsigned int closed(const State* state) noexcept nogil:
    return state.sets >> CLOSED & FULL


# The boards to choose from when any may be played on.
cdef inline unsigned int choice(const Rules* rules, const State* state) noexcept nogil:
    return FULL & ~closed(state)


include "nine_boards.pxi"


cdef inline const char* prepare(Rules* rules, bint count_boards, bint won_open) noexcept nogil:
    prepare_nine(&rules.nine)
    rules.count_boards = count_boards
    rules.won_open = won_open
    return NULL


cdef inline void start(const Rules* rules, State* state) noexcept nogil:
    cdef int board
    for board in range(9):
        state.stones[0][board] = 0
        state.stones[1][board] = 0
    state.key = rules.nine.board_key[ANY_BOARD]
    state.sets = <uint64_t> (FULL << SIDE | FULL) << ALIVE
    state.board = ANY_BOARD
    state.side = 0
    state.won = 0


# The boards that a side owns.
cdef inline unsigned int owned(const State* state, int side) noexcept nogil:
    return state.sets >> (OWNED + SIDE * side) & FULL


# The boards nobody owns on which a side completes a line in one move.
cdef inline unsigned int threats(const State* state, int side) noexcept nogil:
    return state.sets >> (THREATS + SIDE * side) & FULL


# The boards nobody owns on which a side still has a line to complete.
cdef inline unsigned int alive(const State* state, int side) noexcept nogil:
    return state.sets >> (ALIVE + SIDE * side) & FULL


# Whether a game that nobody has won is over because no move is left.
cdef inline bint no_moves_left(const Rules* rules, const State* state) noexcept nogil:
    return closed(state) == FULL


# Whether the side that has just moved has won.
cdef inline bint won(const Rules* rules, const State* state) noexcept nogil:
    return state.won


# Whether a game without a line may be won or lost when no move is left.
cdef inline bint end_decides(const Rules* rules) noexcept nogil:
    return rules.count_boards


# The result for the side to move (1, 0, -1) when nobody has won and no move is left.
cdef inline int final_result(const Rules* rules, const State* state) noexcept nogil:
    cdef int lead = (popcount(owned(state, state.side))
                     - popcount(owned(state, 1 - state.side)))
    return (lead > 0) - (lead < 0) if rules.count_boards else 0


# The moves, on any board, that would complete three boards in a row for the side to move (mine) or
# the other side.
cdef inline MoveSet wins(const Rules* rules, const State* state, bint mine) noexcept nogil:
    cdef MoveSet found = nothing()
    cdef int board, side = state.side if mine else 1 - state.side
    cdef unsigned int boards = winning_boards(rules, state, side)
    while boards:
        board = lowest(boards)
        boards &= boards - 1
        add(&found, board, rules.nine.table.wins[state.stones[side][board]] & empty(state, board))
    return found


# The boards on which a side can win the game in one move.
cdef inline unsigned int winning_boards(const Rules* rules, const State* state,
                                        int side) noexcept nogil:
    return threats(state, side) & rules.nine.table.wins[owned(state, side)]


# The cells of a board in which a move leaves the other side no win in one; `deadly` are the boards
# on which it can win the game now.
cdef inline uint64_t safe_cells(const Rules* rules, const State* state, int board,
                                unsigned int deadly) noexcept nogil:
    cdef int side = state.side
    cdef uint64_t vacant = empty(state, board), freeing = vacant, found
    cdef uint64_t mine, danger
    cdef uint64_t here = <uint64_t> 1 << board
    cdef uint64_t others = deadly & ~here
    if not deadly:
        return vacant
    mine = rules.nine.table.wins[state.stones[side][board]] & vacant
    # The cells that stop the other side from winning here: they take the board or block all.
    if deadly & here:
        danger = rules.nine.table.wins[state.stones[1 - side][board]] & vacant
        freeing = mine if danger & (danger - 1) else mine | danger
    found = vacant & ~deadly & ~here & ~closed(state)
    if not others:
        found |= freeing & closed(state)
    if freeing & here and not (
            others and (vacant == here or (mine & here and not rules.won_open))):
        found |= here
    return found


# The moves that win at once for the side to move, on the board in force.
cdef inline MoveSet immediate(const Rules* rules, const State* state) noexcept nogil:
    cdef MoveSet found = nothing()
    cdef int board = state.board, side = state.side
    if board == ANY_BOARD:
        return wins(rules, state, True)
    if winning_boards(rules, state, side) >> board & 1:
        add(&found, board, rules.nine.table.wins[state.stones[side][board]] & empty(state, board))
    return found


# The moves after which the other side cannot win at once; valid if this side cannot either.
cdef inline MoveSet safe(const Rules* rules, const State* state) noexcept nogil:
    cdef MoveSet found = nothing()
    cdef unsigned int boards, deadly = winning_boards(rules, state, 1 - state.side)
    if state.board < 9:
        add(&found, state.board, safe_cells(rules, state, state.board, deadly))
        return found
    boards = FULL & ~closed(state)
    while boards:
        add(&found, lowest(boards), safe_cells(rules, state, lowest(boards), deadly))
        boards &= boards - 1
    return found


# Whether the side to move (mine) or the other side can still win: with three boards in a row, or by
# the count of boards if that decides.
cdef inline bint winnable(const Rules* rules, const State* state, bint mine) noexcept nogil:
    cdef int side = state.side if mine else 1 - state.side
    return rules.count_boards or table_lined(
        &rules.nine.table, owned(state, side) | alive(state, side))


# The sets of boards after a change on a board where `side` has the stones `mine`, the other side
# `theirs`, and the cells `vacant` are empty; the threats and the living boards only if `tracked`.
cdef inline uint64_t updated(const Rules* rules, uint64_t sets, int board, int side,
                             unsigned int mine, unsigned int theirs,
                             unsigned int vacant, bint tracked) noexcept nogil:
    cdef const LineTable* table = &rules.nine.table
    cdef uint64_t taken = (sets >> OWNED | sets >> (OWNED + SIDE)) >> board & 1
    cdef int own = SIDE * side, other = SIDE - own
    cdef uint64_t shut = <uint64_t> (vacant == 0 or (taken and not rules.won_open)) << CLOSED
    cdef uint64_t found
    if not tracked:
        return sets | shut << board
    found = (<uint64_t> ((table.wins[mine] & vacant) != 0) << (THREATS + own)
             | <uint64_t> ((table.wins[theirs] & vacant) != 0) << (THREATS + other)
             | <uint64_t> table.lined[mine | vacant] << (ALIVE + own)
             | <uint64_t> table.lined[theirs | vacant] << (ALIVE + other))
    found = found & (taken - 1) | shut
    return sets & ~(THREATS_AND_ALIVE << board) | found << board


# Adds a stone of the side to move, see `put`.
cdef inline void place(const Rules* rules, State* state, int board, int cell, unsigned int stone,
                       bint tracked) noexcept nogil:
    cdef int side = state.side, target = cell
    cdef unsigned int mine = state.stones[side][board] | stone
    cdef unsigned int theirs = state.stones[1 - side][board]
    cdef uint64_t sets = state.sets
    cdef uint64_t key = (state.key ^ rules.nine.stone_key[side][9 * board + cell]
                         ^ rules.nine.board_key[state.board])
    expect(empty(state, board) >> cell & 1 or not (stone or tracked))
    state.stones[side][board] = mine
    if (table_lined(&rules.nine.table, mine)
            and not (sets >> OWNED | sets >> (OWNED + SIDE)) >> board & 1):
        sets |= <uint64_t> 1 << (OWNED + SIDE * side + board)
        key ^= rules.nine.owner_key[side][board]
        if table_lined(&rules.nine.table, sets >> (OWNED + SIDE * side) & FULL):
            state.won = 1
            target = ANY_BOARD
    sets = updated(rules, sets, board, side, mine, theirs, FULL & ~(mine | theirs), tracked)
    if sets >> (CLOSED + cell) & 1:
        target = ANY_BOARD
    state.sets = sets
    if tracked:
        state.key = key ^ rules.nine.board_key[target]
    state.board = target
    state.side = side ^ 1


cdef inline void play(const Rules* rules, State* state, Move move) noexcept nogil:
    cdef int board = board_of(state, move), cell = move - 9 * board
    place(rules, state, board, cell, <unsigned int> 1 << cell, True)


# Makes a move: adds `stone`, the bit of `cell`, for the side to move. `unput` takes it back. What
# only searches read (threats, living boards and key) is left as it was unless `tracked`, a literal.
# Without it `stone` may also be 0: then no stone is added, so that nobody wins by it.
cdef inline State* put(const Rules* rules, State* state, int board, int cell, uint64_t stone,
                       Undo* undo, bint tracked) noexcept nogil:
    undo.key = state.key
    undo.sets = state.sets
    undo.board = state.board
    undo.stones = state.stones[state.side][board]
    place(rules, state, board, cell, <unsigned int> stone, tracked)
    return state


cdef inline void unput(const Rules* rules, State* state, int board, const Undo* undo,
                       bint tracked) noexcept nogil:
    if tracked:
        state.key = undo.key
    state.sets = undo.sets
    state.board = undo.board
    state.side ^= 1
    state.won = 0
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
    cdef uint64_t found = (rules.nine.board_key[state.board]
                           ^ stones_key(&rules.nine, state.stones[0], state.stones[1]))
    cdef int board, side
    for side in range(2):
        for board in range(9):
            if owned(state, side) >> board & 1:
                found ^= rules.nine.owner_key[side][board]
    return found


cdef inline void transform(const Rules* rules, int symmetry, const State* state,
                           State* found) noexcept nogil:
    cdef const uint16_t* sets = rules.nine.image[symmetry]
    cdef int side, which
    found[0] = state[0]
    for side in range(2):
        stones_image(&rules.nine, symmetry, state.stones[side], found.stones[side])
    found.sets = 0
    for which in range(7):
        found.sets |= <uint64_t> sets[state.sets >> SIDE * which & FULL] << SIDE * which
    if state.board < 9:
        found.board = rules.nine.cell_image[symmetry][state.board]
    found.key = whole_key(rules, found)


cdef inline void describe(const Rules* rules, const State* state, Picture* picture) noexcept nogil:
    cdef int board, other = 1 - state.side
    picture.ply = ply(rules, state)
    picture.board = state.board
    if state.won or closed(state) == FULL:
        picture.board = NO_BOARD
    show_nine(picture, state.stones[0], state.stones[1])
    show_lines(&rules.nine, picture, state.stones[other],
               line_cells(&rules.nine.lines, owned(state, other)))
    for board in range(9):
        picture.owners[board] = (c'x' if owned(state, 0) >> board & 1
                                 else c'o' if owned(state, 1) >> board & 1 else c'.')


# Determines who owns a board; returns NULL, or why the marks are impossible. If both sides have a
# line (won boards stay open), the picture must say who was first.
cdef inline const char* find_owner(const Rules* rules, State* state, const Picture* picture,
                                   int board) noexcept nogil:
    cdef bint x = table_lined(&rules.nine.table, state.stones[0][board])
    cdef bint o = table_lined(&rules.nine.table, state.stones[1][board])
    cdef char given = picture.owners[board]
    cdef bint second = o if not (x and o) else given == c'o'
    if x and o and not rules.won_open:
        return "both sides have a line on one board"
    if x and o and given != c'x' and given != c'o':
        return "both sides have a line on one board: give the owner of each board (x, o or .)"
    if not rules.won_open and (x or o) and not lined_at_once(
            &rules.nine, state.stones[second][board]):
        return "no single last move completes all the lines of one board"
    if x or o:
        state.sets |= <uint64_t> 1 << (OWNED + SIDE * second + board)
    # For UNKNOWN_BOARD a stone of the owner's line may have been removed.
    if given and given != (c'.' if not (x or o) else c'o' if second else c'x'):
        if picture.board != UNKNOWN_BOARD or x or o:
            return "the given owner of a board has no line on it"
    return NULL


# Sets up the position of a picture whose counts of marks are consistent; returns NULL, or why the
# position is impossible.
cdef inline const char* arrange(const Rules* rules, State* state,
                                const Picture* picture) noexcept nogil:
    cdef int board, mover = picture.ply & 1
    cdef const uint16_t* theirs = state.stones[1 - mover]
    cdef const char* wrong
    cdef bint over
    start(rules, state)
    state.side = mover
    for board in range(9):
        state.stones[mover][board] = <uint16_t> read_stones(picture, 9 * board, 9, True)
        state.stones[1 - mover][board] = <uint16_t> read_stones(picture, 9 * board, 9, False)
        wrong = find_owner(rules, state, picture, board)
        if wrong != NULL:
            return wrong
        state.sets = updated(
            rules, state.sets, board, mover, state.stones[mover][board], theirs[board],
            empty(state, board), True)
    if table_lined(&rules.nine.table, owned(state, mover)):
        return "the side to move has three boards in a row already"
    state.won = table_lined(&rules.nine.table, owned(state, 1 - mover))
    over = state.won or closed(state) == FULL
    if picture.board <= ANY_BOARD and over:
        return "the game is over: no board is in force (-)"
    if picture.board < 9:
        state.board = picture.board
        if closed(state) >> picture.board & 1:
            return "the board in force is closed"
        if not points_to(theirs, picture.board):
            return "no mark of the side that has just moved points to the board in force"
    elif picture.board == ANY_BOARD:
        if picture.ply and not points_into(theirs, closed(state)):
            return "a board is in force (1-9): the last move did not free the choice"
    elif picture.board == NO_BOARD and not over:
        return "the game is not over: a board is in force (1-9, or * for any)"
    state.key = whole_key(rules, state)
    return NULL
