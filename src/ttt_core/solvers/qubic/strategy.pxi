# Strategies of Qubic: extracted from a finished proof, and checked. Canonical forms of positions.
#
# Needs: solver.pyx up to its end.


def canonical(uint64_t first, uint64_t second):
    """(first, second, symmetry): the canonical form of a position, the image whose words are the
    least, and the number of the symmetry that maps the position to it."""
    cdef int which = canonicalise(&symmetry, &first, &second)
    return first, second, which


def from_canonical(int which, int cell):
    """The cell that symmetry number `which` maps to `cell`."""
    cdef int i
    for i in range(64):
        if rules.image[which][i] == cell:
            return i
    raise ValueError(f"invalid cell {cell}; cells are 0 to 63")


# Adds the strategy from a proven position on, with the attacker to move, to `found`. Returns the
# most plies to its win.
cdef int extract(Solver solver, uint64_t attacker, uint64_t defender, dict found) except -1:
    cdef Context* context = &solver.workers[0].context
    cdef Side mine, theirs
    cdef uint64_t rest
    cdef int move, plies = 0
    canonicalise(&symmetry, &attacker, &defender)
    known = found.get((attacker, defender))
    if known is not None:
        return known[1]
    set_stones(&geometry, &mine, attacker)
    set_stones(&geometry, &theirs, defender)
    if wins_by_threats(&context.threats, &mine, &theirs):
        return context.threats.length
    solver.check_complete()
    move = solver.find_winning_move(attacker, defender)
    attacker |= <uint64_t> 1 << move
    rest = ~(attacker | defender)
    while rest:
        plies = max(plies, extract(solver, attacker, defender | (rest & (0 - rest)), found))
        rest &= rest - 1
    found[attacker ^ (<uint64_t> 1 << move), defender] = (move, plies + 2)
    return plies + 2


def extract_strategy(Solver solver not None, uint64_t attacker, uint64_t defender, int early,
                     int later, bint attacking=True):
    """The strategy of a win that `prove` has proven; `attacking`: the attacker is to move.

    {(attacker's stones, defender's stones): (move, plies)} for every position, in canonical form,
    that can arise while the attacker plays these moves and has no threat sequence. `plies` is the
    longest way to the end that the defender has.
    """
    cdef dict found = {}
    cdef uint64_t rest = 0 if attacking else ~(attacker | defender)
    solver.lock.acquire()
    try:
        if solver.early != early or solver.later != later:
            raise Unproven("no proof was run with these move limits")
        solver.start(UNLIMITED_NODES, 0)
        if attacking:
            extract(solver, attacker, defender, found)
        while rest:
            extract(solver, attacker, defender | (rest & (0 - rest)), found)
            rest &= rest - 1
    finally:
        solver.lock.release()
    return found


def verify_strategy(Solver solver not None, uint64_t attacker, uint64_t defender,
                    dict strategy, bint attacking=True):
    """Plays a strategy against all replies from a position; `attacking`: the attacker is to move.

    Returns None if it wins every game, else ((attacker's stones, defender's stones), reason) of
    the first fault. Threat sequences are searched for anew; every position without one must be in
    the strategy.
    """
    cdef Context* context = &solver.workers[0].context
    cdef Side mine, theirs
    cdef uint64_t rest, first, second
    cdef int move
    solver.lock.acquire()
    try:
        solver.start(UNLIMITED_NODES, 0)
        seen = set()
        if not attacking:
            set_stones(&geometry, &mine, attacker)
            set_stones(&geometry, &theirs, defender)
            if completions(&geometry, &theirs, &mine):
                return (attacker, defender), "the opponent completes a line"
            rest = ~(attacker | defender)
            while rest:
                first = attacker
                second = defender | (rest & (0 - rest))
                rest &= rest - 1
                canonicalise(&symmetry, &first, &second)
                seen.add((first, second))
        else:
            canonicalise(&symmetry, &attacker, &defender)
            seen.add((attacker, defender))
        waiting = list(seen)
        while waiting:
            position = waiting.pop()
            attacker, defender = position
            set_stones(&geometry, &mine, attacker)
            set_stones(&geometry, &theirs, defender)
            if wins_by_threats(&context.threats, &mine, &theirs):
                continue
            solver.check_complete()
            known = strategy.get(position)
            if known is None:
                return position, "the strategy has no move here"
            move = known[0]
            if not 0 <= move < 64 or (attacker | defender) >> move & 1:
                return position, "the strategy's move is not an empty cell"
            add_stone(&geometry, &mine, move)
            rest = completions(&geometry, &theirs, &mine)
            if rest:
                return position, "the opponent completes a line"
            rest = ~(mine.stones | defender)
            if not rest:
                return position, "the board is full"
            while rest:
                first = mine.stones
                second = defender | (rest & (0 - rest))
                rest &= rest - 1
                canonicalise(&symmetry, &first, &second)
                position = (first, second)
                if position not in seen:
                    seen.add(position)
                    waiting.append(position)
        unused = set(strategy) - seen
        if unused:
            return unused.pop(), "no game reaches this position"
        return None
    finally:
        solver.lock.release()
