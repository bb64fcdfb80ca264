"""The transposition table: what earlier searches found out about a position.

A slot is two words, `data` and `key ^ data`. Threads read and write slots without locks: a slot
torn by two writers does not give the key back when its words are XORed, and counts as empty (Hyatt
and Mann 2002). Relaxed atomic loads and stores make that race a defined one and cost nothing.

    data   bits  0-15  score + 32768
           bits 16-23  depth
           bits 24-31  number of the best move, 255 if none
           bits 32-33  bound: 1 at most, 2 at least, 3 exact; 0 empty
           bits 34-41  generation: the search that wrote it

A bucket is four slots, one cache line. The slot of the same position is replaced, else an empty
one, else the one of the least depth, where a generation of age weighs as much as four plies.
"""

from libc.stdint cimport int64_t, uint8_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #ifdef TTT_NAIVE_TABLE
    #define ttt_load(place) (*(place))
    #define ttt_store(place, word) (*(place) = (word))
    #define ttt_seal(word, data) (word)
    #else
    #define ttt_load(place) __atomic_load_n(place, __ATOMIC_RELAXED)
    #define ttt_store(place, word) __atomic_store_n(place, word, __ATOMIC_RELAXED)
    #define ttt_seal(word, data) ((word) ^ (data))
    #endif
    #define ttt_scaled(key, n) ((uint64_t)(((unsigned __int128)(key) * (n)) >> 64))
    """
    # The key as a fraction of 2^64, times n.
    uint64_t scaled "ttt_scaled"(uint64_t key, uint64_t n) noexcept nogil
    uint64_t load "ttt_load"(const uint64_t* place) noexcept nogil
    void store "ttt_store"(uint64_t* place, uint64_t word) noexcept nogil
    # The check of a key and its data; the key of a check and its data.
    uint64_t seal "ttt_seal"(uint64_t word, uint64_t data) noexcept nogil
    void prefetch "__builtin_prefetch"(const void* place) noexcept nogil

cdef enum:
    BUCKET = 4
    NO_MOVE = 255
    AT_MOST = 1
    AT_LEAST = 2
    EXACT = 3

ctypedef struct Slot:
    uint64_t check
    uint64_t data

ctypedef struct Table:
    Slot* slots
    uint64_t buckets
    uint8_t generation

ctypedef struct Entry:
    int score
    int depth
    int move
    int bound


# The first slot of a key's bucket: the high bits choose, whatever the number of buckets.
cdef inline Slot* bucket(const Table* table, uint64_t key) noexcept nogil:
    return table.slots + BUCKET * scaled(key, table.buckets)


# Whether the table knows the position; what it knows goes to `entry`.
cdef inline bint probe(const Table* table, uint64_t key, Entry* entry) noexcept nogil:
    cdef Slot* slot = bucket(table, key)
    cdef uint64_t data
    cdef int i
    for i in range(BUCKET):
        data = load(&slot[i].data)
        if seal(load(&slot[i].check), data) == key and data >> 32 & 3:
            entry.score = <int> (data & 0xFFFF) - 32768
            entry.depth = data >> 16 & 0xFF
            entry.move = data >> 24 & 0xFF
            entry.bound = data >> 32 & 3
            return True
    return False


# Notes what was found out about a position.
cdef inline void save(Table* table, uint64_t key, int score, int depth, int move,
                      int bound) noexcept nogil:
    cdef Slot* slot = bucket(table, key)
    cdef Slot* victim = slot
    cdef uint64_t data
    cdef uint8_t age
    cdef int i, worth, least = 1 << 30
    for i in range(BUCKET):
        data = load(&slot[i].data)
        if seal(load(&slot[i].check), data) == key or not data >> 32 & 3:
            victim = &slot[i]
            break
        age = table.generation - <uint8_t> (data >> 34)
        worth = <int> (data >> 16 & 0xFF) - 4 * age
        if worth < least:
            least = worth
            victim = &slot[i]
    data = (<uint64_t> (score + 32768) | <uint64_t> depth << 16 | <uint64_t> move << 24
            | <uint64_t> bound << 32 | <uint64_t> table.generation << 34)
    store(&victim.check, seal(key, data))
    store(&victim.data, data)
