"""Threat search of Qubic: does the side to move win by an unbroken chain of threes?

The 76 lines are the bits of a 128-bit word. A side keeps the lines that hold at least one, two and
three of its stones, so that a move is three and/or operations. "Mine" is the side to move: it makes
a three with every move (its gain), which leaves the other side one reply; where that reply makes a
three itself, the next gain must be the cell that stops it. The chain wins with a cell that makes
two threes at once.

Two things keep the tree small. Positions that failed are remembered by all their stones, not by a
hash. And gains that were tried before at a node and do not touch the one being tried are not
tried again below it ("sleep"): the other order has been there. That holds for a gain whose reply
made no three, because then the present one could have followed it.

A node is a position after a gain and its reply, looked at for a cell that makes two threes.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from ttt_core.primitives.bits cimport lowest, swap_bytes
from ttt_core.games.qubic cimport Rules
from ttt_core.primitives.lines cimport list_lines
from ttt_core.tables.transposition cimport prefetch
from ttt_core.runtime.limits cimport Limits, poll

cdef extern from *:
    """
    typedef unsigned __int128 ttt_lines;
    #define ttt_lowest_line(set) ((uint64_t)(set) ? __builtin_ctzll((uint64_t)(set)) \\
                                                  : 64 + __builtin_ctzll((uint64_t)((set) >> 64)))
    #define ttt_line_count(set) (__builtin_popcountll((uint64_t)(set)) \\
                                 + __builtin_popcountll((uint64_t)((set) >> 64)))
    """
    ctypedef unsigned long long LineSet "ttt_lines"
    int lowest_line "ttt_lowest_line"(LineSet lines) noexcept nogil
    int line_count "ttt_line_count"(LineSet lines) noexcept nogil

cdef enum:
    LINES = 76
    CHAIN = 72               # a chain takes at most all cells, and names two replies at its end
    NO_CELL = 64

ctypedef struct Geometry:
    uint64_t cells[LINES]    # of each line
    LineSet through[64]      # the lines of each cell

ctypedef struct Side:
    LineSet one              # lines with at least one stone
    LineSet two
    LineSet three
    uint64_t stones

ctypedef struct Failure:
    uint64_t mine            # the side to move with these stones has no winning chain
    uint64_t theirs

ctypedef struct Threats:
    const Geometry* geometry
    Failure* failures
    uint64_t mask            # of the place in `failures`: their number less one
    Limits* limits
    int length               # of the chain found: the plies to the win
    uint8_t chain[CHAIN]     # gain, reply, gain, reply, …, last gain and its two replies


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


cdef inline void put(const Geometry* geometry, Side* side, int cell) noexcept nogil:
    cdef LineSet lines = geometry.through[cell]
    side.three |= side.two & lines
    side.two |= side.one & lines
    side.one |= lines
    side.stones |= <uint64_t> 1 << cell


cdef inline void put_all(const Geometry* geometry, Side* side, uint64_t stones) noexcept nogil:
    memset(side, 0, sizeof(Side))
    while stones:
        put(geometry, side, lowest(stones))
        stones &= stones - 1


# The cells of some lines.
cdef inline uint64_t cells_of(const Geometry* geometry, LineSet lines) noexcept nogil:
    cdef uint64_t found = 0
    while lines:
        found |= geometry.cells[lowest_line(lines)]
        lines &= lines - 1
    return found


# The cells with which a side completes a line at once.
cdef inline uint64_t completions(const Geometry* geometry, const Side* side,
                                 const Side* other) noexcept nogil:
    return cells_of(geometry, side.three & ~other.one) & ~side.stones


# Where the failure of a position is noted.
cdef inline Failure* failure_of(const Threats* threats, uint64_t mine,
                                uint64_t theirs) noexcept nogil:
    cdef uint64_t hash = (mine * <uint64_t> 0x9E3779B97F4A7C15
                          ^ swap_bytes(theirs * <uint64_t> 0xD1B54A32D192ED03))
    return &threats.failures[(hash ^ hash >> 32) & threats.mask]


# Notes the last gain of a chain, which makes two threes at once, and its two replies.
cdef inline void close_chain(Threats* threats, LineSet lines, int gain, uint64_t empty,
                             int length) noexcept nogil:
    cdef uint64_t replies = (cells_of(threats.geometry, lines & threats.geometry.through[gain])
                             & empty & ~(<uint64_t> 1 << gain))
    threats.chain[length] = gain
    threats.chain[length + 1] = lowest(replies)
    threats.chain[length + 2] = lowest(replies & (replies - 1))
    threats.length = length + 3


# Whether mine, to move and with no three of its own, wins by threes. `twos` are its open twos,
# `once` their empty cells; `crowded`: some of these lie on two of them, which is possible only when
# mine must take the cell `forced` (NO_CELL: it need not). `sleep` are gains known to fail. The
# chain so far has `length` cells.
cdef inline bint chain_wins(Threats* threats, const Side* mine, const Side* theirs, LineSet twos,
                            uint64_t once, bint crowded, int forced, uint64_t sleep,
                            int length) noexcept nogil:
    cdef const Geometry* geometry = threats.geometry
    cdef Failure* failure = failure_of(threats, mine.stones, theirs.stones)
    cdef uint64_t empty, gains, gain, reply, below_once, below_twice, stops, cells
    cdef uint64_t tried = 0
    cdef LineSet line, made, counters, below_twos, rest
    cdef int x, y, below_forced
    cdef Side below_mine, below_theirs
    if failure.mine == mine.stones and failure.theirs == theirs.stones:
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
        prefetch(failure_of(threats, mine.stones | gain, theirs.stones | reply))
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
        threats.chain[length] = x
        threats.chain[length + 1] = y
        below_forced = NO_CELL
        cells = below_twice
        if counters:
            stops = cells_of(geometry, counters) & empty & ~reply
            if stops & (stops - 1) or not stops & below_once:
                continue
            below_forced = lowest(stops)
            cells &= stops
        if cells:
            close_chain(threats, below_twos, lowest(cells), empty & ~(gain | reply), length + 2)
            return True
        if below_twos:
            below_mine = mine[0]
            below_theirs = theirs[0]
            put(geometry, &below_mine, x)
            put(geometry, &below_theirs, y)
            if chain_wins(threats, &below_mine, &below_theirs, below_twos, below_once,
                          below_twice != 0, below_forced,
                          0 if crowded or below_twice else tried & ~(gain | reply), length + 2):
                return True
            if threats.limits.stopped:
                return False
        if not counters:
            tried |= gain
    failure.mine = mine.stones
    failure.theirs = theirs.stones
    return False


# Whether mine, to move, wins at once or by an unbroken chain of threes; the chain is noted, a
# single cell if it completes a line. False also when a limit has stopped the search.
cdef inline bint wins_by_threats(Threats* threats, const Side* mine,
                                 const Side* theirs) noexcept nogil:
    cdef const Geometry* geometry = threats.geometry
    cdef uint64_t empty = ~(mine.stones | theirs.stones)
    cdef uint64_t cells = completions(geometry, mine, theirs) & empty
    cdef uint64_t stops, once = 0, twice = 0
    cdef LineSet twos, rest
    if cells:
        threats.chain[0] = lowest(cells)
        threats.length = 1
        return True
    stops = completions(geometry, theirs, mine)
    twos = mine.two & ~mine.three & ~theirs.one
    if stops & (stops - 1) or not twos:
        return False
    rest = twos
    while rest:
        cells = geometry.cells[lowest_line(rest)] & empty
        twice |= once & cells
        once |= cells
        rest &= rest - 1
    if stops and not stops & once:
        return False
    cells = twice & stops if stops else twice
    if cells:
        close_chain(threats, twos, lowest(cells), empty, 0)
        return True
    return chain_wins(threats, mine, theirs, twos, once, twice != 0,
                      lowest(stops) if stops else NO_CELL, 0, 0)


# The cells where a stone of theirs, placed before the chain just found for mine begins, can spoil
# it: the chain's own cells, and those of lines on which theirs holds two stones (its replies
# counted) and mine none, where the stone makes a three that mine would have to answer.
cdef inline uint64_t zone(const Threats* threats, const Side* mine,
                          const Side* theirs) noexcept nogil:
    cdef const Geometry* geometry = threats.geometry
    cdef Side attacker = mine[0], defender = theirs[0]
    cdef uint64_t found = cells_of(geometry, theirs.two & ~mine.one)
    cdef int i
    for i in range(threats.length):
        found |= <uint64_t> 1 << threats.chain[i]
    i = 0
    while i + 3 < threats.length:
        put(geometry, &attacker, threats.chain[i])
        put(geometry, &defender, threats.chain[i + 1])
        found |= cells_of(geometry, geometry.through[threats.chain[i + 1]] & defender.two
                          & ~attacker.one)
        i += 2
    return found & ~(mine.stones | theirs.stones)
