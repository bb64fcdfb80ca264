# CallLock: a lock for objects that serve one call at a time.
# ThreadGroup: the threads of such a call.
#
# Compiled, so that no signal's handler can come between two steps that belong together.

from posix.unistd cimport getpid

from _thread import allocate_lock, get_ident, start_new_thread


cdef object new_lock():
    try:
        return allocate_lock()
    except RuntimeError:
        raise MemoryError("no memory for a lock") from None


cdef class CallLock:
    """Calls from other threads wait; one from within a call, as by `on_info`, is refused. A forked
    process finds the lock open: the thread that held it is not there. Nothing is allocated while
    it is held, here: it is given back even when there is no memory."""

    cdef object lock
    cdef object owner
    cdef int process

    def __cinit__(self):
        self.lock = new_lock()
        self.process = getpid()

    cdef int take(self) except -1:
        me = get_ident()
        if self.process != getpid():
            self.lock, self.owner, self.process = new_lock(), None, getpid()
        if self.owner == me:
            raise RuntimeError("it is at work: a function that it calls cannot use it")
        self.lock.acquire()
        self.owner = me
        return 0

    cdef int give(self) except -1:
        self.owner = None
        self.lock.release()
        return 0


cdef class Door:
    """What one thread of a crew opens when it ends."""

    cdef object lock
    cdef bint used             # a thread is behind it

    def __cinit__(self):
        self.lock = new_lock()
        self.lock.acquire()


cdef class ThreadGroup:
    """The threads that help with one call. Neither a signal nor a lack of memory can lose one or
    end the wait for them: what they work on is freed after it."""

    cdef list doors

    def __cinit__(self):
        self.doors = []

    # Starting a thread may fail when it runs already, for want of memory to tell its number: it
    # finds its door unused and leaves.
    cdef int start(self, function, tuple arguments) except -1:
        cdef Door door = Door()
        self.doors.append(door)
        try:
            start_new_thread(self._run, (door, function, arguments))
        except RuntimeError:
            raise MemoryError("no memory for a thread") from None
        door.used = True
        return 0

    def _run(self, Door door, function, tuple arguments):
        if not door.used:
            return
        try:
            function(*arguments)
        finally:
            door.lock.release()

    # Waits until all have ended; returns what a signal's handler has raised meanwhile.
    cdef object join(self):
        cdef Py_ssize_t left = len(self.doors)
        cdef Door door
        raised = None
        while left:
            door = self.doors[left - 1]
            try:
                if door.used:
                    door.lock.acquire()
                    door.used = False
                left -= 1
            except BaseException as error:
                raised = error
        return raised
