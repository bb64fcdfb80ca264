"""The Qubic solver, compiled: threat search, proof search, extraction and check of strategies."""

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from ttt_core.primitives.lines cimport permuted
from ttt_core.runtime.limits cimport UNLIMITED_NODES, Limits
from ttt_core.tables.proof cimport DISPROVEN, PROVEN, Child, Numbers
from ttt_core.tables.transposition cimport BUCKET, Slot
from ttt_core.games.qubic cimport SYMMETRIES, Rules, prepare
from ttt_core.search.threats.qubic_search cimport (
    FailedPosition, Geometry, Side, Threats, add_stone, completions, prepare_geometry, set_stones,
    wins_by_threats,
)
from ttt_core.solvers.qubic.moves cimport (
    ALWAYS_PROBE, INVERSE_EPSILON, MAX_CHILDREN, MAX_DEPTH, WEAK_PROOF_NUMBERS, CachedList,
    Context, Node, clear_cache, descend, generate_children, make_node,
)
from ttt_core.solvers.qubic.symmetry cimport Symmetry, canonicalise, prepare_symmetry


cdef inline Limits* limits_of(Context* context) noexcept nogil:
    return context.threats.limits


# Counts a visit as a node, so that limits are polled even if all move lists come from the cache.
cdef inline int expand(Context* context, const Node* node, Child* children) noexcept nogil:
    cdef int count
    limits_of(context).nodes += 1
    if (node.attacker.stones | node.defender.stones) == ~<uint64_t> 0:
        return DISPROVEN
    count = generate_children(context, node, children)
    return count if count else DISPROVEN if node.attacking else PROVEN


cdef inline void on_decided(Context* context, const Node* node, const Numbers* numbers,
                            uint64_t nodes) noexcept nogil:
    pass


cdef enum:
    # MiB per thread for failed positions: more saves 0.1% of the nodes (bench/qubic.py).
    FAILED_MEBIBYTES = 8

include "../../runtime/threads.pxi"
include "../../search/dfpn.pxi"
include "../../search/dfpn_threads.pxi"

cdef Rules rules
cdef Geometry geometry
cdef Symmetry symmetry
prepare(&rules)
prepare_geometry(&geometry, &rules)
prepare_symmetry(&symmetry, &rules)


class Unproven(Exception):
    """The requested win is not proven."""


# The largest power of two that is at most n, which is not 0.
cdef size_t floor_power(size_t n) noexcept:
    cdef size_t found = 1
    while found * 2 <= n:
        found *= 2
    return found


cdef class Solver(DfpnSolver):
    """Threat search and proof search; `ttt.solvers.qubic.QubicSolver` is the public class.

    A position is two words, the stones of two sides: bit 16 x level + 4 x row + column is a cell.
    The first word is that of the side to move or of the attacker, as the argument's name says.
    """

    cdef int early, later      # move limits for which table and caches are valid; 0: none
    cdef bint used             # the table is not empty

    def __cinit__(self, hash=128, threads=1):
        cdef size_t share
        cdef Context* context
        cdef int i
        self.allocate(hash, 8, 4, threads)
        share = hash * MEBIBYTE // 4 // self.threads
        for i in range(self.threads):
            context = &self.workers[i].context
            context.symmetry = &symmetry
            context.threats.geometry = &geometry
            context.threats.limits = &self.workers[i].limits
            context.threats.mask = floor_power(
                min(share, <size_t> FAILED_MEBIBYTES * MEBIBYTE) // sizeof(FailedPosition)) - 1
            context.threats.failed = <FailedPosition*> calloc(
                context.threats.mask + 1, sizeof(FailedPosition))
            context.cache.mask = floor_power(share // 8 // sizeof(CachedList)) - 1
            context.cache.slots = <CachedList*> calloc(context.cache.mask + 1, sizeof(CachedList))
            context.cache.capacity = min(share // sizeof(Child), <size_t> 1 << 31)
            context.cache.children = <Child*> calloc(context.cache.capacity, sizeof(Child))
            if (context.threats.failed == NULL or context.cache.slots == NULL
                    or context.cache.children == NULL):
                raise MemoryError(f"out of memory: cannot allocate tables of {hash} MiB")

    def __dealloc__(self):
        cdef int i
        for i in range(self.threads):
            free(self.workers[i].context.threats.failed)
            free(self.workers[i].context.cache.slots)
            free(self.workers[i].context.cache.children)

    # Raises the exception that Ctrl-C has left set, or Unproven if a limit stopped the search.
    cdef int check_complete(self) except -1:
        self.check_interrupt()
        if self.workers[0].limits.stopped:
            raise Unproven("the search was stopped")
        return 0

    def threats(self, uint64_t mine, uint64_t theirs, uint64_t nodes=UNLIMITED_NODES,
                double limit=0):
        """(cells, nodes): the threat sequence by which the side to move wins, or None.

        The cells are gain, reply, gain, reply, ..., last gain and its two replies; a single cell
        if it completes a line. Also None if a limit was reached: then `stopped` is true.
        """
        cdef Side attacker, defender
        cdef Threats* threats = &self.workers[0].context.threats
        cdef bint found
        set_stones(&geometry, &attacker, mine)
        set_stones(&geometry, &defender, theirs)
        self.lock.acquire()
        try:
            self.start(nodes, limit)
            with nogil:
                found = wins_by_threats(threats, &attacker, &defender)
            self.check_interrupt()
            cells = [threats.sequence[i] for i in range(threats.length)] if found else None
            return cells, self.workers[0].limits.nodes
        finally:
            self.lock.release()

    def threats_many(self, const uint64_t[::1] words not None):
        """(wins, nodes) of many positions, each two words, the side to move first. `wins` has a
        byte for each: 1 if it wins by a threat sequence."""
        cdef Threats* threats = &self.workers[0].context.threats
        cdef Py_ssize_t i, count = words.shape[0] // 2
        cdef Side attacker, defender
        wins = bytearray(count)
        cdef uint8_t[::1] found = wins
        self.lock.acquire()
        try:
            self.start(UNLIMITED_NODES, 0)
            with nogil:
                for i in range(count):
                    set_stones(&geometry, &attacker, words[2 * i])
                    set_stones(&geometry, &defender, words[2 * i + 1])
                    found[i] = wins_by_threats(threats, &attacker, &defender)
                    if threats.limits.stopped:
                        break
            self.check_interrupt()
            return bytes(wins), threats.limits.nodes
        finally:
            self.lock.release()

    @property
    def stopped(self):
        """Whether a limit stopped the latest call."""
        return bool(self.workers[0].limits.stopped)

    # Sets the attacker's move limits. The table and the caches are valid for one setting only.
    cdef void set_move_limits(self, int early, int later) noexcept:
        cdef int i
        if self.early == early and self.later == later:
            return
        self.early, self.later = early, later
        if self.used:  # else its pages are not even allocated
            memset(self.table.slots, 0, self.table.buckets * BUCKET * sizeof(Slot))
        self.used = True
        for i in range(self.threads):
            clear_cache(&self.workers[i].context.cache)
            self.workers[i].context.early = early
            self.workers[i].context.later = later

    def clear(self):
        """Forgets all results."""
        cdef int i
        self.lock.acquire()
        try:
            self.early = self.later = 0
            if self.used:  # now, not during the next search, which may have little time
                memset(self.table.slots, 0, self.table.buckets * BUCKET * sizeof(Slot))
                self.used = False
            for i in range(self.threads):
                memset(self.workers[i].context.threats.failed, 0,
                       (self.workers[i].context.threats.mask + 1) * sizeof(FailedPosition))
        finally:
            self.lock.release()

    def prove(self, uint64_t attacker, uint64_t defender, bint attacking, int early, int later,
              uint64_t nodes, double limit, on_info=None):
        """Tries to prove that the attacker wins; `attacking`: it is to move.

        The attacker tries `early` moves in positions of at most four stones, then `later`.
        `nodes` and `limit`, in seconds (0: none), end the search early; `on_info` gets a record
        twice a second. Returns a `ProofRecord`; the attacker wins if "proof" is 0, and does not
        win with these moves if "disproof" is.
        """
        cdef Node root
        cdef Numbers numbers
        cdef double began = seconds()
        self.lock.acquire()
        try:
            self.set_move_limits(early, later)
            self.start(nodes, limit)
            make_node(&self.workers[0].context, attacker, defender, attacking, &root)
            self.run(&root, on_info, began)
            if not read_numbers(&self.table, root.key, &numbers):
                start_numbers(&numbers, 1, 1)
            return self.report(&numbers, began, False)
        finally:
            self.lock.release()

    cdef dict report(self, const Numbers* numbers, double began, bint running):
        found = DfpnSolver.report(self, numbers, began, running)
        found["threat_nodes"] = found.pop("nodes")
        del found["drawn"]     # not tracked here
        return found

    # A cell of a node, in the orientation of the position it was made from.
    cdef int original_cell(self, uint64_t attacker, uint64_t defender, const Node* node,
                           int cell) except -1:
        cdef int i
        for i in range(SYMMETRIES):
            if (permuted(attacker, rules.image[i]) == node.attacker.stones
                    and permuted(defender, rules.image[i]) == node.defender.stones):
                return from_canonical(i, cell)
        raise AssertionError("a node is a symmetric image of its position")

    # A move that is proven to win for the attacker, which has no threat sequence. If the table has
    # lost it, the position is proven once more; raises Unproven if that fails.
    cdef int find_winning_move(self, uint64_t attacker, uint64_t defender) except -1:
        cdef Context* context = &self.workers[0].context
        cdef Child children[MAX_CHILDREN]
        cdef Node node
        cdef Numbers numbers
        cdef Prover prover
        cdef int i, count, _attempt
        self.prepare_prover(0, &prover, 1)
        make_node(context, attacker, defender, True, &node)
        start_numbers(&numbers, 1, 1)
        for _attempt in range(2):
            count = expand(context, &node, children)
            for i in range(count):
                if read_numbers(&self.table, children[i].key, &numbers) and numbers.proof == 0:
                    return self.original_cell(attacker, defender, &node, children[i].move)
            with nogil:
                prove(&prover, &node, INFINITE, INFINITE, 0, &numbers)
            self.check_complete()
        raise Unproven("no win is proven in this position")

    def moves(self, uint64_t attacker, uint64_t defender, bint attacking, int early, int later):
        """The moves that the proof search tries, one of each symmetric set; None if it tries none.
        Neither side has won and the side to move has no threat sequence."""
        cdef Context* context = &self.workers[0].context
        cdef Child children[MAX_CHILDREN]
        cdef Node node
        cdef int i, count
        self.lock.acquire()
        try:
            self.set_move_limits(early, later)
            self.start(UNLIMITED_NODES, 0)
            make_node(context, attacker, defender, attacking, &node)
            with nogil:
                count = expand(context, &node, children)
            self.check_interrupt()
            if count <= 0:
                return None
            return [self.original_cell(attacker, defender, &node, children[i].move)
                    for i in range(count)]
        finally:
            self.lock.release()

    def winning_move(self, uint64_t attacker, uint64_t defender):
        """A move that `prove` has proven to win for the attacker, which is to move and has no
        threat sequence."""
        self.lock.acquire()
        try:
            self.start(UNLIMITED_NODES, 0)
            return self.find_winning_move(attacker, defender)
        finally:
            self.lock.release()


include "strategy.pxi"
