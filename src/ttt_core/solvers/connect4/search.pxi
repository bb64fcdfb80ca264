# The search of the Connect Four solver: null windows only, all children generated at once.
#
# Needs: MAX_COLUMNS, a power of two, at least as many as the board has; FIXED_STRIDE, or 0 if the
# layout's is to be used.
#
# Scores are for the side to move: 1 is a win with its last disc, one more for each disc it has left
# then; the opponent's wins are negative, a draw is 0.

from libc.stdint cimport int64_t, uint64_t

from ttt_core.primitives.bits cimport lowest, popcount
from ttt_core.runtime.limits cimport Limits, poll
from ttt_core.tables.busy cimport begin_busy, busy_key, end_busy, is_busy
from ttt_core.tables.transposition cimport prefetch
from ttt_core.solvers.connect4.bounds cimport claimeven_holds, odd_threat_wins
from ttt_core.solvers.connect4.layout cimport (
    PLANES, Layout, completions, has_four, mirrored, playable, prepare_layout, safe_moves, upward,
)
from ttt_core.solvers.connect4.table cimport (
    Table, bound_of, bucket, hash_key, is_lower, probe, store,
)

cdef enum:
    HOT_PLIES = 20       # plies before the end whose positions have a table of their own
    UNPROBED_PLIES = 8   # plies before the end whose children are not probed
    BUSY_PLIES = 22      # plies before the end in which threads do not put off moves
    NO_RATING = -(1 << 30)

ctypedef struct Node:
    uint64_t mine, theirs            # the discs of the side to move and of the opponent
    uint64_t my_wins, their_wins     # the empty cells that would win for each
    uint64_t safe                    # the moves that do not lose at once: some; none wins at once
    int ply

# The children of a node, by column.
ctypedef struct Children:
    uint64_t move[MAX_COLUMNS]       # 0: none that is safe
    uint64_t wins[MAX_COLUMNS]       # the mover's winning cells after it
    uint64_t replies[MAX_COLUMNS]    # the opponent's safe moves after it
    uint64_t forced[MAX_COLUMNS]     # the opponent's only safe move; 0: it has a choice
    uint64_t hashes[MAX_COLUMNS]     # of the position after the move and the forced reply
    int64_t rating[MAX_COLUMNS]      # for move ordering

# A node of the current line in which other threads may be at work.
ctypedef struct OpenNode:
    const OpenNode* above            # the next nearer to the root; NULL: none
    const Table* table
    uint64_t hashed
    int alpha

ctypedef struct Worker:
    Layout layout
    Table tables[2]              # of all plies but the last, and of the last
    uint64_t* busy               # moves that threads are searching; NULL if there is only one
    Limits limits                # of the whole solve
    uint64_t pause_nodes         # the node count that ends one null-window search, not the solve
    bint unwinding               # the nodes below `resume` are being left: their results are void
    const OpenNode* open         # the deepest open node
    const OpenNode* resume       # NULL: the whole null-window search is being left
    bint static_bounds           # whether to use them; the number of rows is even
    uint64_t killers[65]         # by ply


# A constant where the module has one stride only.
cdef inline int stride(const Layout* layout) noexcept nogil:
    return FIXED_STRIDE if FIXED_STRIDE else layout.stride


# Whether the table has a bound that decides a null window; it is written to `bound`.
cdef inline bint decides(uint64_t word, int alpha, int* bound) noexcept nogil:
    bound[0] = bound_of(word)
    return word != 0 and is_lower(word) == (bound[0] > alpha)


# Checks the limits, the pause, and whether another thread has decided an open node meanwhile;
# afterwards `unwinding` says whether to leave nodes.
cdef void check_limits(Worker* worker) noexcept nogil:
    cdef const OpenNode* node = worker.open
    cdef int bound
    poll(&worker.limits)
    worker.limits.next_poll = min(worker.limits.next_poll, worker.pause_nodes)
    worker.resume = NULL
    if not (worker.limits.stopped or worker.limits.nodes >= worker.pause_nodes):
        while node != NULL:
            if decides(probe(node.table, node.hashed), node.alpha, &bound):
                worker.resume = node
            node = node.above
        worker.unwinding = worker.resume != NULL
    else:
        worker.unwinding = True


cdef inline Table* table_at(Worker* worker, int ply) noexcept nogil:
    return &worker.tables[worker.layout.cells - ply <= HOT_PLIES]


# Generates the children: `move`, `wins` and `replies`.
cdef inline void expand(const Layout* layout, const Node* node, Children* children) noexcept nogil:
    cdef uint64_t discs = node.mine | node.theirs
    cdef uint64_t move, found
    cdef int i
    for i in range(MAX_COLUMNS):
        move = node.safe & layout.column[i]
        found = completions(node.mine | move, stride(layout)) & layout.board & ~(discs | move)
        children.move[i] = move
        children.wins[i] = found
        children.replies[i] = safe_moves(playable(layout, discs | move), found)


# Makes the node of a column's child.
cdef inline void make_child(Node* child, const Node* node, const Children* children,
                            int i) noexcept nogil:
    child.mine = node.theirs
    child.theirs = node.mine | children.move[i]
    child.my_wins = node.their_wins & ~children.move[i]
    child.their_wins = children.wins[i]
    child.safe = children.replies[i]
    child.ply = node.ply + 1


# Plays the only safe move. False: it wins, the opponent has no safe reply.
cdef inline bint play_forced(const Layout* layout, Node* node) noexcept nogil:
    cdef uint64_t mine = node.mine | node.safe
    cdef uint64_t discs = mine | node.theirs
    cdef uint64_t found = completions(mine, stride(layout)) & layout.board & ~discs
    node.mine, node.theirs = node.theirs, mine
    node.my_wins, node.their_wins = node.their_wins & ~node.safe, found
    node.safe = safe_moves(playable(layout, discs), found)
    node.ply += 1
    return node.safe != 0


# The score of a side that wins with the next disc after `discs` discs.
cdef inline int win_score(const Layout* layout, int discs) noexcept nogil:
    return (layout.cells + 1 - discs) // 2


# Move ordering. Good: threats, the nearer to being playable the better, above all those with no
# winning cell of the opponent beneath and in rows of the right parity; lines through the cell; few
# replies; the killer. Bad: one or two cells beneath the mover's own winning cells.
cdef inline void rate_moves(const Worker* worker, const Node* node,
                            Children* children) noexcept nogil:
    cdef const Layout* layout = &worker.layout
    cdef uint64_t discs = node.mine | node.theirs
    cdef uint64_t good_rows = layout.even if node.ply & 1 else layout.odd
    cdef uint64_t useful = ~(upward(layout, node.their_wins) << 1)
    cdef uint64_t killer = worker.killers[node.ply]
    cdef uint64_t move, wins, next_moves
    cdef int64_t rating
    cdef int i, plane
    for i in range(MAX_COLUMNS):
        move = children.move[i]
        wins = children.wins[i]
        next_moves = playable(layout, discs | move)
        rating = (44 * <int64_t> popcount(wins & (next_moves << 1))
                  + 14 * <int64_t> popcount(wins & (next_moves << 2))
                  + 18 * <int64_t> popcount(wins & useful)
                  + 15 * <int64_t> popcount(wins & useful & good_rows)
                  - 13 * <int64_t> popcount(children.replies[i]))
        for plane in range(PLANES):
            rating += (<int64_t> 7 << plane) if move & layout.lines[plane] else 0
        rating += 16 if move & killer else 0
        rating -= 80 if move & (node.my_wins >> 1) else 0
        rating -= 20 if move & (node.my_wins >> 2) else 0
        # The low bits hold the column, reversed: of equal moves the leftmost is first.
        children.rating[i] = rating * MAX_COLUMNS + MAX_COLUMNS - 1 - i


# The column of the best of the moves `left`.
cdef inline int best_column(const Children* children, uint64_t left) noexcept nogil:
    cdef int64_t best = NO_RATING
    cdef int i
    for i in range(MAX_COLUMNS):
        best = max(best, children.rating[i] if children.move[i] & left else <int64_t> NO_RATING)
    return MAX_COLUMNS - 1 - (best & (MAX_COLUMNS - 1))


# The key of a position, the same for its mirror image.
cdef inline uint64_t canonical_key(const Layout* layout, uint64_t key) noexcept nogil:
    return min(key, mirrored(layout, key, stride(layout)))


# Fills `forced` and `hashes`, and prefetches the table entries of the moves `left`.
cdef inline void hash_children(Worker* worker, const Node* node, Children* children,
                               uint64_t left) noexcept nogil:
    cdef const Layout* layout = &worker.layout
    cdef uint64_t key = node.mine + node.theirs + layout.bottom
    cdef uint64_t move, reply
    cdef int i
    for i in range(MAX_COLUMNS):
        move = children.move[i]
        reply = children.replies[i]
        reply = 0 if reply & (reply - 1) else reply
        children.forced[i] = reply
        move += key + (node.mine + move + reply if reply else node.theirs)
        children.hashes[i] = hash_key(canonical_key(layout, move))
    while left:
        i = lowest(left) // stride(layout)
        left &= left - 1
        prefetch(bucket(table_at(worker, node.ply + (2 if children.forced[i] else 1)),
                        children.hashes[i]))


# Enhanced transposition cut-off: probes the children. Returns a lower bound above alpha if a child
# has one. Else removes the moves that cannot beat alpha from `left` and returns the best of their
# upper bounds.
cdef inline int probe_children(Worker* worker, const Node* node, const Children* children,
                               int alpha, uint64_t* left) noexcept nogil:
    cdef uint64_t word, rest = left[0]
    cdef int i, bound, best = -64
    cdef bint forced
    while rest:
        i = lowest(rest) // stride(&worker.layout)
        rest &= rest - 1
        forced = children.forced[i] != 0
        word = probe(table_at(worker, node.ply + 1 + forced), children.hashes[i])
        if not word:
            continue
        bound = bound_of(word) if forced else -bound_of(word)
        if is_lower(word) == forced:
            if bound > alpha:
                return bound
        elif bound <= alpha:
            best = max(best, bound)
            left[0] ^= children.move[i]
    return best


# Whether the static bound of the side that has just moved (`bounds.pxd`) shows that it scores more
# than alpha: Claimeven if it is the second player, else the lowest of its odd `threats`.
cdef inline bint static_beats(const Layout* layout, bint second, uint64_t mover, uint64_t other,
                              uint64_t wins, uint64_t threats, int alpha) noexcept nogil:
    if second:
        return claimeven_holds(layout, other, mover, wins, layout.lower[max(alpha, 0)], alpha >= 0,
                               stride(layout))
    return odd_threat_wins(layout, mover, other, wins, threats & (0 - threats), stride(layout))


# The first player's odd threats that score more than alpha if they win.
cdef inline uint64_t odd_threats(const Layout* layout, uint64_t discs, uint64_t wins,
                                 int alpha) noexcept nogil:
    return wins & layout.odd & layout.lower[max(alpha, 0)] & ~playable(layout, discs)


# Whether the static bound of some child shows that the mover scores more than alpha.
cdef inline bint static_beats_in_child(const Layout* layout, const Node* node,
                                       const Children* children, int alpha) noexcept nogil:
    cdef uint64_t threats[MAX_COLUMNS]
    cdef uint64_t found = 0, left = 0, discs = node.mine | node.theirs
    cdef int i
    if 2 * alpha >= layout.rows:
        return False
    if node.ply & 1:
        for i in range(MAX_COLUMNS):
            found |= children.move[i] if static_beats(
                layout, True, node.mine | children.move[i], node.theirs, children.wins[i], 0,
                alpha) else 0
        return found != 0
    for i in range(MAX_COLUMNS):
        threats[i] = odd_threats(layout, discs | children.move[i], children.wins[i], alpha)
        threats[i] = threats[i] if children.move[i] else 0
        left |= threats[i]
    while left:
        left = 0
        for i in range(MAX_COLUMNS):
            found |= children.move[i] if static_beats(
                layout, False, node.mine | children.move[i], node.theirs, children.wins[i],
                threats[i], alpha) else 0
            threats[i] &= threats[i] - 1
            left |= threats[i]
    return found != 0


# Whether the opponent's static bound shows that the side to move scores at most alpha.
cdef inline bint static_fails_low(const Layout* layout, const Node* node, int alpha) noexcept nogil:
    cdef uint64_t threats = 0
    cdef bint second = not node.ply & 1
    if -2 * (alpha + 1) >= layout.rows:
        return False
    if not second:
        threats = odd_threats(layout, node.mine | node.theirs, node.their_wins, -alpha - 1)
        if not threats:
            return False
    while True:
        if static_beats(layout, second, node.theirs, node.mine, node.their_wins, threats,
                        -alpha - 1):
            return True
        threats &= threats - 1
        if not threats:
            return False


# Searches the null window (alpha, alpha + 1), fail-soft: returns an upper bound of the score if it
# is at most alpha, else a lower bound. Void if `unwinding` is set.
cdef int search(Worker* worker, const Node* entered, int alpha) noexcept nogil:
    cdef const Layout* layout = &worker.layout
    cdef Node node = entered[0]
    cdef Node child
    cdef Children children
    cdef OpenNode open
    cdef uint64_t key, hashed, word, began, left, tried = 0, put_off = 0, busy = 0
    cdef int i, best, bound, sign = 1
    cdef bint shared

    # Step 1. Mate distance pruning and forced moves. At best the side to move wins with its second
    # disc from here, at worst the opponent wins with its second.
    while True:
        best = win_score(layout, node.ply + 2)
        if alpha >= best:
            return sign * best
        bound = -win_score(layout, node.ply + 3)
        if alpha < bound:
            return sign * bound
        if node.safe & (node.safe - 1):
            break
        if not play_forced(layout, &node):
            return sign * best
        alpha = -alpha - 1
        sign = -sign

    worker.limits.nodes += 1
    if worker.limits.nodes >= worker.limits.next_poll:
        check_limits(worker)
        if worker.unwinding:
            return 0
    began = worker.limits.nodes

    # Step 2. A child without safe replies wins; if there is none, the best score is one less.
    expand(layout, &node, &children)
    word = 0
    for i in range(MAX_COLUMNS):
        word |= children.move[i] if children.replies[i] == 0 else 0
    if word:
        return sign * best
    best -= 1
    if alpha >= best:
        return sign * best

    # Step 3. Static bounds. The parent has tried that of this node, unless forced moves followed.
    if worker.static_bounds:
        if node.ply != entered.ply and static_fails_low(layout, &node, alpha):
            return sign * min(alpha, -1 if node.ply & 1 else 0)
        if static_beats_in_child(layout, &node, &children, alpha):
            return sign * max(alpha + 1, 0 if node.ply & 1 else 1)

    # Step 4. Transposition table.
    key = node.mine + node.mine + node.theirs + layout.bottom
    hashed = hash_key(canonical_key(layout, key))
    if decides(probe(table_at(worker, node.ply), hashed), alpha, &bound):
        return sign * bound

    # Step 5. Of a position that is its own mirror image only the left half is searched.
    left = node.safe
    if key == mirrored(layout, key, stride(layout)):
        left &= (<uint64_t> 1 << (stride(layout) * ((layout.columns + 1) // 2))) - 1

    # Step 6. Enhanced transposition cut-off and move ordering.
    best = -64
    if layout.cells - node.ply > UNPROBED_PLIES:
        hash_children(worker, &node, &children, left)
        rate_moves(worker, &node, &children)
        best = probe_children(worker, &node, &children, alpha, &left)
        if best > alpha:
            return sign * best
    else:
        rate_moves(worker, &node, &children)

    # Step 7. Search the children; a cutoff updates the killer move. A move that another thread is
    # searching is put off, unless it is the first: then its result will be in the table. The node
    # is left as soon as another thread has decided it. Store the result.
    shared = worker.busy != NULL and layout.cells - node.ply > BUSY_PLIES
    if shared:
        open.above, open.table, open.hashed = worker.open, table_at(worker, node.ply), hashed
        open.alpha = alpha
    while left or put_off:
        if not left:
            left, put_off = put_off, 0
        i = best_column(&children, left)
        if shared:
            if tried and decides(probe(open.table, hashed), alpha, &bound):
                return sign * bound
            busy = busy_key(children.hashes[i], 64 + alpha, 0)
            if tried and not tried & children.move[i] and is_busy(worker.busy, busy):
                tried |= children.move[i]
                put_off |= children.move[i]
                left ^= children.move[i]
                continue
            tried |= children.move[i]
            begin_busy(worker.busy, busy)
            worker.open = &open
        make_child(&child, &node, &children, i)
        bound = -search(worker, &child, -alpha - 1)
        if shared:
            end_busy(worker.busy, busy)
            worker.open = open.above
        if worker.unwinding:
            if not shared or worker.resume != &open:
                return 0
            worker.unwinding = False
            continue
        left ^= children.move[i]
        best = max(best, bound)
        if best > alpha:
            worker.killers[node.ply] = children.move[i]
            break
    store(table_at(worker, node.ply), hashed, best, best > alpha,
          worker.limits.nodes - began + 1)
    return sign * best
