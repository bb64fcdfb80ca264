# The driver of the Connect Four solver: finds a score by a sequence of null-window searches.
#
# Needs: search.pxi.

cdef enum:
    EXTREME_NODES = 8000       # spent on trying the extreme scores first
    LATE_EXTREME_NODES = 2000  # from LATE_PLY on
    LATE_PLY = 15
    SIGN_FIRST_CELLS = 16      # with at most this many empty cells the sign is searched at once

# What the null-window searches of a position have found so far.
ctypedef struct ScoreBounds:
    int low, high              # the score is between them
    bint weak                  # only its sign is wanted
    uint64_t extreme_end       # the node count until which extreme scores are tried; 0: past it
    int step                   # null-window searches in the present phase


# Sets up the node of a position and the first bounds of its score. False: they are exact.
cdef bint start_bounds(Worker* worker, uint64_t mine, uint64_t theirs, bint weak,
                       ScoreBounds* bounds, Node* node) noexcept nogil:
    cdef const Layout* layout = &worker.layout
    cdef uint64_t discs = mine | theirs
    cdef uint64_t moves = playable(layout, discs)
    node.mine, node.theirs, node.ply = mine, theirs, popcount(discs)
    node.my_wins = completions(mine, stride(layout)) & layout.board & ~discs
    node.their_wins = completions(theirs, stride(layout)) & layout.board & ~discs
    node.safe = safe_moves(moves, node.their_wins)
    bounds.weak, bounds.step = weak, 0
    bounds.extreme_end = worker.limits.nodes
    if layout.cells - node.ply > SIGN_FIRST_CELLS:
        bounds.extreme_end += EXTREME_NODES if node.ply < LATE_PLY else LATE_EXTREME_NODES
    if has_four(theirs, stride(layout)):
        bounds.low = bounds.high = -win_score(layout, node.ply - 1)
    elif not moves:
        bounds.low = bounds.high = 0
    elif moves & node.my_wins:
        bounds.low = bounds.high = win_score(layout, node.ply)
    elif not node.safe:
        bounds.low = bounds.high = -win_score(layout, node.ply + 1)
    else:
        bounds.low, bounds.high = -win_score(layout, node.ply + 3), win_score(layout, node.ply + 2)
    return bounds.low < bounds.high


# Raises or lowers the bounds into the window from `low` to `high`.
cdef inline void clip_bounds(ScoreBounds* bounds, int low, int high) noexcept nogil:
    bounds.low = min(max(bounds.low, low), high)
    bounds.high = max(min(bounds.high, high), low)


# Chooses the next null window (alpha, alpha + 1): until `extreme_end` the fastest possible win and
# loss alternately, then the sign of the score, then outwards from 0. False: the score, or if `weak`
# its sign, is known.
cdef bint next_alpha(Worker* worker, ScoreBounds* bounds, int* alpha) noexcept nogil:
    cdef int low = bounds.low, high = bounds.high, ahead
    worker.pause_nodes = worker.limits.max_nodes
    if low == high or (bounds.weak and (low > 0 or high < 0)):
        return False
    bounds.step += 1
    if (not bounds.weak and worker.limits.nodes < bounds.extreme_end
            and (low < 0 or high > 0)):
        worker.pause_nodes = bounds.extreme_end
        alpha[0] = high - 1 if low >= 0 or (high > 0 and bounds.step & 1) else low
        return True
    if bounds.extreme_end:
        bounds.extreme_end = 0
        bounds.step = 0
    if low <= 0 < high:
        alpha[0] = 0
    elif low < 0 <= high:
        alpha[0] = -1
    else:
        ahead = 0 if bounds.step < 3 else (high - low) // 4
        alpha[0] = low + ahead if low > 0 else high - 1 - ahead
    return True


# Runs one null-window search and narrows the bounds. False: the limits have ended the solve.
cdef bint search_window(Worker* worker, const Node* node, int alpha,
                        ScoreBounds* bounds) noexcept nogil:
    cdef int value
    worker.limits.next_poll = min(worker.limits.next_poll, worker.pause_nodes)
    value = search(worker, node, alpha)
    if worker.unwinding:
        worker.unwinding = False
        return not worker.limits.stopped
    if value > alpha:
        bounds.low = min(max(bounds.low, value), bounds.high)
    else:
        bounds.high = max(min(bounds.high, value), bounds.low)
    return True


# Narrows the score of a position down until it is known or a limit is reached. Scores outside
# `low` to `high` count as the nearer of these.
cdef void solve_position(Worker* worker, uint64_t mine, uint64_t theirs, bint weak, int low,
                         int high, ScoreBounds* bounds) noexcept nogil:
    cdef Node node
    cdef int alpha
    cdef bint more = start_bounds(worker, mine, theirs, weak, bounds, &node)
    clip_bounds(bounds, low, high)
    if more:
        while (next_alpha(worker, bounds, &alpha)
               and search_window(worker, &node, alpha, bounds)):
            pass
