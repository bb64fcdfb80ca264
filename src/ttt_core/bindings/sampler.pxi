# Sampler: the Python class of flat Monte Carlo and of Monte Carlo tree search.
#
# Needs: montecarlo.pxi, mcts.pxi, position.pxi, threads.pxi and the imports of engine.pxi.

cdef class Sampler:
    """Move choice by random games, for one game under one set of options."""

    cdef readonly Ruleset ruleset
    cdef int stop_flag
    cdef CallLock lock

    def __cinit__(self, Ruleset ruleset not None):
        self.ruleset = ruleset
        self.lock = CallLock()

    def stop(self):
        """Stops a call that runs in another thread; it returns its result so far."""
        store_flag(&self.stop_flag, 1)

    cdef int check(self, Position position) except -1:
        if position.ruleset.options != self.ruleset.options:
            raise ValueError("the board has other options than the sampler")
        if not some(position.legal()):
            raise ValueError("the game is over: no move to choose")
        return 0

    cdef void begin(self, Sampling* sampling, uint64_t games, double limit,
                    uint64_t seed) noexcept:
        sampling.rules = &self.ruleset.rules
        seed_random(&sampling.random, seed)
        store_flag(&self.stop_flag, 0)
        start_limits(&sampling.limits, games, seconds() + limit if limit > 0 else 0,
                     &self.stop_flag, True)
        set_poll_interval(&sampling.limits, SAMPLE_POLL)
        sampling.limits.stopped = games == 0

    def montecarlo(self, Position position not None, uint64_t playouts, double limit,
                   uint64_t seed):
        """Plays `playouts` random games after each legal move: {"moves": [(move, games, total)]},
        where `total` is the sum of the results for the side to move."""
        cdef Sampling sampling
        cdef Sample samples[MOVES]
        cdef MoveSet rest = position.legal()
        cdef State state = position.stack[position.height]
        cdef int i, total = 0
        cdef double began = seconds()
        self.check(position)
        while some(rest):
            samples[total].move = take(&rest)
            samples[total].games = 0
            samples[total].total = 0
            total += 1
        self.lock.acquire()
        try:
            self.begin(&sampling, min(playouts, <uint64_t> -1 // total) * total, limit, seed)
            with nogil:
                sample_moves(&sampling, &state, samples, total)
            raised = pending_error() if sampling.limits.interrupted else None
        finally:
            self.lock.release()
        names = self.ruleset.moves
        return {
            "moves": [(names[number(&self.ruleset.rules, samples[i].move)], samples[i].games,
                       samples[i].total) for i in range(total)],
            "games": sampling.limits.nodes,
            "nodes": total,
            "proven": None,
            "seconds": seconds() - began,
            "raised": raised,
        }

    def mcts(self, Position position not None, uint64_t simulations, double limit, uint64_t seed,
             hash, double exploration):
        """Monte Carlo tree search with a tree of `hash` MiB: {"moves": [(move, visits, total)]},
        best first.

        "proven" is 1, 0 or -1 if the result for the side to move is certain, else None. If the root
        has a win in one, only the winning moves are listed; if every move loses at once, all are.
        """
        cdef Tree tree
        cdef Node* child
        cdef State state = position.stack[position.height]
        cdef MoveSet rest = position.legal()
        cdef int i
        cdef double began = seconds()
        self.check(position)
        check_hash(hash)
        tree.capacity = min(hash * MEBIBYTE // sizeof(Node), 0xFFFFFFFF)
        tree.exploration = exploration
        tree.used = 1
        self.lock.acquire()
        try:
            tree.nodes = <Node*> zeroed_pages(tree.capacity * sizeof(Node))
            if tree.nodes == NULL:
                raise MemoryError(f"out of memory: cannot allocate a tree of {hash} MiB")
            try:
                self.begin(&tree.sampling, min(simulations, <uint64_t> 0x7FFFFFFF), limit, seed)
                with nogil:
                    mcts(&tree, &state)
                raised = pending_error() if tree.sampling.limits.interrupted else None
                names = self.ruleset.moves
                found = []
                for i in range(tree.nodes.children):
                    child = &tree.nodes[tree.nodes.first + i]
                    found.append((preference(child), names[child.move], child.visits, child.total))
                found.sort(key=lambda entry: -entry[0])
                proven = tree.nodes.proven
                if not found:
                    if proven == WON:
                        rest = immediate(&self.ruleset.rules, &state)
                    result = proven - DRAWN
                    found = [(0.0, move, 0, result) for move in position.named(rest)]
                return {
                    "moves": [entry[1:] for entry in found],
                    "games": tree.sampling.limits.nodes,
                    "nodes": tree.used,
                    "proven": proven - DRAWN if proven else None,
                    "seconds": seconds() - began,
                    "raised": raised,
                }
            finally:
                release_pages(tree.nodes, tree.capacity * sizeof(Node))
        finally:
            self.lock.release()
