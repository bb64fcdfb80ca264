"""Threat search of Qubic: does the side to move win by a threat sequence?

Terms, after Allis's threat-space search:

    three            a line with three stones of one side and an empty cell: a threat to complete it
    open two         a line with two stones of one side and two empty cells
    gain             a move that makes a three, on a cell of an open two
    reply            the opponent's forced answer, on the cell that is left of the three
    counter-three    a three that a reply makes; the next gain must be the cell that blocks it
    threat sequence  gain, reply, gain, reply, ...; it wins with a gain that makes two threes

The 76 lines are the bits of a 128-bit word. A side keeps the lines that hold at least one, two and
three of its stones, so that adding a stone takes three and/or operations.

Two things keep the tree small. Positions that failed are remembered by their stones, not by a hash.
And gains are not tried in every order: one that was tried before at a node and does not touch the
present one is not tried again below it (a sleep set, as in partial-order reduction). That holds
for a gain whose reply made no counter-three, because then the present gain could have followed it.

A node is a position after a gain and its reply, examined for a gain that makes two threes.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from ttt_core.primitives.bits cimport lowest, swap_bytes
from ttt_core.primitives.lines cimport list_lines
from ttt_core.runtime.limits cimport Limits, poll
from ttt_core.tables.transposition cimport prefetch
from ttt_core.games.qubic cimport Rules

cdef extern from *:
    """
    #define ttt_lowest_line(set) ((uint64_t)(set) ? ttt_lowest((uint64_t)(set)) \\
                                                  : 64 + ttt_lowest((uint64_t)((set) >> 64)))
    #define ttt_line_count(set) (ttt_popcount((uint64_t)(set)) \\
                                 + ttt_popcount((uint64_t)((set) >> 64)))
    """
    ctypedef unsigned long long LineSet "ttt_uint128"
    int lowest_line "ttt_lowest_line"(LineSet lines) noexcept nogil
    int line_count "ttt_line_count"(LineSet lines) noexcept nogil

cdef enum:
    LINES = 76
    MAX_SEQUENCE = 72        # at most all cells, and the second reply to the last gain
    NO_CELL = 64

ctypedef struct Geometry:
    uint64_t cells[LINES]    # of each line
    LineSet through[64]      # the lines of each cell

# The stones of one side, and the lines they are on.
ctypedef struct Side:
    LineSet one              # lines with at least one stone
    LineSet two
    LineSet three
    uint64_t stones

# The side to move with the stones `mine` has no winning threat sequence.
ctypedef struct FailedPosition:
    uint64_t mine
    uint64_t theirs

# One thread's threat search and its latest result.
ctypedef struct Threats:
    const Geometry* geometry
    FailedPosition* failed
    uint64_t mask            # the number of slots in `failed`, a power of two, less 1
    Limits* limits
    int length               # of the sequence found: the plies to the win
    uint8_t sequence[MAX_SEQUENCE]     # gain, reply, gain, reply, ..., last gain, its two replies


cdef inline void prepare_geometry(Geometry* geometry, const Rules* rules) noexcept nogil:
    cdef int i, cell
    cdef LineSet line = 1
    memset(geometry, 0, sizeof(Geometry))
    list_lines(&rules.lines, geometry.cells)
    for i in range(LINES):
        for cell in range(64):
            if geometry.cells[i] >> cell & 1:
                geometry.through[cell] |= line
        line <<= 1


cdef inline void add_stone(const Geometry* geometry, Side* side, int cell) noexcept nogil:
    cdef LineSet lines = geometry.through[cell]
    side.three |= side.two & lines
    side.two |= side.one & lines
    side.one |= lines
    side.stones |= <uint64_t> 1 << cell


cdef inline void set_stones(const Geometry* geometry, Side* side, uint64_t stones) noexcept nogil:
    memset(side, 0, sizeof(Side))
    while stones:
        add_stone(geometry, side, lowest(stones))
        stones &= stones - 1


# The cells of a set of lines.
cdef inline uint64_t cells_of(const Geometry* geometry, LineSet lines) noexcept nogil:
    cdef uint64_t found = 0
    while lines:
        found |= geometry.cells[lowest_line(lines)]
        lines &= lines - 1
    return found


# The cells with which a side completes one of its threes.
cdef inline uint64_t completions(const Geometry* geometry, const Side* side,
                                 const Side* other) noexcept nogil:
    return cells_of(geometry, side.three & ~other.one) & ~side.stones


# The slot of a position among the failed ones.
cdef inline FailedPosition* failed_slot(const Threats* threats, uint64_t mine,
                                        uint64_t theirs) noexcept nogil:
    cdef uint64_t hash = (mine * <uint64_t> 0x9E3779B97F4A7C15
                          ^ swap_bytes(theirs * <uint64_t> 0xD1B54A32D192ED03))
    return &threats.failed[(hash ^ hash >> 32) & threats.mask]


# Appends the last gain, which makes two threes of the open twos `twos`, and its two replies.
cdef inline void finish_sequence(Threats* threats, LineSet twos, int gain, uint64_t empty,
                                 int length) noexcept nogil:
    cdef uint64_t replies = (cells_of(threats.geometry, twos & threats.geometry.through[gain])
                             & empty & ~(<uint64_t> 1 << gain))
    threats.sequence[length] = gain
    threats.sequence[length + 1] = lowest(replies)
    threats.sequence[length + 2] = lowest(replies & (replies - 1))
    threats.length = length + 3


# Whether mine, to move and with no three of its own, wins by a threat sequence, of which `length`
# cells are known. `twos` are its open twos, `once` their empty cells. `crowded`: some of these lie
# on two open twos, which is possible only when mine must take the cell `forced` (NO_CELL: it need
# not). Gains in `sleep` are known to fail. Void if the limits have stopped the search.
cdef inline bint extend_sequence(Threats* threats, const Side* mine, const Side* theirs,
                                 LineSet twos, uint64_t once, bint crowded, int forced,
                                 uint64_t sleep, int length) noexcept nogil:
    cdef const Geometry* geometry = threats.geometry
    cdef FailedPosition* failed = failed_slot(threats, mine.stones, theirs.stones)
    cdef uint64_t empty, gains, gain, reply, below_once, below_twice, blocks, cells
    cdef uint64_t tried = 0
    cdef LineSet line, made, counters, below_twos, rest
    cdef int x, y, below_forced
    cdef Side below_mine, below_theirs
    if failed.mine == mine.stones and failed.theirs == theirs.stones:
        return False
    if threats.limits.nodes >= threats.limits.next_poll:
        poll(threats.limits)
    empty = ~(mine.stones | theirs.stones)
    gains = once if forced == NO_CELL else once & (<uint64_t> 1 << forced)
    while gains:
        x = lowest(gains)
        gain = <uint64_t> 1 << x
        gains ^= gain
        line = twos & geometry.through[x]
        reply = geometry.cells[lowest_line(line)] & empty & ~gain
        y = lowest(reply)
        counters = geometry.through[y] & theirs.two & ~theirs.three & ~mine.one
        if sleep & gain:
            if not counters:
                tried |= gain
            continue
        threats.limits.nodes += 1
        prefetch(failed_slot(threats, mine.stones | gain, theirs.stones | reply))
        made = geometry.through[x] & mine.one & ~mine.two & ~theirs.one
        below_twos = ((twos ^ line) & ~geometry.through[y]) | made
        below_once = once & ~(gain | reply)
        below_twice = 0
        if crowded:
            below_once = 0
            rest = below_twos & ~made
            while rest:
                cells = geometry.cells[lowest_line(rest)] & empty
                below_twice |= below_once & cells
                below_once |= cells
                rest &= rest - 1
        rest = made
        while rest:
            cells = geometry.cells[lowest_line(rest)] & empty & ~gain
            below_twice |= below_once & cells
            below_once |= cells
            rest &= rest - 1
        threats.sequence[length] = x
        threats.sequence[length + 1] = y
        below_forced = NO_CELL
        cells = below_twice
        if counters:
            blocks = cells_of(geometry, counters) & empty & ~reply
            if blocks & (blocks - 1) or not blocks & below_once:
                continue
            below_forced = lowest(blocks)
            cells &= blocks
        if cells:
            finish_sequence(threats, below_twos, lowest(cells), empty & ~(gain | reply), length + 2)
            return True
        if below_twos:
            below_mine = mine[0]
            below_theirs = theirs[0]
            add_stone(geometry, &below_mine, x)
            add_stone(geometry, &below_theirs, y)
            if extend_sequence(threats, &below_mine, &below_theirs, below_twos, below_once,
                               below_twice != 0, below_forced,
                               0 if crowded or below_twice else tried & ~(gain | reply),
                               length + 2):
                return True
            if threats.limits.stopped:
                return False
        if not counters:
            tried |= gain
    failed.mine = mine.stones
    failed.theirs = theirs.stones
    return False


# Whether mine, to move, completes a line at once or wins by a threat sequence. `sequence` gets the
# cells, a single one if it completes a line. Also False if the limits have stopped the search.
cdef inline bint wins_by_threats(Threats* threats, const Side* mine,
                                 const Side* theirs) noexcept nogil:
    cdef const Geometry* geometry = threats.geometry
    cdef uint64_t empty = ~(mine.stones | theirs.stones)
    cdef uint64_t cells = completions(geometry, mine, theirs) & empty
    cdef uint64_t blocks, once = 0, twice = 0
    cdef LineSet twos, rest
    if cells:
        threats.sequence[0] = lowest(cells)
        threats.length = 1
        return True
    blocks = completions(geometry, theirs, mine)
    twos = mine.two & ~mine.three & ~theirs.one
    if blocks & (blocks - 1) or not twos:
        return False
    rest = twos
    while rest:
        cells = geometry.cells[lowest_line(rest)] & empty
        twice |= once & cells
        once |= cells
        rest &= rest - 1
    if blocks and not blocks & once:
        return False
    cells = twice & blocks if blocks else twice
    if cells:
        finish_sequence(threats, twos, lowest(cells), empty, 0)
        return True
    return extend_sequence(threats, mine, theirs, twos, once, twice != 0,
                           lowest(blocks) if blocks else NO_CELL, 0, 0)


# The relevance zone of the sequence just found for mine: the cells on which a stone of theirs,
# placed before the sequence begins, can refute it. These are the cells of the sequence, and those
# of lines with two stones of theirs (its replies counted) and none of mine, where the stone makes
# a three that mine would have to block.
cdef inline uint64_t relevance_zone(const Threats* threats, const Side* mine,
                                    const Side* theirs) noexcept nogil:
    cdef const Geometry* geometry = threats.geometry
    cdef Side attacker = mine[0], defender = theirs[0]
    cdef uint64_t found = cells_of(geometry, theirs.two & ~mine.one)
    cdef int i
    for i in range(threats.length):
        found |= <uint64_t> 1 << threats.sequence[i]
    i = 0
    while i + 3 < threats.length:
        add_stone(geometry, &attacker, threats.sequence[i])
        add_stone(geometry, &defender, threats.sequence[i + 1])
        found |= cells_of(geometry, geometry.through[threats.sequence[i + 1]] & defender.two
                          & ~attacker.one)
        i += 2
    return found & ~(mine.stones | theirs.stones)
