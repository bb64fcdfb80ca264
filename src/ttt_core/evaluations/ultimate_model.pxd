"""The learned evaluation of ultimate: the log-odds that the side to move wins.

A position is a list of features, each the number of a row of weights. The rows are added up lane by
lane; of each lane's sum what is positive is added to the result or, in the second half of the
lanes, taken off. A network of one hidden layer, that is, with inputs that are 0 or 1.

Learned are UNITS lanes; the eight symmetries of the board make eight of each, so that all images of
a position are worth the same. The features, a set of cells or boards each; those of a side are
there twice, first for the side to move:

    STONES   on boards nobody owns that are not full;  WINS  the cells that complete a line there
    DEAD     such boards on which the side has no line left
    OWNED    boards;  DRAWN  full boards nobody owns;  OPEN  owned boards that can be played on
    DECISIVE boards that would make three in a row;  DEADLY  those of them with a cell of WINS
    FORCE    the board in force, 9 for any; its STONES and WINS once more, whichever board it is
    LEAD     boards owned, mine less theirs, + 9, and + 19 where the count of boards decides a tie
    STAGE    marks on the whole board, in pairs
"""

from libc.stdint cimport int16_t, uint8_t, uint16_t, uint64_t

from ttt_core.bits cimport lowest, popcount
from ttt_core.evaluations.ultimate_weights cimport LEARNED, UNITS
from ttt_core.games.ultimate cimport Rules, State, alive, closed, owned, threats
from ttt_core.nine cimport FULL, Nine

cdef enum:
    LANES = 8 * UNITS
    SCALE = 1024               # weights are whole numbers: 1 / SCALE of a log-odd each
    FEATURES = 170             # no position has more
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
    ROWS = STAGE + 41

cdef extern from *:
    """
    #include <stdint.h>
    typedef int16_t ttt_lanes __attribute__((vector_size(32), aligned(2), may_alias));
    enum { TTT_PARTS = TTT_ULTIMATE_UNITS / 2 };  /* of 16 lanes: half are added, half taken off */

    static inline int ttt_add_rows(const int16_t *rows, const uint16_t *features, int total) {
        ttt_lanes sums[TTT_PARTS] = {{0}};
        int result = 0;
        for (int i = 0; i < total; i++) {
            const ttt_lanes *row = (const ttt_lanes *)(rows + 16 * TTT_PARTS * features[i]);
            for (int part = 0; part < TTT_PARTS; part++)
                sums[part] += row[part];
        }
        for (int part = 0; part < TTT_PARTS / 2; part++) {
            ttt_lanes more = sums[part] & (sums[part] > 0);
            ttt_lanes less = sums[part + TTT_PARTS / 2] & (sums[part + TTT_PARTS / 2] > 0);
            for (int lane = 0; lane < 16; lane++)
                result += more[lane] - less[lane];
        }
        return result;
    }
    """
    # The sum of the positive lanes of the features' rows, the second half taken off.
    int add_rows "ttt_add_rows"(const int16_t* rows, const uint16_t* features,
                                int total) noexcept nogil

ctypedef struct Model:
    int16_t rows[ROWS][LANES]


# The row that a symmetry sends a row to.
cdef inline int row_image(const Nine* nine, int symmetry, int row) noexcept nogil:
    cdef const uint8_t* image = nine.cell_image[symmetry]
    cdef int first, which
    if row < DEAD:
        first = row // 81 * 81
        which = row - first
        return first + 9 * image[which // 9] + image[which % 9]
    if row >= LEAD or row == FORCE + 9:
        return row
    first = (row - DEAD) // 9 * 9 + DEAD if row < FORCE else (
        FORCE if row < FORCE + 9 else (row - FORCE_STONES) // 9 * 9 + FORCE_STONES)
    return first + image[row - first]


# Makes the lanes from learned units, ROWS x UNITS of them.
cdef inline void take_units(Model* model, const Nine* nine, const int16_t* units) noexcept nogil:
    cdef int row, symmetry, unit, half = UNITS // 2
    for row in range(ROWS):
        for symmetry in range(8):
            for unit in range(UNITS):
                model.rows[row][unit // half * (LANES // 2) + symmetry * half + unit % half] = (
                    units[row_image(nine, symmetry, row) * UNITS + unit])


cdef inline void prepare_model(Model* model, const Rules* rules) noexcept nogil:
    take_units(model, &rules.nine, &LEARNED[0][0])


# Adds a feature for each cell of a set and returns how many there are now.
cdef inline int list_set(uint16_t* found, int total, int first, uint64_t cells) noexcept nogil:
    while cells:
        found[total] = first + lowest(cells)
        cells &= cells - 1
        total += 1
    return total


# The features of a running game; returns their number.
cdef inline int list_features(const Rules* rules, const State* state,
                              uint16_t* found) noexcept nogil:
    cdef int mover = state.fore.side, force = state.fore.board
    cdef unsigned int mine = owned(state, mover), theirs = owned(state, 1 - mover)
    cdef unsigned int shut = closed(state), fought = FULL & ~(mine | theirs | shut)
    cdef unsigned int my_decisive = rules.nine.table.wins[mine] & alive(state, mover)
    cdef unsigned int their_decisive = rules.nine.table.wins[theirs] & alive(state, 1 - mover)
    cdef unsigned int my_stones, their_stones, room, my_wins, their_wins
    cdef int board, stones = 0, total = 0
    for board in range(9):
        my_stones = state.stones[mover][board]
        their_stones = state.stones[1 - mover][board]
        stones += popcount(my_stones | their_stones)
        if not fought >> board & 1:
            continue
        room = FULL & ~(my_stones | their_stones)
        my_wins = rules.nine.table.wins[my_stones] & room
        their_wins = rules.nine.table.wins[their_stones] & room
        total = list_set(found, total, STONES + 9 * board, my_stones)
        total = list_set(found, total, STONES + 81 + 9 * board, their_stones)
        total = list_set(found, total, WINS + 9 * board, my_wins)
        total = list_set(found, total, WINS + 81 + 9 * board, their_wins)
        if board == force:
            total = list_set(found, total, FORCE_STONES, my_stones)
            total = list_set(found, total, FORCE_STONES + 9, their_stones)
            total = list_set(found, total, FORCE_WINS, my_wins)
            total = list_set(found, total, FORCE_WINS + 9, their_wins)
    total = list_set(found, total, DEAD, fought & ~alive(state, mover))
    total = list_set(found, total, DEAD + 9, fought & ~alive(state, 1 - mover))
    total = list_set(found, total, OWNED, mine)
    total = list_set(found, total, OWNED + 9, theirs)
    total = list_set(found, total, DRAWN, shut & ~(mine | theirs))
    if rules.won_open:
        total = list_set(found, total, OPEN, (mine | theirs) & ~shut)
    total = list_set(found, total, DECISIVE, my_decisive)
    total = list_set(found, total, DECISIVE + 9, their_decisive)
    total = list_set(found, total, DEADLY, my_decisive & threats(state, mover))
    total = list_set(found, total, DEADLY + 9, their_decisive & threats(state, 1 - mover))
    found[total] = FORCE + force
    found[total + 1] = LEAD + 19 * rules.count_boards + 9 + popcount(mine) - popcount(theirs)
    found[total + 2] = STAGE + stones // 2
    return total + 3


# The log-odds, in units of 1 / SCALE, that the side to move wins a running game.
cdef inline int judge(const Model* model, const Rules* rules, const State* state) noexcept nogil:
    cdef uint16_t features[FEATURES]
    return add_rows(&model.rows[0][0], features, list_features(rules, state, features))
