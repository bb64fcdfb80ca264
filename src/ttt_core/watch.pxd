"""What ends long compiled work: a number of nodes, a time, another thread, Ctrl-C."""

from libc.stdint cimport uint64_t

from ttt_core.clock cimport seconds
from ttt_core.flag cimport load_flag
from ttt_core.interrupt cimport interrupted
from ttt_core.tally cimport write_tally

cdef enum:
    WATCH_NODES = 1024         # nodes between two looks
    WATCH_SIGNALS = 10         # milliseconds between two looks for Ctrl-C

ctypedef struct Watch:
    uint64_t nodes             # counted by the work itself
    uint64_t shown             # the same at the last look, for other threads to read
    uint64_t look              # the node of the next look
    uint64_t most              # nodes
    double deadline            # 0: none
    const int* stop
    double signal_time         # 0: another thread looks for Ctrl-C
    bint stopped               # the work unwinds when it sees this
    bint interrupted           # stopped by a signal, whose exception is set


cdef inline void start_watch(Watch* watch, uint64_t most, double deadline, const int* stop,
                             bint signals) noexcept nogil:
    watch.nodes = watch.shown = 0
    watch.most = most
    watch.look = min(<uint64_t> WATCH_NODES, most)
    watch.deadline = deadline
    watch.stop = stop
    watch.signal_time = seconds() if signals else 0
    watch.stopped = watch.interrupted = False


# Called when `nodes` has reached `look`.
cdef inline void look_around(Watch* watch) noexcept nogil:
    cdef double now
    watch.look = watch.nodes + WATCH_NODES
    write_tally(&watch.shown, watch.nodes)
    if load_flag(watch.stop) or watch.nodes >= watch.most:
        watch.stopped = True
        return
    if watch.look > watch.most:
        watch.look = watch.most
    now = seconds()
    if watch.deadline and now >= watch.deadline:
        watch.stopped = True
    if watch.signal_time and now >= watch.signal_time:
        watch.signal_time = now + WATCH_SIGNALS / 1000.0
        if interrupted():
            watch.stopped = watch.interrupted = True
