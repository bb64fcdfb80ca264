"""Limits of a search: nodes, time, a stop flag, Ctrl-C. One implementation for all searches.

A search counts its nodes in `nodes` and calls `poll` whenever they reach `next_poll`; it unwinds
when it then finds `stopped` set.
"""

from libc.stdint cimport uint64_t

from ttt_core.runtime.atomics cimport load_flag, store_word
from ttt_core.runtime.clock cimport seconds
from ttt_core.runtime.signals cimport interrupted

cdef enum:
    POLL_NODES = 1024          # nodes between two polls
    POLL_SIGNALS = 10          # milliseconds between two checks for Ctrl-C

ctypedef struct Limits:
    uint64_t nodes             # counted by the search
    uint64_t published         # `nodes` at the last poll, for other threads to read
    uint64_t next_poll
    uint64_t max_nodes
    double deadline            # on the clock of `seconds`; 0: none
    const int* stop_flag
    double signal_time         # when to check for Ctrl-C; 0: another thread does
    bint stopped
    bint interrupted           # stopped by a signal, whose exception is set


cdef inline void start_limits(Limits* limits, uint64_t max_nodes, double deadline,
                              const int* stop_flag, bint signals) noexcept nogil:
    limits.nodes = limits.published = 0
    limits.max_nodes = max_nodes
    limits.next_poll = min(<uint64_t> POLL_NODES, max_nodes)
    limits.deadline = deadline
    limits.stop_flag = stop_flag
    limits.signal_time = seconds() if signals else 0
    limits.stopped = limits.interrupted = False


# Called when `nodes` has reached `next_poll`.
cdef inline void poll(Limits* limits) noexcept nogil:
    cdef double now
    limits.next_poll = limits.nodes + POLL_NODES
    store_word(&limits.published, limits.nodes)
    if load_flag(limits.stop_flag) or limits.nodes >= limits.max_nodes:
        limits.stopped = True
        return
    if limits.next_poll > limits.max_nodes:
        limits.next_poll = limits.max_nodes
    now = seconds()
    if limits.deadline and now >= limits.deadline:
        limits.stopped = True
    if limits.signal_time and now >= limits.signal_time:
        limits.signal_time = now + POLL_SIGNALS / 1000.0
        if interrupted():
            limits.stopped = limits.interrupted = True
