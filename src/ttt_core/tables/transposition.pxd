"""The transposition table, shared by all threads of an engine without locks.

A slot is two words, `data` and `key ^ data`. If two threads write a slot at the same time, the XOR
of its words no longer gives the key, and the slot counts as empty (Hyatt and Mann 2002). Relaxed
atomic loads and stores make this race well defined at no cost. Built with -DTTT_NAIVE_TABLE the
table has neither: tests/hardening then finds torn entries.

    data   bits  0-15  score + 32768
           bits 16-23  depth
           bits 24-31  number of the best move, NO_MOVE if none
           bits 32-33  bound: UPPER_BOUND, LOWER_BOUND or EXACT; 0: the slot is empty
           bits 34-49  generation: the number of the search that wrote it

A bucket is four slots, one cache line. Replacement: a new entry overwrites the entry of the same
position, else an empty slot, else the entry of least depth - 4 x age, where age is the number of
searches since it was written.
"""

from libc.stdint cimport uint16_t, uint64_t

cimport ttt_core.primitives.platform
from ttt_core.runtime.atomics cimport load_word, store_word

cdef extern from *:
    """
    #ifdef TTT_NAIVE_TABLE
    #define ttt_seal(word, data) (word)
    #else
    #define ttt_seal(word, data) ((word) ^ (data))
    #endif
    """
    # floor(key * n / 2^64): maps keys evenly to 0 .. n - 1.
    uint64_t scaled "ttt_scaled"(uint64_t key, uint64_t n) noexcept nogil
    # The check word of a key and its data. It is its own inverse: the key of a check word and data.
    uint64_t seal "ttt_seal"(uint64_t word, uint64_t data) noexcept nogil
    void prefetch "ttt_prefetch"(const void* address) noexcept nogil

cdef enum:
    BUCKET = 4
    NO_MOVE = 255
    UPPER_BOUND = 1
    LOWER_BOUND = 2
    EXACT = 3

ctypedef struct Slot:
    uint64_t check
    uint64_t data

ctypedef struct Table:
    Slot* slots
    uint64_t buckets
    uint16_t generation

ctypedef struct Entry:
    int score
    int depth
    int move
    int bound
    bint current               # whether the running search wrote it


# The first slot of a key's bucket. The high bits of the key select it, so that the number of
# buckets need not be a power of two.
cdef inline Slot* bucket(const Table* table, uint64_t key) noexcept nogil:
    return table.slots + BUCKET * scaled(key, table.buckets)


# Looks up a position; True if the table has an entry, which is copied to `entry`.
cdef inline bint probe(const Table* table, uint64_t key, Entry* entry) noexcept nogil:
    cdef Slot* slot = bucket(table, key)
    cdef uint64_t data
    cdef int i
    for i in range(BUCKET):
        data = load_word(&slot[i].data)
        if seal(load_word(&slot[i].check), data) == key and data >> 32 & 3:
            entry.score = <int> (data & 0xFFFF) - 32768
            entry.depth = data >> 16 & 0xFF
            entry.move = data >> 24 & 0xFF
            entry.bound = data >> 32 & 3
            entry.current = <uint16_t> (data >> 34) == table.generation
            return True
    return False


# Stores the result of searching a position.
cdef inline void save(Table* table, uint64_t key, int score, int depth, int move,
                      int bound) noexcept nogil:
    cdef Slot* slot = bucket(table, key)
    cdef Slot* victim = slot
    cdef uint64_t data
    cdef uint16_t age
    cdef int i, value, least = 1 << 30
    for i in range(BUCKET):
        data = load_word(&slot[i].data)
        if seal(load_word(&slot[i].check), data) == key or not data >> 32 & 3:
            victim = &slot[i]
            break
        age = table.generation - <uint16_t> (data >> 34)
        value = <int> (data >> 16 & 0xFF) - 4 * age
        if value < least:
            least = value
            victim = &slot[i]
    data = (<uint64_t> (score + 32768) | <uint64_t> depth << 16 | <uint64_t> move << 24
            | <uint64_t> bound << 32 | <uint64_t> table.generation << 34)
    store_word(&victim.check, seal(key, data))
    store_word(&victim.data, data)
