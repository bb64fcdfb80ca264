# Depth-first proof-number search (df-pn, Nagai 2002) over a shared table: does the attacker win?
#
# The proof number of a position estimates the work left to prove that the attacker wins, the
# disproof number the work left to prove that it does not. A proven win is (0, INFINITE), a
# disproven one (INFINITE, 0). As usual, phi is the number of the side to move (proof if the
# attacker is to move, else disproof), delta is the other one, and each has a threshold at which the
# search leaves a node:
#
#   phi      the least delta of the children: one child is enough
#   delta    the sum of the children's phi: all of them have to be decided. Sums count
#            transpositions many times; weak proof numbers (Ueda and others 2008) take the largest
#            phi plus one for each other undecided child instead. Each game uses what its bench
#            found better.
#
# A draw is not a win of the attacker. A disproof that relies on a draw is marked `drawn`; any other
# disproof means that the defender wins.
#
# Needs:
#   MAX_CHILDREN MAX_DEPTH
#   WEAK_PROOF_NUMBERS   whether delta is a weak proof number or a sum
#   INVERSE_EPSILON      1 / epsilon of the 1 + epsilon trick (Pawlewicz and Lew 2007): a child is
#                        searched until its number exceeds the second best by this fraction of it
#   ALWAYS_PROBE         whether to probe the table for the children again after each search below,
#                        because transpositions often change their numbers; always done with
#                        several threads
#   Context              what the game's functions need, one for each thread
#   Node                 a position, with its `key` and `attacking`: the attacker is to move
#   limits_of(context)   the thread's limits
#   expand(context, node, children)
#                        lists the children with their numbers and returns how many there are, or
#                        PROVEN or DISPROVEN; counts its work in the limits. Its result is ignored
#                        if the limits have stopped the search.
#   descend(context, node, child, below)
#                        makes the node of a child
#   on_decided(context, node, numbers, nodes)
#                        is called for every decided position

from libc.stdint cimport uint32_t, uint64_t

from ttt_core.runtime.atomics cimport load_word, store_word
from ttt_core.runtime.limits cimport poll
from ttt_core.tables.proof cimport (
    INFINITE, PROVEN, Child, Numbers, ProofTable, read_numbers, save_numbers, start_numbers,
)

# The search of one thread.
ctypedef struct Prover:
    Context* context
    ProofTable* table
    uint64_t* paths             # of all threads: the keys from the root to each thread's position
    int thread
    int threads

# The numbers of a node, computed from its children.
ctypedef struct Summary:
    uint32_t phi
    uint32_t delta
    uint32_t second             # the second least delta of a child
    int undecided               # children
    int selected                # the child to search next
    bint drawn


# Whether another thread is searching this position.
cdef inline bint taken(const Prover* prover, uint64_t key, int depth) noexcept nogil:
    cdef int i
    for i in range(prover.threads):
        if i != prover.thread and load_word(&prover.paths[i * MAX_DEPTH + depth]) == key:
            return True
    return False


# Computes the numbers of a node and selects the child of least delta. Children with a delta below
# `apart` that no other thread is searching are preferred.
cdef inline void summarise(const Prover* prover, bint attacking, Child* children, int count,
                           int depth, bint reprobe, uint32_t apart,
                           Summary* summary) noexcept nogil:
    cdef Numbers* numbers
    cdef uint32_t least = INFINITE, second = INFINITE, largest = 0, child_delta, child_phi
    cdef uint64_t total = 0
    cdef int i, undecided = 0, untaken = -1
    summary.drawn = False
    summary.selected = summary.undecided = 0
    summary.second = INFINITE
    if count <= 0:
        summary.phi = 0 if (count == PROVEN) == attacking else INFINITE
        summary.delta = INFINITE - summary.phi
        return
    for i in range(count):
        numbers = &children[i].numbers
        if reprobe:
            read_numbers(prover.table, children[i].key, numbers)
        child_delta = numbers.proof if attacking else numbers.disproof
        child_phi = numbers.disproof if attacking else numbers.proof
        if child_delta == 0:
            summary.phi, summary.delta = 0, INFINITE
            summary.drawn = numbers.drawn
            return
        summary.drawn |= numbers.drawn
        if child_phi == 0:
            continue
        undecided += 1
        largest = max(largest, child_phi)
        total += child_phi
        if child_delta < least:
            second = least
            least = child_delta
            summary.selected = i
        elif child_delta < second:
            second = child_delta
        if child_delta < apart and not taken(prover, children[i].key, depth + 1):
            apart = child_delta
            untaken = i
    summary.undecided = undecided
    if not undecided:
        summary.phi, summary.delta = INFINITE, 0
        return
    summary.drawn = False
    summary.phi = least
    summary.delta = <uint32_t> min(
        <uint64_t> largest + undecided - 1 if WEAK_PROOF_NUMBERS else total,
        <uint64_t> INFINITE - 1)
    summary.second = second
    if untaken >= 0:
        summary.selected = untaken
        summary.second = max(second, apart)


# Searches below a node until it is decided, one of its numbers reaches its threshold or a limit is
# reached. The numbers go to the table and to `found`: the table may lose them, and a parent that
# started again from the initial numbers of its children would never finish. The thresholds come as
# proof and disproof and are used as phi and delta.
cdef void prove(Prover* prover, const Node* node, uint32_t proof_threshold,
                uint32_t disproof_threshold, int depth, Numbers* found) noexcept nogil:
    cdef Context* context = prover.context
    cdef uint64_t began = limits_of(context).nodes
    cdef Child children[MAX_CHILDREN]
    cdef Node below
    cdef Summary summary
    cdef bint attacking = node.attacking, done
    cdef bint reprobe = ALWAYS_PROBE or prover.threads > 1
    cdef uint32_t phi_threshold = proof_threshold if attacking else disproof_threshold
    cdef uint32_t delta_threshold = disproof_threshold if attacking else proof_threshold
    # Threads are spread over the defender's moves only: all of them have to be refuted.
    cdef uint32_t apart = phi_threshold if prover.threads > 1 and not attacking else 0
    cdef int count
    if prover.threads > 1:
        store_word(&prover.paths[prover.thread * MAX_DEPTH + depth], node.key)
    if limits_of(context).nodes >= limits_of(context).next_poll:
        poll(limits_of(context))
    count = expand(context, node, children)
    done = limits_of(context).stopped
    while not done:
        summarise(prover, attacking, children, count, depth, reprobe, apart, &summary)
        start_numbers(found, summary.phi if attacking else summary.delta,
                      summary.delta if attacking else summary.phi)
        found.drawn = summary.drawn
        done = (summary.phi == 0 or summary.delta == 0 or summary.phi >= phi_threshold
                or summary.delta >= delta_threshold or limits_of(context).stopped)
        if done or reprobe:
            save_numbers(prover.table, node.key, found, limits_of(context).nodes - began)
        if not done:
            descend(context, node, &children[summary.selected], &below)
            proof_threshold = min(
                phi_threshold, summary.second + 1 + summary.second // INVERSE_EPSILON)
            disproof_threshold = delta_threshold - (summary.undecided - 1)
            if not attacking:
                proof_threshold, disproof_threshold = disproof_threshold, proof_threshold
            prove(prover, &below, proof_threshold, disproof_threshold, depth + 1,
                  &children[summary.selected].numbers)
    if not (found.proof and found.disproof):
        on_decided(context, node, found, limits_of(context).nodes - began)
    if prover.threads > 1:
        store_word(&prover.paths[prover.thread * MAX_DEPTH + depth], 0)
