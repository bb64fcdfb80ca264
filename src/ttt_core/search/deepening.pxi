# Iterative deepening at the root: one iteration, with an aspiration window for each of the best
# lines. The loop over the depths is in bindings/engine.pxi.
#
# Needs: pvs.pxi; cells ply; ASPIRATION_WINDOW, half the width of the window around the previous
# score.

from libc.string cimport memcpy

cdef uint64_t O_SALT = 0xA24BAED4963EE407        # key salt of searches with o to move at the root
cdef uint64_t REDUCED_SALT = 0x9FB21C651E98DF25  # key salt of searches with reductions

cdef enum:
    ASPIRATION_DEPTH = 4       # the least depth with an aspiration window

ctypedef struct Root:
    int moves                  # candidates, best first after an iteration
    Move move[MOVES]
    int score[MOVES]
    uint8_t pv[MOVES][MAX_PLY + 1]
    int pv_length[MOVES]


# Searches with and without reductions keep their table entries apart.
cdef void set_reduce(Worker* worker, bint reduce) noexcept nogil:
    if reduce != worker.reduce:
        worker.reduce = reduce
        worker.salt ^= REDUCED_SALT


cdef void set_root(Worker* worker, const State* state, bint reduce) noexcept nogil:
    worker.state = state[0]
    worker.played = ply(worker.rules, state)
    worker.left = cells(worker.rules) - worker.played
    worker.salt = O_SALT if worker.played & 1 else 0
    worker.unwinding = worker.reduce = False
    set_reduce(worker, reduce)


# Searches the root moves from index `first` on and moves the best of them there; the scores of the
# others are bounds. Returns the best score; a bound if it is not between alpha and beta. If the
# search is stopped with losses only, a move not yet searched may be best by its earlier score.
cdef int search_root(Worker* worker, Root* root, State* state, int depth, int first, int alpha,
                     int beta) noexcept nogil:
    cdef int i, j, score, reduction, best = first, best_score = -WIN
    cdef int queue[2 * MOVES]  # indices of moves, at the end once more those put off (see pvs)
    cdef int at = -1, end = 0
    cdef uint64_t busy = 0
    cdef uint8_t* pv
    cdef Undo undo
    cdef State* child
    for i in range(first, root.moves):
        queue[end] = i
        end += 1
    while at + 1 < end:
        at += 1
        i = queue[at]
        if worker.busy != NULL and depth >= BUSY_DEPTH:
            busy = busy_key(worker.salt, number(worker.rules, root.move[i]), depth)
            if 0 < at < root.moves - first and is_busy(worker.busy, busy):
                queue[end] = i
                end += 1
                continue
            begin_busy(worker.busy, busy)
        child = enter(worker.rules, state, root.move[i], &undo)
        worker.limits.nodes += 1
        worker.pv_length[1] = worker.open_plies = 0
        worker.static_evals[1] = NO_EVAL
        if won(worker.rules, child):
            worker.terminal += 1
            score = WIN - 1
        elif i == first:
            score = -pvs(worker, child, depth - 1, 1, -beta, -alpha)
        else:
            reduction = 0
            if (FUTILITY_MARGIN and worker.futility_margin and worker.reduce
                    and depth >= LMR_DEPTH):
                reduction = min(<int> LMR[depth][i - first], depth - 2)
            score = -pvs(worker, child, depth - 1 - reduction, 1, -alpha - 1, -alpha)
            if score > alpha and reduction:
                score = -pvs(worker, child, depth - 1, 1, -alpha - 1, -alpha)
            if alpha < score < beta:
                score = -pvs(worker, child, depth - 1, 1, -beta, -alpha)
        leave(worker.rules, state, root.move[i], &undo)
        if busy:
            end_busy(worker.busy, busy)
        if worker.limits.stopped:
            break
        root.score[i] = score
        if score > best_score:
            best_score = score
            best = i
            if score > alpha or i == first:
                alpha = max(alpha, score)
                pv = root.pv[i]
                pv[0] = number(worker.rules, root.move[i])
                for j in range(worker.pv_length[1]):
                    pv[j + 1] = worker.pv[1][j]
                root.pv_length[i] = worker.pv_length[1] + 1
            if score >= beta:
                break
    if worker.limits.stopped and -WIN < best_score <= -DECIDED:
        for i in range(first, root.moves):
            if root.score[i] > root.score[best]:
                best = i
    promote(root, first, best)
    return best_score


# Moves the candidate at index `at` up to index `to`, and those in between down by one.
cdef void promote(Root* root, int to, int at) noexcept nogil:
    cdef Move move = root.move[at]
    cdef int score = root.score[at]
    cdef int length = root.pv_length[at]
    cdef uint8_t pv[MAX_PLY + 1]
    memcpy(pv, root.pv[at], sizeof(pv))
    while at > to:
        root.move[at] = root.move[at - 1]
        root.score[at] = root.score[at - 1]
        root.pv_length[at] = root.pv_length[at - 1]
        memcpy(root.pv[at], root.pv[at - 1], sizeof(pv))
        at -= 1
    root.move[to] = move
    root.score[to] = score
    root.pv_length[to] = length
    memcpy(root.pv[to], pv, sizeof(pv))


# One iteration for the `lines` best moves (multi-PV). Each is searched with an aspiration window
# around its previous score, and again with a full window if it fails low or high. Returns the
# number of lines that were finished: if the search is stopped, the scores of the others are bounds.
# A later line may score higher than an earlier one: reductions differ. Lines are kept sorted.
cdef int iterate(Worker* worker, Root* root, State* state, int depth, int lines) noexcept nogil:
    cdef int i, to, alpha, beta, score, guess
    for i in range(min(lines, root.moves)):
        guess = root.score[i]
        alpha, beta = -WIN, WIN
        if depth >= ASPIRATION_DEPTH and abs(guess) < DECIDED:
            alpha, beta = guess - ASPIRATION_WINDOW, guess + ASPIRATION_WINDOW
        score = search_root(worker, root, state, depth, i, alpha, beta)
        if not worker.limits.stopped and (score <= alpha or score >= beta):
            search_root(worker, root, state, depth, i, -WIN, WIN)
        if worker.limits.stopped:
            return i
        to = i
        while to and root.score[i] > root.score[to - 1]:
            to -= 1
        promote(root, to, i)
    return min(lines, root.moves)


# `iterate`; the iteration that decides the game is searched without reductions.
cdef int deepen(Worker* worker, Root* root, State* state, int depth, int lines) noexcept nogil:
    if abs(root.score[0]) >= DECIDED or depth >= worker.left:
        set_reduce(worker, False)
    return iterate(worker, root, state, depth, lines)


# Whether every line is a win or loss within the depth, which no deeper search can change.
cdef bint decided_within(const Root* root, int lines, int depth) noexcept nogil:
    cdef int i
    for i in range(min(lines, root.moves)):
        if abs(root.score[i]) < DECIDED or WIN - abs(root.score[i]) > depth:
            return False
    return True
