"""The table of proof search: what was found out about a position, by its 64-bit key.

Numbers are those of the side to move: `phi` is the effort left to prove that it succeeds, `delta`
the effort left to prove that it fails; 0 and ENDLESS: proven. A slot is two words, as in
`table.pxd`: `data`, and `key ^ data`, so that threads need no locks.

    data   bits  0-27  phi
           bits 28-55  delta
           bits 56-61  effort: the binary logarithm of the nodes spent, at least 1; 0: empty
           bit  62     drawn: the proof rests on a draw

A bucket is four slots, one cache line; the slot of the least effort gives way.
"""

from libc.stdint cimport uint32_t, uint64_t

from ttt_core.table cimport load, scaled, seal, store

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
    WAYS = 4
    ENDLESS = (1 << 28) - 1
    LARGEST = ENDLESS - 1      # of the numbers that prove nothing

ctypedef struct ProofSlot:
    uint64_t check
    uint64_t data

ctypedef struct ProofTable:
    ProofSlot* slots
    uint64_t buckets

# The work of one search for a proof: its limits, and what it has spent.
ctypedef struct Proving:
    ProofTable* table
    uint64_t nodes             # children looked at
    uint64_t expansions        # positions whose children were looked at
    uint64_t limit             # of nodes
    uint64_t poll              # look at the limits at this node
    double deadline            # on the clock of `seconds`; 0: none
    double signal_time
    const int* stop            # set from outside
    bint signals               # this thread looks for Ctrl-C
    bint stopped
    bint interrupted           # by a signal, whose exception is set

ctypedef struct Proof:
    uint32_t phi
    uint32_t delta
    bint drawn
    int effort                 # as in the table; 0 if it does not come from there


cdef inline ProofSlot* proof_bucket(const ProofTable* table, uint64_t key) noexcept nogil:
    return table.slots + WAYS * scaled(key, table.buckets)


# Whether the table knows the position; what it knows goes to `proof`.
cdef inline bint recall(const ProofTable* table, uint64_t key, Proof* proof) noexcept nogil:
    cdef ProofSlot* slot = proof_bucket(table, key)
    cdef uint64_t data
    cdef int i
    for i in range(WAYS):
        data = load(&slot[i].data)
        if seal(load(&slot[i].check), data) == key and data:
            proof.phi = data & ENDLESS
            proof.delta = data >> 28 & ENDLESS
            proof.drawn = data >> 62 & 1
            proof.effort = data >> 56 & 63
            return True
    return False


# Puts words that were once taken out of a table into the bucket of their key.
cdef inline void restore(ProofTable* table, uint64_t key, uint64_t data) noexcept nogil:
    cdef ProofSlot* slot = proof_bucket(table, key)
    cdef ProofSlot* victim = slot
    cdef uint64_t other
    cdef int i, effort, least = 64
    for i in range(WAYS):
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
cdef inline void memorise(ProofTable* table, uint64_t key, const Proof* proof,
                          uint64_t nodes) noexcept nogil:
    restore(table, key, <uint64_t> proof.phi | <uint64_t> proof.delta << 28
            | <uint64_t> digits(nodes | 1) << 56 | <uint64_t> proof.drawn << 62)
