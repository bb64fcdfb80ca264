# The search of the Connect Four solver: null windows only, all children of a node at once.
#
# Needs: LANES, at least as many as columns; stride(shape).
#
# Scores are for the side to move: 1 is a win with its last disc, one more for each disc it has left
# then; the opponent's wins are negative, a draw is 0.

from libc.stdint cimport int64_t, uint64_t

from ttt_core.primitives.bits cimport lowest, popcount
from ttt_core.runtime.clock cimport seconds
from ttt_core.runtime.atomics cimport load_flag
from ttt_core.runtime.signals cimport interrupted
from ttt_core.solvers.connect4.bounds cimport claims_even, keeps_odd
from ttt_core.solvers.connect4.shape cimport (
    PLANES, Shape, completions, has_four, mirrored, playable, safe_moves, shape_board, upward,
)
from ttt_core.solvers.connect4.table cimport (
    Table, bound_of, bucket, hash_key, is_least, recall, remember,
)
from ttt_core.tables.transposition cimport prefetch

cdef enum:
    POLL = 1024          # nodes between two looks at the clock
    HOT_PLIES = 20       # the last so many plies have a table of their own
    PROBED_PLIES = 8     # the last so many plies do not look their children up
    NO_RATE = -(1 << 30)

ctypedef struct Node:
    uint64_t mine, theirs            # the discs of the side to move and of the other
    uint64_t my_wins, their_wins     # the empty cells that would win for each
    uint64_t safe                    # the moves that do not lose at once: some; none wins at once
    int ply

ctypedef struct Lanes:
    uint64_t move[LANES]         # of each column; 0: none that is safe
    uint64_t wins[LANES]         # the mover's winning cells after it
    uint64_t replies[LANES]      # the other side's safe moves after it
    uint64_t forced[LANES]       # its only safe move; 0: it has a choice
    uint64_t hashes[LANES]       # of the position after the move and the forced reply
    int64_t rate[LANES]          # how promising the move is

ctypedef struct Worker:
    Shape shape
    Table tables[2]              # of all plies but the last, and of the last
    uint64_t nodes
    uint64_t poll                # the node count at which to look at the limits
    uint64_t pause               # the node count that ends a question, not the search
    uint64_t limit
    double deadline              # 0: none
    double signal_time
    const int* stop
    bint signals                 # whether this thread looks for Ctrl-C
    bint stopped                 # the search unwinds
    bint ended, interrupted      # by a limit or from outside; by Ctrl-C
    bint plans                   # whether static bounds are used and the board is one for them
    int mobility                 # the weight of the replies, which tells threads apart
    uint64_t killers[65]


# Looks at the limits; afterwards `stopped` says whether the search must unwind.
cdef void look_up(Worker* worker) noexcept nogil:
    cdef double now = seconds()
    worker.ended = (worker.ended or worker.nodes >= worker.limit or load_flag(worker.stop)
                    or 0 < worker.deadline <= now)
    if worker.signals and now >= worker.signal_time and not worker.ended:
        worker.signal_time = now + 0.01
        worker.ended = worker.interrupted = interrupted()
    worker.stopped = worker.ended or worker.nodes >= worker.pause
    worker.poll = min(worker.nodes + POLL, min(worker.limit, worker.pause))


cdef inline Table* table_at(Worker* worker, int ply) noexcept nogil:
    return &worker.tables[worker.shape.cells - ply <= HOT_PLIES]


# Fills the lanes: what each safe move leads to.
cdef inline void expand(const Shape* shape, const Node* node, Lanes* lanes) noexcept nogil:
    cdef uint64_t discs = node.mine | node.theirs
    cdef uint64_t move, found
    cdef int i
    for i in range(LANES):
        move = node.safe & shape.column[i]
        found = completions(node.mine | move, stride(shape)) & shape.board & ~(discs | move)
        lanes.move[i] = move
        lanes.wins[i] = found
        lanes.replies[i] = safe_moves(playable(shape, discs | move), found)


# Plays a lane's move.
cdef inline void descend(Node* child, const Node* node, const Lanes* lanes, int i) noexcept nogil:
    child.mine = node.theirs
    child.theirs = node.mine | lanes.move[i]
    child.my_wins = node.their_wins & ~lanes.move[i]
    child.their_wins = lanes.wins[i]
    child.safe = lanes.replies[i]
    child.ply = node.ply + 1


# Plays the only safe move. False: it wins, the other side has no safe answer.
cdef inline bint follow(const Shape* shape, Node* node) noexcept nogil:
    cdef uint64_t mine = node.mine | node.safe
    cdef uint64_t discs = mine | node.theirs
    cdef uint64_t found = completions(mine, stride(shape)) & shape.board & ~discs
    node.mine, node.theirs = node.theirs, mine
    node.my_wins, node.their_wins = node.their_wins & ~node.safe, found
    node.safe = safe_moves(playable(shape, discs), found)
    node.ply += 1
    return node.safe != 0


# What the side to move scores if it wins with the disc that fills the board to `discs` + 1.
cdef inline int win_at(const Shape* shape, int discs) noexcept nogil:
    return (shape.cells + 1 - discs) // 2


# Rates the moves: by threats, the nearer to being playable the better, by threats that no winning
# cell of the other side lies beneath, by their rows, by the lines through the cell, by how few
# replies are left; not beneath or two beneath the mover's own winning cells.
cdef inline void rate_moves(const Worker* worker, const Node* node, Lanes* lanes) noexcept nogil:
    cdef const Shape* shape = &worker.shape
    cdef uint64_t discs = node.mine | node.theirs
    cdef uint64_t good_rows = shape.even if node.ply & 1 else shape.odd
    cdef uint64_t useful = ~(upward(shape, node.their_wins) << 1)
    cdef uint64_t killer = worker.killers[node.ply]
    cdef uint64_t move, wins, next_moves
    cdef int64_t rate
    cdef int i, plane
    for i in range(LANES):
        move = lanes.move[i]
        wins = lanes.wins[i]
        next_moves = playable(shape, discs | move)
        rate = (36 * <int64_t> popcount(wins & (next_moves << 1))
                + 5 * <int64_t> popcount(wins & (next_moves << 2))
                + 9 * <int64_t> popcount(wins & useful)
                + 6 * <int64_t> popcount(wins & useful & good_rows)
                - worker.mobility * <int64_t> popcount(lanes.replies[i]))
        for plane in range(PLANES):
            rate += (<int64_t> 3 << plane) if move & shape.lines[plane] else 0
        rate += 6 if move & killer else 0
        rate -= 40 if move & (node.my_wins >> 1) else 0
        rate -= 10 if move & (node.my_wins >> 2) else 0
        lanes.rate[i] = rate * LANES + LANES - 1 - i


# The column of the best move that is left.
cdef inline int best_lane(const Lanes* lanes, uint64_t left) noexcept nogil:
    cdef int64_t most = NO_RATE
    cdef int i
    for i in range(LANES):
        most = max(most, lanes.rate[i] if lanes.move[i] & left else <int64_t> NO_RATE)
    return LANES - 1 - (most & (LANES - 1))


# The key of a position, the same for its mirror image.
cdef inline uint64_t canonical(const Shape* shape, uint64_t key) noexcept nogil:
    return min(key, mirrored(shape, key, stride(shape)))


# Works out where the children stand in the tables and fetches the entries of the moves left.
cdef inline void address(Worker* worker, const Node* node, Lanes* lanes,
                         uint64_t left) noexcept nogil:
    cdef const Shape* shape = &worker.shape
    cdef uint64_t key = node.mine + node.theirs + shape.bottom
    cdef uint64_t move, reply
    cdef int i
    for i in range(LANES):
        move = lanes.move[i]
        reply = lanes.replies[i]
        reply = 0 if reply & (reply - 1) else reply
        lanes.forced[i] = reply
        move += key + (node.mine + move + reply if reply else node.theirs)
        lanes.hashes[i] = hash_key(canonical(shape, move))
    while left:
        i = lowest(left) // stride(shape)
        left &= left - 1
        prefetch(bucket(table_at(worker, node.ply + (2 if lanes.forced[i] else 1)),
                        lanes.hashes[i]))


# What the tables know of the children. Takes moves that cannot beat alpha out of `left`; returns
# the best of their bounds, or a bound that beats alpha.
cdef inline int probe_children(Worker* worker, const Node* node, const Lanes* lanes, int alpha,
                               uint64_t* left) noexcept nogil:
    cdef uint64_t word, rest = left[0]
    cdef int i, bound, best = -64
    cdef bint forced
    while rest:
        i = lowest(rest) // stride(&worker.shape)
        rest &= rest - 1
        forced = lanes.forced[i] != 0
        word = recall(table_at(worker, node.ply + 1 + forced), lanes.hashes[i])
        if not word:
            continue
        bound = bound_of(word) if forced else -bound_of(word)
        if is_least(word) == forced:
            if bound > alpha:
                return bound
        elif bound <= alpha:
            best = max(best, bound)
            left[0] ^= lanes.move[i]
    return best


# Whether the plan of the side that has just moved, as `connect4_bounds.pxd` tells, scores more than
# alpha for it: the second player's even squares or the first player's lowest of `threats`.
cdef inline bint plan_beats(const Shape* shape, bint second, uint64_t mover, uint64_t other,
                            uint64_t wins, uint64_t threats, int alpha) noexcept nogil:
    if second:
        return claims_even(shape, other, mover, wins, shape.lower[max(alpha, 0)], alpha >= 0,
                           stride(shape))
    return keeps_odd(shape, mover, other, wins, threats & (0 - threats), stride(shape))


# The odd threats of a first player that would score more than alpha.
cdef inline uint64_t odd_threats(const Shape* shape, uint64_t discs, uint64_t wins,
                                 int alpha) noexcept nogil:
    return wins & shape.odd & shape.lower[max(alpha, 0)] & ~playable(shape, discs)


# Whether some lane's plan beats alpha for its mover.
cdef inline bint lanes_beat(const Shape* shape, const Node* node, const Lanes* lanes,
                            int alpha) noexcept nogil:
    cdef uint64_t threats[LANES]
    cdef uint64_t found = 0, left = 0, discs = node.mine | node.theirs
    cdef int i
    if 2 * alpha >= shape.rows:
        return False
    if node.ply & 1:
        for i in range(LANES):
            found |= lanes.move[i] if plan_beats(
                shape, True, node.mine | lanes.move[i], node.theirs, lanes.wins[i], 0, alpha) else 0
        return found != 0
    for i in range(LANES):
        threats[i] = odd_threats(shape, discs | lanes.move[i], lanes.wins[i], alpha)
        threats[i] = threats[i] if lanes.move[i] else 0
        left |= threats[i]
    while left:
        left = 0
        for i in range(LANES):
            found |= lanes.move[i] if plan_beats(
                shape, False, node.mine | lanes.move[i], node.theirs, lanes.wins[i], threats[i],
                alpha) else 0
            threats[i] &= threats[i] - 1
            left |= threats[i]
    return found != 0


# Whether the plan of the side that is not to move holds the mover to alpha.
cdef inline bint plan_holds(const Shape* shape, const Node* node, int alpha) noexcept nogil:
    cdef uint64_t threats = 0
    cdef bint second = not node.ply & 1
    if -2 * (alpha + 1) >= shape.rows:
        return False
    if not second:
        threats = odd_threats(shape, node.mine | node.theirs, node.their_wins, -alpha - 1)
        if not threats:
            return False
    while True:
        if plan_beats(shape, second, node.theirs, node.mine, node.their_wins, threats, -alpha - 1):
            return True
        threats &= threats - 1
        if not threats:
            return False


# A bound of the score of a position: at most alpha, an upper bound; more than alpha, a lower one.
cdef int search(Worker* worker, const Node* entered, int alpha) noexcept nogil:
    cdef const Shape* shape = &worker.shape
    cdef Node node = entered[0]
    cdef Node child
    cdef Lanes lanes
    cdef uint64_t key, hashed, word, began, left
    cdef int i, best, bound, sign = 1

    # Forced moves are played here. At best the mover wins with its next disc but one, at worst the
    # other side wins with its second.
    while True:
        best = win_at(shape, node.ply + 2)
        if alpha >= best:
            return sign * best
        bound = -win_at(shape, node.ply + 3)
        if alpha < bound:
            return sign * bound
        if node.safe & (node.safe - 1):
            break
        if not follow(shape, &node):
            return sign * best
        alpha = -alpha - 1
        sign = -sign

    worker.nodes += 1
    if worker.nodes >= worker.poll:
        look_up(worker)
        if worker.stopped:
            return 0
    began = worker.nodes

    expand(shape, &node, &lanes)
    word = 0
    for i in range(LANES):
        word |= lanes.move[i] if lanes.replies[i] == 0 else 0
    if word:
        return sign * best
    best -= 1
    if alpha >= best:
        return sign * best

    # The parent has looked at the plans of its children, not at what forced moves lead to.
    if worker.plans:
        if node.ply != entered.ply and plan_holds(shape, &node, alpha):
            return sign * min(alpha, -1 if node.ply & 1 else 0)
        if lanes_beat(shape, &node, &lanes, alpha):
            return sign * max(alpha + 1, 0 if node.ply & 1 else 1)

    key = node.mine + node.mine + node.theirs + shape.bottom
    hashed = hash_key(canonical(shape, key))
    word = recall(table_at(worker, node.ply), hashed)
    if word:
        bound = bound_of(word)
        if is_least(word) == (bound > alpha):
            return sign * bound

    left = node.safe
    if key == mirrored(shape, key, stride(shape)):
        left &= (<uint64_t> 1 << (stride(shape) * ((shape.columns + 1) // 2))) - 1
    best = -64
    if shape.cells - node.ply > PROBED_PLIES:
        address(worker, &node, &lanes, left)
        rate_moves(worker, &node, &lanes)
        best = probe_children(worker, &node, &lanes, alpha, &left)
        if best > alpha:
            return sign * best
    else:
        rate_moves(worker, &node, &lanes)
    while left:
        i = best_lane(&lanes, left)
        left ^= lanes.move[i]
        descend(&child, &node, &lanes, i)
        best = max(best, -search(worker, &child, -alpha - 1))
        if worker.stopped:
            return 0
        if best > alpha:
            worker.killers[node.ply] = lanes.move[i]
            break
    remember(table_at(worker, node.ply), hashed, best, best > alpha, worker.nodes - began + 1)
    return sign * best
