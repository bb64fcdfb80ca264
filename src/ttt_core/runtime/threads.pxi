# CallLock: a lock for objects that serve one call at a time.
# ThreadGroup: the helper threads of such a call.
#
# Compiled, so that no signal handler can run between two steps that belong together.

from _thread import allocate_lock, get_ident, start_new_thread

cimport ttt_core.primitives.platform

cdef extern from *:
    int process_id "ttt_process_id"() noexcept


cdef object new_lock():
    try:
        return allocate_lock()
    except RuntimeError:
        raise MemoryError("out of memory: cannot create a lock") from None


cdef class CallLock:
    """Makes calls from other threads wait and refuses calls from within a call (`on_info`).

    A forked child gets a free lock: the thread that held it does not exist there. `release`
    allocates nothing, so the lock is released even when memory is exhausted.
    """

    cdef object lock
    cdef object owner
    cdef int process

    def __cinit__(self):
        self.lock = new_lock()
        self.process = process_id()

    cdef int acquire(self) except -1:
        me = get_ident()
        if self.process != process_id():
            self.lock, self.owner, self.process = new_lock(), None, process_id()
        if self.owner == me:
            raise RuntimeError("busy: on_info must not call the engine or solver it reports on")
        self.lock.acquire()
        self.owner = me
        return 0

    cdef int release(self) except -1:
        self.owner = None
        self.lock.release()
        return 0


cdef class Latch:
    """Held while one thread of a group runs."""

    cdef object lock
    cdef bint started

    def __cinit__(self):
        self.lock = new_lock()
        self.lock.acquire()


cdef class ThreadGroup:
    """The helper threads of one call. Neither a signal nor exhausted memory can lose a thread or
    cut `join` short, so the memory that the threads use can be freed after it."""

    cdef list latches

    def __cinit__(self):
        self.latches = []

    # `start_new_thread` can fail with the thread already running, if there is no memory for its
    # identifier. That thread finds its latch not started and returns.
    cdef int start(self, function, tuple arguments) except -1:
        cdef Latch latch = Latch()
        self.latches.append(latch)
        try:
            start_new_thread(self._run, (latch, function, arguments))
        except RuntimeError:
            raise MemoryError("out of memory: cannot start a thread") from None
        latch.started = True
        return 0

    def _run(self, Latch latch, function, tuple arguments):
        if not latch.started:
            return
        try:
            function(*arguments)
        finally:
            latch.lock.release()

    # Waits until all threads have ended; returns an exception that a signal handler has raised
    # meanwhile, or None.
    cdef object join(self):
        cdef Py_ssize_t left = len(self.latches)
        cdef Latch latch
        raised = None
        while left:
            latch = self.latches[left - 1]
            try:
                if latch.started:
                    latch.lock.acquire()
                    latch.started = False
                left -= 1
            except BaseException as error:
                raised = error
        return raised
