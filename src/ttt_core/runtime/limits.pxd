"""Limits of a search: nodes, time, a stop flag, Ctrl-C. All searches use this one implementation.

A search counts its unit of work (nodes, games or leaves) in `nodes`, calls `poll` as soon as
`nodes` reaches `next_poll`, and unwinds if `stopped` is then set. `next_poll` is never beyond
`max_nodes`, so node limits are exact, whatever the polling interval.
"""

from libc.stdint cimport uint64_t

from ttt_core.runtime.atomics cimport load_flag, store_word
from ttt_core.runtime.clock cimport seconds
from ttt_core.runtime.signals cimport interrupted

cdef enum:
    POLL_NODES = 1024          # nodes between two polls, unless the search sets its own interval
    POLL_SIGNALS = 10          # milliseconds between two checks for Ctrl-C

cdef extern from *:
    const uint64_t UNLIMITED_NODES "UINT64_MAX"

ctypedef struct Limits:
    uint64_t nodes             # counted by the search
    uint64_t published         # `nodes` at the last poll, for other threads to read
    uint64_t next_poll
    uint64_t interval          # nodes between two polls
    uint64_t max_nodes
    double deadline            # on the clock of `seconds`; 0: none
    const int* stop_flag       # NULL: none
    double signal_time         # when to check for Ctrl-C; 0: another thread does
    bint stopped
    bint interrupted           # stopped by a signal, whose exception is set


cdef inline void start_limits(Limits* limits, uint64_t max_nodes, double deadline,
                              const int* stop_flag, bint signals) noexcept nogil:
    limits.interval = POLL_NODES
    limits.deadline = deadline
    limits.stop_flag = stop_flag
    limits.signal_time = seconds() + POLL_SIGNALS / 1000.0 if signals else 0
    restart_limits(limits, max_nodes)


# Counts from 0 again, with another node limit; the other limits stay.
cdef inline void restart_limits(Limits* limits, uint64_t max_nodes) noexcept nogil:
    limits.nodes = limits.published = 0
    limits.max_nodes = max_nodes
    limits.next_poll = min(limits.interval, max_nodes)
    limits.stopped = limits.interrupted = False


# Called after `start_limits` by searches whose nodes are much cheaper or more expensive than usual.
cdef inline void set_poll_interval(Limits* limits, uint64_t interval) noexcept nogil:
    limits.interval = interval
    limits.next_poll = min(interval, limits.max_nodes)


# Called when `nodes` has reached `next_poll`.
cdef inline void poll(Limits* limits) noexcept nogil:
    cdef double now
    limits.next_poll = limits.nodes + limits.interval
    store_word(&limits.published, limits.nodes)
    if limits.nodes >= limits.max_nodes or (
            limits.stop_flag != NULL and load_flag(limits.stop_flag)):
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
