# The search of the Connect Four solver: null windows only, all children of a node at once.
#
# Needs: LANES, at least as many as columns; stride(shape).
#
# Scores are for the side to move: 1 is a win with its last disc, one more for each disc it has left
# then; the opponent's wins are negative, a draw is 0.

from libc.stdint cimport int64_t, uint64_t

from ttt_core.bits cimport lowest, popcount
from ttt_core.clock cimport seconds
from ttt_core.flag cimport load_flag
from ttt_core.interrupt cimport interrupted
from ttt_core.solvers.connect4_bounds cimport claims_even, keeps_odd
from ttt_core.solvers.connect4_shape cimport (
    Shape, completions, has_four, mirrored, playable, safe_moves, shape_board, upward,
)
from ttt_core.solvers.connect4_table cimport (
    Table, bound_of, bucket, hash_key, is_least, recall, remember,
)
from ttt_core.table cimport prefetch

cdef enum:
    POLL = 1024          # nodes between two looks at the clock
    HOT_PLIES = 20       # the last so many plies have the small table
    NO_RATE = -1 << 30
    PROBED_PLIES = 10    # the last so many plies do not look up their children

ctypedef struct Node:
    uint64_t mine, theirs            # the discs of the side to move and of the other
    uint64_t my_wins, their_wins     # the empty cells that would win for each
    uint64_t safe                    # the moves that do not lose at once: some; none wins at once
    int ply

ctypedef struct Lanes:
    uint64_t move[LANES]         # of each column; 0: none that is safe
    uint64_t wins[LANES]         # the mover's winning cells after it
    uint64_t replies[LANES]      # the other side's safe moves after it

ctypedef struct Worker:
    Shape shape
    Table tables[2]              # of all plies but the last, and of the last
    uint64_t nodes
    uint64_t poll                # the node count at which to look at the limits
    uint64_t limit
    double deadline              # 0: none
    double signal_time
    const int* stop
    bint signals                 # whether this thread looks for Ctrl-C
    bint stopped, interrupted
    uint64_t killers[65]


# Looks at the limits; afterwards `stopped` says whether the search must end.
cdef void look_up(Worker* worker) noexcept nogil:
    cdef double now = seconds()
    worker.stopped = (worker.stopped or worker.nodes >= worker.limit or load_flag(worker.stop)
                      or 0 < worker.deadline <= now)
    if worker.signals and now >= worker.signal_time and not worker.stopped:
        worker.signal_time = now + 0.01
        worker.stopped = worker.interrupted = interrupted()
    worker.poll = min(worker.nodes + POLL, worker.limit)


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


# How promising each move is.
cdef inline void rate(const Worker* worker, const Node* node, const Lanes* lanes,
                      int64_t* rates) noexcept nogil:
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
                + 15 * <int64_t> popcount(wins & (next_moves << 2))
                + 9 * <int64_t> popcount(wins & useful)
                + 6 * <int64_t> popcount(wins & useful & good_rows)
                - 4 * <int64_t> popcount(lanes.replies[i]))
        for plane in range(5):
            rate += (<int64_t> 3 << plane) if move & shape.lines[plane] else 0
        rate += 6 if move & killer else 0
        rates[i] = rate * LANES + LANES - 1 - i


# Whether the plan of the side that has just moved, as `connect4_bounds.pxd` tells, scores more than
# alpha for it: the second player's even squares or, with `threats` not empty, the first player's odd
# threats, the lowest of them.
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
    cdef int64_t rates[LANES]
    cdef int64_t most
    cdef uint64_t hashes[LANES]
    cdef uint64_t key, other, base, hashed, word, began, left, rest
    cdef Table* table
    cdef int i, best, bound, at, sign = 1
    cdef bint symmetric

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
    if shape.rows % 2 == 0:
        if (node.ply != entered.ply or worker.nodes == 1) and plan_holds(shape, &node, alpha):
            return sign * min(alpha, -1 if node.ply & 1 else 0)
        if lanes_beat(shape, &node, &lanes, alpha):
            return sign * max(alpha + 1, 0 if node.ply & 1 else 1)

    key = node.mine + node.mine + node.theirs + shape.bottom
    other = mirrored(shape, key, stride(shape))
    symmetric = key == other
    hashed = hash_key(min(key, other))
    word = recall(&worker.tables[shape.cells - node.ply <= HOT_PLIES], hashed)
    if word:
        bound = bound_of(word)
        if is_least(word) == (bound > alpha):
            return sign * bound

    best = -64
    left = node.safe
    if symmetric:
        left &= (<uint64_t> 1 << (stride(shape) * ((shape.columns + 1) // 2))) - 1
    table = &worker.tables[shape.cells - node.ply - 1 <= HOT_PLIES]
    if shape.cells - node.ply > PROBED_PLIES:
        key = node.theirs + node.theirs + node.mine + shape.bottom
        base = mirrored(shape, key, stride(shape))
        for i in range(LANES):
            other = lanes.move[i]
            other = base + (other << shape.mirror[i] | other >> (64 - shape.mirror[i] & 63))
            hashes[i] = hash_key(min(key + lanes.move[i], other))
        rest = left
        while rest:
            prefetch(bucket(table, hashes[lowest(rest) // stride(shape)]))
            rest &= rest - 1
    rate(worker, &node, &lanes, rates)
    if shape.cells - node.ply > PROBED_PLIES:
        rest = left
        while rest:
            i = lowest(rest) // stride(shape)
            rest &= rest - 1
            word = recall(table, hashes[i])
            if word:
                bound = -bound_of(word)
                if bound > alpha:
                    if not is_least(word):
                        return sign * bound
                elif is_least(word):
                    best = max(best, bound)
                    left ^= lanes.move[i]
    while left:
        most = NO_RATE
        for i in range(LANES):
            most = max(most, rates[i] if lanes.move[i] & left else <int64_t> NO_RATE)
        at = LANES - 1 - (most & (LANES - 1))
        left ^= lanes.move[at]
        descend(&child, &node, &lanes, at)
        best = max(best, -search(worker, &child, -alpha - 1))
        if worker.stopped:
            return 0
        if best > alpha:
            worker.killers[node.ply] = lanes.move[at]
            break
    remember(&worker.tables[shape.cells - node.ply <= HOT_PLIES], hashed, best, best > alpha,
             worker.nodes - began + 1)
    return sign * best


# --- the driver -----------------------------------------------------------------------------------

ctypedef struct Answer:
    int low, high        # the score is between them

cdef enum:
    EASY_NODES = 8000    # for the questions "a win, a loss in so few plies?"
    LATE_EASY_NODES = 2000
    LATE_PLY = 15


# Asks whether the score is more than alpha and narrows the answer. False: stopped.
cdef inline bint ask(Worker* worker, const Node* node, int alpha, Answer* answer) noexcept nogil:
    cdef int value = search(worker, node, alpha)
    if worker.stopped:
        return False
    if value > alpha:
        answer.low = max(answer.low, value)
    else:
        answer.high = min(answer.high, value)
    return True


# Finds the score of a position, or with `weak` its sign: low and high meet, or have one sign.
cdef void solve_node(Worker* worker, const Node* node, bint weak, Answer* answer) noexcept nogil:
    cdef uint64_t limit = worker.limit
    cdef uint64_t easy = worker.nodes + (EASY_NODES if node.ply < LATE_PLY else LATE_EASY_NODES)
    cdef int step, alpha
    answer.low = -win_at(&worker.shape, node.ply + 3)
    answer.high = win_at(&worker.shape, node.ply + 2)
    if not weak:
        worker.limit = min(limit, easy)
        worker.poll = min(worker.poll, worker.limit)
        while answer.low < answer.high and (answer.low < 0 or answer.high > 0):
            if answer.high > 0 and not ask(worker, node, answer.high - 1, answer):
                break
            if answer.low < 0 and answer.low < answer.high and not ask(worker, node, answer.low, answer):
                break
        worker.limit = limit
        if worker.nodes >= limit or load_flag(worker.stop) or worker.interrupted:
            return
        worker.stopped = False
        worker.poll = worker.nodes
    if answer.low <= 0 < answer.high and not ask(worker, node, 0, answer):
        return
    if answer.low < 0 <= answer.high and not ask(worker, node, -1, answer):
        return
    step = 0
    while answer.low < answer.high and not weak:
        alpha = 0 if step < 3 else (answer.high - answer.low) // 4
        alpha = answer.low + alpha if answer.low >= 0 else answer.high - 1 - alpha
        if not ask(worker, node, alpha, answer):
            return
        step += 1


# The score of any running position.
cdef void solve_position(Worker* worker, uint64_t mine, uint64_t theirs, bint weak,
                         Answer* answer) noexcept nogil:
    cdef const Shape* shape = &worker.shape
    cdef uint64_t discs = mine | theirs
    cdef uint64_t moves = playable(shape, discs)
    cdef Node node
    node.mine, node.theirs, node.ply = mine, theirs, popcount(discs)
    node.my_wins = completions(mine, stride(shape)) & shape.board & ~discs
    node.their_wins = completions(theirs, stride(shape)) & shape.board & ~discs
    node.safe = safe_moves(moves, node.their_wins)
    if has_four(theirs, stride(shape)):
        answer.low = answer.high = -win_at(shape, node.ply - 1)
    elif not moves:
        answer.low = answer.high = 0
    elif moves & node.my_wins:
        answer.low = answer.high = win_at(shape, node.ply)
    elif not node.safe:
        answer.low = answer.high = -win_at(shape, node.ply + 1)
    else:
        solve_node(worker, &node, weak, answer)
