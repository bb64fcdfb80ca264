# Engine: the Python class of the search, with its table and its threads.
#
# Needs: deepening.pxi, minimax.pxi, position.pxi and threads.pxi.

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport uint16_t
from libc.string cimport memset

from ttt_core.runtime.atomics cimport load_flag, load_word, store_flag
from ttt_core.runtime.clock cimport seconds
from ttt_core.runtime.limits cimport set_poll_interval, start_limits
from ttt_core.runtime.pages cimport release_pages, wipe_pages, zeroed_pages
from ttt_core.runtime.signals cimport pending_error
from ttt_core.tables.busy cimport BUSY_SLOTS
from ttt_core.tables.transposition cimport BUCKET, Slot

from ttt_core.runtime.memory import check_hash

cdef enum:
    MEBIBYTE = 1 << 20
    MIN_BUCKETS = MEBIBYTE // 64   # in use of an empty table, before a search widens it: 1 MiB


# Imports `threading` on first use: a process that only wants boards starts sooner without it.
cdef bint in_main_thread() except -1:
    from threading import current_thread, main_thread
    return current_thread() is main_thread()


cdef class Engine:
    """The compiled engine of one game under one set of options. Created by `ttt.Engine`."""

    evaluations = EVALUATION_NAMES

    cdef readonly Ruleset ruleset
    cdef Table table           # the part of the memory in use: see `widen`
    cdef Slot* memory
    cdef uint64_t buckets      # of the whole memory
    cdef int stop_flag
    cdef uint64_t busy[BUSY_SLOTS]         # moves that threads are searching
    cdef CallLock lock
    cdef readonly int hash

    def __cinit__(self, Ruleset ruleset not None, hash=64):
        self.ruleset = ruleset
        ruleset.ensure_weights()
        self.lock = CallLock()
        self.resize(hash)

    def __dealloc__(self):
        release_pages(self.memory, self.buckets * BUCKET * sizeof(Slot))

    def resize(self, hash):
        """Replaces the table by an empty one of `hash` MiB; keeps the old one on failure."""
        check_hash(hash)
        cdef size_t buckets = hash * MEBIBYTE // (BUCKET * sizeof(Slot))
        cdef Slot* fresh
        self.lock.acquire()
        try:
            fresh = <Slot*> zeroed_pages(buckets * BUCKET * sizeof(Slot))
            if fresh == NULL:
                raise MemoryError(f"out of memory: cannot allocate a table of {hash} MiB")
            release_pages(self.memory, self.buckets * BUCKET * sizeof(Slot))
            self.memory = self.table.slots = fresh
            self.buckets = buckets
            self.table.buckets = MIN_BUCKETS
            self.table.generation = 0
            self.hash = hash
        finally:
            self.lock.release()

    def clear(self):
        """Empties the table."""
        self.lock.acquire()
        try:
            wipe_pages(self.memory, self.table.buckets * BUCKET * sizeof(Slot))
            self.table.buckets = MIN_BUCKETS
            self.table.generation = 0
        finally:
            self.lock.release()

    def stop(self):
        """Stops a search that runs in another thread; it returns its result so far."""
        store_flag(&self.stop_flag, 1)

    def fill(self):
        """The fraction of the table that the latest search has filled, estimated from a sample."""
        cdef uint64_t i, data, sample = min(self.table.buckets * BUCKET, <uint64_t> 4000)
        cdef int used = 0
        for i in range(sample):
            data = load_word(&self.memory[i].data)
            used += (data >> 32 & 3) != 0 and <uint16_t> (data >> 34) == self.table.generation
        return <double> used / sample

    cdef int check(self, Position position, int evaluation) except -1:
        if position.ruleset.options != self.ruleset.options:
            raise ValueError("the board has other options than the engine")
        if not 0 <= evaluation < EVALUATIONS:
            raise ValueError(f"evaluation {evaluation}: expected 0 to {EVALUATIONS - 1}")
        return 0

    def evaluate(self, Position position not None, int evaluation):
        """The static evaluation of a running game, for the side to move."""
        self.check(position, evaluation)
        return evaluate(&self.ruleset.rules, self.ruleset.weights,
                        &position.stack[position.height], evaluation, True)

    def search(self, Position position not None, int depth, uint64_t nodes, double limit, int lines,
               list candidates, on_info, int threads, int evaluation, bint selective, bint reduce,
               double slots, bint as_if_cold):
        """Searches a position and returns the result as a dict; `ttt.Engine.search` describes the
        limits. `slots` is the number of table slots that the search can make use of;
        `as_if_cold`: of earlier searches, only proven entries are used."""
        self.check(position, evaluation)
        self.lock.acquire()
        try:
            self.widen(slots)
            return self.run(position, depth, nodes, limit, lines, candidates, on_info, threads,
                            evaluation, selective, reduce, as_if_cold)
        finally:
            self.lock.release()

    # Short searches use only the beginning of the table, which stays in the processor's cache
    # (bench/RESULTS.md). Widening loses the entries of earlier searches, so it goes in large steps,
    # and the table stays wide until it is cleared.
    cdef void widen(self, double slots) noexcept:
        cdef uint64_t buckets = self.buckets
        while buckets // 4 >= MIN_BUCKETS and buckets // 4 * BUCKET >= slots:
            buckets //= 4
        self.table.buckets = max(self.table.buckets, buckets)

    # Prepares a zeroed worker, except for its limits and its root.
    cdef void prepare_worker(self, Worker* worker, int evaluation, bint selective) noexcept:
        worker.rules = &self.ruleset.rules
        worker.weights = self.ruleset.weights
        worker.table = &self.table
        worker.evaluation = evaluation
        worker.futility_margin = FUTILITY_MARGIN if evaluation == DEFAULT else 0
        worker.selective = selective
        prepare_threats(&worker.threats, worker.rules, &self.stop_flag)

    cdef int set_candidates(self, Root* root, const State* state, list candidates) except -1:
        for which in candidates:
            if root.moves == MOVES or not playable_number(&self.ruleset.rules, state, which):
                raise ValueError(f"candidate {which} cannot be played")
            root.move[root.moves] = numbered(&self.ruleset.rules, state, which)
            root.pv[root.moves][0] = which
            root.pv_length[root.moves] = 1
            root.moves += 1
        return 0

    # Iterative deepening on this thread and on the helpers, which run the same search. They share
    # the table, put off moves that others are searching (`tables/busy.pxd`) and leave nodes that
    # others have decided (`is_decided` in search/pvs.pxi).
    cdef dict run(self, Position position, int depth, uint64_t nodes, double limit, int lines,
                  list candidates, on_info, int threads, int evaluation, bint selective,
                  bint reduce, bint as_if_cold):
        cdef double began = seconds()
        cdef double deadline = began + limit if limit > 0 else 0
        # Python delivers signals to the main thread only.
        cdef bint signals = in_main_thread()
        cdef ThreadGroup helpers = ThreadGroup()
        cdef Worker* workers = <Worker*> PyMem_Calloc(threads, sizeof(Worker))
        cdef Root* roots = <Root*> PyMem_Calloc(threads + (lines > 1), sizeof(Root))
        cdef Root* root = roots
        cdef Root* last = roots + threads      # of the last finished iteration
        cdef State state = position.stack[position.height]
        cdef int left = cells(&self.ruleset.rules) - ply(&self.ruleset.rules, &state)
        cdef int i, finished, reached = 0, most = min(depth, left)
        cdef Worker* worker
        cdef dict found
        if workers == NULL or roots == NULL:
            PyMem_Free(workers)
            PyMem_Free(roots)
            raise MemoryError("out of memory: cannot allocate the search")
        try:
            store_flag(&self.stop_flag, 0)
            self.table.generation += 1
            self.set_candidates(root, &state, candidates)
            for i in range(threads):
                roots[i] = root[0]
                worker = &workers[i]
                self.prepare_worker(worker, evaluation, selective)
                worker.as_if_cold = as_if_cold and selective
                worker.busy = self.busy if threads > 1 else NULL
                start_limits(&worker.limits, nodes // threads, deadline, &self.stop_flag,
                             i == 0 and signals)
                set_root(worker, &state, reduce and selective)
            worker = workers
            for i in range(1, threads):
                helpers.start(self._assist, (<size_t> &workers[i], <size_t> &roots[i], most, i))
            while reached < most and not worker.limits.stopped:
                with nogil:
                    finished = deepen(worker, root, &state, reached + 1, lines)
                    publish_counters(worker)
                if worker.limits.stopped and lines > 1:
                    # An unfinished line has only bounds: they must not pass for scores.
                    if reached:
                        root[0] = last[0]
                    else:
                        lines = max(finished, 1)
                if worker.limits.stopped and reached:
                    break
                if lines > 1:
                    last[0] = root[0]
                if worker.reduce and decided_within(root, lines, reached + 1):
                    continue
                reached += 1
                if worker.limits.stopped:
                    break
                if on_info is not None:
                    on_info(self.report(workers, threads, root, lines, reached, left, began))
                if decided_within(root, lines, reached):
                    break
            raised = pending_error() if worker.limits.interrupted else None
            store_flag(&self.stop_flag, 1)
            late = helpers.join()
            found = self.report(workers, threads, root, lines, reached, left, began)
            found["raised"] = late or raised
            return found
        finally:
            store_flag(&self.stop_flag, 1)
            helpers.join()
            PyMem_Free(workers)
            PyMem_Free(roots)

    def _assist(self, size_t worker_address, size_t root_address, int most, int which):
        """Runs a helper thread, for the entries that it leaves in the table."""
        cdef Worker* worker = <Worker*> worker_address
        cdef Root* root = <Root*> root_address
        cdef int depth = 1
        with nogil:
            while depth <= most and not worker.limits.stopped:
                deepen(worker, root, &worker.state, depth, 1)
                if not (worker.reduce and decided_within(root, 1, depth)):
                    depth += 1
            publish_counters(worker)

    cdef dict report(self, Worker* workers, int threads, Root* root, int lines, int depth, int left,
                     double began):
        cdef int i, j
        cdef double spent = seconds() - began
        names = self.ruleset.moves
        found = []
        for i in range(min(lines, root.moves)):
            found.append((root.score[i], [names[root.pv[i][j]] for j in range(root.pv_length[i])]))
        return {
            "lines": found,
            "depth": depth,
            "selective_depth": workers[0].selective_depth,
            "complete": depth >= left,
            "nodes": sum([load_word(&workers[i].published.nodes) for i in range(threads)]),
            "terminal": sum([load_word(&workers[i].published.terminal) for i in range(threads)]),
            "horizon": sum([load_word(&workers[i].published.horizon) for i in range(threads)]),
            "table_hits": sum(
                [load_word(&workers[i].published.table_hits) for i in range(threads)]),
            "seconds": spent,
            "raised": None,
        }

    def minimax(self, Position position not None, bint pruning, int depth, uint64_t nodes,
                double limit, int evaluation):
        """Minimax, or alpha-beta with `pruning`: {"values": {move: score}, and counters}."""
        cdef Minimax search
        cdef State state = position.stack[position.height]
        cdef double began = seconds()
        cdef MoveSet rest = position.legal()
        cdef Undo undo
        cdef State* child
        cdef Move move
        cdef int value
        cdef bint known
        self.check(position, evaluation)
        search.rules = &self.ruleset.rules
        search.weights = self.ruleset.weights
        search.evaluation = evaluation
        memset(&search.counters, 0, sizeof(Counters))
        values = {}
        self.lock.acquire()
        try:
            store_flag(&self.stop_flag, 0)
            start_limits(&search.limits, nodes, began + limit if limit > 0 else 0, &self.stop_flag,
                         True)
            set_poll_interval(&search.limits, MINIMAX_POLL)
            while some(rest) and not search.limits.stopped:
                move = take(&rest)
                with nogil:
                    child = enter(&self.ruleset.rules, &state, move, &undo)
                    search.counters.nodes += 1
                    value = -leaf_value(&search, child, 1, &known)
                    if not known:
                        if depth == 1:
                            value = -horizon_value(&search, child, 1)
                        elif pruning:
                            value = -alphabeta(&search, child, depth - 1, 1, -WIN, WIN)
                        else:
                            value = -minimax(&search, child, depth - 1, 1)
                    leave(&self.ruleset.rules, &state, move, &undo)
                if not search.limits.stopped:
                    values[self.ruleset.moves[number(&self.ruleset.rules, move)]] = value
            raised = pending_error() if search.limits.interrupted else None
        finally:
            self.lock.release()
        return {
            "values": values,
            "nodes": search.counters.nodes,
            "terminal": search.counters.terminal,
            "horizon": search.counters.horizon,
            "seconds": seconds() - began,
            "stopped": bool(search.limits.stopped),
            "raised": raised,
        }
