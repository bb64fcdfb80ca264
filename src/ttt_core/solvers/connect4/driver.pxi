# The driver of the Connect Four solver: which questions "more than alpha?" find the score.
#
# Needs: connect4_search.pxi.

cdef enum:
    EASY_NODES = 8000        # for the questions "a win, a loss in so few plies?"
    LATE_EASY_NODES = 2000   # from LATE_PLY on
    LATE_PLY = 15
    FEW_LEFT = 16            # empty cells with which no question is easier than the sign

ctypedef struct Quest:
    int low, high        # the score is between them
    bint weak            # only its sign is wanted
    uint64_t easy        # the node count at which the easy questions end
    int step


# The first bounds of a position; they meet if its score is plain to see. False: they do.
cdef bint begin(Worker* worker, uint64_t mine, uint64_t theirs, bint weak, Quest* quest,
                Node* node) noexcept nogil:
    cdef const Shape* shape = &worker.shape
    cdef uint64_t discs = mine | theirs
    cdef uint64_t moves = playable(shape, discs)
    node.mine, node.theirs, node.ply = mine, theirs, popcount(discs)
    node.my_wins = completions(mine, stride(shape)) & shape.board & ~discs
    node.their_wins = completions(theirs, stride(shape)) & shape.board & ~discs
    node.safe = safe_moves(moves, node.their_wins)
    quest.weak, quest.step = weak, 0
    quest.easy = worker.nodes
    if shape.cells - node.ply > FEW_LEFT:
        quest.easy += EASY_NODES if node.ply < LATE_PLY else LATE_EASY_NODES
    if has_four(theirs, stride(shape)):
        quest.low = quest.high = -win_at(shape, node.ply - 1)
    elif not moves:
        quest.low = quest.high = 0
    elif moves & node.my_wins:
        quest.low = quest.high = win_at(shape, node.ply)
    elif not node.safe:
        quest.low = quest.high = -win_at(shape, node.ply + 1)
    else:
        quest.low, quest.high = -win_at(shape, node.ply + 3), win_at(shape, node.ply + 2)
    return quest.low < quest.high


cdef inline void clip(Quest* quest, int low, int high) noexcept nogil:
    quest.low = min(max(quest.low, low), high)
    quest.high = max(min(quest.high, high), low)


# What to ask next: quick wins and losses in turn while that is cheap, then the sign, then outwards
# from it. False: the answer is found.
cdef bint next_question(Worker* worker, Quest* quest, int* alpha) noexcept nogil:
    cdef int low = quest.low, high = quest.high, ahead
    worker.pause = worker.limit
    if low == high or (quest.weak and (low > 0 or high < 0)):
        return False
    quest.step += 1
    if not quest.weak and worker.nodes < quest.easy and (low < 0 or high > 0):
        worker.pause = quest.easy
        alpha[0] = high - 1 if low >= 0 or (high > 0 and quest.step & 1) else low
        return True
    if quest.easy:
        quest.easy = 0
        quest.step = 0
    if low <= 0 < high:
        alpha[0] = 0
    elif low < 0 <= high:
        alpha[0] = -1
    else:
        ahead = 0 if quest.step < 3 else (high - low) // 4
        alpha[0] = low + ahead if low > 0 else high - 1 - ahead
    return True


# Asks whether the score is more than alpha. False: the search has ended.
cdef bint ask(Worker* worker, const Node* node, int alpha, Quest* quest) noexcept nogil:
    cdef int value
    worker.poll = min(worker.poll, worker.pause)
    value = search(worker, node, alpha)
    if worker.stopped:
        worker.stopped = False
        return not worker.ended
    if value > alpha:
        quest.low = min(max(quest.low, value), quest.high)
    else:
        quest.high = max(min(quest.high, value), quest.low)
    return True


# Narrows the score of a position down until it is found or the search has ended. Scores outside
# `low` to `high` are taken for these.
cdef void solve_position(Worker* worker, uint64_t mine, uint64_t theirs, bint weak, int low,
                         int high, Quest* quest) noexcept nogil:
    cdef Node node
    cdef int alpha
    cdef bint more = begin(worker, mine, theirs, weak, quest, &node)
    clip(quest, low, high)
    if more:
        while next_question(worker, quest, &alpha) and ask(worker, &node, alpha, quest):
            pass
