# Proof search: can the attacker be shown to win? Depth-first proof-number search (Nagai 2002) over
# a shared table.
#
# A position has a proof number (how hard it looks to show that the attacker wins) and a disproof
# number; 0 is done, NEVER is hopeless. Where all children have to be decided the number is the sum
# of theirs or, because that counts what they share many times over, the largest of them and one for
# each other (weak proof numbers, Ueda and others 2008): the game says which, its bench what is
# better. New positions start from the numbers the game gives them.
#
# A draw is no win of the attacker; a disproof that rests on one is marked. One that does not tells
# that the other side wins.
#
# Needs: MOST_CHILDREN MOST_DEPTH; WEAK_PROOF_NUMBERS (weak proof numbers or sums); INVERSE_EPSILON
# (a child may exceed the second best by this part of it); ALWAYS_PROBE (whether positions met below
# other children change the numbers often enough to look them up each time; with several threads
# that is done anyway); Context (what the game's functions need, one a thread); Node (a position;
# its `key` and whether it is `attacking`, i.e. the attacker is to move); limits_of(context);
# descend(context, node, child, below); expand(context, node, children): their number, or PROVEN or
# DISPROVEN, and what that took, counted by the limits; nothing it lists once the limits are reached
# counts; on_decided(context, node, numbers, nodes), which is told of every position decided.

from libc.stdint cimport uint32_t, uint64_t

from ttt_core.tables.proof cimport (
    NEVER, PROVEN, Child, Numbers, ProofTable, read_numbers, save_numbers, start_numbers,
)
from ttt_core.tables.transposition cimport load, store
from ttt_core.runtime.limits cimport poll

# One thread's search.
ctypedef struct Prover:
    Context* context
    ProofTable* table
    uint64_t* paths             # of all threads: the keys on the way to where each is
    int thread
    int threads

# What the children of a position make of it: `any` is the number for which one child is enough,
# `all` the one that every child has to reach.
ctypedef struct Balance:
    uint32_t any
    uint32_t all
    uint32_t second             # the second least number of a child that is enough
    int left                    # children still to be decided
    int chosen                  # the child to go on with
    bint drawn


# Whether another thread is below this position.
cdef inline bint taken(const Prover* prover, uint64_t key, int depth) noexcept nogil:
    cdef int i
    for i in range(prover.threads):
        if i != prover.thread and load(&prover.paths[i * MOST_DEPTH + depth]) == key:
            return True
    return False


# A child that no thread is below is chosen, if one has a number below `apart`.
cdef inline void weigh_up(const Prover* prover, bint attacking, Child* children, int count,
                          int depth, bint look_up, uint32_t apart, Balance* balance) noexcept nogil:
    cdef Numbers* numbers
    cdef uint32_t least = NEVER, second = NEVER, largest = 0, here_any, here_all
    cdef uint64_t total = 0
    cdef int i, left = 0, untaken = -1
    balance.drawn = False
    balance.chosen = balance.left = 0
    balance.second = NEVER
    if count <= 0:
        balance.any = 0 if (count == PROVEN) == attacking else NEVER
        balance.all = NEVER - balance.any
        return
    for i in range(count):
        numbers = &children[i].numbers
        if look_up:
            read_numbers(prover.table, children[i].key, numbers)
        here_any = numbers.proof if attacking else numbers.disproof
        here_all = numbers.disproof if attacking else numbers.proof
        if here_any == 0:
            balance.any, balance.all = 0, NEVER
            balance.drawn = numbers.drawn
            return
        balance.drawn |= numbers.drawn
        if here_all == 0:
            continue
        left += 1
        largest = max(largest, here_all)
        total += here_all
        if here_any < least:
            second = least
            least = here_any
            balance.chosen = i
        elif here_any < second:
            second = here_any
        if here_any < apart and not taken(prover, children[i].key, depth + 1):
            apart = here_any
            untaken = i
    balance.left = left
    if not left:
        balance.any, balance.all = NEVER, 0
        return
    balance.drawn = False
    balance.any = least
    balance.all = <uint32_t> min(<uint64_t> largest + left - 1 if WEAK_PROOF_NUMBERS else total,
                                 <uint64_t> NEVER - 1)
    balance.second = second
    if untaken >= 0:
        balance.chosen = untaken
        balance.second = max(second, apart)


# Searches below a position until it is decided, or its proof number has reached `most_proof`, or
# its disproof number `most_disproof`, or a limit is reached. The table takes the numbers, and so
# does `found`: the table may lose them, and a parent that started again from the first numbers
# of its children would never end.
cdef void prove(Prover* prover, const Node* node, uint32_t most_proof, uint32_t most_disproof,
                int depth, Numbers* found) noexcept nogil:
    cdef Context* context = prover.context
    cdef uint64_t began = limits_of(context).nodes
    cdef Child children[MOST_CHILDREN]
    cdef Node below
    cdef Balance balance
    cdef bint attacking = node.attacking, done
    cdef bint look_up = ALWAYS_PROBE or prover.threads > 1
    cdef uint32_t most_any = most_proof if attacking else most_disproof
    cdef uint32_t most_all = most_disproof if attacking else most_proof
    # Only the defender's replies are divided between threads: all of them must be answered.
    cdef uint32_t apart = most_any if prover.threads > 1 and not attacking else 0
    cdef int count
    if prover.threads > 1:
        store(&prover.paths[prover.thread * MOST_DEPTH + depth], node.key)
    if limits_of(context).nodes >= limits_of(context).next_poll:
        poll(limits_of(context))
    count = expand(context, node, children)
    done = limits_of(context).stopped
    while not done:
        weigh_up(prover, attacking, children, count, depth, look_up, apart, &balance)
        start_numbers(found, balance.any if attacking else balance.all,
                      balance.all if attacking else balance.any)
        found.drawn = balance.drawn
        done = (balance.any == 0 or balance.all == 0 or balance.any >= most_any
                or balance.all >= most_all or limits_of(context).stopped)
        if done or look_up:
            save_numbers(prover.table, node.key, found, limits_of(context).nodes - began)
        if not done:
            descend(context, node, &children[balance.chosen], &below)
            most_proof = min(most_any, balance.second + 1 + balance.second // INVERSE_EPSILON)
            most_disproof = most_all - (balance.left - 1)
            if not attacking:
                most_proof, most_disproof = most_disproof, most_proof
            prove(prover, &below, most_proof, most_disproof, depth + 1,
                  &children[balance.chosen].numbers)
    if not (found.proof and found.disproof):
        on_decided(context, node, found, limits_of(context).nodes - began)
    if prover.threads > 1:
        store(&prover.paths[prover.thread * MOST_DEPTH + depth], 0)
