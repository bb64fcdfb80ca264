# Turns: a lock for objects that serve one call at a time. Crew: the threads of such a call.
#
# Compiled, so that no signal's handler can come between two steps that belong together.

from posix.unistd cimport getpid

from _thread import allocate_lock, get_ident, start_new_thread


cdef object new_lock():
    try:
        return allocate_lock()
    except RuntimeError:
        raise MemoryError("no memory for a lock") from None


cdef class Turns:
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


cdef class Crew:
    """The threads that help with one call. No signal can lose one or end the wait for them: what
    they work on is freed after it."""

    cdef list doors            # a lock each, which the thread opens when it ends

    def __cinit__(self):
        self.doors = []

    cdef int add(self, function, tuple arguments) except -1:
        door = new_lock()
        door.acquire()
        self.doors.append(door)
        try:
            start_new_thread(self._run, (door, function, arguments))
        except BaseException:
            self.doors.pop()
            raise
        return 0

    def _run(self, door, function, tuple arguments):
        try:
            function(*arguments)
        finally:
            door.release()

    # Waits until all have ended; returns what a signal's handler has raised meanwhile.
    cdef object wait(self):
        raised = None
        while self.doors:
            try:
                self.doors[len(self.doors) - 1].acquire()
                self.doors.pop()
            except BaseException as error:
                raised = error
        return raised
