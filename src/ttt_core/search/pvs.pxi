# The engine's search: principal variation search (PVS) over a transposition table. The iterative
# deepening that calls it is in bindings/engine.pxi.
#
# Needs: Rules State Undo MoveSet Move PLIES MOVES CANONICAL_PLIES; moves won no_moves_left
# end_decides final_result immediate safe winnable enter leave key number image symmetries
# transform; some take count; Weights evaluate; Accumulator evaluate_near
# (evaluations/stateless.pxi, or the game's own);
# ThreatSearch prepare_threats threat_win_plies (threats/none.pxd, or the game's own);
# FUTILITY_MARGIN, 0 for games that do not prune or order by static evaluation; LMR_DIVISOR: late
# moves are reduced by 100 log(depth) log(index) / LMR_DIVISOR plies.
#
# Scores inside the tree count plies from the root (a win at ply p is WIN - p); in the table they
# count from the position itself.
#
# Full-width search (selective=False) returns exactly the minimax value of its depth: no extensions,
# no reductions, no pruning but alpha-beta, and table entries are used only at the same depth.
#
# Selective search adds:
#
#   - extensions: a forced reply costs no depth
#   - quiescence: a position at the horizon is evaluated only if neither side can win at once
#   - threat search: a quiet node is won if the side to move has a winning threat sequence
#   - with `reduce`, late-move reductions (LMR)
#   - with `reduce`, the evaluation `default` and a nonzero FUTILITY_MARGIN: reverse futility
#     pruning, and moves ordered and reduced by their children's static evaluations
#
# Wins and losses that selective search returns are proven all the same, because pruned and reduced
# nodes return only wins and losses that they have proven. Other scores do not rule out a win within
# the depth.

from libc.math cimport log

from ttt_core.primitives.scores cimport DECIDED, WIN
from ttt_core.runtime.counters cimport Counters, publish
from ttt_core.runtime.limits cimport Limits, poll
from ttt_core.tables.busy cimport begin_busy, busy_key, end_busy, is_busy
from ttt_core.tables.transposition cimport (
    EXACT, LOWER_BOUND, NO_MOVE, UPPER_BOUND, Entry, Table, bucket, prefetch, probe, save,
)

cdef enum:
    MAX_PLY = PLIES + 1
    TABLE_DEPTH = 2            # shallower nodes take less time than an access to the table
    FUTILITY_DEPTH = 3         # the greatest depth for reverse futility pruning
    LMR_DEPTH = 3              # the least depth for late-move reductions
    LMR_FIRST_MOVE = 2         # earlier moves are not reduced by their index
    LMR_MAX_EXTRA = 4          # the most plies that a bad static evaluation adds to a reduction
    LMR_MAX_LESS = 2           # the most plies that a good one subtracts
    EVAL_ORDER_DEPTH = 3       # the least depth at which static evaluations order the moves
    BUSY_DEPTH = 3             # the least depth at which threads tell each other what they search
    NO_EVAL = WIN + 1

# A node of the current line, whose moves are being searched.
ctypedef struct OpenNode:
    uint64_t key
    int depth
    int alpha
    int beta
    bint raised                # a move has raised alpha

ctypedef struct Worker:
    State state                # a helper thread's own copy of the root
    const Rules* rules
    const Weights* weights
    Table* table
    uint64_t* busy             # moves that threads are searching; NULL if there is only one thread
    Limits limits              # counts the nodes
    bint unwinding             # the nodes deeper than `resume_ply` are being left: they are void
    int resume_ply             # 0 if the limits have stopped the search
    int evaluation
    bint selective
    bint reduce
    bint as_if_cold            # of earlier searches, only proven entries are used
    int futility_margin        # FUTILITY_MARGIN, or 0 for evaluations other than `default`
    uint64_t salt              # XORed into keys: separates entries of searches whose scores differ
    int left                   # the most plies that can be played from the root
    int played                 # plies played before the root
    uint64_t terminal          # counters: see runtime/counters.pxd
    uint64_t horizon
    uint64_t table_hits
    Counters published         # for other threads to read
    int selective_depth        # the greatest ply reached
    ThreatSearch threats
    int history[2][MOVES]
    int static_evals[MAX_PLY + 1]  # by ply, of the current line; NO_EVAL: not computed yet
    Accumulator accumulators[MAX_PLY + 1]  # by ply: the siblings of a node are similar
    uint8_t pv[MAX_PLY + 1][MAX_PLY + 1]
    int pv_length[MAX_PLY + 1]
    int open_plies             # with several threads: the plies before it are in `open_nodes`
    OpenNode open_nodes[MAX_PLY + 1]


# The reduction, in plies, of the i-th move at each depth.
cdef uint8_t LMR[MAX_PLY + 1][MOVES]


cdef void prepare_reductions() noexcept:
    cdef int depth, i
    for depth in range(LMR_DEPTH, MAX_PLY + 1):
        for i in range(LMR_FIRST_MOVE, MOVES):
            LMR[depth][i] = <uint8_t> (0.2 + 100 * log(depth) * log(i) / LMR_DIVISOR)


prepare_reductions()


cdef inline void publish_counters(Worker* worker) noexcept nogil:
    publish(&worker.published, worker.limits.nodes, worker.terminal, worker.horizon,
            worker.table_hits)


# Table scores count from the position, tree scores from the root.
cdef inline int from_table(int score, int ply) noexcept nogil:
    return score - ply if score >= DECIDED else score + ply if score <= -DECIDED else score


cdef inline int to_table(int score, int ply) noexcept nogil:
    return score + ply if score >= DECIDED else score - ply if score <= -DECIDED else score


# Writes the least key of the symmetric images to `least`; returns the symmetry that gives it.
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


# Whether an entry is valid at every depth: a win or loss within the depth that was searched.
cdef inline bint is_proven(const Entry* entry) noexcept nogil:
    return abs(entry.score) >= DECIDED and WIN - abs(entry.score) <= entry.depth


# Looks a node up in the table. `as_if_cold` leaves only proven entries of earlier searches.
cdef inline bint look_up(const Worker* worker, uint64_t key, Entry* entry) noexcept nogil:
    return probe(worker.table, key, entry) and (
        entry.current or not worker.as_if_cold or is_proven(entry))


# Whether an entry decides a node: it is deep enough, and its score is exact or outside the window.
cdef inline bint decides(const Worker* worker, const Entry* entry, int depth, int ply, int alpha,
                         int beta) noexcept nogil:
    cdef int score = from_table(entry.score, ply)
    if (entry.depth != depth and not is_proven(entry)
            and not (worker.selective and entry.depth > depth)):
        return False
    return (entry.bound == EXACT or (entry.bound == LOWER_BOUND and score >= beta)
            or (entry.bound == UPPER_BOUND and score <= alpha))


# Whether another thread has decided a node meanwhile, without a worse score than that found here.
cdef inline bint is_decided(const Worker* worker, const OpenNode* node, int ply,
                            Entry* entry) noexcept nogil:
    return (look_up(worker, node.key, entry)
            and decides(worker, entry, node.depth, ply, node.alpha, node.beta)
            and (not node.raised or from_table(entry.score, ply) >= node.alpha))


# Checks the limits, and whether a node above `ply` need not be searched any more.
cdef void poll_limits(Worker* worker, int ply) noexcept nogil:
    cdef Entry entry
    cdef int i
    publish_counters(worker)
    poll(&worker.limits)
    worker.unwinding = worker.limits.stopped
    worker.resume_ply = 0
    if worker.busy != NULL and not worker.unwinding:
        for i in range(1, min(ply, worker.open_plies)):
            if is_decided(worker, &worker.open_nodes[i], i, &entry):
                worker.unwinding = True
                worker.resume_ply = i
                return


# The score of an entry that decides a node. Its move becomes the principal variation; if the entry
# is of a symmetric position, that is empty.
cdef inline int take_entry(Worker* worker, const Entry* entry, int ply,
                           int symmetry) noexcept nogil:
    worker.pv_length[ply] = 0
    if symmetry == 0 and entry.move != NO_MOVE:
        worker.pv[ply][0] = entry.move
        worker.pv_length[ply] = 1
    return from_table(entry.score, ply)


# Sets the principal variation of a node: a move, then that of the child.
cdef inline void update_pv(Worker* worker, int ply, int move) noexcept nogil:
    cdef int i
    worker.pv[ply][0] = move
    for i in range(worker.pv_length[ply + 1]):
        worker.pv[ply][i + 1] = worker.pv[ply + 1][i]
    worker.pv_length[ply] = worker.pv_length[ply + 1] + 1


cdef inline bint is_among(const Move* order, int total, Move move) noexcept nogil:
    cdef int i
    for i in range(total):
        if order[i] == move:
            return True
    return False


# History heuristic: credits a move that caused a cutoff.
cdef inline void update_history(Worker* worker, int side, int move, int depth) noexcept nogil:
    cdef int i
    worker.history[side][move] += depth * depth
    if worker.history[side][move] > 1 << 26:
        for i in range(MOVES):
            worker.history[side][i] >>= 1


# The static evaluation of the position at `ply`, for its side to move.
cdef inline int static_eval(Worker* worker, const State* state, int ply) noexcept nogil:
    if worker.static_evals[ply] != NO_EVAL:
        return worker.static_evals[ply]
    return evaluate_near(worker.rules, worker.weights, state, worker.evaluation, not ply & 1,
                         &worker.accumulators[ply])


# The value of a position that is not won, for its side to move: exact between alpha and beta, else
# a bound (fail-soft). `depth` plies are left to search, `ply` have been played since the root. The
# value is void if `worker.unwinding` is set on return.
cdef int pvs(Worker* worker, State* state, int depth, int ply, int alpha, int beta) noexcept nogil:
    cdef const Rules* rules = worker.rules
    cdef MoveSet rest = moves(rules, state)
    cdef MoveSet winning
    cdef Entry entry
    cdef OpenNode* node
    cdef Undo undo
    cdef State* child
    cdef Move move
    cdef uint64_t table_key
    cdef Move order[2 * MOVES]         # from `total` on: moves put off
    cdef int ranks[2 * MOVES]
    cdef int first_index[MOVES]        # of the moves put off
    cdef uint64_t busy = 0
    cdef int i, j, index, total, end, score, best_score, best_move, old_alpha, new_depth
    cdef int side, reduction
    cdef bint by_eval = FUTILITY_MARGIN and worker.futility_margin and worker.reduce
    cdef bint evaluated = False
    cdef int table_move = NO_MOVE, symmetry = 0, least = -WIN, most = WIN, threat_win = 0
    worker.pv_length[ply] = 0
    worker.selective_depth = max(worker.selective_depth, ply)

    # Step 1. Check the limits.
    if worker.limits.nodes >= worker.limits.next_poll:
        poll_limits(worker, ply)
    if worker.unwinding:
        return 0

    # Step 2. No move is left: the game is over.
    if not some(rest):
        worker.terminal += 1
        return (WIN - ply) * final_result(rules, state)

    # Step 3. Prefetch the table's bucket, which is probed in step 10.
    table_key = key(rules, state) ^ worker.salt
    if depth >= TABLE_DEPTH:
        prefetch(bucket(worker.table, table_key))

    # Step 4. A side that has no line left cannot win: the value is at most or at least 0.
    if worker.selective or depth >= worker.left - ply:
        if not winnable(rules, state, True):
            most = 0
        if (not most or alpha < 0) and not winnable(rules, state, False):
            least = 0
        alpha, beta = max(alpha, least), min(beta, most)
        if alpha >= beta:
            worker.terminal += 1
            return 0

    # Step 5. Full-width search evaluates at the horizon.
    if depth <= 0 and not worker.selective:
        worker.horizon += 1
        return evaluate_near(rules, worker.weights, state, worker.evaluation, not ply & 1,
                             &worker.accumulators[ply])

    # Step 6. A win in one ply, or a loss in two if no move is safe. Unsafe moves are not searched.
    winning = immediate(rules, state)
    if some(winning):
        worker.terminal += 1
        move = take(&winning)
        worker.pv[ply][0] = number(rules, move)
        worker.pv_length[ply] = 1
        return WIN - ply - 1
    new_depth = depth - 1
    if depth >= 2 or worker.selective:
        winning = safe(rules, state)
        total = count(winning)
        if total == 0:
            worker.terminal += 1
            worker.pv[ply][0] = number(rules, take(&rest))
            worker.pv_length[ply] = 1
            return ply + 2 - WIN
        rest = winning
        if worker.selective:
            # Step 7. Forced replies are extended. Other nodes are quiet: a threat search, whose win
            # is returned at the horizon, if none can be quicker, or if it causes a cutoff; then, at
            # the horizon, the static evaluation (quiescence).
            if total == 1:
                new_depth = max(depth, 0)
            else:
                threat_win = threat_win_plies(&worker.threats, state, worker.pv[ply],
                                              &worker.limits.nodes)
                if threat_win and (depth <= 0 or threat_win == 3
                                   or WIN - ply - threat_win >= beta):
                    worker.terminal += 1
                    worker.pv_length[ply] = threat_win
                    return WIN - ply - threat_win
                if depth <= 0:
                    worker.horizon += 1
                    return static_eval(worker, state, ply)

    # Step 8. Mate distance pruning: from here no win takes fewer than three plies, no loss fewer
    # than four, unless the end of the game decides.
    if not end_decides(rules):
        alpha = max(alpha, ply + 4 - WIN) if depth >= 2 or worker.selective else alpha
        beta = min(beta, WIN - ply - 3)
        if alpha >= beta:
            return alpha

    # Step 9. Reverse futility pruning: near the horizon (depth <= FUTILITY_DEPTH) return the static
    # evaluation if it exceeds beta by the margin for each remaining ply. It is never a win score,
    # so proven results stay exact. Null windows only, and not after an extension.
    if (by_eval and depth <= FUTILITY_DEPTH and new_depth < depth and beta - alpha == 1
            and abs(beta) < DECIDED):
        score = static_eval(worker, state, ply)
        if score - worker.futility_margin * depth >= beta:
            worker.horizon += 1
            return score

    # Step 10. Transposition table lookup, from TABLE_DEPTH on. Early in the game symmetric
    # positions share an entry.
    if worker.played + ply <= CANONICAL_PLIES:
        symmetry = canonical(rules, state, &table_key)
        table_key ^= worker.salt
    if depth >= TABLE_DEPTH and look_up(worker, table_key, &entry):
        worker.table_hits += 1
        table_move = entry.move
        if decides(worker, &entry, depth, ply, alpha, beta):
            return take_entry(worker, &entry, ply, symmetry)

    # Step 11. Move ordering: the table move first, the others by history.
    side = ply & 1
    total = 0
    while some(rest):
        move = take(&rest)
        order[total] = move
        ranks[total] = worker.history[side][number(rules, move)]
        if table_move != NO_MOVE and image(rules, symmetry, number(rules, move)) == table_move:
            ranks[total] = 1 << 30
        total += 1
    old_alpha = alpha
    best_score = -WIN
    best_move = NO_MOVE
    if threat_win:  # a win, but perhaps not the quickest
        worker.pv_length[ply] = threat_win
        best_move = worker.pv[ply][0]
        best_score = WIN - ply - threat_win
        alpha = max(alpha, best_score)

    i = -1
    end = total
    while i + 1 < end:
        i += 1
        # Step 12. If there is no table move, or if it has not caused a cutoff, the moves are
        # ordered by the static evaluations of their children. The next best move is then selected.
        if (by_eval and not evaluated and (i or table_move == NO_MOVE)
                and depth >= EVAL_ORDER_DEPTH and i < total):
            evaluated = True
            for j in range(i, total):
                child = enter(rules, state, order[j], &undo)
                if no_moves_left(rules, child):
                    ranks[j] = -DECIDED * final_result(rules, child)
                else:
                    ranks[j] = -evaluate_near(rules, worker.weights, child, worker.evaluation,
                                              ply & 1, &worker.accumulators[ply + 1])
                leave(rules, state, order[j], &undo)
        for j in range(i + 1, total):
            if ranks[j] > ranks[i]:
                ranks[i], ranks[j] = ranks[j], ranks[i]
                order[i], order[j] = order[j], order[i]
        move = order[i]
        # Step 13. With several threads: another may have decided this node meanwhile. A move that
        # another thread is searching is put off: then its result will be in the table. The first
        # move is never put off.
        index = first_index[i - total] if i >= total else i
        if worker.busy != NULL and depth >= BUSY_DEPTH:
            node = &worker.open_nodes[ply]
            node.key, node.depth, node.alpha, node.beta = table_key, depth, alpha, beta
            node.raised = alpha > old_alpha
            worker.open_plies = ply + 1
            if is_decided(worker, node, ply, &entry):
                return take_entry(worker, &entry, ply, symmetry)
            busy = busy_key(table_key, number(rules, move), depth)
            if 0 < i < total and is_busy(worker.busy, busy):
                order[end] = move
                ranks[end] = ranks[i]
                first_index[end - total] = i
                end += 1
                continue
            begin_busy(worker.busy, busy)
        child = enter(rules, state, move, &undo)
        worker.limits.nodes += 1
        worker.static_evals[ply + 1] = -ranks[i] if evaluated else NO_EVAL
        if i == 0:
            score = -pvs(worker, child, new_depth, ply + 1, -beta, -alpha)
        else:
            # Step 14. Late-move reductions: move i is first searched LMR[depth][i] plies shallower,
            # one ply more for each 2/3 of the margin that its static evaluation is below alpha and
            # one less for each that it is above.
            reduction = 0
            if worker.reduce and depth >= LMR_DEPTH:
                reduction = LMR[depth][index]
                if evaluated:
                    reduction += max(-LMR_MAX_LESS, min(
                        LMR_MAX_EXTRA, (alpha - ranks[i]) * 3 // (2 * worker.futility_margin)))
                reduction = max(0, min(reduction, new_depth - 1))
            # Step 15. Null-window search; searched again at full depth if a reduced search raises
            # alpha, then with the full window if the score is between alpha and beta.
            score = -pvs(worker, child, new_depth - reduction, ply + 1, -alpha - 1, -alpha)
            if score > alpha and reduction:
                score = -pvs(worker, child, new_depth, ply + 1, -alpha - 1, -alpha)
            if alpha < score < beta:
                score = -pvs(worker, child, new_depth, ply + 1, -beta, -alpha)
        leave(rules, state, move, &undo)
        if busy:
            end_busy(worker.busy, busy)
        if worker.unwinding:
            if ply != worker.resume_ply:
                return 0
            worker.unwinding = False
            i -= 1  # step 13 returns, unless the entry has been overwritten meanwhile
            continue

        # Step 16. New best move; a cutoff updates the history.
        if score > best_score:
            best_score = score
            best_move = number(rules, move)
            if score > alpha:
                alpha = score
                update_pv(worker, ply, best_move)
                if score >= beta:
                    update_history(worker, side, best_move, depth)
                    break

    # Step 17. If every safe move ends the game at once and loses it, unsafe moves last longer.
    if end_decides(rules) and best_score == ply + 1 - WIN:
        rest = moves(rules, state)
        for i in range(count(rest)):
            move = take(&rest)
            if not is_among(order, total, move):
                best_score = ply + 2 - WIN
                best_move = number(rules, move)
                worker.pv[ply][0] = best_move
                worker.pv_length[ply] = 1
                break

    # Step 18. Save the result, clamped to the bounds of step 4, in the transposition table; of
    # shallow nodes only wins and losses.
    best_score = min(max(best_score, least), most)
    if depth < TABLE_DEPTH and abs(best_score) < DECIDED:
        return best_score
    save(worker.table, table_key, to_table(best_score, ply), max(depth, 0),
         image(rules, symmetry, best_move),
         LOWER_BOUND if best_score >= beta else EXACT if best_score > old_alpha else UPPER_BOUND)
    return best_score
