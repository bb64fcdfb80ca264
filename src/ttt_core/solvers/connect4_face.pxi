# Face (temporary)
from libc.stdlib cimport calloc, free
from libc.string cimport memset
from cpython.mem cimport PyMem_Calloc, PyMem_Free
import time

cdef class Solver:
    cdef Worker worker
    cdef uint64_t* memory[2]
    cdef size_t size[2]
    cdef int stop_flag

    def __cinit__(self, int columns, int rows, int bits=18, int hot_bits=15):
        shape_board(&self.worker.shape, columns, rows, 8)
        self.size[0] = 64 << bits
        self.size[1] = 64 << hot_bits
        for i in range(2):
            self.memory[i] = <uint64_t*> calloc(self.size[i] + 64, 1)
            self.worker.tables[i].entries = <uint64_t*> ((<size_t> self.memory[i] + 63) & ~<size_t> 63)
        self.worker.tables[0].shift = 64 - bits
        self.worker.tables[1].shift = 64 - hot_bits

    def clear(self):
        for i in range(2):
            memset(self.memory[i], 0, self.size[i])
        memset(self.worker.killers, 0, sizeof(self.worker.killers))

    def solve(self, str moves, bint weak=False):
        cdef uint64_t mine = 0, theirs = 0, move
        cdef Answer answer
        for c in moves:
            move = playable(&self.worker.shape, mine | theirs) & self.worker.shape.column[int(c) - 1]
            mine, theirs = theirs, mine | move
        w = &self.worker
        w.nodes = 0
        w.limit = 1 << 62
        w.poll = 1024
        w.deadline = 0
        w.stop = &self.stop_flag
        w.signals = True
        w.stopped = w.interrupted = False
        t = time.process_time()
        with nogil:
            solve_position(w, mine, theirs, weak, &answer)
        if w.interrupted:
            raise KeyboardInterrupt
        return answer.low, answer.high, w.nodes, time.process_time() - t
