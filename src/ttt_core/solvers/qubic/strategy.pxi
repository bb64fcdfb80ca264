# Strategies of Qubic: taken out of a finished proof, and checked; positions as they turn them.
#
# Part of qubic.pyx.


def turned(uint64_t first, uint64_t second):
    """(first, second, symmetry): the position turned so that its words are the least of all its
    images, and the number of the symmetry that does it."""
    cdef int which = turn(&symmetry, &first, &second)
    return first, second, which


def unturned(int which, int cell):
    """The cell that symmetry number `which` sends to `cell`."""
    cdef int i
    for i in range(64):
        if rules.image[which][i] == cell:
            return i
    raise ValueError(f"{cell} is no cell")


# The plies to the attacker's win from here, as far as it is known; notes the strategy.
cdef int extract(Solver solver, uint64_t attacker, uint64_t defender, dict found) except -1:
    cdef Context* context = &solver.workers[0].context
    cdef Side mine, theirs
    cdef uint64_t rest
    cdef int move, plies = 0
    turn(&symmetry, &attacker, &defender)
    known = found.get((attacker, defender))
    if known is not None:
        return known[1]
    put_all(&geometry, &mine, attacker)
    put_all(&geometry, &theirs, defender)
    if wins_by_threats(&context.threats, &mine, &theirs):
        return context.threats.length
    solver.check_finished()
    move = solver.winning_move(attacker, defender)
    attacker |= <uint64_t> 1 << move
    rest = ~(attacker | defender)
    while rest:
        plies = max(plies, extract(solver, attacker, defender | (rest & (0 - rest)), found))
        rest &= rest - 1
    found[attacker ^ (<uint64_t> 1 << move), defender] = (move, plies + 2)
    return plies + 2


def extract_strategy(Solver solver not None, uint64_t attacker, uint64_t defender, int early,
                     int later):
    """{(attacker's stones, defender's): (move, plies)} of a win that `prove` has shown with the
    attacker to move: every position that can arise while the attacker plays these moves and has
    no chain of threes, each turned as `turned` turns it.

    `plies` are those to the end if the other side holds out as long as it can.
    """
    cdef dict found = {}
    solver.lock.take()
    try:
        if solver.early != early or solver.later != later:
            raise Unproven("nothing was proven with these settings")
        solver.start(1 << 62, 0)
        extract(solver, attacker, defender, found)
    finally:
        solver.lock.give()
    return found


def verify_strategy(Solver solver not None, uint64_t attacker, uint64_t defender,
                    dict strategy):
    """Walks a strategy from a position with the attacker to move over all replies. None if it
    wins every game, else ((stones, stones), reason) of the first fault. Chains of threes are
    searched for anew; what they do not settle must be in the strategy."""
    cdef Context* context = &solver.workers[0].context
    cdef Side mine, theirs
    cdef uint64_t rest, first, second
    cdef int move
    solver.lock.take()
    try:
        solver.start(1 << 62, 0)
        turn(&symmetry, &attacker, &defender)
        waiting = [(attacker, defender)]
        seen = set(waiting)
        while waiting:
            position = waiting.pop()
            attacker, defender = position
            put_all(&geometry, &mine, attacker)
            put_all(&geometry, &theirs, defender)
            if wins_by_threats(&context.threats, &mine, &theirs):
                continue
            solver.check_finished()
            known = strategy.get(position)
            if known is None:
                return position, "the strategy has no move here"
            move = known[0]
            if not 0 <= move < 64 or (attacker | defender) >> move & 1:
                return position, "the strategy's move is no free cell"
            put(&geometry, &mine, move)
            rest = completions(&geometry, &theirs, &mine)
            if rest:
                return position, "the other side completes a line"
            rest = ~(mine.stones | defender)
            if not rest:
                return position, "the board is full"
            while rest:
                first = mine.stones
                second = defender | (rest & (0 - rest))
                rest &= rest - 1
                turn(&symmetry, &first, &second)
                position = (first, second)
                if position not in seen:
                    seen.add(position)
                    waiting.append(position)
        unused = set(strategy) - seen
        if unused:
            return unused.pop(), "no game leads here"
        return None
    finally:
        solver.lock.give()
