# Engine: the Python face of the search, its table and its threads.
#
# Needs: plain.pxi, pvs.pxi, position.pxi and turns.pxi.

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from ttt_core.tables.transposition cimport BUCKET, Slot, load
from ttt_core.runtime.atomics cimport load_word

from threading import current_thread, main_thread

from ttt_core.runtime.memory import available_bytes

cdef uint64_t SALT = 0xA24BAED4963EE407     # of searches in which o is at the root
cdef uint64_t REDUCED = 0x9FB21C651E98DF25  # of searches with reductions

cdef enum:
    MEBIBYTE = 1 << 20
    WINDOW = 40                # around the last score: the first guess of an iteration
    NARROW = MEBIBYTE // 64    # buckets of an empty table before a search widens it: 1 MiB

ctypedef struct Root:
    int moves                  # candidates, best first after an iteration
    Move move[MOVES]
    int score[MOVES]
    uint8_t line[MOVES][DEEPEST + 1]
    int length[MOVES]


# Searches the root moves from `first` on and puts the best of them there. The scores of the others
# are bounds. Returns the best score; a bound if it is not between alpha and beta. Where it is
# stopped and has seen losses alone, the moves that it did not reach count as they did before.
cdef int search_root(Worker* worker, Root* root, State* state, int depth, int first, int alpha,
                     int beta) noexcept nogil:
    cdef int i, j, score, shorter, best = first, best_score = -WIN
    cdef uint8_t* line
    cdef Undo undo
    cdef State* child
    for i in range(first, root.moves):
        child = enter(worker.rules, state, root.move[i], &undo)
        worker.nodes += 1
        worker.length[1] = 0
        worker.worth[1] = UNKNOWN
        if won(worker.rules, child):
            worker.terminal += 1
            score = WIN - 1
        elif i == first:
            score = -pvs(worker, child, depth - 1, 1, -beta, -alpha)
        else:
            shorter = 0
            if FUTILITY_MARGIN and worker.margin and worker.reduce and depth >= 3:
                shorter = min(<int> late[depth][i - first], depth - 2)
            score = -pvs(worker, child, depth - 1 - shorter, 1, -alpha - 1, -alpha)
            if score > alpha and shorter:
                score = -pvs(worker, child, depth - 1, 1, -alpha - 1, -alpha)
            if alpha < score < beta:
                score = -pvs(worker, child, depth - 1, 1, -beta, -alpha)
        leave(worker.rules, state, root.move[i], &undo)
        if worker.stopped:
            break
        root.score[i] = score
        if score > best_score:
            best_score = score
            best = i
            if score > alpha or i == first:
                alpha = max(alpha, score)
                line = root.line[i]
                line[0] = number(worker.rules, root.move[i])
                for j in range(worker.length[1]):
                    line[j + 1] = worker.line[1][j]
                root.length[i] = worker.length[1] + 1
            if score >= beta:
                break
    if worker.stopped and -WIN < best_score <= -DECIDED:
        for i in range(first, root.moves):
            if root.score[i] > root.score[best]:
                best = i
    promote(root, first, best)
    return best_score


# Moves a candidate to an earlier place, the ones between down by one.
cdef void promote(Root* root, int to, int at) noexcept nogil:
    cdef Move move = root.move[at]
    cdef int score = root.score[at]
    cdef int length = root.length[at]
    cdef uint8_t line[DEEPEST + 1]
    memcpy(line, root.line[at], sizeof(line))
    while at > to:
        root.move[at] = root.move[at - 1]
        root.score[at] = root.score[at - 1]
        root.length[at] = root.length[at - 1]
        memcpy(root.line[at], root.line[at - 1], sizeof(line))
        at -= 1
    root.move[to] = move
    root.score[to] = score
    root.length[to] = length
    memcpy(root.line[to], line, sizeof(line))


# One iteration for the `lines` best moves, each with a window around its last score.
cdef void iterate(Worker* worker, Root* root, State* state, int depth, int lines) noexcept nogil:
    cdef int i, alpha, beta, score, guess
    for i in range(min(lines, root.moves)):
        guess = root.score[i]
        alpha, beta = -WIN, WIN
        if depth >= 4 and abs(guess) < DECIDED:
            alpha, beta = guess - WINDOW, guess + WINDOW
        score = search_root(worker, root, state, depth, i, alpha, beta)
        if not worker.stopped and (score <= alpha or score >= beta):
            search_root(worker, root, state, depth, i, -WIN, WIN)
        if worker.stopped:
            return


# The exception that `interrupted` left behind, no longer set.
cdef object pending_error():
    try:
        propagate()
    except BaseException as error:
        return error
    return None


# Searches with and without reductions keep their table entries apart.
cdef void set_reduce(Worker* worker, bint reduce) noexcept nogil:
    if reduce != worker.reduce:
        worker.reduce = reduce
        worker.salt ^= REDUCED


cdef class Engine:
    """The compiled engine of one game under one choice of options. Made by `ttt.Engine`."""

    evaluations = EVALUATION_NAMES

    cdef readonly Ruleset ruleset
    cdef Table table           # as much of the memory as the searches so far wanted
    cdef Slot* memory
    cdef uint64_t buckets      # of the whole memory
    cdef int stop_flag
    cdef CallLock lock
    cdef readonly int hash

    def __cinit__(self, Ruleset ruleset not None, hash=64):
        self.ruleset = ruleset
        ruleset.ensure_weights()
        self.lock = CallLock()
        self.resize(hash)

    def __dealloc__(self):
        free(self.memory)

    def resize(self, hash):
        """A new, empty table of so many MiB; the old one stays if that cannot be had."""
        if not isinstance(hash, int) or isinstance(hash, bool):
            raise TypeError(f"hash is a whole number of MiB, not {hash!r}")
        if hash < 1:
            raise ValueError(f"hash={hash}: at least 1 MiB")
        room = available_bytes()
        if hash * MEBIBYTE > room:
            raise ValueError(f"hash={hash} MiB: only {room // MEBIBYTE} MiB are free")
        cdef size_t buckets = hash * MEBIBYTE // (BUCKET * sizeof(Slot))
        cdef Slot* fresh
        self.lock.take()
        try:
            fresh = <Slot*> calloc(buckets, BUCKET * sizeof(Slot))
            if fresh == NULL:
                raise MemoryError(f"no memory for a table of {hash} MiB")
            free(self.memory)
            self.memory = self.table.slots = fresh
            self.buckets = buckets
            self.table.buckets = NARROW
            self.table.generation = 0
            self.hash = hash
        finally:
            self.lock.give()

    def clear(self):
        """Empties the table."""
        self.lock.take()
        try:
            memset(self.memory, 0, self.buckets * BUCKET * sizeof(Slot))
            self.table.buckets = NARROW
            self.table.generation = 0
        finally:
            self.lock.give()

    def stop(self):
        """Ends a search that runs in another thread; its result so far is returned there."""
        store_flag(&self.stop_flag, 1)

    def fill(self):
        """The share of the table that the latest search has filled, by a sample."""
        cdef uint64_t i, data, sample = min(self.table.buckets * BUCKET, <uint64_t> 4000)
        cdef int used = 0
        for i in range(sample):
            data = load(&self.memory[i].data)
            used += (data >> 32 & 3) != 0 and <uint8_t> (data >> 34) == self.table.generation
        return <double> used / sample

    def evaluate(self, Position position not None, int evaluation):
        """What an evaluation says of a running game, for the side to move."""
        if position.ruleset.options != self.ruleset.options:
            raise ValueError("the board has other options than the engine")
        if not 0 <= evaluation < EVALUATIONS:
            raise ValueError(f"there is no evaluation {evaluation}")
        return evaluate(&self.ruleset.rules, self.ruleset.weights,
                        &position.stack[position.height], evaluation, True)

    def search(self, Position position not None, int depth, uint64_t nodes, double limit, int lines,
               list candidates, on_info, int threads, int evaluation, bint selective, bint reduce,
               double room):
        """The record of a search as a dict; `ttt.Engine.search` says what the limits mean. It gets
        so many slots of the table, as far as there are."""
        if position.ruleset.options != self.ruleset.options:
            raise ValueError("the board has other options than the engine")
        if not 0 <= evaluation < EVALUATIONS:
            raise ValueError(f"there is no evaluation {evaluation}")
        self.lock.take()
        try:
            self.widen(room)
            return self.run(position, depth, nodes, limit, lines, candidates, on_info, threads,
                            evaluation, selective, reduce)
        finally:
            self.lock.give()

    # Short searches keep to the beginning of the table: what lies close together is found sooner
    # (bench/RESULTS.md). What earlier searches left is lost where the table is widened, so that is
    # done by large steps, and it stays wide until it is cleared.
    cdef void widen(self, double room) noexcept:
        cdef uint64_t buckets = self.buckets
        while buckets // 4 >= NARROW and buckets // 4 * BUCKET >= room:
            buckets //= 4
        self.table.buckets = max(self.table.buckets, buckets)

    cdef dict run(self, Position position, int depth, uint64_t nodes, double limit, int lines,
                  list candidates, on_info, int threads, int evaluation, bint selective,
                  bint reduce):
        cdef double began = seconds()
        cdef bint listening = current_thread() is main_thread()  # Python gives it all signals
        cdef ThreadGroup helpers = ThreadGroup()
        cdef Worker* workers = <Worker*> PyMem_Calloc(threads, sizeof(Worker))
        cdef Root* roots = <Root*> PyMem_Calloc(threads, sizeof(Root))
        cdef Root* root = roots
        cdef State state = position.stack[position.height]
        cdef int left = cells(&self.ruleset.rules) - ply(&self.ruleset.rules, &state)
        cdef int i, reached = 0, most = min(depth, left)
        cdef Worker* worker
        cdef dict record
        if workers == NULL or roots == NULL:
            PyMem_Free(workers)
            PyMem_Free(roots)
            raise MemoryError("no memory for the search")
        try:
            store_flag(&self.stop_flag, 0)
            self.table.generation += 1
            for which in candidates:
                if root.moves == MOVES or not playable_number(&self.ruleset.rules, &state, which):
                    raise ValueError("a candidate cannot be played")
                root.move[root.moves] = numbered(&self.ruleset.rules, &state, which)
                root.line[root.moves][0] = which
                root.length[root.moves] = 1
                root.moves += 1
            for i in range(threads):
                roots[i] = root[0]
                worker = &workers[i]
                worker.state = state
                worker.left = left
                worker.played = ply(&self.ruleset.rules, &state)
                worker.rules = &self.ruleset.rules
                worker.weights = self.ruleset.weights
                worker.table = &self.table
                worker.evaluation = evaluation
                worker.margin = FUTILITY_MARGIN if evaluation == DEFAULT else 0
                worker.selective = selective
                worker.limits.nodes = nodes // threads
                worker.limits.deadline = began + limit if limit > 0 else 0
                worker.limits.stop = &self.stop_flag
                worker.limits.signals = i == 0 and listening
                worker.poll = min(<uint64_t> POLL, worker.limits.nodes)
                worker.signal_time = began + SIGNAL_POLL / 1000.0
                worker.salt = SALT if worker.played & 1 else 0
                prepare_threats(&worker.threats, worker.rules, worker.limits.stop)
                set_reduce(worker, reduce and selective)
            for i in range(1, threads):
                helpers.start(self._assist, (<size_t> &workers[i], <size_t> &roots[i], most, i))
            while reached < most and not workers[0].stopped:
                # The depth that settles the matter is searched without reductions.
                if abs(root.score[0]) >= DECIDED or reached + 1 >= left:
                    set_reduce(&workers[0], False)
                with nogil:
                    iterate(&workers[0], root, &state, reached + 1, lines)
                    show(&workers[0])
                if workers[0].stopped and reached:
                    break
                if workers[0].reduce and decided_within(root, lines, reached + 1):
                    continue
                reached += 1
                if workers[0].stopped:
                    break
                if on_info is not None:
                    on_info(self.report(workers, threads, root, lines, reached, left, began))
                if decided_within(root, lines, reached):
                    break
            raised = pending_error() if workers[0].interrupted else None
            store_flag(&self.stop_flag, 1)
            late = helpers.join()
            record = self.report(workers, threads, root, lines, reached, left, began)
            record["raised"] = late or raised
            return record
        finally:
            store_flag(&self.stop_flag, 1)
            helpers.join()
            PyMem_Free(workers)
            PyMem_Free(roots)

    def _assist(self, size_t worker_place, size_t root_place, int most, int which):
        """A helper thread: the same search out of step, for what it leaves in the table."""
        cdef Worker* worker = <Worker*> worker_place
        cdef Root* root = <Root*> root_place
        cdef int depth = 1 + which % 2
        with nogil:
            while depth <= most and not worker.stopped:
                iterate(worker, root, &worker.state, depth, 1)
                depth += 1
            show(worker)

    cdef dict report(self, Worker* workers, int threads, Root* root, int lines, int depth, int left,
                     double began):
        cdef int i, j
        cdef double spent = seconds() - began
        names = self.ruleset.moves
        found = []
        for i in range(min(lines, root.moves)):
            found.append((root.score[i], [names[root.line[i][j]] for j in range(root.length[i])]))
        return {
            "lines": found,
            "depth": depth,
            "selective_depth": workers[0].deepest,
            "complete": depth >= left,
            "nodes": sum([load_word(&workers[i].shown.nodes) for i in range(threads)]),
            "terminal": sum([load_word(&workers[i].shown.terminal) for i in range(threads)]),
            "horizon": sum([load_word(&workers[i].shown.horizon) for i in range(threads)]),
            "table_hits": sum([load_word(&workers[i].shown.table_hits) for i in range(threads)]),
            "seconds": spent,
            "raised": None,
        }

    def plain(self, Position position not None, bint pruning, int depth, uint64_t nodes,
              double limit, int evaluation):
        """Minimax, or alpha-beta with `pruning`: {"values": of each move, counters}."""
        cdef Plain plain
        cdef State state = position.stack[position.height]
        cdef double began = seconds()
        cdef MoveSet rest = position.legal()
        cdef Undo undo
        cdef State* child
        cdef Move move
        cdef int value
        cdef bint known
        if not 0 <= evaluation < EVALUATIONS:
            raise ValueError(f"there is no evaluation {evaluation}")
        plain.rules = &self.ruleset.rules
        plain.weights = self.ruleset.weights
        plain.evaluation = evaluation
        plain.counters.nodes = plain.counters.terminal = plain.counters.horizon = 0
        plain.limit = nodes
        plain.poll = min(<uint64_t> PLAIN_POLL, nodes)
        plain.deadline = began + limit if limit > 0 else 0
        plain.stop = &self.stop_flag
        plain.stopped = plain.interrupted = False
        values = {}
        self.lock.take()
        try:
            store_flag(&self.stop_flag, 0)
            while some(rest) and not plain.stopped:
                move = take(&rest)
                with nogil:
                    child = enter(&self.ruleset.rules, &state, move, &undo)
                    plain.counters.nodes += 1
                    value = -leaf_value(&plain, child, 1, &known)
                    if not known:
                        if depth == 1:
                            value = -horizon_value(&plain, child, 1)
                        elif pruning:
                            value = -alphabeta(&plain, child, depth - 1, 1, -WIN, WIN)
                        else:
                            value = -minimax(&plain, child, depth - 1, 1)
                    leave(&self.ruleset.rules, &state, move, &undo)
                if plain.interrupted:
                    break
                if not plain.stopped:
                    values[self.ruleset.moves[number(&self.ruleset.rules, move)]] = value
            raised = pending_error() if plain.interrupted else None
        finally:
            self.lock.give()
        return {
            "values": values,
            "nodes": plain.counters.nodes,
            "terminal": plain.counters.terminal,
            "horizon": plain.counters.horizon,
            "seconds": seconds() - began,
            "stopped": bool(plain.stopped),
            "raised": raised,
        }


# Whether every line is a win or loss seen within the depth: nothing deeper can change it.
cdef bint decided_within(const Root* root, int lines, int depth) noexcept nogil:
    cdef int i
    for i in range(min(lines, root.moves)):
        if abs(root.score[i]) < DECIDED or WIN - abs(root.score[i]) > depth:
            return False
    return True
