# cython: language_level=3
"""A compiled module outside the package that uses ttt's rules: what an embedder writes."""

from libc.stdint cimport uint64_t
from libc.string cimport memcmp, memset

from ttt_core.primitives.cells64 cimport some, take
from ttt_core.games cimport connect4, nineboard, ultimate
from ttt_core.primitives.cells81 cimport MoveSet as NineMoves
from ttt_core.primitives.cells81 cimport some as nine_some
from ttt_core.primitives.cells81 cimport take as nine_take
from ttt_core.tables.transposition cimport BUCKET, EXACT, Entry, Slot, Table
from ttt_core.tables.transposition cimport probe as table_probe
from ttt_core.tables.transposition cimport save as table_save


def winner_of(columns):
    """Plays columns (0-6) and returns "x", "o" or None."""
    cdef connect4.Rules rules
    cdef connect4.State state
    cdef int column
    if connect4.prepare(&rules, 7, 6, 4) != NULL:
        raise ValueError("no such board")
    connect4.start(&rules, &state)
    for column in columns:
        connect4.play(&rules, &state, connect4.numbered(&rules, &state, column))
        if connect4.won(&rules, &state):
            return "x" if connect4.ply(&rules, &state) & 1 else "o"
    return None


cdef uint64_t sequences(const connect4.Rules* rules, connect4.State* state,
                        int depth) noexcept nogil:
    cdef uint64_t moves, found = 0
    cdef connect4.Undo undo
    if depth == 0:
        return 1
    if connect4.won(rules, state):
        return 0
    moves = connect4.moves(rules, state)
    while some(moves):
        found += sequences(rules, connect4.enter(rules, state, take(&moves), &undo), depth - 1)
    return found


def perft(int depth):
    """Connect Four perft by a search of one's own."""
    cdef connect4.Rules rules
    cdef connect4.State state
    connect4.prepare(&rules, 7, 6, 4)
    connect4.start(&rules, &state)
    return sequences(&rules, &state, depth)


def nineboard_undo_restores(bint full_draws, moves):
    """Plays the moves; at each ply enters and leaves every legal one and compares all bytes."""
    cdef nineboard.Rules rules
    cdef nineboard.State state, before
    cdef nineboard.Undo undo
    cdef NineMoves rest
    cdef int move
    nineboard.prepare(&rules, full_draws)
    memset(&state, 0, sizeof(state))
    nineboard.start(&rules, &state)
    for played in moves:
        rest = nineboard.moves(&rules, &state)
        while nine_some(rest):
            move = nine_take(&rest)
            before = state
            nineboard.enter(&rules, &state, move, &undo)
            if state.key != nineboard.whole_key(&rules, &state):
                return False
            nineboard.leave(&rules, &state, move, &undo)
            if memcmp(&before, &state, sizeof(state)):
                return False
        nineboard.play(&rules, &state, played)
    return True


def ultimate_undo_restores(bint count_boards, bint won_open, moves):
    """The same for ultimate."""
    cdef ultimate.Rules rules
    cdef ultimate.State state, before
    cdef ultimate.Undo undo
    cdef NineMoves rest
    cdef int move
    ultimate.prepare(&rules, count_boards, won_open)
    memset(&state, 0, sizeof(state))
    ultimate.start(&rules, &state)
    for played in moves:
        rest = ultimate.moves(&rules, &state)
        while nine_some(rest):
            move = nine_take(&rest)
            before = state
            ultimate.enter(&rules, &state, move, &undo)
            if state.key != ultimate.whole_key(&rules, &state):
                return False
            ultimate.leave(&rules, &state, move, &undo)
            if memcmp(&before, &state, sizeof(state)):
                return False
        ultimate.play(&rules, &state, played)
    return True


def kept_entries(entries, int generation):
    """Saves entries (low bits of the key, depth, generation) to a table of one bucket, looks all of
    them up in `generation`, and returns those found: {low bits: (score, depth, move, bound)}."""
    cdef Slot slots[BUCKET]
    cdef Table table
    cdef Entry entry
    cdef int low, depth, age
    memset(slots, 0, sizeof(slots))
    table.slots = slots
    table.buckets = 1
    for low, depth, age in entries:
        table.generation = age
        table_save(&table, <uint64_t> 1 << 60 | low, 100 * low - 32000, depth, low % 200, EXACT)
    table.generation = generation
    found = {}
    for low, _, _ in entries:
        if table_probe(&table, <uint64_t> 1 << 60 | low, &entry):
            found[low] = (entry.score, entry.depth, entry.move, entry.bound)
    return found
