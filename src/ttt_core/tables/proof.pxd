"""The df-pn table: proof and disproof numbers of positions, by their 64-bit keys.

The proof number estimates the work left to prove that the attacker wins, the disproof number the
work left to prove that it does not. A proven win is (0, INFINITE), a disproven one (INFINITE, 0).
Slots and buckets are those of `transposition.pxd`: a slot torn by two threads counts as empty.

    data   bits  0-27  proof number
           bits 28-55  disproof number
           bits 56-61  effort: the number of binary digits of the nodes spent; 0: empty slot
           bit  62     drawn: the disproof relies on a draw

Replacement: a new entry overwrites the entry of the same position, else an empty slot, else the
entry of least effort.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from ttt_core.primitives.bits cimport log2
from ttt_core.runtime.atomics cimport load_word, store_word
from ttt_core.tables.transposition cimport BUCKET, Slot, scaled, seal

cdef enum:
    INFINITE = (1 << 28) - 1
    PROVEN = 0                 # in place of a number of children: see dfpn.pxi
    DISPROVEN = -1

ctypedef struct Numbers:
    uint32_t proof
    uint32_t disproof
    uint8_t drawn
    uint8_t effort             # 0: not from the table

ctypedef struct Child:
    uint64_t key
    Numbers numbers            # from the table, or initial ones
    uint8_t move

ctypedef struct ProofTable:
    Slot* slots
    uint64_t buckets


cdef inline Slot* proof_bucket(const ProofTable* table, uint64_t key) noexcept nogil:
    return table.slots + BUCKET * scaled(key, table.buckets)


# Sets the numbers of a position that is not in the table.
cdef inline void start_numbers(Numbers* numbers, uint32_t proof, uint32_t disproof) noexcept nogil:
    numbers.proof = proof
    numbers.disproof = disproof
    numbers.drawn = numbers.effort = 0


# Looks up a position; True if the table has an entry, which is copied to `numbers`.
cdef inline bint read_numbers(const ProofTable* table, uint64_t key,
                              Numbers* numbers) noexcept nogil:
    cdef Slot* slot = proof_bucket(table, key)
    cdef uint64_t data
    cdef int i
    for i in range(BUCKET):
        data = load_word(&slot[i].data)
        if seal(load_word(&slot[i].check), data) == key and data:
            numbers.proof = data & INFINITE
            numbers.disproof = data >> 28 & INFINITE
            numbers.effort = data >> 56 & 63
            numbers.drawn = data >> 62 & 1
            return True
    return False


# Stores the data word of an entry, which may come from another table.
cdef inline void put_entry(ProofTable* table, uint64_t key, uint64_t data) noexcept nogil:
    cdef Slot* slot = proof_bucket(table, key)
    cdef Slot* victim = slot
    cdef uint64_t other, effort, least = 64
    cdef int i
    for i in range(BUCKET):
        other = load_word(&slot[i].data)
        if seal(load_word(&slot[i].check), other) == key or not other:
            victim = &slot[i]
            break
        effort = other >> 56 & 63
        if effort < least:
            least = effort
            victim = &slot[i]
    store_word(&victim.check, seal(key, data))
    store_word(&victim.data, data)


# Stores the numbers of a position on which `nodes` nodes were spent.
cdef inline void save_numbers(ProofTable* table, uint64_t key, const Numbers* numbers,
                              uint64_t nodes) noexcept nogil:
    put_entry(table, key, <uint64_t> numbers.proof | <uint64_t> numbers.disproof << 28
              | <uint64_t> (log2(nodes | 1) + 1) << 56 | <uint64_t> numbers.drawn << 62)
