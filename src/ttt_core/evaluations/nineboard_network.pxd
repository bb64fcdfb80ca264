"""The learned evaluation of nine-board: the log-odds that the side to move wins.

A network of UNITS learned units (`lanes.pxd`). The features, a set of cells or boards each; those
of a side are there twice, first for the side to move:

    STONES   on boards that are not full;  WINS  the cells that complete a line there
    THREAT   the boards on which the side has such a cell
    UNSAFE   the empty cells that point to a board of the other side's THREAT, by that board
    TRAP     the other boards, not full, on which all empty cells are UNSAFE;  FORCED  all but one
    FILLED   the full boards; there twice, the second time if pointing there draws
    FORCE    the board in force, 9 for any; its STONES and WINS once more, whichever board it is
    SAFE     the cells of the board in force on which a move leaves the other side no win at once
    MAKING   those of them that give me a cell of WINS
    TO_TRAP, TO_FORCED   those that point to such a board of the other side
    SAFES, MAKINGS   how many cells SAFE and MAKING have
    JOINT    how many boards THREAT has for either side, more than five taken for five
    STAGE    stones on the whole board, in pairs
    CLASS    of each board that is not full (`board_classes.pxd`); that of the board in force
             once more

What a small board adds depends on its pattern alone, and so on: the sums are made beforehand, so
that a position takes a sixth of the rows.
"""

from libc.stdint cimport int16_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memset

from ttt_core.primitives.bits cimport lowest, popcount
from ttt_core.evaluations.board_classes cimport CLASSES, find_classes
from ttt_core.primitives.cells81 cimport MoveSet, add, nothing
from ttt_core.evaluations.network cimport (
    add_image, add_row, add_rows, add_set, list_cells, list_set,
)
from ttt_core.evaluations.nineboard_weights cimport LEARNED, UNITS
from ttt_core.games.nineboard cimport Rules, State, safe_cells, threats
from ttt_core.primitives.lines cimport LineTable
from ttt_core.primitives.nine cimport FULL, PATTERNS, Nine, find_making, making_cells, pattern

cdef enum:
    LANES = 8 * UNITS
    SCALE = 1024               # weights are whole numbers: 1 / SCALE of a log-odd each
    STONES = 0
    WINS = STONES + 2 * 81
    UNSAFE = WINS + 2 * 81
    THREAT = UNSAFE + 2 * 81
    TRAP = THREAT + 2 * 9
    FORCED = TRAP + 2 * 9
    FILLED = FORCED + 2 * 9
    FORCE_STONES = FILLED + 2 * 9
    FORCE_WINS = FORCE_STONES + 2 * 9
    SAFE = FORCE_WINS + 2 * 9
    MAKING = SAFE + 9
    TO_TRAP = MAKING + 9
    TO_FORCED = TO_TRAP + 9
    FORCE = TO_FORCED + 9
    SAFES = FORCE + 10
    MAKINGS = SAFES + 10
    JOINT = MAKINGS + 10
    STAGE = JOINT + 36
    FORCE_CLASS = STAGE + 41
    CLASS = FORCE_CLASS + CLASSES
    ROWS = CLASS + 9 * CLASSES
    PLACES = 11093             # patterns without a line and with an empty cell
    MOST = 42                  # rows: three for each board, twelve of the one in force, three
    MOST_FEATURES = 500

ctypedef struct Model:
    int16_t rows[FORCE_CLASS][LANES]     # of the features up to there
    int16_t boards[9][PLACES][LANES]     # what a board not full adds, by its pattern's place
    int16_t in_force[PLACES][LANES]      # and what it adds where it is in force
    int16_t unsafe[2][9][512][LANES]     # UNSAFE cells of a side: the board they point to, where
    int16_t safe[512][LANES]             # they are; SAFE and SAFES, by the set of cells
    int16_t making[512][LANES]
    uint16_t place[PATTERNS]
    uint16_t makes[PATTERNS]             # the cells that give me a line to complete

# What the boards mean for each other; of a pair of sets mine is the first.
ctypedef struct Outlook:
    unsigned int threat[2]
    unsigned int trap[2]
    unsigned int forced[2]
    unsigned int safe                    # cells of the board in force
    MoveSet room                         # all empty cells
    int stones


# The row that a symmetry sends a row to.
cdef inline int row_image(const Nine* nine, int symmetry, int row) noexcept nogil:
    cdef const uint8_t* image = nine.cell_image[symmetry]
    cdef int first, which
    if row < THREAT:
        first = row // 81 * 81
        which = row - first
        return first + 9 * image[which // 9] + image[which % 9]
    if row < FORCE + 9:
        first = (row - THREAT) // 9 * 9 + THREAT
        return first + image[row - first]
    if row < CLASS:
        return row
    which = row - CLASS
    return CLASS + image[which // CLASSES] * CLASSES + which % CLASSES


# Adds the lanes of a row of learned units to `lanes`.
cdef inline void add_lanes(int16_t* lanes, const Nine* nine, const int16_t* units,
                           int row) noexcept nogil:
    cdef int symmetry
    for symmetry in range(8):
        add_image(lanes, symmetry, &units[row_image(nine, symmetry, row) * UNITS], UNITS)


# What a board adds that is not full.
cdef inline void tabulate_board(Model* model, const Nine* nine, unsigned int mine,
                                unsigned int theirs, int place) noexcept nogil:
    cdef unsigned int room = FULL & ~(mine | theirs)
    cdef unsigned int my_wins = nine.table.wins[mine] & room
    cdef unsigned int their_wins = nine.table.wins[theirs] & room
    cdef int16_t* lanes
    cdef int board
    for board in range(9):
        lanes = model.boards[board][place]
        add_set(lanes, model.rows[STONES + 9 * board], mine, UNITS)
        add_set(lanes, model.rows[STONES + 81 + 9 * board], theirs, UNITS)
        add_set(lanes, model.rows[WINS + 9 * board], my_wins, UNITS)
        add_set(lanes, model.rows[WINS + 81 + 9 * board], their_wins, UNITS)
        if my_wins:
            add_row(lanes, model.rows[THREAT + board], UNITS)
        if their_wins:
            add_row(lanes, model.rows[THREAT + 9 + board], UNITS)
    lanes = model.in_force[place]
    add_set(lanes, model.rows[FORCE_STONES], mine, UNITS)
    add_set(lanes, model.rows[FORCE_STONES + 9], theirs, UNITS)
    add_set(lanes, model.rows[FORCE_WINS], my_wins, UNITS)
    add_set(lanes, model.rows[FORCE_WINS + 9], their_wins, UNITS)


# What sets of cells or boards add.
cdef inline void tabulate_sets(Model* model) noexcept nogil:
    cdef int cells, side, target
    for cells in range(512):
        for side in range(2):
            for target in range(9):
                add_set(model.unsafe[side][target][cells],
                        model.rows[UNSAFE + 81 * side + 9 * target], cells, UNITS)
        add_set(model.safe[cells], model.rows[SAFE], cells, UNITS)
        add_row(model.safe[cells], model.rows[SAFES + popcount(cells)], UNITS)
        add_set(model.making[cells], model.rows[MAKING], cells, UNITS)
        add_row(model.making[cells], model.rows[MAKINGS + popcount(cells)], UNITS)


# Makes the tables from learned units, ROWS x UNITS of them.
cdef inline void take_units(Model* model, const Nine* nine, const int16_t* units) noexcept nogil:
    cdef uint16_t board_class[PATTERNS]
    cdef int row, board, mine, theirs, number, place = 0
    memset(model, 0, sizeof(Model))
    find_classes(nine, board_class)
    find_making(nine, model.makes)
    for row in range(FORCE_CLASS):
        add_lanes(model.rows[row], nine, units, row)
    tabulate_sets(model)
    for mine in range(512):
        for theirs in range(512):
            if (mine & theirs or mine | theirs == FULL
                    or nine.table.lined[mine] or nine.table.lined[theirs]):
                continue
            number = pattern(nine, mine, theirs)
            model.place[number] = place
            tabulate_board(model, nine, mine, theirs, place)
            for board in range(9):
                add_lanes(model.boards[board][place], nine, units,
                          CLASS + board * CLASSES + board_class[number])
            add_lanes(model.in_force[place], nine, units, FORCE_CLASS + board_class[number])
            place += 1


cdef inline void prepare_model(Model* model, const Rules* rules) noexcept nogil:
    take_units(model, &rules.nine, &LEARNED[0][0])


# The boards whose cell is in the set.
cdef inline unsigned int column(MoveSet cells, int cell) noexcept nogil:
    cdef uint64_t low = cells.low >> cell & <uint64_t> 0x0040201008040201
    cdef uint64_t high = cells.high >> cell
    # Bit 9 k goes to bit 54 + k; no two products meet.
    return <unsigned int> (low * <uint64_t> 0x0040404040404040 >> 54 & 127
                           | (high & 1) << 7 | (high >> 9 & 1) << 8)


cdef inline void look_out(Outlook* outlook, const Rules* rules, const State* state) noexcept nogil:
    cdef int mover = state.side, board
    cdef unsigned int mine = threats(state, mover), theirs = threats(state, 1 - mover)
    cdef unsigned int room, cells
    cdef unsigned int trap[2]
    cdef unsigned int forced[2]
    trap[0] = trap[1] = forced[0] = forced[1] = 0
    outlook.room = nothing()
    outlook.stones = 81
    for board in range(9):
        room = FULL & ~(state.stones[0][board] | state.stones[1][board])
        outlook.stones -= popcount(room)
        add(&outlook.room, board, room)
        cells = room & ~theirs
        trap[0] |= (cells == 0) << board
        forced[0] |= (cells & (cells - 1) == 0) << board
        cells = room & ~mine
        trap[1] |= (cells == 0) << board
        forced[1] |= (cells & (cells - 1) == 0) << board
    outlook.threat[0] = mine
    outlook.threat[1] = theirs
    outlook.trap[0] = trap[0] & ~(mine | state.full)
    outlook.trap[1] = trap[1] & ~(theirs | state.full)
    outlook.forced[0] = forced[0] & ~(mine | state.full | trap[0])
    outlook.forced[1] = forced[1] & ~(theirs | state.full | trap[1])
    outlook.safe = 0
    if state.board < 9:
        outlook.safe = <unsigned int> safe_cells(rules, state, state.board)


cdef inline int joint(const Outlook* outlook) noexcept nogil:
    return (JOINT + 6 * min(popcount(outlook.threat[0]), 5)
            + min(popcount(outlook.threat[1]), 5))


# The rows of a running game; returns their number.
cdef inline int list_rows(const Model* model, const Rules* rules, const State* state,
                          const int16_t** rows) noexcept nogil:
    cdef int mover = state.side, force = state.board
    cdef const uint16_t* mine = state.stones[mover]
    cdef const uint16_t* theirs = state.stones[1 - mover]
    cdef unsigned int full = state.full, rest
    cdef Outlook outlook
    cdef int board, side, number, total = 0
    look_out(&outlook, rules, state)
    rest = FULL & ~full
    while rest:
        board = lowest(rest)
        rest &= rest - 1
        rows[total] = model.boards[board][
            model.place[pattern(&rules.nine, mine[board], theirs[board])]]
        total += 1
    for side in range(2):
        rest = outlook.threat[1 - side]
        while rest:
            board = lowest(rest)
            rest &= rest - 1
            rows[total] = model.unsafe[side][board][column(outlook.room, board)]
            total += 1
        total = list_set(rows, total, model.rows[TRAP + 9 * side], outlook.trap[side], UNITS)
        total = list_set(rows, total, model.rows[FORCED + 9 * side], outlook.forced[side], UNITS)
    total = list_set(rows, total, model.rows[FILLED + 9 * rules.full_draws], full, UNITS)
    if force < 9:
        number = pattern(&rules.nine, mine[force], theirs[force])
        rows[total] = model.in_force[model.place[number]]
        rows[total + 1] = model.safe[outlook.safe]
        rows[total + 2] = model.making[outlook.safe & model.makes[number]]
        total = list_set(rows, total + 3, model.rows[TO_TRAP],
                         outlook.safe & outlook.trap[1], UNITS)
        total = list_set(rows, total, model.rows[TO_FORCED],
                         outlook.safe & outlook.forced[1], UNITS)
    rows[total] = model.rows[FORCE + force]
    rows[total + 1] = model.rows[joint(&outlook)]
    rows[total + 2] = model.rows[STAGE + outlook.stones // 2]
    return total + 3


# The features of a running game, one by one, for those who learn; returns their number.
cdef inline int list_features(const uint16_t* board_class, const Rules* rules, const State* state,
                              uint16_t* features) noexcept nogil:
    cdef int mover = state.side, force = state.board
    cdef const LineTable* table = &rules.nine.table
    cdef const uint16_t* stones
    cdef unsigned int room, full = state.full, rest, making
    cdef Outlook outlook
    cdef int board, side, kind, total = 0
    look_out(&outlook, rules, state)
    for board in range(9):
        room = FULL & ~(state.stones[0][board] | state.stones[1][board])
        if not room:
            continue
        kind = board_class[pattern(&rules.nine, state.stones[mover][board],
                                   state.stones[1 - mover][board])]
        features[total] = <uint16_t> (CLASS + board * CLASSES + kind)
        total += 1
        if board == force:
            features[total] = <uint16_t> (FORCE_CLASS + kind)
            total += 1
        for side in range(2):
            stones = state.stones[mover ^ side]
            total = list_cells(features, total, STONES + 81 * side + 9 * board, stones[board])
            total = list_cells(features, total, WINS + 81 * side + 9 * board,
                               table.wins[stones[board]] & room)
            if board == force:
                total = list_cells(features, total, FORCE_STONES + 9 * side, stones[board])
                total = list_cells(features, total, FORCE_WINS + 9 * side,
                                   table.wins[stones[board]] & room)
    for side in range(2):
        rest = outlook.threat[1 - side]
        while rest:
            board = lowest(rest)
            rest &= rest - 1
            total = list_cells(features, total, UNSAFE + 81 * side + 9 * board,
                               column(outlook.room, board))
        total = list_cells(features, total, THREAT + 9 * side, outlook.threat[side])
        total = list_cells(features, total, TRAP + 9 * side, outlook.trap[side])
        total = list_cells(features, total, FORCED + 9 * side, outlook.forced[side])
    total = list_cells(features, total, FILLED + 9 * rules.full_draws, full)
    if force < 9:
        room = FULL & ~(state.stones[0][force] | state.stones[1][force])
        making = outlook.safe & making_cells(&rules.nine, state.stones[mover][force], room)
        total = list_cells(features, total, SAFE, outlook.safe)
        total = list_cells(features, total, MAKING, making)
        total = list_cells(features, total, TO_TRAP, outlook.safe & outlook.trap[1])
        total = list_cells(features, total, TO_FORCED, outlook.safe & outlook.forced[1])
        features[total] = <uint16_t> (SAFES + popcount(outlook.safe))
        features[total + 1] = <uint16_t> (MAKINGS + popcount(making))
        total += 2
    features[total] = <uint16_t> (FORCE + force)
    features[total + 1] = <uint16_t> joint(&outlook)
    features[total + 2] = <uint16_t> (STAGE + outlook.stones // 2)
    return total + 3


# The log-odds, in units of 1 / SCALE, that the side to move wins a running game.
cdef inline int judge(const Model* model, const Rules* rules, const State* state) noexcept nogil:
    cdef const int16_t* rows[MOST]
    return add_rows(rows, list_rows(model, rules, state, rows), UNITS)
