# DfpnSolver: a df-pn search on several threads that share one table.
#
# Needs: dfpn.pxi, threads.pxi; memset; a Context that counts its `expansions` and `positions` and
# whose `limits_of` are the `limits` of its worker.

from ttt_core.runtime.atomics cimport load_flag, load_word, store_flag
from ttt_core.runtime.clock cimport seconds
from ttt_core.runtime.limits cimport Limits, start_limits
from ttt_core.runtime.pages cimport release_pages, zeroed_pages
from ttt_core.runtime.signals cimport pending_error, propagate
from ttt_core.tables.transposition cimport BUCKET, Slot

from time import sleep

from ttt_core.runtime.concurrency import SINGLE_THREADED, check_single
from ttt_core.runtime.memory import check_hash

cdef enum:
    MEBIBYTE = 1 << 20
    MAX_THREADS = 64

cdef double REPORT_SECONDS = 0.5   # between two calls of `on_info`

# What one thread writes. The padding keeps two workers off the same cache line.
ctypedef struct Worker:
    Context context
    Limits limits
    char padding[128]


cdef class DfpnSolver:
    """The base class of the solvers that use df-pn."""

    cdef ProofTable table
    cdef Worker workers[MAX_THREADS]
    cdef uint64_t paths[MAX_THREADS * MAX_DEPTH]
    cdef readonly int threads
    cdef int stop_flag
    cdef CallLock lock

    def stop(self):
        """Stops a search that runs in another thread; it returns its result so far."""
        store_flag(&self.stop_flag, 1)

    def __dealloc__(self):
        release_pages(self.table.slots, self.table.buckets * BUCKET * sizeof(Slot))

    # Checks the settings and allocates the table: 1 / `part` of `hash` MiB. The least valid `hash`
    # is `least`.
    cdef int allocate(self, hash, int least, int part, threads) except -1:
        check_hash(hash, least)
        if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
            raise ValueError(f"threads={threads}: expected a whole number from 1 up")
        check_single(threads)
        self.lock = CallLock()
        self.threads = min(threads, MAX_THREADS)
        self.table.buckets = hash * MEBIBYTE // part // (BUCKET * sizeof(Slot))
        self.table.slots = <Slot*> zeroed_pages(self.table.buckets * BUCKET * sizeof(Slot))
        if self.table.slots == NULL:
            raise MemoryError(f"out of memory: cannot allocate a table of {hash} MiB")
        return 0

    # Resets limits and counters before a search of at most `nodes` nodes and `limit` seconds (0: no
    # time limit).
    cdef void start(self, uint64_t nodes, double limit) noexcept:
        cdef double deadline = seconds() + limit if limit > 0 else 0
        cdef int i
        store_flag(&self.stop_flag, 0)
        for i in range(self.threads):
            start_limits(&self.workers[i].limits, max(nodes // self.threads, <uint64_t> 1),
                         deadline, &self.stop_flag, i == 0)
            self.workers[i].context.expansions = self.workers[i].context.positions = 0

    # Raises the exception that Ctrl-C has left set.
    cdef int check_interrupt(self) except -1:
        if self.workers[0].limits.interrupted:
            propagate()
        return 0

    # Expansions, positions (children generated) and nodes of all threads. While the threads are
    # `running`, the nodes are as of their last polls.
    cdef tuple counters(self, bint running):
        cdef uint64_t expansions = 0, positions = 0, nodes = 0
        cdef Worker* worker
        cdef int i
        for i in range(self.threads):
            worker = &self.workers[i]
            expansions += load_word(&worker.context.expansions)
            positions += load_word(&worker.context.positions)
            nodes += load_word(&worker.limits.published) if running else worker.limits.nodes
        return expansions, positions, nodes

    cdef dict report(self, const Numbers* numbers, double began, bint running):
        expansions, positions, nodes = self.counters(running)
        return {"proof": numbers.proof, "disproof": numbers.disproof,
                "drawn": bool(numbers.drawn), "seconds": seconds() - began,
                "expansions": expansions, "positions": positions, "nodes": nodes}

    # Runs the search on all threads; `on_info` gets a report twice a second.
    cdef int run(self, const Node* root, on_info, double began) except -1:
        cdef int i
        memset(self.paths, 0, sizeof(self.paths))
        if on_info is not None and SINGLE_THREADED:
            return self.run_alone(root, on_info, began)
        failed = []
        cdef ThreadGroup helpers = ThreadGroup()
        try:
            for i in range(1, self.threads):
                helpers.start(self._assist, (i, <size_t> root))
            if on_info is not None:
                helpers.start(self._inform, (<size_t> root, on_info, began, failed))
            with nogil:
                self.work(0, root)
            if self.workers[0].limits.interrupted:
                failed.insert(0, pending_error())
        finally:
            store_flag(&self.stop_flag, 1)
            late = helpers.join()
        if late is not None:
            failed.insert(0, late)
        if failed:
            raise failed[0]
        return 0

    # The same without a thread for reports: the search stops for each, then goes on from what its
    # table holds.
    cdef int run_alone(self, const Node* root, on_info, double began) except -1:
        cdef Limits* limits = &self.workers[0].limits
        cdef double deadline = limits.deadline
        cdef double next_time
        cdef Numbers numbers
        while True:
            next_time = seconds() + REPORT_SECONDS
            limits.deadline = min(deadline, next_time) if deadline else next_time
            with nogil:
                self.work(0, root)
            self.check_interrupt()
            if not limits.stopped or limits.nodes >= limits.max_nodes or seconds() < next_time:
                return 0
            store_flag(&self.stop_flag, 0)
            limits.stopped = False
            if read_numbers(&self.table, root.key, &numbers):
                on_info(self.report(&numbers, began, True))
            if load_flag(&self.stop_flag):  # `on_info` has called `stop`
                return 0

    # Runs one thread of the search; the first to finish stops the others.
    cdef void work(self, int which, const Node* root) noexcept nogil:
        cdef Prover prover
        cdef Numbers numbers
        self.prepare_prover(which, &prover, self.threads)
        start_numbers(&numbers, 1, 1)
        prove(&prover, root, INFINITE, INFINITE, 0, &numbers)
        store_flag(&self.stop_flag, 1)

    cdef void prepare_prover(self, int which, Prover* prover, int threads) noexcept nogil:
        prover.context = &self.workers[which].context
        prover.table = &self.table
        prover.paths = self.paths
        prover.thread = which
        prover.threads = threads

    def _assist(self, int which, size_t root):
        """Runs a helper thread."""
        with nogil:
            self.work(which, <const Node*> root)

    def _inform(self, size_t root, on_info, double began, list failed):
        """Reports the numbers of the root twice a second while the search runs."""
        cdef Numbers numbers
        cdef double next_time = seconds() + REPORT_SECONDS
        try:
            while not load_flag(&self.stop_flag):
                sleep(0.01)
                if seconds() >= next_time:
                    next_time += REPORT_SECONDS
                    if read_numbers(&self.table, (<const Node*> root).key, &numbers):
                        on_info(self.report(&numbers, began, True))
        except BaseException as error:
            failed.append(error)
            store_flag(&self.stop_flag, 1)
