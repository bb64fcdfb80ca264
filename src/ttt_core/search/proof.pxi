# Proof search: can the attacker be shown to win? Depth-first proof-number search (Nagai 2002) over
# a shared table.
#
# A position has a proof number (how hard it looks to show that the attacker wins) and a disproof
# number; 0 is done, NEVER is hopeless. Where all children have to be decided the number is the sum
# of theirs or, because that counts what they share many times over, the largest of them and one for
# each other (weak proof numbers, Ueda and others 2008): the game says which, its bench what is
# better. New positions start from the numbers the game gives them.
#
# Needs: MOST_CHILDREN MOST_DEPTH; WEAK (weak proof numbers or sums); Context (what the game's
# functions need, one a thread); Place (a position; its `key` and whether it is `attacking`, i.e.
# the attacker is to move); watch_of(context); descend(context, place, child, below);
# list_children(context, place, children): their number, or PROVEN or DISPROVEN. Nothing it lists
# while the watch is stopped counts.

from libc.stdint cimport uint32_t, uint64_t

from ttt_core.proof_table cimport (
    NEVER, PROVEN, Child, Numbers, ProofTable, note_numbers, read_numbers,
)
from ttt_core.table cimport load, store
from ttt_core.watch cimport look_around

cdef enum:
    SLACK = 16                  # a child may exceed the second best by this part of it

# One thread's search.
ctypedef struct Prover:
    Context* context
    ProofTable* table
    uint64_t* paths             # of all threads: the keys on the way to where each is
    int thread
    int threads


# Whether another thread is below this position.
cdef inline bint taken(const Prover* prover, uint64_t key, int depth) noexcept nogil:
    cdef int i
    for i in range(prover.threads):
        if i != prover.thread and load(&prover.paths[i * MOST_DEPTH + depth]) == key:
            return True
    return False


# Searches below a position until it is decided, or its proof number has reached `most_proof`, or
# its disproof number `most_disproof`, or the watch stops. The table takes the numbers, and so does
# `found`: the table may lose them, and a parent that started again from the first numbers of its
# children would never end. A visit counts as a node, so that the watch looks even if the rest of
# the work is remembered.
cdef void prove(Prover* prover, const Place* place, uint32_t most_proof, uint32_t most_disproof,
                int depth, Numbers* found) noexcept nogil:
    cdef Context* context = prover.context
    cdef uint64_t began = watch_of(context).nodes
    cdef Child children[MOST_CHILDREN]
    cdef Place below
    cdef Numbers numbers
    cdef bint attacking = place.attacking
    # `any`: one child is enough for it; `all`: every child has to reach it.
    cdef uint32_t most_any = most_proof if attacking else most_disproof
    cdef uint32_t most_all = most_disproof if attacking else most_proof
    cdef uint32_t least, second, apart_any, largest, total, left, here_any, here_all
    cdef int i, chosen, apart, count
    if prover.threads > 1:
        store(&prover.paths[prover.thread * MOST_DEPTH + depth], place.key)
    watch_of(context).nodes += 1
    if watch_of(context).nodes >= watch_of(context).look:
        look_around(watch_of(context))
    numbers = found[0]
    count = list_children(context, place, children)
    while not watch_of(context).stopped:
        least = second = apart_any = NEVER
        largest = total = left = 0
        chosen = apart = -1
        if count <= 0:
            numbers.proof = 0 if count == PROVEN else NEVER
            numbers.disproof = NEVER if count == PROVEN else 0
            here_any, here_all = 0, 0
        else:
            for i in range(count):
                if not read_numbers(prover.table, children[i].key, &numbers):
                    numbers = children[i].numbers
                here_any = numbers.proof if attacking else numbers.disproof
                here_all = numbers.disproof if attacking else numbers.proof
                if here_any == 0:
                    least = 0
                    break
                if here_all == 0:
                    continue
                left += 1
                largest = max(largest, here_all)
                total += here_all
                if here_any < least:
                    second = least
                    least = here_any
                    chosen = i
                elif here_any < second:
                    second = here_any
                if here_any < apart_any and not taken(prover, children[i].key, depth + 1):
                    apart_any = here_any
                    apart = i
            here_any = least if left or least == 0 else NEVER
            if WEAK and left:
                total = largest + left - 1
            here_all = NEVER if least == 0 else min(total, <uint32_t> NEVER - 1)
            numbers.proof = here_any if attacking else here_all
            numbers.disproof = here_all if attacking else here_any
        note_numbers(prover.table, place.key, &numbers, watch_of(context).nodes - began)
        if (numbers.proof == 0 or numbers.disproof == 0 or here_any >= most_any
                or here_all >= most_all):
            break
        # Only the defender's replies are divided between threads: all of them must be answered.
        if not attacking and apart_any < most_any:
            chosen = apart
            second = max(second, apart_any)
        descend(context, place, &children[chosen], &below)
        here_any = min(most_any, second + 1 + second // SLACK)
        here_all = most_all - (left - 1)
        if attacking:
            prove(prover, &below, here_any, here_all, depth + 1, &children[chosen].numbers)
        else:
            prove(prover, &below, here_all, here_any, depth + 1, &children[chosen].numbers)
    found[0] = numbers
    if prover.threads > 1:
        store(&prover.paths[prover.thread * MOST_DEPTH + depth], 0)
