"""The learned evaluation of ultimate: the log-odds that the side to move wins.

A network of UNITS learned units (`lanes.pxd`). The features, a set of cells or boards each; those
of a side are there twice, first for the side to move:

    STONES   on boards nobody owns that are not full;  WINS  the cells that complete a line there
    DEAD     such boards on which the side has no line left
    OWNED    boards;  DRAWN  full boards nobody owns;  OPEN  owned boards that can be played on
    DECISIVE boards that would make three in a row;  DEADLY  those of them with a cell of WINS
    FORCE    the board in force, 9 for any; its STONES and WINS once more, whichever board it is
    LEAD     boards owned, mine less theirs, + 9, and + 19 where the count of boards decides a tie
    STAGE    marks on the whole board, in pairs
    CLASS    of each board nobody owns that is not full (`board_classes.pxd`); that of the board in
             force once more

What a small board adds is the sum of a dozen rows and depends on its pattern alone: the sums are
made beforehand, so that a position takes some 16 rows instead of 90 (bench/ultimate.py).
"""

from libc.stdint cimport int16_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memset

from ttt_core.primitives.bits cimport lowest, popcount
from ttt_core.evaluations.board_classes cimport CLASSES, find_classes
from ttt_core.evaluations.network cimport (
    add_image, add_row, add_rows, add_set, list_cells, list_set,
)
from ttt_core.evaluations.ultimate_weights cimport LEARNED, UNITS
from ttt_core.games.ultimate cimport Rules, State, alive, closed, owned, threats
from ttt_core.primitives.lines cimport LineTable
from ttt_core.primitives.nine cimport FULL, PATTERNS, Nine, pattern

cdef enum:
    LANES = 8 * UNITS
    SCALE = 1024               # weights are whole numbers: 1 / SCALE of a log-odd each
    STONES = 0
    WINS = STONES + 2 * 81
    DEAD = WINS + 2 * 81
    OWNED = DEAD + 2 * 9
    DRAWN = OWNED + 2 * 9
    OPEN = DRAWN + 9
    DECISIVE = OPEN + 9
    DEADLY = DECISIVE + 2 * 9
    FORCE = DEADLY + 2 * 9
    FORCE_STONES = FORCE + 10
    FORCE_WINS = FORCE_STONES + 2 * 9
    LEAD = FORCE_WINS + 2 * 9
    STAGE = LEAD + 2 * 19
    CLASS = STAGE + 41
    FORCE_CLASS = CLASS + 9 * CLASSES
    ROWS = FORCE_CLASS + CLASSES
    PLACES = 11093             # patterns without a line and with an empty cell
    MOST = 49                  # rows: five for each board that is fought for, and four
    MOST_FEATURES = 300

ctypedef struct Model:
    int16_t rows[CLASS][LANES]           # of the features up to there
    int16_t boards[9][PLACES][LANES]     # what a board nobody owns adds, by its pattern's place
    int16_t in_force[PLACES][LANES]      # and what it adds where it is in force
    uint16_t place[PATTERNS]


# The row that a symmetry sends a row to.
cdef inline int row_image(const Nine* nine, int symmetry, int row) noexcept nogil:
    cdef const uint8_t* image = nine.cell_image[symmetry]
    cdef int first, which
    if row >= FORCE_CLASS:
        return row
    if row >= CLASS:
        which = row - CLASS
        return CLASS + image[which // CLASSES] * CLASSES + which % CLASSES
    if row < DEAD:
        first = row // 81 * 81
        which = row - first
        return first + 9 * image[which // 9] + image[which % 9]
    if row >= LEAD or row == FORCE + 9:
        return row
    first = (row - DEAD) // 9 * 9 + DEAD if row < FORCE else (
        FORCE if row < FORCE + 9 else (row - FORCE_STONES) // 9 * 9 + FORCE_STONES)
    return first + image[row - first]


# Adds the lanes of a row of learned units to `lanes`.
cdef inline void add_lanes(int16_t* lanes, const Nine* nine, const int16_t* units,
                           int row) noexcept nogil:
    cdef int symmetry
    for symmetry in range(8):
        add_image(lanes, symmetry, &units[row_image(nine, symmetry, row) * UNITS], UNITS)


# What a board adds that nobody owns and that is not full.
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
        if not nine.table.lined[mine | room]:
            add_row(lanes, model.rows[DEAD + board], UNITS)
        if not nine.table.lined[theirs | room]:
            add_row(lanes, model.rows[DEAD + 9 + board], UNITS)
    lanes = model.in_force[place]
    add_set(lanes, model.rows[FORCE_STONES], mine, UNITS)
    add_set(lanes, model.rows[FORCE_STONES + 9], theirs, UNITS)
    add_set(lanes, model.rows[FORCE_WINS], my_wins, UNITS)
    add_set(lanes, model.rows[FORCE_WINS + 9], their_wins, UNITS)


# Makes the tables from learned units, ROWS x UNITS of them.
cdef inline void take_units(Model* model, const Nine* nine, const int16_t* units) noexcept nogil:
    cdef uint16_t board_class[PATTERNS]
    cdef int row, board, mine, theirs, number, place = 0
    memset(model, 0, sizeof(Model))
    find_classes(nine, board_class)
    for row in range(CLASS):
        add_lanes(model.rows[row], nine, units, row)
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


# The rows of a running game; returns their number.
cdef inline int list_rows(const Model* model, const Rules* rules, const State* state,
                          const int16_t** rows) noexcept nogil:
    cdef int mover = state.side, force = state.board
    cdef unsigned int mine = owned(state, mover), theirs = owned(state, 1 - mover)
    cdef unsigned int shut = closed(state), fought = FULL & ~(mine | theirs | shut)
    cdef unsigned int my_decisive = rules.nine.table.wins[mine] & alive(state, mover)
    cdef unsigned int their_decisive = rules.nine.table.wins[theirs] & alive(state, 1 - mover)
    cdef unsigned int my_stones, their_stones
    cdef int board, place, stones = 0, total = 0
    for board in range(9):
        my_stones = state.stones[mover][board]
        their_stones = state.stones[1 - mover][board]
        stones += popcount(my_stones | their_stones)
        if fought >> board & 1:
            place = model.place[pattern(&rules.nine, my_stones, their_stones)]
            rows[total] = model.boards[board][place]
            total += 1
            if board == force:
                rows[total] = model.in_force[place]
                total += 1
    total = list_set(rows, total, model.rows[OWNED], mine, UNITS)
    total = list_set(rows, total, model.rows[OWNED + 9], theirs, UNITS)
    total = list_set(rows, total, model.rows[DRAWN], shut & ~(mine | theirs), UNITS)
    if rules.won_open:
        total = list_set(rows, total, model.rows[OPEN], (mine | theirs) & ~shut, UNITS)
    total = list_set(rows, total, model.rows[DECISIVE], my_decisive, UNITS)
    total = list_set(rows, total, model.rows[DECISIVE + 9], their_decisive, UNITS)
    total = list_set(rows, total, model.rows[DEADLY], my_decisive & threats(state, mover), UNITS)
    total = list_set(rows, total, model.rows[DEADLY + 9],
                     their_decisive & threats(state, 1 - mover), UNITS)
    rows[total] = model.rows[FORCE + force]
    rows[total + 1] = model.rows[
        LEAD + 19 * rules.count_boards + 9 + popcount(mine) - popcount(theirs)]
    rows[total + 2] = model.rows[STAGE + stones // 2]
    return total + 3


# The features of a running game, one by one, for those who learn; returns their number.
cdef inline int list_features(const uint16_t* board_class, const Rules* rules, const State* state,
                              uint16_t* features) noexcept nogil:
    cdef int mover = state.side, force = state.board
    cdef const LineTable* table = &rules.nine.table
    cdef unsigned int mine = owned(state, mover), theirs = owned(state, 1 - mover)
    cdef unsigned int shut = closed(state), fought = FULL & ~(mine | theirs | shut)
    cdef unsigned int my_decisive = table.wins[mine] & alive(state, mover)
    cdef unsigned int their_decisive = table.wins[theirs] & alive(state, 1 - mover)
    cdef unsigned int my_stones, their_stones, room
    cdef int board, kind, stones = 0, total = 0
    for board in range(9):
        my_stones = state.stones[mover][board]
        their_stones = state.stones[1 - mover][board]
        stones += popcount(my_stones | their_stones)
        if not fought >> board & 1:
            continue
        room = FULL & ~(my_stones | their_stones)
        kind = board_class[pattern(&rules.nine, my_stones, their_stones)]
        total = list_cells(features, total, STONES + 9 * board, my_stones)
        total = list_cells(features, total, STONES + 81 + 9 * board, their_stones)
        total = list_cells(features, total, WINS + 9 * board, table.wins[my_stones] & room)
        total = list_cells(features, total, WINS + 81 + 9 * board, table.wins[their_stones] & room)
        features[total] = <uint16_t> (CLASS + board * CLASSES + kind)
        total += 1
        if board == force:
            total = list_cells(features, total, FORCE_STONES, my_stones)
            total = list_cells(features, total, FORCE_STONES + 9, their_stones)
            total = list_cells(features, total, FORCE_WINS, table.wins[my_stones] & room)
            total = list_cells(features, total, FORCE_WINS + 9, table.wins[their_stones] & room)
            features[total] = <uint16_t> (FORCE_CLASS + kind)
            total += 1
    total = list_cells(features, total, DEAD, fought & ~alive(state, mover))
    total = list_cells(features, total, DEAD + 9, fought & ~alive(state, 1 - mover))
    total = list_cells(features, total, OWNED, mine)
    total = list_cells(features, total, OWNED + 9, theirs)
    total = list_cells(features, total, DRAWN, shut & ~(mine | theirs))
    if rules.won_open:
        total = list_cells(features, total, OPEN, (mine | theirs) & ~shut)
    total = list_cells(features, total, DECISIVE, my_decisive)
    total = list_cells(features, total, DECISIVE + 9, their_decisive)
    total = list_cells(features, total, DEADLY, my_decisive & threats(state, mover))
    total = list_cells(features, total, DEADLY + 9, their_decisive & threats(state, 1 - mover))
    features[total] = <uint16_t> (FORCE + force)
    features[total + 1] = <uint16_t> (
        LEAD + 19 * rules.count_boards + 9 + popcount(mine) - popcount(theirs))
    features[total + 2] = <uint16_t> (STAGE + stones // 2)
    return total + 3


# The log-odds, in units of 1 / SCALE, that the side to move wins a running game.
cdef inline int judge(const Model* model, const Rules* rules, const State* state) noexcept nogil:
    cdef const int16_t* rows[MOST]
    return add_rows(rows, list_rows(model, rules, state, rows), UNITS)
