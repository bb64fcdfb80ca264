# cython: language_level=3
"""Threads that read and write one small transposition table as fast as they can.

The content of an entry is a function of its key, so a reader recognises an entry that two writers
have torn. Built with -DTTT_NAIVE_TABLE the table has neither atomics nor checks: entries are torn.
"""

from libc.stdint cimport uint64_t

from ttt_core.primitives.random cimport Random, draw, seed
from ttt_core.tables.transposition cimport EXACT, Entry, Slot, Table, probe, save


cdef uint64_t mixed(uint64_t key) noexcept nogil:
    key = (key ^ key >> 31) * <uint64_t> 0x9E3779B97F4A7C15
    return key ^ key >> 29


cdef class Hammer:
    """A table of `buckets` buckets, and `keys` positions that all threads use."""

    cdef Table table
    cdef Slot slots[4 * 64]
    cdef uint64_t keys

    def __cinit__(self, int buckets, uint64_t keys):
        if not 1 <= buckets <= 64:
            raise ValueError(f"buckets={buckets}: choose from 1 to 64")
        self.table.slots = self.slots
        self.table.buckets = buckets
        self.table.generation = 1
        self.keys = keys

    def work(self, uint64_t start, uint64_t rounds):
        """(hits, torn hits) of one thread."""
        cdef uint64_t i, key, what, hits = 0, torn = 0
        cdef Random random
        cdef Entry entry
        seed(&random, start)
        with nogil:
            for i in range(rounds):
                key = mixed(1 + draw(&random) % self.keys)
                what = mixed(key)
                if i & 3 == 0:
                    save(&self.table, key, <int> (what & 0xFFF), <int> (what >> 12 & 0x7F),
                         <int> (what >> 20 & 0x7F), EXACT)
                elif probe(&self.table, key, &entry):
                    hits += 1
                    torn += not (entry.score == <int> (what & 0xFFF)
                                 and entry.depth == <int> (what >> 12 & 0x7F)
                                 and entry.move == <int> (what >> 20 & 0x7F)
                                 and entry.bound == EXACT)
        return hits, torn
