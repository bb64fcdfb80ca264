# Batch: many positions of one game; each call processes all of them without the GIL.
#
# Needs: Rules State Move MoveSet; cells move_count start ply key moves won no_moves_left
# final_result play number numbered describe; nothing has some take count pick; playout.pxi,
# ruleset.pxi, position.pxi and threads.pxi.
#
# Arrays are passed as contiguous buffers, so that the core does not depend on numpy.

from cpython.buffer cimport (
    PyBUF_CONTIG, PyBUF_CONTIG_RO, PyBuffer_Release, PyObject_CheckBuffer, PyObject_GetBuffer,
)
from libc.stdint cimport int8_t, int32_t
from libc.stdlib cimport free, malloc

from ttt_core.runtime.signals cimport interrupted

from ttt_core.runtime.memory import available_bytes

cdef enum:
    POLL_POSITIONS = 1 << 14   # positions between two checks for Ctrl-C


cdef class Array:
    """A buffer of exactly `items` items of `size` bytes, held open while this object lives."""

    cdef Py_buffer view

    def __cinit__(self, array, Py_ssize_t items, Py_ssize_t size, bint writable=True):
        if not PyObject_CheckBuffer(array):
            raise TypeError(f"expected an array, not {type(array).__name__}")
        PyObject_GetBuffer(array, &self.view, PyBUF_CONTIG if writable else PyBUF_CONTIG_RO)
        if self.view.itemsize != size or self.view.len != items * size:
            found = f"{self.view.len // self.view.itemsize} items of {self.view.itemsize} bytes"
            raise ValueError(f"the array has {found}; expected {items} of {size}")

    def __dealloc__(self):
        PyBuffer_Release(&self.view)


# Checks for Ctrl-C at every POLL_POSITIONS-th position. True: the exception is set.
cdef inline bint poll_interrupt(Py_ssize_t i) noexcept nogil:
    return i % POLL_POSITIONS == POLL_POSITIONS - 1 and interrupted()


cdef class Batch:
    """Positions of one game under one set of options. Created by `ttt.batch.Batch`."""

    cdef readonly Ruleset ruleset
    cdef readonly Py_ssize_t size
    cdef State* states
    cdef CallLock lock

    def __cinit__(self, Ruleset ruleset not None, Py_ssize_t size):
        cdef Py_ssize_t i
        if not 1 <= size <= 1 << 31:
            raise ValueError(f"size={size}: expected 1 to {1 << 31} positions")
        if size * sizeof(State) > available_bytes():
            raise MemoryError(f"out of memory: cannot allocate {size} positions")
        self.ruleset = ruleset
        self.size = size
        self.lock = CallLock()
        self.states = <State*> malloc(size * sizeof(State))
        if self.states == NULL:
            raise MemoryError(f"out of memory: cannot allocate {size} positions")
        for i in range(size):
            start(&ruleset.rules, &self.states[i])

    def __dealloc__(self):
        free(self.states)

    cdef State* at(self, Py_ssize_t i) except NULL:
        if not 0 <= i < self.size:
            raise IndexError(f"position {i}: expected 0 to {self.size - 1}")
        return &self.states[i]

    def put(self, Py_ssize_t i, Position position not None):
        """Sets a position of the batch."""
        if position.ruleset.options != self.ruleset.options:
            raise ValueError("the board has other options than the batch")
        self.lock.acquire()
        try:
            self.at(i)[0] = position.stack[position.height]
        finally:
            self.lock.release()

    def get(self, Py_ssize_t i, Position position not None):
        """Sets a board to a position of the batch, without history."""
        if position.ruleset.options != self.ruleset.options:
            raise ValueError("the board has other options than the batch")
        self.lock.acquire()
        try:
            position.stack[0] = self.at(i)[0]
            position.height = 0
        finally:
            self.lock.release()

    def step(self, chosen):
        """Plays the move with the number `chosen[i]` (int32) in every position; -1 plays none.

        Returns the first position whose move cannot be played, and then plays nothing; else -1.
        """
        cdef const Rules* rules = &self.ruleset.rules
        cdef Array array = Array(chosen, self.size, sizeof(int32_t), writable=False)
        cdef const int32_t* numbers = <const int32_t*> array.view.buf
        cdef Py_ssize_t i, wrong = -1
        cdef bint stopped = False
        self.lock.acquire()
        try:
            with nogil:
                for i in range(self.size):
                    if poll_interrupt(i):
                        stopped = True
                        break
                    if numbers[i] != -1 and not playable_number(
                            rules, &self.states[i], numbers[i]):
                        wrong = i
                        break
                if wrong < 0 and not stopped:
                    for i in range(self.size):
                        if numbers[i] >= 0:
                            play(rules, &self.states[i],
                                 numbered(rules, &self.states[i], numbers[i]))
            if stopped:
                propagate()
        finally:
            self.lock.release()
        return wrong

    def reset(self, chosen):
        """Sets the positions whose byte in `chosen` is not 0 (uint8) to the first one."""
        cdef Array array = Array(chosen, self.size, sizeof(uint8_t), writable=False)
        cdef const uint8_t* which = <const uint8_t*> array.view.buf
        cdef Py_ssize_t i
        self.lock.acquire()
        try:
            with nogil:
                for i in range(self.size):
                    if which[i]:
                        start(&self.ruleset.rules, &self.states[i])
        finally:
            self.lock.release()

    def legal(self, found):
        """Writes 1 for every move that can be played, else 0: uint8, size x moves."""
        cdef const Rules* rules = &self.ruleset.rules
        cdef int most = move_count(rules)
        cdef Array array = Array(found, self.size * most, sizeof(uint8_t))
        cdef uint8_t* row = <uint8_t*> array.view.buf
        cdef MoveSet rest
        cdef Py_ssize_t i
        cdef bint stopped = False
        self.lock.acquire()
        try:
            with nogil:
                for i in range(self.size):
                    if poll_interrupt(i):
                        stopped = True
                        break
                    memset(row, 0, most)
                    rest = legal_moves(rules, &self.states[i])
                    while some(rest):
                        row[number(rules, take(&rest))] = 1
                    row += most
            if stopped:
                propagate()
        finally:
            self.lock.release()

    def draw(self, found, seed):
        """Writes a random legal move for every position, -1 where the game is over: int32."""
        cdef const Rules* rules = &self.ruleset.rules
        cdef uint64_t start_value = index(seed) & 0xFFFFFFFFFFFFFFFF
        cdef Array array = Array(found, self.size, sizeof(int32_t))
        cdef int32_t* chosen = <int32_t*> array.view.buf
        cdef MoveSet options
        cdef Random random
        cdef Py_ssize_t i
        cdef bint stopped = False
        self.lock.acquire()
        try:
            with nogil:
                seed_random(&random, start_value)
                for i in range(self.size):
                    if poll_interrupt(i):
                        stopped = True
                        break
                    options = legal_moves(rules, &self.states[i])
                    chosen[i] = -1
                    if some(options):
                        chosen[i] = number(rules, pick(options, below(&random, count(options))))
            if stopped:
                propagate()
        finally:
            self.lock.release()

    def results(self, over, winner, turn):
        """Writes whether each game is over (uint8), who has won: 1 x, -1 o, 0 nobody (int8), and
        whose turn it is: 1 x, -1 o (int8)."""
        cdef const Rules* rules = &self.ruleset.rules
        cdef Array ends = Array(over, self.size, sizeof(uint8_t))
        cdef Array winners = Array(winner, self.size, sizeof(int8_t))
        cdef Array turns = Array(turn, self.size, sizeof(int8_t))
        cdef uint8_t* ended = <uint8_t*> ends.view.buf
        cdef int8_t* won_by = <int8_t*> winners.view.buf
        cdef int8_t* side = <int8_t*> turns.view.buf
        cdef Py_ssize_t i
        cdef int result
        cdef bint stopped = False
        self.lock.acquire()
        try:
            with nogil:
                for i in range(self.size):
                    if poll_interrupt(i):
                        stopped = True
                        break
                    result = -1 if won(rules, &self.states[i]) else 0
                    ended[i] = result < 0 or no_moves_left(rules, &self.states[i])
                    if ended[i] and result == 0:
                        result = final_result(rules, &self.states[i])
                    side[i] = -1 if ply(rules, &self.states[i]) & 1 else 1
                    won_by[i] = side[i] * result
            if stopped:
                propagate()
        finally:
            self.lock.release()

    def marks(self, found, forces):
        """Writes the cells, 1 for x, -1 for o, 0 (int8, size x cells), and the board in force:
        0-8, 9 for any, 10 for none (int8)."""
        cdef const Rules* rules = &self.ruleset.rules
        cdef int width = cells(rules)
        cdef Array array = Array(found, self.size * width, sizeof(int8_t))
        cdef Array boards = Array(forces, self.size, sizeof(int8_t))
        cdef int8_t* row = <int8_t*> array.view.buf
        cdef int8_t* force = <int8_t*> boards.view.buf
        cdef Picture picture
        cdef Py_ssize_t i
        cdef int j
        cdef bint stopped = False
        self.lock.acquire()
        try:
            with nogil:
                for i in range(self.size):
                    if poll_interrupt(i):
                        stopped = True
                        break
                    describe(rules, &self.states[i], &picture)
                    for j in range(width):
                        row[j] = (picture.marks[j] == c'x') - (picture.marks[j] == c'o')
                    row += width
                    force[i] = picture.board
            if stopped:
                propagate()
        finally:
            self.lock.release()

    def keys(self, found):
        """Writes the Zobrist key of every position: uint64."""
        cdef Array array = Array(found, self.size, sizeof(uint64_t))
        cdef uint64_t* keys = <uint64_t*> array.view.buf
        cdef Py_ssize_t i
        cdef bint stopped = False
        self.lock.acquire()
        try:
            with nogil:
                for i in range(self.size):
                    if poll_interrupt(i):
                        stopped = True
                        break
                    keys[i] = key(&self.ruleset.rules, &self.states[i])
            if stopped:
                propagate()
        finally:
            self.lock.release()

    def playouts(self, found, games, seed):
        """Writes the sum of the results of `games` random games from each position: won by x less
        won by o (int32). The positions stay as they are. Returns the plies of all games."""
        cdef const Rules* rules = &self.ruleset.rules
        cdef uint64_t start_value = index(seed) & 0xFFFFFFFFFFFFFFFF
        cdef int64_t wanted = index(games)
        cdef Array array = Array(found, self.size, sizeof(int32_t))
        cdef int32_t* sums = <int32_t*> array.view.buf
        cdef State state
        cdef Random random
        cdef Py_ssize_t i
        cdef int64_t game, played = 0, plies = 0
        cdef int length, sign, total
        cdef bint stopped = False
        if not 1 <= wanted < 1 << 31:
            raise ValueError(f"games={games}: expected 1 to {(1 << 31) - 1}")
        self.lock.acquire()
        try:
            with nogil:
                seed_random(&random, start_value)
                for i in range(self.size):
                    sign = -1 if ply(rules, &self.states[i]) & 1 else 1
                    total = 0
                    for game in range(wanted):
                        state = self.states[i]
                        total += sign * playout(rules, &state, &random, NULL, &length)
                        plies += length
                        played += 1
                        if played % POLL_GAMES == 0 and interrupted():
                            stopped = True
                            break
                    sums[i] = total
                    if stopped:
                        break
            if stopped:
                propagate()
        finally:
            self.lock.release()
        return plies
