# Solver: the Python class of the Connect Four solver, with its tables and threads.
#
# Needs: search.pxi, driver.pxi, runtime/threads.pxi; MAX_COLUMNS, MAX_ROWS, FIXED_STRIDE.

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int8_t
from libc.string cimport memset

from ttt_core.runtime.atomics cimport fetch_next, load_flag, store_flag
from ttt_core.runtime.clock cimport seconds
from ttt_core.runtime.limits cimport UNLIMITED_NODES, start_limits
from ttt_core.runtime.pages cimport release_pages, wipe_pages, zeroed_pages
from ttt_core.runtime.signals cimport pending_error
from ttt_core.solvers.connect4.table cimport BUCKET, MIN_BUCKETS, log2
from ttt_core.tables.busy cimport BUSY_SLOTS

from array import array

from ttt_core.runtime.memory import check_hash

cdef enum:
    MEBIBYTE = 1 << 20
    CACHE_LINE = BUCKET * 8
    HOT_BUCKETS = 1 << 15    # 2 MiB, which stays in a core's own cache
    MAX_THREADS = 256

# Positions to solve and their results; threads take them one by one.
ctypedef struct Batch:
    const uint64_t* mine
    const uint64_t* theirs
    int8_t* low
    int8_t* high
    uint64_t* nodes
    int64_t size, taken
    bint weak
    uint64_t max_nodes       # per position
    double max_seconds       # per position; 0: no limit


cdef void solve_batch(Worker* worker, Batch* batch) noexcept nogil:
    cdef Limits* limits = &worker.limits
    cdef ScoreBounds bounds
    cdef uint64_t began
    cdef int64_t i
    while not limits.interrupted and not load_flag(limits.stop_flag):
        i = fetch_next(&batch.taken)
        if i >= batch.size:
            return
        # The node count goes on, so that short solves too are polled for Ctrl-C now and then.
        began = limits.nodes
        limits.stopped = False
        limits.max_nodes = began + min(batch.max_nodes, UNLIMITED_NODES - began)
        limits.next_poll = min(limits.next_poll, limits.max_nodes)
        limits.deadline = seconds() + batch.max_seconds if batch.max_seconds > 0 else 0
        solve_position(worker, batch.mine[i], batch.theirs[i], batch.weak, -64, 64, &bounds)
        batch.low[i], batch.high[i] = bounds.low, bounds.high
        batch.nodes[i] = limits.nodes - began


# Allocates the entries of a table.
cdef int new_table(Table* table, uint64_t buckets) except -1:
    table.entries = <uint64_t*> zeroed_pages(buckets * CACHE_LINE)
    if table.entries == NULL:
        size = buckets * CACHE_LINE // MEBIBYTE
        raise MemoryError(f"out of memory: cannot allocate a table of {size} MiB")
    table.shift = 64 - log2(buckets)
    return 0


cdef class Solver:
    """Solver of one board size; `ttt.solvers.connect4.Connect4Solver` is the public class.

    A position is two words: the discs of the side to move and of the opponent, as `pack` and
    `pack_moves` make them.
    """

    widest = MAX_COLUMNS
    tallest = MAX_ROWS
    cdef Layout layout
    cdef Table table
    cdef Table hot[MAX_THREADS]             # of the last plies, one per thread
    cdef int stop_flag
    cdef uint64_t busy[BUSY_SLOTS]          # moves that threads are searching
    cdef bint used                          # whether the tables may have entries
    cdef public bint static_bounds          # whether to use those of bounds.pxd
    cdef CallLock lock
    cdef readonly int hash

    def __cinit__(self, int columns, int rows, hash=32):
        if not (1 <= columns <= MAX_COLUMNS and 1 <= rows <= MAX_ROWS
                and columns * (rows + 1) <= 64):
            raise ValueError(f"unsupported board size: {columns} columns, {rows} rows")
        prepare_layout(&self.layout, columns, rows, FIXED_STRIDE if FIXED_STRIDE else rows + 1)
        self.lock = CallLock()
        self.static_bounds = True
        self.resize(hash)

    def __dealloc__(self):
        cdef int i
        release_pages(self.table.entries, <size_t> self.hash * MEBIBYTE)
        for i in range(MAX_THREADS):
            release_pages(self.hot[i].entries, HOT_BUCKETS * CACHE_LINE)

    def resize(self, hash):
        """Replaces the table by an empty one: the largest power of two that is at most `hash`
        MiB."""
        check_hash(hash)
        cdef Table table = self.table
        self.lock.acquire()
        try:
            new_table(&table, <uint64_t> MIN_BUCKETS << (hash.bit_length() - 1))
            release_pages(self.table.entries, <size_t> self.hash * MEBIBYTE)
            self.table, self.hash = table, 1 << (hash.bit_length() - 1)
        finally:
            self.lock.release()

    def clear(self):
        """Empties the tables."""
        cdef int i
        self.lock.acquire()
        try:
            if self.used:
                wipe_pages(self.table.entries, <size_t> self.hash * MEBIBYTE)
                for i in range(MAX_THREADS):
                    if self.hot[i].entries != NULL:
                        wipe_pages(self.hot[i].entries, HOT_BUCKETS * CACHE_LINE)
            self.used = False
        finally:
            self.lock.release()

    def stop(self):
        """Stops a call that runs in another thread; that call returns what it has found so far."""
        store_flag(&self.stop_flag, 1)

    def pack(self, str marks not None, str turn not None):
        """(mine, theirs) of a board: its marks in reading order, and the side to move, x or o."""
        cdef int columns = self.layout.columns, rows = self.layout.rows, i, cell
        cdef uint64_t words[2]
        if len(marks) != columns * rows:
            raise ValueError(f"expected {columns * rows} cells, got {len(marks)}")
        words[0] = words[1] = 0
        for i in range(columns * rows):
            cell = i % columns * self.layout.stride + rows - 1 - i // columns
            if marks[i] != ".":
                words[marks[i] != turn] |= <uint64_t> 1 << cell
        return words[0], words[1]

    def pack_moves(self, str moves not None):
        """(mine, theirs) after moves given as digits, columns from 1; None if they are illegal."""
        cdef uint64_t mine = 0, theirs = 0, move
        cdef int column
        for letter in moves:
            column = <int> ord(letter) - <int> ord("1")
            if not 0 <= column < min(self.layout.columns, 9):
                return None
            move = playable(&self.layout, mine | theirs) & self.layout.column[column]
            if not move or has_four(theirs, self.layout.stride):
                return None
            mine, theirs = theirs, mine | move
        return mine, theirs

    def static_bound_beats(self, uint64_t mover, uint64_t other, int alpha):
        """Whether the static bound of the side that has just moved is above alpha."""
        cdef Node node
        node.mine, node.theirs, node.ply = other, mover, popcount(mover | other)
        node.their_wins = (completions(mover, self.layout.stride) & self.layout.board
                           & ~(mover | other))
        return bool(self.layout.rows % 2 == 0
                    and static_fails_low(&self.layout, &node, -alpha - 1))

    # Allocates and sets up the workers of a call; their limits are for each of them.
    cdef Worker* new_workers(self, int threads, uint64_t max_nodes, double deadline) except NULL:
        cdef Worker* workers = <Worker*> PyMem_Calloc(threads, sizeof(Worker))
        cdef Worker* worker
        cdef int i
        if workers == NULL:
            raise MemoryError("out of memory: cannot start the search")
        self.used = True
        try:
            for i in range(threads):
                if self.hot[i].entries == NULL:
                    new_table(&self.hot[i], HOT_BUCKETS)
                worker = &workers[i]
                worker.layout = self.layout
                worker.tables[0], worker.tables[1] = self.table, self.hot[i]
                worker.busy = self.busy if threads > 1 else NULL
                worker.static_bounds = self.static_bounds and self.layout.rows % 2 == 0
                worker.pause_nodes = max_nodes
                start_limits(&worker.limits, max_nodes, deadline, &self.stop_flag, i == 0)
        except BaseException:
            PyMem_Free(workers)
            raise
        return workers

    def solve(self, uint64_t mine, uint64_t theirs, bint weak, uint64_t nodes, double limit,
              int threads, on_info, int low=-64, int high=64):
        """Solves one position; returns a `SolveRecord`.

        `nodes` and `limit`, in seconds (0: none), end the solve early. `weak`: only the
        sign of the score is wanted. Scores outside `low` to `high` count as the nearer of these.
        `on_info(low, high, nodes, seconds)` is called after each null-window search.
        """
        cdef double began = seconds()
        cdef Worker* workers
        cdef ScoreBounds bounds
        cdef Node node
        cdef uint64_t total = 0
        cdef int alpha, i
        cdef bint more
        cdef ThreadGroup helpers = ThreadGroup()
        found = []
        self.lock.acquire()
        try:
            store_flag(&self.stop_flag, 0)
            workers = self.new_workers(threads, nodes // <unsigned int> threads,
                                       began + limit if limit > 0 else 0)
            try:
                more = start_bounds(workers, mine, theirs, weak, &bounds, &node)
                clip_bounds(&bounds, low, high)
                for i in range(1, threads if more else 1):
                    helpers.start(self._help_solve, (
                        <size_t> &workers[i], mine, theirs, weak, low, high, found))
                while more:
                    with nogil:
                        more = next_alpha(workers, &bounds, &alpha)
                        more = more and search_window(workers, &node, alpha, &bounds)
                    if more and on_info is not None:
                        on_info(bounds.low, bounds.high, workers.limits.nodes, seconds() - began)
                raised = pending_error() if workers.limits.interrupted else None
            finally:
                store_flag(&self.stop_flag, 1)
                late = helpers.join()
                for i in range(threads):
                    total += workers[i].limits.nodes
                PyMem_Free(workers)
        finally:
            self.lock.release()
        found.append((bounds.low, bounds.high))
        return {
            "low": max([low for low, _ in found]),
            "high": min([high for _, high in found]),
            "nodes": total,
            "seconds": seconds() - began,
            "raised": late or raised,
        }

    def _help_solve(self, size_t worker, uint64_t mine, uint64_t theirs, bint weak, int low,
                    int high, list found):
        """A helper thread: the same position, without the moves that others are searching. The
        first thread that is done stops the others."""
        cdef ScoreBounds bounds
        with nogil:
            solve_position(<Worker*> worker, mine, theirs, weak, low, high, &bounds)
        found.append((bounds.low, bounds.high))
        store_flag(&self.stop_flag, 1)

    def moves_within(self, uint64_t mine, uint64_t theirs, list columns, bint weak, int most,
                     bint every, uint64_t nodes, uint64_t total, double limit):
        """Which moves leave the opponent a score of at most `most` (in weak mode: a sign of at
        most `most`); in one call, because most of these scores are in the table already.

        The moves are given by their columns; the first that is found ends the call if not `every`.
        A move may take `nodes` nodes, all of them `total` nodes and `limit` seconds (0: no limit).
        Returns (columns found, columns not known, nodes, what a signal handler raised).
        """
        cdef double deadline = seconds() + limit if limit > 0 else 0
        cdef Worker* worker
        cdef Limits* limits
        cdef ScoreBounds bounds
        cdef uint64_t move, spent, moves = playable(&self.layout, mine | theirs)
        cdef int column
        found, unknown, raised = [], [], None
        self.lock.acquire()
        try:
            store_flag(&self.stop_flag, 0)
            worker = self.new_workers(1, total, deadline)
            limits = &worker.limits
            try:
                for column in columns:
                    if found and not every:
                        break
                    if not 0 <= column < self.layout.columns or not (
                            moves & self.layout.column[column]):
                        raise ValueError(f"column {column} cannot be played")
                    if (limits.nodes >= total or limits.interrupted or load_flag(&self.stop_flag)
                            or (deadline and seconds() >= deadline)):
                        unknown.append(column)
                        continue
                    move = moves & self.layout.column[column]
                    memset(worker.killers, 0, sizeof(worker.killers))
                    limits.stopped = False
                    limits.max_nodes = limits.nodes + min(nodes, total - limits.nodes)
                    limits.next_poll = min(limits.next_poll, limits.max_nodes)
                    with nogil:
                        solve_position(worker, theirs, mine | move, weak, most, most + 1, &bounds)
                    if bounds.low < bounds.high:
                        unknown.append(column)
                    elif bounds.high == most:
                        found.append(column)
                if limits.interrupted:
                    raised = pending_error()
            finally:
                spent = limits.nodes
                PyMem_Free(worker)
        finally:
            self.lock.release()
        return found, unknown, spent, raised

    def solve_many(self, mine, theirs, bint weak, uint64_t nodes, double limit, int threads):
        """Solves many positions, given as two arrays of words; the limits are per position.

        Returns (low, high, nodes, raised): three arrays with an entry for each position, and what
        a signal handler raised, if anything. A position that was never begun has low > high.
        """
        cdef const uint64_t[::1] first = mine, second = theirs
        cdef Py_ssize_t size = first.shape[0], i
        cdef Worker* workers
        cdef Batch batch
        cdef int8_t[::1] low, high
        cdef uint64_t[::1] counts
        if second.shape[0] != size:
            raise ValueError(f"mine has {size} words but theirs has {second.shape[0]}")
        lows, highs, spent = array("b", [1]) * size, array("b", [-1]) * size, array("Q", [0]) * size
        if not size:
            return lows, highs, spent, None
        low, high, counts = lows, highs, spent
        batch.mine, batch.theirs = &first[0], &second[0]
        batch.low, batch.high, batch.nodes = &low[0], &high[0], &counts[0]
        batch.size, batch.taken, batch.weak = size, 0, weak
        batch.max_nodes, batch.max_seconds = nodes, limit
        cdef ThreadGroup helpers = ThreadGroup()
        self.lock.acquire()
        try:
            store_flag(&self.stop_flag, 0)
            workers = self.new_workers(threads, nodes, 0)
            try:
                for i in range(1, threads):
                    helpers.start(self._help_batch, (<size_t> &workers[i], <size_t> &batch))
                with nogil:
                    solve_batch(workers, &batch)
                raised = pending_error() if workers.limits.interrupted else None
                if raised is None:
                    raised = helpers.join()
            finally:
                store_flag(&self.stop_flag, 1)
                late = helpers.join()
                PyMem_Free(workers)
        finally:
            self.lock.release()
        return lows, highs, spent, late or raised

    def _help_batch(self, size_t worker, size_t batch):
        """A helper thread: takes positions of the batch until none is left."""
        with nogil:
            solve_batch(<Worker*> worker, <Batch*> batch)
