"""The table of a proof search: proof and disproof numbers by 64-bit key.

Slots and buckets are those of `table.pxd`: a slot torn by two threads counts as empty.

    data   bits  0-23  proof number
           bits 24-47  disproof number
           bits 48-55  effort: the binary logarithm of the nodes spent, one more
           bit  63     in use
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from ttt_core.table cimport BUCKET, Slot, load, scaled, seal, store

cdef extern from *:
    int leading_zeros "__builtin_clzll"(uint64_t word) noexcept nogil

cdef enum:
    NEVER = (1 << 24) - 1
    PROVEN = 0                 # instead of a number of children
    DISPROVEN = -1

ctypedef struct Numbers:
    uint32_t proof
    uint32_t disproof

ctypedef struct Child:
    uint64_t key
    Numbers numbers            # to start from
    uint8_t move

ctypedef struct ProofTable:
    Slot* slots
    uint64_t buckets


# Whether the table knows the position; what it knows goes to `numbers`.
cdef inline bint read_numbers(const ProofTable* table, uint64_t key,
                              Numbers* numbers) noexcept nogil:
    cdef Slot* slot = table.slots + BUCKET * scaled(key, table.buckets)
    cdef uint64_t data
    cdef int i
    for i in range(BUCKET):
        data = load(&slot[i].data)
        if seal(load(&slot[i].check), data) == key and data:
            numbers.proof = data & NEVER
            numbers.disproof = data >> 24 & NEVER
            return True
    return False


# Notes what was found out about a position; the entry of the least effort makes room.
cdef inline void note_numbers(ProofTable* table, uint64_t key, const Numbers* numbers,
                              uint64_t nodes) noexcept nogil:
    cdef Slot* slot = table.slots + BUCKET * scaled(key, table.buckets)
    cdef Slot* victim = slot
    cdef uint64_t data, effort, least = 256
    cdef int i
    for i in range(BUCKET):
        data = load(&slot[i].data)
        if seal(load(&slot[i].check), data) == key or not data:
            victim = &slot[i]
            break
        effort = data >> 48 & 0xFF
        if effort < least:
            least = effort
            victim = &slot[i]
    effort = 64 - leading_zeros(nodes) if nodes else 0
    data = (numbers.proof | <uint64_t> numbers.disproof << 24 | effort << 48
            | <uint64_t> 1 << 63)
    store(&victim.check, seal(key, data))
    store(&victim.data, data)
