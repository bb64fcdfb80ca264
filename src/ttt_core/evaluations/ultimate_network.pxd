"""The network of ultimate: its features, and the output for a position (see `network.pxd`).

Features, each a set of cells or boards. Those of a side come twice, first for the side to move:

    STONES   on undecided boards: not owned, not full;  WINS  the cells that complete a line there
    DEAD     undecided boards on which the side has no line left
    OWNED    boards;  DRAWN  full boards nobody owns;  OPEN  owned boards that can be played on
    DECISIVE boards that would make three in a row;  DEADLY  those of them with a cell of WINS
    FORCE    the board in force, 9 for any; its STONES and WINS once more, whichever board it is
    LEAD     boards owned, mine less theirs, + 9, and + 19 where the count of boards decides a tie
    STAGE    marks on the whole board, in pairs
    CLASS    of each undecided board (`board_classes.pxd`); that of the board in force once more

With the sums of small boards a position takes about 16 rows instead of 90 (bench/ultimate.py), and
with an accumulator about 7.
"""

from libc.stdint cimport int16_t, uint16_t
from libc.string cimport memset

from ttt_core.primitives.bits cimport lowest, popcount
from ttt_core.primitives.lines cimport LineTable
from ttt_core.primitives.nine cimport FULL, PATTERNS, Nine, pattern
from ttt_core.games.ultimate cimport Rules, State, alive, closed, owned, threats
from ttt_core.evaluations.board_classes cimport CLASSES, find_classes
from ttt_core.evaluations.network cimport (
    HIDDEN, Accumulator, BoardGroups, BoardSums, Images, add_learned, changed_boards, fix_rows,
    forward_from, list_board, list_cells, list_set, map_boards, map_cells, sum_boards,
)

cdef enum:
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
    MAX_ROWS = 49              # beside those of boards: five for each board, and four
    MAX_FEATURES = 300

# Tables of rows come first: their size keeps all rows at multiples of 32 bytes.
ctypedef struct Network:
    int16_t rows[CLASS][HIDDEN]          # of the features up to there
    BoardSums sums                       # of undecided boards
    Images images


cdef inline void map_rows(Images* images, const Nine* nine) noexcept nogil:
    fix_rows(images, ROWS)
    map_cells(images, nine, STONES, 4)      # to WINS
    map_boards(images, nine, DEAD, 10, 1)   # to DEADLY
    map_boards(images, nine, FORCE, 1, 1)
    map_boards(images, nine, FORCE_STONES, 4, 1)
    map_boards(images, nine, CLASS, 1, CLASSES)


cdef inline bint is_dead(const Nine* nine, unsigned int stones,
                         unsigned int empty) noexcept nogil:
    return not nine.table.lined[stones | empty]


cdef inline BoardGroups board_groups() noexcept nogil:
    return BoardGroups(
        stones=STONES, wins=WINS, property=DEAD, classes=CLASS, force_stones=FORCE_STONES,
        force_wins=FORCE_WINS, force_class=FORCE_CLASS, has_property=&is_dead)


# Fills the network from ROWS x UNITS learned weights.
cdef inline void load_weights(Network* network, const Nine* nine,
                              const int16_t* weights) noexcept nogil:
    cdef uint16_t board_class[PATTERNS]
    cdef BoardGroups groups = board_groups()
    cdef int row
    memset(network.rows, 0, sizeof(network.rows))
    map_rows(&network.images, nine)
    find_classes(nine, board_class)
    for row in range(CLASS):
        add_learned(network.rows[row], &network.images, weights, row)
    sum_boards(&network.sums, &groups, nine, &network.images, &network.rows[0][0], weights,
               board_class)


# The row of one small board.
cdef inline const int16_t* board_row(const Network* network, const Rules* rules,
                                     const State* state, int board) noexcept nogil:
    cdef int mover = state.side
    if owned(state, mover) >> board & 1:
        return network.rows[OWNED + board]
    if owned(state, 1 - mover) >> board & 1:
        return network.rows[OWNED + 9 + board]
    if closed(state) >> board & 1:
        return network.rows[DRAWN + board]
    return network.sums.board[board][network.sums.index[
        pattern(&rules.nine, state.stones[mover][board], state.stones[1 - mover][board])]]


# The rows of a running game that depend on more than one board; returns their number.
cdef inline int list_rows(const Network* network, const Rules* rules, const State* state,
                          int stones, const int16_t** rows) noexcept nogil:
    cdef int mover = state.side, force = state.board
    cdef unsigned int mine = owned(state, mover), theirs = owned(state, 1 - mover)
    cdef unsigned int my_decisive = rules.nine.table.wins[mine] & alive(state, mover)
    cdef unsigned int their_decisive = rules.nine.table.wins[theirs] & alive(state, 1 - mover)
    cdef int total = 0
    if rules.won_open:
        total = list_set(rows, total, network.rows[OPEN], (mine | theirs) & ~closed(state))
    total = list_set(rows, total, network.rows[DECISIVE], my_decisive)
    total = list_set(rows, total, network.rows[DECISIVE + 9], their_decisive)
    total = list_set(rows, total, network.rows[DEADLY], my_decisive & threats(state, mover))
    total = list_set(rows, total, network.rows[DEADLY + 9],
                     their_decisive & threats(state, 1 - mover))
    if force < 9 and not (mine | theirs) >> force & 1:
        rows[total] = network.sums.in_force[network.sums.index[pattern(
            &rules.nine, state.stones[mover][force], state.stones[1 - mover][force])]]
        total += 1
    rows[total] = network.rows[FORCE + force]
    rows[total + 1] = network.rows[
        LEAD + 19 * rules.count_boards + 9 + popcount(mine) - popcount(theirs)]
    rows[total + 2] = network.rows[STAGE + stones // 2]
    return total + 3


# The features of a running game one by one, for training; returns their number.
cdef inline int list_features(const uint16_t* board_class, const Rules* rules, const State* state,
                              uint16_t* features) noexcept nogil:
    cdef int mover = state.side, force = state.board
    cdef const LineTable* table = &rules.nine.table
    cdef unsigned int mine = owned(state, mover), theirs = owned(state, 1 - mover)
    cdef unsigned int shut = closed(state), undecided = FULL & ~(mine | theirs | shut)
    cdef unsigned int my_decisive = table.wins[mine] & alive(state, mover)
    cdef unsigned int their_decisive = table.wins[theirs] & alive(state, 1 - mover)
    cdef unsigned int my_stones, their_stones
    cdef BoardGroups groups = board_groups()
    cdef int board, stones = 0, total = 0
    for board in range(9):
        my_stones = state.stones[mover][board]
        their_stones = state.stones[1 - mover][board]
        stones += popcount(my_stones | their_stones)
        if undecided >> board & 1:
            total = list_board(features, total, &groups, &rules.nine, board_class, board,
                               board == force, my_stones, their_stones)
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


# The network's output for a running game: the log-odds that the side to move wins, times SCALE.
cdef inline int evaluate_network(const Network* network, const Rules* rules, const State* state,
                                 Accumulator* near) noexcept nogil:
    cdef const int16_t* rows[MAX_ROWS]
    cdef const int16_t* fresh[9]
    cdef int board
    cdef unsigned int rest, changed = changed_boards(
        near, state.stones[state.side], state.stones[1 - state.side])
    if rules.won_open:  # the owner of a board depends on more than its stones
        changed |= owned(state, 0) | owned(state, 1)
    rest = changed
    while rest:
        board = lowest(rest)
        rest &= rest - 1
        fresh[board] = board_row(network, rules, state, board)
    return forward_from(near, changed, fresh, rows,
                        list_rows(network, rules, state, near.total, rows))
