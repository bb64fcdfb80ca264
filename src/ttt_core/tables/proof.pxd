"""The table of proof search: what was found out about a position, by its 64-bit key.

`proof` says how hard it looks to show that the attacker wins, `disproof` that it does not; 0 is
done, NEVER is hopeless. Slots and buckets are those of `table.pxd`: a slot torn by two threads
counts as empty.

    data   bits  0-27  proof number
           bits 28-55  disproof number
           bits 56-61  effort: the binary logarithm of the nodes spent, at least 1; 0: empty
           bit  62     drawn: the disproof rests on a draw

The slot of the least effort gives way.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from ttt_core.tables.transposition cimport BUCKET, Slot, load, scaled, seal, store

cdef extern from *:
    """
    #include <sys/mman.h>
    /* Zeroed memory; a page is there when it is used. Huge pages made long proofs an eighth
       faster, but the system took up to 80 ms to find one, in which no Ctrl-C was seen. */
    static void *ttt_pages(size_t size) {
        void *found = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return found == MAP_FAILED ? NULL : found;
    }
    static void ttt_release(void *pages, size_t size) {
        if (pages)
            munmap(pages, size);
    }
    #define ttt_length(word) (64 - __builtin_clzll(word))
    """
    void* zeroed_pages "ttt_pages"(size_t size) noexcept nogil
    void release_pages "ttt_release"(void* pages, size_t size) noexcept nogil
    # The number of binary digits of a word that is not 0.
    int digits "ttt_length"(uint64_t word) noexcept nogil

cdef enum:
    NEVER = (1 << 28) - 1
    PROVEN = 0                 # instead of a number of children
    DISPROVEN = -1

ctypedef struct Numbers:
    uint32_t proof
    uint32_t disproof
    uint8_t drawn
    uint8_t effort             # 0 if they do not come from the table

ctypedef struct Child:
    uint64_t key
    Numbers numbers            # as far as they are known, or to start from
    uint8_t move

ctypedef struct ProofTable:
    Slot* slots
    uint64_t buckets


cdef inline Slot* proof_bucket(const ProofTable* table, uint64_t key) noexcept nogil:
    return table.slots + BUCKET * scaled(key, table.buckets)


# Numbers that a position has before the table knows it.
cdef inline void start_numbers(Numbers* numbers, uint32_t proof, uint32_t disproof) noexcept nogil:
    numbers.proof = proof
    numbers.disproof = disproof
    numbers.drawn = numbers.effort = 0


# Whether the table knows the position; what it knows goes to `numbers`.
cdef inline bint read_numbers(const ProofTable* table, uint64_t key,
                              Numbers* numbers) noexcept nogil:
    cdef Slot* slot = proof_bucket(table, key)
    cdef uint64_t data
    cdef int i
    for i in range(BUCKET):
        data = load(&slot[i].data)
        if seal(load(&slot[i].check), data) == key and data:
            numbers.proof = data & NEVER
            numbers.disproof = data >> 28 & NEVER
            numbers.effort = data >> 56 & 63
            numbers.drawn = data >> 62 & 1
            return True
    return False


# Puts words that were once taken out of a table into the bucket of their key.
cdef inline void put_entry(ProofTable* table, uint64_t key, uint64_t data) noexcept nogil:
    cdef Slot* slot = proof_bucket(table, key)
    cdef Slot* victim = slot
    cdef uint64_t other, effort, least = 64
    cdef int i
    for i in range(BUCKET):
        other = load(&slot[i].data)
        if seal(load(&slot[i].check), other) == key or not other:
            victim = &slot[i]
            break
        effort = other >> 56 & 63
        if effort < least:
            least = effort
            victim = &slot[i]
    store(&victim.check, seal(key, data))
    store(&victim.data, data)


# Notes what `nodes` nodes have found out about a position.
cdef inline void save_numbers(ProofTable* table, uint64_t key, const Numbers* numbers,
                              uint64_t nodes) noexcept nogil:
    put_entry(table, key, <uint64_t> numbers.proof | <uint64_t> numbers.disproof << 28
              | <uint64_t> digits(nodes | 1) << 56 | <uint64_t> numbers.drawn << 62)
