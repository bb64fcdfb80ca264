# The engine's search: principal variation search over a transposition table.
#
# Needs: Rules State Undo MoveSet Move PLIES MOVES; moves won no_moves_left final_result immediate safe winnable
# enter leave key number image symmetries transform; some take count; Weights evaluate; ThreatSearch
# prepare_threats threat_win_plies (chains/none.pxd, or the game's own); FUTILITY_MARGIN, below.
#
# Scores inside the tree count plies from the root (a win at ply p is WIN - p); in the table they
# count from the position itself. Two ways to search:
#
#   plain       the value is that of minimax at the same depth, to the unit: no extension, no
#               reduction, and a table entry serves only at exactly the depth it was made for
#   selective   forced replies cost no depth, positions at the horizon are not evaluated while a
#               side can win at once or has to answer a threat, and quiet nodes are won if the side
#               to move wins by a chain of threats
#
# A selective search may `reduce`: late moves are first tried some plies shorter. With the
# evaluation `default` of a game whose FUTILITY_MARGIN is not 0 it also trusts the evaluation:
#
#   - up to CALM plies before the horizon a node counts as refuted if its evaluation is above the
#     window by FUTILITY_MARGIN for each ply
#   - a move after the first is tried the shorter, the worse its child's evaluation is: by a ply
#     for each 2/3 FUTILITY_MARGIN below the window, at most HARSH of them, and by at most KIND plies longer
#     above it
#
# A win or loss that is found holds all the same, for no score of such a node is one; that none is
# found within the depth does not.

from libc.math cimport log

from ttt_core.runtime.clock cimport seconds
from ttt_core.runtime.atomics cimport load_flag, store_flag
from ttt_core.primitives.scores cimport DECIDED, WIN
from ttt_core.tables.transposition cimport (
    AT_LEAST, AT_MOST, EXACT, NO_MOVE, Entry, Table, bucket, prefetch, probe, save,
)
from ttt_core.runtime.counters cimport Counters, publish

cdef enum:
    POLL = 1024                # nodes between two looks at the limits
    SIGNAL_POLL = 20           # milliseconds between two looks for Ctrl-C
    DEEPEST = PLIES + 1
    EAGER = 2                  # moves that are never tried shorter
    CALM = 3                   # plies
    HARSH = 4
    KIND = 2
    SCOUT = 3                  # plies: the least depth at which children are evaluated beforehand
    UNKNOWN = WIN + 1          # no evaluation

ctypedef struct SearchLimits:
    uint64_t nodes
    double deadline            # on the clock of `seconds`; 0: none
    int* stop                  # set from outside or by a worker that is done
    bint signals               # this worker looks for Ctrl-C

ctypedef struct Worker:
    State state                # a helper's own copy of the root
    const Rules* rules
    const Weights* weights
    Table* table
    SearchLimits limits
    int evaluation
    bint selective
    bint reduce
    int margin                 # FUTILITY_MARGIN, or 0 for other evaluations
    uint64_t salt              # keeps entries of searches for x and for o apart where they differ
    int left                   # plies that are left at the root
    int played                 # plies played before the root
    uint64_t nodes             # positions entered
    uint64_t terminal
    uint64_t horizon
    uint64_t hits              # table entries found
    Counters shown                # the four as other threads may read them
    uint64_t poll
    double signal_time
    bint stopped
    bint interrupted
    int deepest                # the most plies from the root
    ThreatSearch threats
    int history[2][MOVES]
    int worth[DEEPEST + 1]     # evaluations of the path's positions as far as their parents know
    uint8_t line[DEEPEST + 1][DEEPEST + 1]
    int length[DEEPEST + 1]


# How many plies shorter the i-th move is first tried, at each depth.
cdef uint8_t late[DEEPEST + 1][MOVES]


cdef void prepare_late() noexcept:
    cdef int depth, i
    for depth in range(3, DEEPEST + 1):
        for i in range(EAGER, MOVES):
            late[depth][i] = <uint8_t> (0.2 + log(depth) * log(i) / 1.5)


prepare_late()


# Lets other threads see the counters as they are now.
cdef inline void show(Worker* worker) noexcept nogil:
    publish(&worker.shown, worker.nodes, worker.terminal, worker.horizon, worker.hits)


cdef void check_limits(Worker* worker) noexcept nogil:
    cdef double now
    worker.poll = worker.nodes + POLL
    show(worker)
    if load_flag(worker.limits.stop) or worker.nodes >= worker.limits.nodes:
        worker.stopped = True
        return
    if worker.poll > worker.limits.nodes:
        worker.poll = worker.limits.nodes
    now = seconds()
    if worker.limits.deadline and now >= worker.limits.deadline:
        worker.stopped = True
    if worker.limits.signals and now >= worker.signal_time:
        worker.signal_time = now + SIGNAL_POLL / 1000.0
        if interrupted():
            worker.stopped = worker.interrupted = True


# Table scores count from the position, tree scores from the root.
cdef inline int from_table(int score, int ply) noexcept nogil:
    return score - ply if score >= DECIDED else score + ply if score <= -DECIDED else score


cdef inline int to_table(int score, int ply) noexcept nogil:
    return score + ply if score >= DECIDED else score - ply if score <= -DECIDED else score


# The least key of the symmetric images goes to `least`; returns the symmetry that leads to it.
cdef inline int canonical(const Rules* rules, const State* state, uint64_t* least) noexcept nogil:
    cdef State other
    cdef uint64_t found
    cdef int i, best = 0
    least[0] = key(rules, state)
    for i in range(1, symmetries(rules)):
        transform(rules, i, state, &other)
        found = key(rules, &other)
        if found < least[0]:
            least[0] = found
            best = i
    return best


# Whether an entry holds however deep the search: a win or loss seen within the depth.
cdef inline bint settled(const Entry* entry) noexcept nogil:
    return abs(entry.score) >= DECIDED and WIN - abs(entry.score) <= entry.depth


cdef inline void remember_line(Worker* worker, int ply, int move) noexcept nogil:
    cdef int i
    worker.line[ply][0] = move
    for i in range(worker.length[ply + 1]):
        worker.line[ply][i + 1] = worker.line[ply + 1][i]
    worker.length[ply] = worker.length[ply + 1] + 1


# Remembers a move that cut, for the order of moves.
cdef inline void praise(Worker* worker, int side, int move, int depth) noexcept nogil:
    cdef int i
    worker.history[side][move] += depth * depth
    if worker.history[side][move] > 1 << 26:
        for i in range(MOVES):
            worker.history[side][i] >>= 1


# The evaluation of a position `ply` plies from the root, for its side to move.
cdef inline int judge(Worker* worker, const State* state, int ply) noexcept nogil:
    if worker.worth[ply] != UNKNOWN:
        return worker.worth[ply]
    return evaluate(worker.rules, worker.weights, state, worker.evaluation, not ply & 1)


# The value of a position that is not won, for its side to move, between alpha and beta; outside of
# them a bound. `depth` plies are left, `ply` have been played since the root.
cdef int pvs(Worker* worker, State* state, int depth, int ply, int alpha, int beta) noexcept nogil:
    cdef const Rules* rules = worker.rules
    cdef MoveSet rest = moves(rules, state)
    cdef MoveSet winning
    cdef Entry entry
    cdef Undo undo
    cdef State* child
    cdef Move move
    cdef uint64_t place
    cdef Move order[MOVES]
    cdef int ranks[MOVES]
    cdef int i, j, total, score, best_score, best_move, first_alpha, deeper, side, shorter
    cdef bint trusting = FUTILITY_MARGIN and worker.margin and worker.reduce, scouted = False
    cdef int known = NO_MOVE, symmetry = 0, least = -WIN, most = WIN, chained = 0
    worker.length[ply] = 0
    worker.deepest = max(worker.deepest, ply)
    if worker.nodes >= worker.poll:
        check_limits(worker)
    if worker.stopped:
        return 0
    if not some(rest):
        worker.terminal += 1
        return (WIN - ply) * final_result(rules, state)
    # The table's answer is on its way while threats are looked for and calm nodes judged.
    place = key(rules, state) ^ worker.salt
    if depth > 0:
        prefetch(bucket(worker.table, place))
    # A side that has no line left cannot win: the value lies between `least` and `most`.
    if worker.selective or depth >= worker.left - ply:
        if not winnable(rules, state, True):
            most = 0
        if (not most or alpha < 0) and not winnable(rules, state, False):
            least = 0
        alpha, beta = max(alpha, least), min(beta, most)
        if alpha >= beta:
            worker.terminal += 1
            return 0
    if depth <= 0 and not worker.selective:
        worker.horizon += 1
        return evaluate(rules, worker.weights, state, worker.evaluation, not ply & 1)
    # A win in one; a loss in two; a forced reply.
    winning = immediate(rules, state)
    if some(winning):
        worker.terminal += 1
        move = take(&winning)
        worker.line[ply][0] = number(rules, move)
        worker.length[ply] = 1
        return WIN - ply - 1
    deeper = depth - 1
    if depth >= 2 or worker.selective:
        winning = safe(rules, state)
        total = count(winning)
        if total == 0:
            worker.terminal += 1
            worker.line[ply][0] = number(rules, take(&rest))
            worker.length[ply] = 1
            return ply + 2 - WIN
        rest = winning
        if worker.selective:
            if total == 1:
                deeper = max(depth, 0)
            else:
                chained = threat_win_plies(&worker.threats, state, worker.line[ply], &worker.nodes)
                if chained and (depth <= 0 or chained == 3 or WIN - ply - chained >= beta):
                    worker.terminal += 1
                    worker.length[ply] = chained
                    return WIN - ply - chained
                if depth <= 0:
                    worker.horizon += 1
                    return judge(worker, state, ply)
    # No win is quicker than in three plies from here, no loss quicker than in four.
    alpha = max(alpha, ply + 4 - WIN) if depth >= 2 or worker.selective else alpha
    beta = min(beta, WIN - ply - 3)
    if alpha >= beta:
        return alpha
    if (trusting and depth <= CALM and deeper < depth and beta - alpha == 1
            and abs(beta) < DECIDED):
        score = judge(worker, state, ply)
        if score - worker.margin * depth >= beta:
            worker.horizon += 1
            return score
    if worker.played + ply <= CANONICAL_PLIES:
        symmetry = canonical(rules, state, &place)
        place ^= worker.salt
    if probe(worker.table, place, &entry):
        worker.hits += 1
        known = entry.move
        if (entry.depth == depth or settled(&entry)
                or (worker.selective and entry.depth > depth)):
            score = from_table(entry.score, ply)
            if (entry.bound == EXACT or (entry.bound == AT_LEAST and score >= beta)
                    or (entry.bound == AT_MOST and score <= alpha)):
                if symmetry == 0 and known != NO_MOVE:
                    worker.line[ply][0] = known
                    worker.length[ply] = 1
                return score
    side = ply & 1
    total = 0
    while some(rest):
        move = take(&rest)
        order[total] = move
        ranks[total] = worker.history[side][number(rules, move)]
        if known != NO_MOVE and image(rules, symmetry, number(rules, move)) == known:
            ranks[total] = 1 << 30
        total += 1
    first_alpha = alpha
    best_score = -WIN
    best_move = NO_MOVE
    if chained:  # a win, but perhaps not the quickest
        worker.length[ply] = chained
        best_move = worker.line[ply][0]
        best_score = WIN - ply - chained
        alpha = max(alpha, best_score)
    for i in range(total):
        # The first move has not cut: the order of the others is that of their evaluations.
        if i == 1 and trusting and depth >= SCOUT:
            scouted = True
            for j in range(1, total):
                child = enter(rules, state, order[j], &undo)
                if no_moves_left(rules, child):
                    ranks[j] = -DECIDED * final_result(rules, child)
                else:
                    ranks[j] = -evaluate(rules, worker.weights, child, worker.evaluation, ply & 1)
                leave(rules, state, order[j], &undo)
        for j in range(i + 1, total):
            if ranks[j] > ranks[i]:
                ranks[i], ranks[j] = ranks[j], ranks[i]
                order[i], order[j] = order[j], order[i]
        move = order[i]
        child = enter(rules, state, move, &undo)
        worker.nodes += 1
        worker.worth[ply + 1] = -ranks[i] if scouted else UNKNOWN
        if i == 0:
            score = -pvs(worker, child, deeper, ply + 1, -beta, -alpha)
        else:
            shorter = 0
            if worker.reduce and depth >= 3:
                shorter = late[depth][i]
                if scouted:
                    shorter += max(-KIND, min(HARSH, (alpha - ranks[i]) * 3 // (2 * worker.margin)))
                shorter = max(0, min(shorter, deeper - 1))
            score = -pvs(worker, child, deeper - shorter, ply + 1, -alpha - 1, -alpha)
            if score > alpha and shorter:
                score = -pvs(worker, child, deeper, ply + 1, -alpha - 1, -alpha)
            if alpha < score < beta:
                score = -pvs(worker, child, deeper, ply + 1, -beta, -alpha)
        leave(rules, state, move, &undo)
        if worker.stopped:
            return 0
        if score > best_score:
            best_score = score
            best_move = number(rules, move)
            if score > alpha:
                alpha = score
                remember_line(worker, ply, best_move)
                if score >= beta:
                    praise(worker, side, best_move, depth)
                    break
    best_score = min(max(best_score, least), most)
    save(worker.table, place, to_table(best_score, ply), max(depth, 0),
         image(rules, symmetry, best_move),
         AT_LEAST if best_score >= beta else EXACT if best_score > first_alpha else AT_MOST)
    return best_score
