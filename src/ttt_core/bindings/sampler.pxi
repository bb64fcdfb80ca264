# Sampler: the Python face of flat Monte Carlo and of Monte Carlo tree search.
#
# Needs: montecarlo.pxi, mcts.pxi, position.pxi and pending_error of engine.pxi.

cdef class Sampler:
    """Random games of one game under one choice of options, put to use."""

    cdef readonly Ruleset ruleset
    cdef int stop_flag
    cdef CallLock lock

    def __cinit__(self, Ruleset ruleset not None):
        self.ruleset = ruleset
        self.lock = CallLock()

    def stop(self):
        """Ends the work that runs in another thread; its result so far is returned there."""
        store_flag(&self.stop_flag, 1)

    cdef void begin(self, Sampling* sampling, uint64_t games, double limit,
                    uint64_t seed) noexcept:
        cdef double now = seconds()
        sampling.rules = &self.ruleset.rules
        seed_random(&sampling.random, seed)
        sampling.games = 0
        sampling.limit = games
        sampling.deadline = now + limit if limit > 0 else 0
        sampling.signal_time = now + SAMPLE_SIGNAL_POLL / 1000.0
        sampling.stop = &self.stop_flag
        sampling.stopped = games == 0
        sampling.interrupted = False
        store_flag(&self.stop_flag, 0)

    def flat(self, Position position not None, uint64_t playouts, double limit, uint64_t seed):
        """So many random games after each legal move: {"moves": [(move, games, total)]}."""
        cdef Sampling sampling
        cdef Sample samples[MOVES]
        cdef MoveSet rest = position.legal()
        cdef State state = position.stack[position.height]
        cdef int i, total = 0
        cdef double began = seconds()
        if position.ruleset.options != self.ruleset.options:
            raise ValueError("the board has other options than the sampler")
        while some(rest):
            samples[total].move = take(&rest)
            samples[total].games = 0
            samples[total].total = 0
            total += 1
        if total == 0:
            raise ValueError("the game is over: there is no move to choose")
        self.lock.take()
        try:
            self.begin(&sampling, min(playouts, <uint64_t> -1 // total) * total, limit, seed)
            with nogil:
                sample_moves(&sampling, &state, samples, total)
            raised = pending_error() if sampling.interrupted else None
        finally:
            self.lock.give()
        names = self.ruleset.moves
        return {
            "moves": [(names[number(&self.ruleset.rules, samples[i].move)], samples[i].games,
                       samples[i].total) for i in range(total)],
            "games": sampling.games,
            "nodes": total,
            "proven": None,
            "seconds": seconds() - began,
            "raised": raised,
        }

    def tree(self, Position position not None, uint64_t simulations, double limit, uint64_t seed,
             hash, double exploration):
        """Tree search within `hash` MiB: {"moves": [(move, visits, total)], best first}.

        "proven" is 1, 0 or -1 when the result is certain for the side to move. A position with a
        win in one has that move alone in its list; where every move loses at once, all are.
        """
        cdef Tree tree
        cdef Node* child
        cdef State state = position.stack[position.height]
        cdef MoveSet rest = position.legal()
        cdef int i
        cdef double began = seconds()
        if position.ruleset.options != self.ruleset.options:
            raise ValueError("the board has other options than the sampler")
        if not some(rest):
            raise ValueError("the game is over: there is no move to choose")
        if not 1 <= hash <= 65536:
            raise ValueError(f"hash={hash}: MiB of memory, from 1 to 65536")
        room = available_bytes()
        if hash * MEBIBYTE > room:
            raise ValueError(f"hash={hash} MiB: only {room // MEBIBYTE} MiB are free")
        tree.room = min(hash * MEBIBYTE // sizeof(Node), 0xFFFFFFFF)
        tree.exploration = exploration
        tree.used = 1
        self.lock.take()
        try:
            tree.nodes = <Node*> calloc(tree.room, sizeof(Node))
            if tree.nodes == NULL:
                raise MemoryError(f"no memory for a tree of {hash} MiB")
            try:
                self.begin(&tree.sampling, min(simulations, <uint64_t> 0x7FFFFFFF), limit, seed)
                with nogil:
                    grow(&tree, &state)
                raised = pending_error() if tree.sampling.interrupted else None
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
                    "games": tree.sampling.games,
                    "nodes": tree.used,
                    "proven": proven - DRAWN if proven else None,
                    "seconds": seconds() - began,
                    "raised": raised,
                }
            finally:
                free(tree.nodes)
        finally:
            self.lock.give()
