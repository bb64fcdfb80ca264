"""The solver of Qubic, compiled: threat search, proof search, strategies and their check."""

from libc.stdlib cimport calloc, free
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from ttt_core.games.qubic cimport SYMMETRIES, Rules, prepare
from ttt_core.primitives.lines cimport permuted
from ttt_core.tables.proof cimport DISPROVEN, PROVEN, Child, Numbers
from ttt_core.solvers.qubic.moves cimport (
    ALWAYS_PROBE, INVERSE_EPSILON, MOST_CHILDREN, MOST_DEPTH, WEAK_PROOF_NUMBERS, Context, List,
    Node, descend, find_children, forget_lists, take_up,
)
from ttt_core.solvers.qubic.symmetry cimport Symmetry, prepare_symmetry, turn
from ttt_core.search.threats.qubic_search cimport (
    Failure, Geometry, Side, Threats, completions, prepare_geometry, put, put_all, wins_by_threats,
)
from ttt_core.tables.transposition cimport BUCKET, Slot
from ttt_core.runtime.limits cimport Limits


cdef inline Limits* limits_of(Context* context) noexcept nogil:
    return context.threats.limits


# A visit counts as a node, so that limits are polled even if the rest of the work is remembered.
cdef inline int expand(Context* context, const Node* node, Child* children) noexcept nogil:
    cdef int count
    limits_of(context).nodes += 1
    if (node.attacker.stones | node.defender.stones) == ~<uint64_t> 0:
        return DISPROVEN
    count = find_children(context, node, children)
    return count if count else DISPROVEN if node.attacking else PROVEN


cdef inline void on_decided(Context* context, const Node* node, const Numbers* numbers,
                            uint64_t nodes) noexcept nogil:
    pass


cdef enum:
    FAILURES = 8               # MiB a thread: more saves 0.1% of the nodes (bench/qubic.py)

# What one thread writes to, away from what others do: two threads must not share a cache line.
ctypedef struct Worker:
    Context context
    Limits limits
    char apart[128]

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
    """A win was not shown before."""


# The largest power of two that is at most n.
cdef size_t floor_power(size_t n) noexcept:
    cdef size_t found = 1
    while found * 2 <= n:
        found *= 2
    return found


cdef class Solver(DfpnSolver):
    """Table, threads and limits of the proof search. Made by `ttt.solvers.qubic`.

    A position is given as the stones of two sides, as bits of a word: cell = 16 x level + 4 x row
    + column. The first side is the one to move, or the attacker, as each method says.
    """

    cdef int early, later      # the width that the table and the lists hold for; 0: none
    cdef bint used             # the table holds something

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
                min(share, <size_t> FAILURES * MEBIBYTE) // sizeof(Failure)) - 1
            context.threats.failures = <Failure*> calloc(
                context.threats.mask + 1, sizeof(Failure))
            context.lists.mask = floor_power(share // 8 // sizeof(List)) - 1
            context.lists.slots = <List*> calloc(context.lists.mask + 1, sizeof(List))
            context.lists.size = min(share // sizeof(Child), <size_t> 1 << 31)
            context.lists.room = <Child*> calloc(context.lists.size, sizeof(Child))
            if (context.threats.failures == NULL or context.lists.slots == NULL
                    or context.lists.room == NULL):
                raise MemoryError(f"no memory for a table of {hash} MiB")

    def __dealloc__(self):
        cdef int i
        for i in range(self.threads):
            free(self.workers[i].context.threats.failures)
            free(self.workers[i].context.lists.slots)
            free(self.workers[i].context.lists.room)

    # Raises what Ctrl-C left behind, for work that is worth nothing unless it is finished.
    cdef int check_finished(self) except -1:
        self.check_interrupt()
        if self.workers[0].limits.stopped:
            raise Unproven("the work was stopped")
        return 0

    def threats(self, uint64_t mine, uint64_t theirs, uint64_t nodes=1 << 62, double limit=0):
        """(chain, nodes) of the side to move: its winning chain of threes, None if there is none.

        The chain is gain, reply, gain, reply and so on; the last gain has two replies. None also
        when a limit was reached: then `stopped` is true.
        """
        cdef Side attacker, defender
        cdef Threats* threats = &self.workers[0].context.threats
        cdef bint found
        put_all(&geometry, &attacker, mine)
        put_all(&geometry, &defender, theirs)
        self.lock.take()
        try:
            self.start(nodes, limit)
            with nogil:
                found = wins_by_threats(threats, &attacker, &defender)
            self.check_interrupt()
            chain = [threats.chain[i] for i in range(threats.length)] if found else None
            return chain, self.workers[0].limits.nodes
        finally:
            self.lock.give()

    def threats_many(self, const uint64_t[::1] words not None):
        """(answers, nodes) for many positions at once, each two words, the side to move first: a
        byte for each, 1 where it wins by a chain of threes."""
        cdef Threats* threats = &self.workers[0].context.threats
        cdef Py_ssize_t i, count = words.shape[0] // 2
        cdef Side attacker, defender
        answers = bytearray(count)
        cdef uint8_t[::1] found = answers
        self.lock.take()
        try:
            self.start(1 << 62, 0)
            with nogil:
                for i in range(count):
                    put_all(&geometry, &attacker, words[2 * i])
                    put_all(&geometry, &defender, words[2 * i + 1])
                    found[i] = wins_by_threats(threats, &attacker, &defender)
                    if threats.limits.stopped:
                        break
            self.check_interrupt()
            return bytes(answers), threats.limits.nodes
        finally:
            self.lock.give()

    @property
    def stopped(self):
        """Whether a limit ended the latest work."""
        return bool(self.workers[0].limits.stopped)

    # Attacker's moves a position: the table's numbers and the lists hold for one choice only.
    cdef void set_width(self, int early, int later) noexcept:
        cdef int i
        if self.early == early and self.later == later:
            return
        self.early, self.later = early, later
        if self.used:  # else all is 0 still, and its pages are not there yet
            memset(self.table.slots, 0, self.table.buckets * BUCKET * sizeof(Slot))
        self.used = True
        for i in range(self.threads):
            forget_lists(&self.workers[i].context.lists)
            self.workers[i].context.early = early
            self.workers[i].context.later = later

    def clear(self):
        """Forgets all that was found out."""
        cdef int i
        self.lock.take()
        try:
            self.early = self.later = 0
            for i in range(self.threads):
                memset(self.workers[i].context.threats.failures, 0,
                       (self.workers[i].context.threats.mask + 1) * sizeof(Failure))
        finally:
            self.lock.give()

    def prove(self, uint64_t attacker, uint64_t defender, bint attacking, int early, int later,
              uint64_t nodes, double limit, on_info=None):
        """Tries to show that the attacker wins; `attacking`: it is to move. The record has
        "proof" and "disproof" numbers: 0 is done.

        The attacker has `early` moves in a position of at most four stones, then `later`.
        """
        cdef Node root
        cdef Numbers numbers
        cdef double began = seconds()
        self.lock.take()
        try:
            self.set_width(early, later)
            self.start(nodes, limit)
            take_up(&self.workers[0].context, attacker, defender, attacking, &root)
            self.run(&root, on_info, began)
            if not read_numbers(&self.table, root.key, &numbers):
                start_numbers(&numbers, 1, 1)
            return self.report(&numbers, began, False)
        finally:
            self.lock.give()

    cdef dict report(self, const Numbers* numbers, double began, bint running):
        found = DfpnSolver.report(self, numbers, began, running)
        found["threat_nodes"] = found.pop("nodes")
        del found["drawn"]     # nobody asks: a draw is no win
        return found

    # A cell of a node, in the orientation of the position it was made from.
    cdef int back(self, uint64_t attacker, uint64_t defender, const Node* node,
                  int cell) except -1:
        cdef int i
        for i in range(SYMMETRIES):
            if (permuted(attacker, rules.image[i]) == node.attacker.stones
                    and permuted(defender, rules.image[i]) == node.defender.stones):
                return unturned(i, cell)
        raise AssertionError("a node is a symmetric image of its position")

    # A move that is proven to win for the attacker, which has no chain of threes.
    cdef int winning_move(self, uint64_t attacker, uint64_t defender) except -1:
        cdef Context* context = &self.workers[0].context
        cdef Child children[MOST_CHILDREN]
        cdef Node node
        cdef Numbers numbers
        cdef Prover prover
        cdef int i, count, _attempt
        self.prepare_prover(0, &prover, 1)
        take_up(context, attacker, defender, True, &node)
        start_numbers(&numbers, 1, 1)
        for _attempt in range(2):
            count = expand(context, &node, children)
            for i in range(count):
                if read_numbers(&self.table, children[i].key, &numbers) and numbers.proof == 0:
                    return self.back(attacker, defender, &node, children[i].move)
            with nogil:
                prove(&prover, &node, NEVER, NEVER, 0, &numbers)
            self.check_finished()
        raise Unproven("the position is not proven")

    def moves(self, uint64_t attacker, uint64_t defender, bint attacking, int early, int later):
        """The cells the proof search looks at, of symmetric ones one; None if it need not look.
        Neither side has won and the side to move has no chain of threes."""
        cdef Context* context = &self.workers[0].context
        cdef Child children[MOST_CHILDREN]
        cdef Node node
        cdef int i, count
        self.lock.take()
        try:
            self.set_width(early, later)
            self.start(1 << 62, 0)
            take_up(context, attacker, defender, attacking, &node)
            with nogil:
                count = expand(context, &node, children)
            self.check_interrupt()
            if count <= 0:
                return None
            return [self.back(attacker, defender, &node, children[i].move) for i in range(count)]
        finally:
            self.lock.give()

    def winner(self, uint64_t attacker, uint64_t defender):
        """A move that `prove` has shown to win for the attacker, which is to move and has no
        chain of threes."""
        self.lock.take()
        try:
            self.start(1 << 62, 0)
            return self.winning_move(attacker, defender)
        finally:
            self.lock.give()


include "strategy.pxi"
