"""The network of nine-board: its features, and the output for a position (see `network.pxd`).

Features, each a set of cells or boards. Those of a side come twice, first for the side to move:

    STONES   on boards that are not full;  WINS  the cells that complete a line there
    THREAT   the boards on which the side has such a cell
    UNSAFE   the empty cells that point to a board of the other side's THREAT, by that board
    TRAP     the other boards, not full, on which all empty cells are UNSAFE;  FORCED  all but one
    FILLED   the full boards: 9 rows if a move there may be answered anywhere, 9 if it draws
    FORCE    the board in force, 9 for any; its STONES and WINS once more, whichever board it is
    SAFE     the cells of the board in force after which the other side cannot win at once
    MAKING   the cells of SAFE that give me a cell of WINS
    TO_TRAP, TO_FORCED   the cells of SAFE that point to such a board of the other side
    SAFES, MAKINGS   how many cells SAFE and MAKING have
    JOINT    how many boards THREAT has for either side, at most five each
    STAGE    stones on the whole board, in pairs
    CLASS    of each board that is not full (`board_classes.pxd`); that of the board in force
             once more
"""

from libc.stdint cimport int16_t, uint16_t, uint64_t
from libc.string cimport memset

from ttt_core.primitives.bits cimport lowest, popcount
from ttt_core.primitives.cells81 cimport MoveSet, add, nothing
from ttt_core.primitives.nine cimport FULL, PATTERNS, Nine, find_making, making_cells, pattern
from ttt_core.games.nineboard cimport Rules, State, safe_cells, threats
from ttt_core.evaluations.board_classes cimport CLASSES, find_classes
from ttt_core.evaluations.network cimport (
    HIDDEN, Accumulator, BoardGroups, BoardSums, Images, add_learned, add_row,
    changed_boards, fix_rows, forward_from, list_board, list_cells, list_set, map_boards,
    map_cells, sum_boards, sum_subsets,
)

cdef enum:
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
    MAX_ROWS = 42              # of a position: three a board, twelve for the board in force, three
    MAX_FEATURES = 500

# Tables of rows come first: their size keeps all rows at multiples of 32 bytes.
ctypedef struct Network:
    int16_t rows[FORCE_CLASS][HIDDEN]    # of the features up to there
    int16_t unsafe[2][9][512][HIDDEN]    # UNSAFE cells of a side: the board they point to, and the
    int16_t safe[512][HIDDEN]            # boards they are on; SAFE and SAFES by the set of cells
    int16_t making[512][HIDDEN]          # MAKING and MAKINGS
    BoardSums sums
    Images images
    uint16_t makes[PATTERNS]             # the cells that give me a line to complete

# How the boards threaten each other. In a pair of sets, index 0 is the side to move.
ctypedef struct ThreatMap:
    unsigned int threat[2]
    unsigned int trap[2]
    unsigned int forced[2]
    unsigned int safe                    # cells of the board in force
    MoveSet empty                        # all empty cells
    int stones


cdef inline void map_rows(Images* images, const Nine* nine) noexcept nogil:
    fix_rows(images, ROWS)
    map_cells(images, nine, STONES, 6)       # to UNSAFE
    map_boards(images, nine, THREAT, 16, 1)  # to TO_FORCED
    map_boards(images, nine, FORCE, 1, 1)
    map_boards(images, nine, CLASS, 1, CLASSES)


cdef inline bint has_threat(const Nine* nine, unsigned int stones,
                            unsigned int empty) noexcept nogil:
    return nine.table.wins[stones] & empty != 0


cdef inline BoardGroups board_groups() noexcept nogil:
    return BoardGroups(
        stones=STONES, wins=WINS, property=THREAT, classes=CLASS, force_stones=FORCE_STONES,
        force_wins=FORCE_WINS, force_class=FORCE_CLASS, has_property=&has_threat)


# The sums of UNSAFE, SAFE and MAKING for each set of cells.
cdef inline void sum_sets(Network* network) noexcept nogil:
    cdef int cells, side, target
    for side in range(2):
        for target in range(9):
            sum_subsets(network.unsafe[side][target], network.rows[UNSAFE + 81 * side + 9 * target])
    sum_subsets(network.safe, network.rows[SAFE])
    sum_subsets(network.making, network.rows[MAKING])
    for cells in range(512):
        add_row(network.safe[cells], network.rows[SAFES + popcount(cells)])
        add_row(network.making[cells], network.rows[MAKINGS + popcount(cells)])


# Fills the network from ROWS x UNITS learned weights.
cdef inline void load_weights(Network* network, const Nine* nine,
                              const int16_t* weights) noexcept nogil:
    cdef uint16_t board_class[PATTERNS]
    cdef BoardGroups groups = board_groups()
    cdef int row
    memset(network.rows, 0, sizeof(network.rows))
    map_rows(&network.images, nine)
    find_classes(nine, board_class)
    find_making(nine, network.makes)
    for row in range(FORCE_CLASS):
        add_learned(network.rows[row], &network.images, weights, row)
    sum_sets(network)
    sum_boards(&network.sums, &groups, nine, &network.images, &network.rows[0][0], weights,
               board_class)


# The boards on which the set has this cell.
cdef inline unsigned int column(MoveSet cells, int cell) noexcept nogil:
    cdef uint64_t low = cells.low >> cell & <uint64_t> 0x0040201008040201
    cdef uint64_t high = cells.high >> cell
    # Bit 9 k goes to bit 54 + k; no two products meet.
    return <unsigned int> (low * <uint64_t> 0x0040404040404040 >> 54 & 127
                           | (high & 1) << 7 | (high >> 9 & 1) << 8)


cdef inline void map_threats(ThreatMap* found, const Rules* rules,
                             const State* state) noexcept nogil:
    cdef int mover = state.side, board
    cdef unsigned int mine = threats(state, mover), theirs = threats(state, 1 - mover)
    cdef unsigned int empty, cells
    cdef unsigned int trap[2]
    cdef unsigned int forced[2]
    trap[0] = trap[1] = forced[0] = forced[1] = 0
    found.empty = nothing()
    found.stones = 81
    for board in range(9):
        empty = FULL & ~(state.stones[0][board] | state.stones[1][board])
        found.stones -= popcount(empty)
        add(&found.empty, board, empty)
        cells = empty & ~theirs
        trap[0] |= (cells == 0) << board
        forced[0] |= (cells & (cells - 1) == 0) << board
        cells = empty & ~mine
        trap[1] |= (cells == 0) << board
        forced[1] |= (cells & (cells - 1) == 0) << board
    found.threat[0] = mine
    found.threat[1] = theirs
    found.trap[0] = trap[0] & ~(mine | state.full)
    found.trap[1] = trap[1] & ~(theirs | state.full)
    found.forced[0] = forced[0] & ~(mine | state.full | trap[0])
    found.forced[1] = forced[1] & ~(theirs | state.full | trap[1])
    found.safe = 0
    if state.board < 9:
        found.safe = <unsigned int> safe_cells(rules, state, state.board)


# The row of JOINT.
cdef inline int joint_row(const ThreatMap* found) noexcept nogil:
    return (JOINT + 6 * min(popcount(found.threat[0]), 5)
            + min(popcount(found.threat[1]), 5))


# The row of one small board.
cdef inline const int16_t* board_row(const Network* network, const Rules* rules,
                                     const State* state, int board) noexcept nogil:
    if state.full >> board & 1:
        return network.rows[FILLED + 9 * rules.full_draws + board]
    return network.sums.board[board][network.sums.index[pattern(
        &rules.nine, state.stones[state.side][board], state.stones[1 - state.side][board])]]


# The rows of a running game that depend on more than one board; returns their number.
cdef inline int list_rows(const Network* network, const Rules* rules, const State* state,
                          const int16_t** rows) noexcept nogil:
    cdef int mover = state.side, force = state.board
    cdef const uint16_t* mine = state.stones[mover]
    cdef const uint16_t* theirs = state.stones[1 - mover]
    cdef unsigned int rest
    cdef ThreatMap found
    cdef int board, side, number, total = 0
    map_threats(&found, rules, state)
    for side in range(2):
        rest = found.threat[1 - side]
        while rest:
            board = lowest(rest)
            rest &= rest - 1
            rows[total] = network.unsafe[side][board][column(found.empty, board)]
            total += 1
        total = list_set(rows, total, network.rows[TRAP + 9 * side], found.trap[side])
        total = list_set(rows, total, network.rows[FORCED + 9 * side], found.forced[side])
    if force < 9:
        number = pattern(&rules.nine, mine[force], theirs[force])
        rows[total] = network.sums.in_force[network.sums.index[number]]
        rows[total + 1] = network.safe[found.safe]
        rows[total + 2] = network.making[found.safe & network.makes[number]]
        total = list_set(rows, total + 3, network.rows[TO_TRAP], found.safe & found.trap[1])
        total = list_set(rows, total, network.rows[TO_FORCED], found.safe & found.forced[1])
    rows[total] = network.rows[FORCE + force]
    rows[total + 1] = network.rows[joint_row(&found)]
    rows[total + 2] = network.rows[STAGE + found.stones // 2]
    return total + 3


# The features of a running game one by one, for training; returns their number.
cdef inline int list_features(const uint16_t* board_class, const Rules* rules, const State* state,
                              uint16_t* features) noexcept nogil:
    cdef int mover = state.side, force = state.board
    cdef const uint16_t* mine = state.stones[mover]
    cdef const uint16_t* theirs = state.stones[1 - mover]
    cdef unsigned int empty, full = state.full, rest, making
    cdef BoardGroups groups = board_groups()
    cdef ThreatMap found
    cdef int board, side, total = 0
    map_threats(&found, rules, state)
    for board in range(9):
        if not full >> board & 1:
            total = list_board(features, total, &groups, &rules.nine, board_class, board,
                               board == force, mine[board], theirs[board])
    for side in range(2):
        rest = found.threat[1 - side]
        while rest:
            board = lowest(rest)
            rest &= rest - 1
            total = list_cells(features, total, UNSAFE + 81 * side + 9 * board,
                               column(found.empty, board))
        total = list_cells(features, total, TRAP + 9 * side, found.trap[side])
        total = list_cells(features, total, FORCED + 9 * side, found.forced[side])
    total = list_cells(features, total, FILLED + 9 * rules.full_draws, full)
    if force < 9:
        empty = FULL & ~(mine[force] | theirs[force])
        making = found.safe & making_cells(&rules.nine, mine[force], empty)
        total = list_cells(features, total, SAFE, found.safe)
        total = list_cells(features, total, MAKING, making)
        total = list_cells(features, total, TO_TRAP, found.safe & found.trap[1])
        total = list_cells(features, total, TO_FORCED, found.safe & found.forced[1])
        features[total] = <uint16_t> (SAFES + popcount(found.safe))
        features[total + 1] = <uint16_t> (MAKINGS + popcount(making))
        total += 2
    features[total] = <uint16_t> (FORCE + force)
    features[total + 1] = <uint16_t> joint_row(&found)
    features[total + 2] = <uint16_t> (STAGE + found.stones // 2)
    return total + 3


# The network's output for a running game: the log-odds that the side to move wins, times SCALE.
cdef inline int evaluate_network(const Network* network, const Rules* rules, const State* state,
                                 Accumulator* near) noexcept nogil:
    cdef const int16_t* rows[MAX_ROWS]
    cdef const int16_t* fresh[9]
    cdef int board
    cdef unsigned int changed = changed_boards(
        near, state.stones[state.side], state.stones[1 - state.side])
    cdef unsigned int rest = changed
    while rest:
        board = lowest(rest)
        rest &= rest - 1
        fresh[board] = board_row(network, rules, state, board)
    return forward_from(near, changed, fresh, rows, list_rows(network, rules, state, rows))
