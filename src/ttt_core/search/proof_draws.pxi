# Proof search for games with draws: depth-first proof-number search (Nagai 2002) with weak proof
# numbers (Ueda and others 2008).
#
# Needs: State Undo Move MOVES; enter leave; Prover, a struct with the fields `proving` (a Proving)
# and `rules`; and of the game under proof
#
#   expand(prover, state, depth, list)   fills in the children of a running position that can matter
#       and returns how many: move, key, and numbers from the table, the first ones or a proof's
#   witness(prover, state, depth, proof, nodes)   is told of every position decided
#
# The question is whether one side, the attacker, wins; a draw is a success of the other side, and a
# proof that rests on one is marked. A proof that no draw has touched tells who wins, whoever asked.
# Where all children have to fail the number is not the sum of theirs, which counts what they share
# many times over, but the largest of them and one for each other.

from ttt_core.clock cimport seconds
from ttt_core.flag cimport load_flag, store_flag
from ttt_core.interrupt cimport interrupted
from ttt_core.proofs cimport ENDLESS, LARGEST, Proof, ProofTable, memorise, proof_bucket, recall
from ttt_core.table cimport prefetch

cdef enum:
    PROOF_POLL = 4096          # nodes between two looks at the limits, at most
    SIGNAL_GAP = 10            # milliseconds between two looks for Ctrl-C

ctypedef struct Child:
    uint64_t key
    Proof proof                # for the side to move after the move
    Move move


# The first looks follow each other closely, as a fresh table makes its first nodes slow: each may
# touch a page that the system has yet to clear.
cdef void check_proving(Proving* proving) noexcept nogil:
    cdef double now
    proving.poll = proving.nodes + min(proving.nodes // 128 + 1, <uint64_t> PROOF_POLL)
    if load_flag(proving.stop) or proving.nodes >= proving.limit:
        proving.stopped = True
        return
    proving.poll = min(proving.poll, proving.limit)
    now = seconds()
    if proving.deadline and now >= proving.deadline:
        proving.stopped = True
    if proving.signals and now >= proving.signal_time:
        proving.signal_time = now + SIGNAL_GAP / 1000.0
        if interrupted():
            proving.stopped = proving.interrupted = True


# The numbers of a position from those of its children; the best of them goes to `best`, the second
# least delta to `second`, and to `others` what the sum adds to the phi of the best.
cdef inline void gather(const Child* list, int total, Proof* proof, int* best, uint32_t* second,
                        uint32_t* others) noexcept nogil:
    cdef uint32_t least = ENDLESS, next = ENDLESS, most = 0, phi, delta
    cdef int i, running = 0
    cdef bint drawn = False
    best[0] = 0
    for i in range(total):
        delta = list[i].proof.delta
        phi = list[i].proof.phi
        drawn |= list[i].proof.drawn
        if phi:
            running += 1
            most = max(most, phi)
        if delta < least:
            next = least
            least = delta
            best[0] = i
        elif delta < next:
            next = delta
    second[0] = next
    others[0] = running - 1 if running else 0
    proof.phi = least
    if least == 0:
        proof.delta = ENDLESS
        proof.drawn = list[best[0]].proof.drawn
    elif not running:
        proof.delta = 0
        proof.phi = ENDLESS
        proof.drawn = drawn
    else:
        proof.delta = min(most + others[0], <uint32_t> LARGEST)
        proof.phi = min(least, <uint32_t> LARGEST)
        proof.drawn = False


# Works on a running position until a number of its side to move reaches its limit, or a proof.
cdef void prove(Prover* prover, State* state, uint64_t key, int depth, uint32_t phi_limit,
                uint32_t delta_limit, Proof* proof) noexcept nogil:
    cdef Proving* proving = &prover.proving
    cdef uint64_t began = proving.nodes
    cdef Child list[MOVES]
    cdef Child* child
    cdef Undo room
    cdef uint32_t second, others
    cdef int best, total
    if proving.nodes >= proving.poll:
        check_proving(proving)
    total = expand(prover, state, depth, list)
    proving.nodes += total
    proving.expansions += 1
    while True:
        gather(list, total, proof, &best, &second, &others)
        if proof.phi >= phi_limit or proof.delta >= delta_limit or proving.stopped:
            break
        child = &list[best]
        enter(prover.rules, state, child.move, &room)
        prove(prover, state, child.key, depth + 1, min(delta_limit - others, <uint32_t> LARGEST),
              min(phi_limit, second + (second >> 3) + 1), &child.proof)
        leave(prover.rules, state, child.move, &room)
    memorise(proving.table, key, proof, proving.nodes - began)
    if not (proof.phi and proof.delta):
        witness(prover, state, depth, proof, proving.nodes - began)
