# Solver: the Python face of the Connect Four solver, its tables and its threads.
#
# Needs: connect4_search.pxi and connect4_driver.pxi; WIDEST, TALLEST of the boards it takes.

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from ttt_core.runtime.atomics cimport store_flag
from ttt_core.runtime.signals cimport propagate
from ttt_core.solvers.connect4.table cimport BUCKET, LEAST_BUCKETS, log2

from array import array

from ttt_core.runtime.memory import available_bytes

cdef extern from *:
    """
    #define ttt_take_next(place) __atomic_fetch_add(place, 1, __ATOMIC_RELAXED)
    """
    int64_t take_next "ttt_take_next"(int64_t* place) noexcept nogil

cdef enum:
    MEBIBYTE = 1 << 20
    CACHE_LINE = BUCKET * 8
    HOT_BUCKETS = 1 << 15    # 2 MiB, which stays in a core's own cache
    MOST_THREADS = 256
    MOBILITY = 4

# Positions to solve and their answers; threads take them one by one.
ctypedef struct Batch:
    const uint64_t* mine
    const uint64_t* theirs
    int8_t* low
    int8_t* high
    uint64_t* nodes
    int64_t size, taken
    bint weak
    uint64_t limit           # nodes a position
    double time              # seconds a position, 0: no limit


cdef void solve_batch(Worker* worker, Batch* batch) noexcept nogil:
    cdef Quest quest
    cdef uint64_t began
    cdef int64_t i
    while not worker.interrupted and not load_flag(worker.stop):
        i = take_next(&batch.taken)
        if i >= batch.size:
            return
        began = worker.nodes
        worker.ended = False
        worker.limit = worker.nodes + batch.limit
        worker.deadline = seconds() + batch.time if batch.time > 0 else 0
        worker.poll = min(worker.poll, worker.limit)
        solve_position(worker, batch.mine[i], batch.theirs[i], batch.weak, -64, 64, &quest)
        batch.low[i], batch.high[i] = quest.low, quest.high
        batch.nodes[i] = worker.nodes - began


# The exception that a signal's handler raised, taken from where Python keeps it.
cdef object pending_error():
    try:
        propagate()
    except BaseException as error:
        return error
    return None


cdef uint64_t* new_table(Table* table, uint64_t buckets) except NULL:
    cdef uint64_t* memory = <uint64_t*> calloc(buckets + 1, CACHE_LINE)
    if memory == NULL:
        raise MemoryError(f"no memory for a table of {buckets * CACHE_LINE // MEBIBYTE} MiB")
    table.entries = memory + (0 - (<size_t> memory >> 3)) % BUCKET
    table.shift = 64 - log2(buckets)
    return memory


cdef class Solver:
    """Exact scores of positions of one board size. `ttt.solvers.connect4` is the friendly face."""

    widest = WIDEST
    tallest = TALLEST
    cdef Shape shape
    cdef Table table
    cdef Table hot[MOST_THREADS]            # of the last plies, one a thread
    cdef uint64_t* memory
    cdef uint64_t* hot_memory[MOST_THREADS]
    cdef int stop_flag
    cdef public bint plans                  # whether to use the bounds of connect4_bounds.pxd
    cdef CallLock lock
    cdef readonly int hash

    def __cinit__(self, int columns, int rows, hash=32):
        if not (1 <= columns <= WIDEST and 1 <= rows <= TALLEST and columns * (rows + 1) <= 64):
            raise ValueError(f"no board of {columns} columns and {rows} rows fits here")
        shape_board(&self.shape, columns, rows, 8 if LANES == 8 else rows + 1)
        self.lock = CallLock()
        self.plans = True
        self.resize(hash)

    def __dealloc__(self):
        cdef int i
        free(self.memory)
        for i in range(MOST_THREADS):
            free(self.hot_memory[i])

    def resize(self, hash):
        """A new, empty table: the largest power of two of at most so many MiB."""
        if not isinstance(hash, int) or isinstance(hash, bool):
            raise TypeError(f"hash is a whole number of MiB, not {hash!r}")
        if hash < 1:
            raise ValueError(f"hash={hash}: at least 1 MiB")
        room = available_bytes()
        if hash * MEBIBYTE > room:
            raise ValueError(f"hash={hash} MiB: only {room // MEBIBYTE} MiB are free")
        cdef Table table = self.table
        cdef uint64_t* fresh
        self.lock.take()
        try:
            fresh = new_table(&table, <uint64_t> LEAST_BUCKETS << (hash.bit_length() - 1))
            free(self.memory)
            self.memory, self.table, self.hash = fresh, table, 1 << (hash.bit_length() - 1)
        finally:
            self.lock.give()

    def clear(self):
        """Empties the tables."""
        cdef int i
        self.lock.take()
        try:
            memset(self.table.entries, 0, self.hash * MEBIBYTE)
            for i in range(MOST_THREADS):
                if self.hot_memory[i] != NULL:
                    memset(self.hot[i].entries, 0, HOT_BUCKETS * CACHE_LINE)
        finally:
            self.lock.give()

    def stop(self):
        """Ends a call that runs in another thread; it returns what it has found so far."""
        store_flag(&self.stop_flag, 1)

    def pack(self, str marks not None, str turn not None):
        """The words of a position: marks in reading order, and the side to move, x or o."""
        cdef int columns = self.shape.columns, rows = self.shape.rows, i, at
        cdef uint64_t words[2]
        if len(marks) != columns * rows:
            raise ValueError(f"{len(marks)} cells, not {columns * rows}")
        words[0] = words[1] = 0
        for i in range(columns * rows):
            at = i % columns * self.shape.stride + rows - 1 - i // columns
            if marks[i] != ".":
                words[marks[i] != turn] |= <uint64_t> 1 << at
        return words[0], words[1]

    def pack_moves(self, str moves not None):
        """The words of the position after moves, a digit each; None if they cannot be played."""
        cdef uint64_t mine = 0, theirs = 0, move
        cdef int column
        for letter in moves:
            column = <int> ord(letter) - <int> ord("1")
            if not 0 <= column < min(self.shape.columns, 9):
                return None
            move = playable(&self.shape, mine | theirs) & self.shape.column[column]
            if not move or has_four(theirs, self.shape.stride):
                return None
            mine, theirs = theirs, mine | move
        return mine, theirs

    def plan_beats(self, uint64_t mover, uint64_t other, int alpha):
        """Whether the plan of the side that has just moved scores more than alpha for it."""
        cdef Node node
        node.mine, node.theirs, node.ply = other, mover, popcount(mover | other)
        node.their_wins = (completions(mover, self.shape.stride) & self.shape.board
                           & ~(mover | other))
        return bool(self.shape.rows % 2 == 0 and plan_holds(&self.shape, &node, -alpha - 1))

    cdef int prepare(self, Worker* worker, int which, double began) except -1:
        if self.hot_memory[which] == NULL:
            self.hot_memory[which] = new_table(&self.hot[which], HOT_BUCKETS)
        worker.shape = self.shape
        worker.tables[0], worker.tables[1] = self.table, self.hot[which]
        worker.nodes = 0
        worker.poll = POLL
        worker.pause = worker.limit = <uint64_t> 1 << 63
        worker.stop = &self.stop_flag
        worker.signals = which == 0
        worker.signal_time = began
        worker.mobility = MOBILITY
        worker.plans = self.plans and self.shape.rows % 2 == 0
        return 0

    def solve(self, uint64_t mine, uint64_t theirs, bint weak, uint64_t nodes, double limit,
              int threads, on_info, int low=-64, int high=64):
        """{"low", "high", "nodes", "seconds", "raised"} of one position; `on_info(low, high, nodes,
        seconds)` is called after each question. Scores outside `low` to `high` count as these."""
        cdef double began = seconds()
        cdef Worker* workers
        cdef Quest quest
        cdef Node node
        cdef uint64_t total = 0
        cdef int alpha, i
        cdef bint more
        cdef ThreadGroup helpers = ThreadGroup()
        found = []
        self.lock.take()
        try:
            store_flag(&self.stop_flag, 0)
            workers = <Worker*> PyMem_Calloc(threads, sizeof(Worker))
            if workers == NULL:
                raise MemoryError("no memory for the search")
            try:
                for i in range(threads):
                    self.prepare(&workers[i], i, began)
                    workers[i].limit = nodes // <unsigned int> threads
                    workers[i].deadline = began + limit if limit > 0 else 0
                    workers[i].mobility += i
                more = begin(workers, mine, theirs, weak, &quest, &node)
                clip(&quest, low, high)
                for i in range(1, threads if more else 1):
                    helpers.start(self._assist, (
                        <size_t> &workers[i], mine, theirs, weak, low, high, found))
                while more:
                    with nogil:
                        more = next_question(workers, &quest, &alpha)
                        more = more and ask(workers, &node, alpha, &quest)
                    if more and on_info is not None:
                        on_info(quest.low, quest.high, workers.nodes, seconds() - began)
                raised = pending_error() if workers.interrupted else None
            finally:
                store_flag(&self.stop_flag, 1)
                late = helpers.join()
                for i in range(threads):
                    total += workers[i].nodes
                PyMem_Free(workers)
        finally:
            self.lock.give()
        found.append((quest.low, quest.high))
        return {
            "low": max([low for low, _ in found]),
            "high": min([high for _, high in found]),
            "nodes": total,
            "seconds": seconds() - began,
            "raised": late or raised,
        }

    def _assist(self, size_t place, uint64_t mine, uint64_t theirs, bint weak, int low, int high,
                list found):
        """A helper thread: the same position in another order; whoever is first stops all."""
        cdef Quest quest
        with nogil:
            solve_position(<Worker*> place, mine, theirs, weak, low, high, &quest)
        found.append((quest.low, quest.high))
        store_flag(&self.stop_flag, 1)

    def solve_many(self, mine, theirs, bint weak, uint64_t nodes, double limit, int threads):
        """(low, high, nodes, raised): arrays with an entry for each of the positions in two arrays
        of words. Of positions that were not begun before Ctrl-C, low is greater than high."""
        cdef const uint64_t[::1] first = mine, second = theirs
        cdef Py_ssize_t size = first.shape[0], i
        cdef Worker* workers
        cdef Batch batch
        cdef double began = seconds()
        cdef int8_t[::1] low, high
        cdef uint64_t[::1] counts
        if second.shape[0] != size:
            raise ValueError(f"{size} words and {second.shape[0]} words")
        lows, highs, spent = array("b", [1]) * size, array("b", [-1]) * size, array("Q", [0]) * size
        if not size:
            return lows, highs, spent, None
        low, high, counts = lows, highs, spent
        batch.mine, batch.theirs = &first[0], &second[0]
        batch.low, batch.high, batch.nodes = &low[0], &high[0], &counts[0]
        batch.size, batch.taken, batch.weak = size, 0, weak
        batch.limit, batch.time = nodes, limit
        cdef ThreadGroup helpers = ThreadGroup()
        self.lock.take()
        try:
            store_flag(&self.stop_flag, 0)
            workers = <Worker*> PyMem_Calloc(threads, sizeof(Worker))
            if workers == NULL:
                raise MemoryError("no memory for the search")
            try:
                for i in range(threads):
                    self.prepare(&workers[i], i, began)
                for i in range(1, threads):
                    helpers.start(self._help, (<size_t> &workers[i], <size_t> &batch))
                with nogil:
                    solve_batch(workers, &batch)
                raised = pending_error() if workers.interrupted else None
                if raised is None:
                    raised = helpers.join()
            finally:
                store_flag(&self.stop_flag, 1)
                late = helpers.join()
                PyMem_Free(workers)
        finally:
            self.lock.give()
        return lows, highs, spent, late or raised

    def _help(self, size_t worker, size_t batch):
        with nogil:
            solve_batch(<Worker*> worker, <Batch*> batch)
