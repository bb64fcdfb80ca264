# Solver: the Python face of the proof search, its table and what is written of it to files.
#
# Needs: the search of nineboard.pyx.


cdef class Solver:
    """The compiled solver of nine-board. Made by `ttt.solvers.nineboard`.

    A position is given as `Position.picture` tells it: its marks, and the board in force.
    """

    cdef Rules rules
    cdef Model model
    cdef Prover prover
    cdef ProofTable table
    cdef int stop_flag
    cdef Turns lock
    cdef readonly int hash

    def __cinit__(self, bint full_draws, hash):
        if not isinstance(hash, int) or isinstance(hash, bool):
            raise TypeError(f"hash is a whole number of MiB, not {hash!r}")
        if hash < 1:
            raise ValueError(f"hash={hash}: at least 1 MiB")
        room = available_bytes()
        if hash * MEBIBYTE > room:
            raise ValueError(f"hash={hash} MiB: only {room // MEBIBYTE} MiB are free")
        self.lock = Turns()
        self.hash = hash
        self.table.buckets = hash * MEBIBYTE // (WAYS * sizeof(ProofSlot))
        self.table.slots = <ProofSlot*> zeroed_pages(
            self.table.buckets * WAYS * sizeof(ProofSlot))
        if self.table.slots == NULL:
            raise MemoryError(f"no memory for a table of {hash} MiB")
        prepare(&self.rules, full_draws)
        prepare_model(&self.model, &self.rules)
        prepare_first(&self.prover)
        self.prover.rules = &self.rules
        self.prover.model = &self.model
        self.prover.proving.table = &self.table
        self.prover.proving.stop = &self.stop_flag

    def __dealloc__(self):
        release_pages(self.table.slots, self.table.buckets * WAYS * sizeof(ProofSlot))

    def clear(self):
        """Empties the table."""
        self.lock.take()
        try:
            memset(self.table.slots, 0, self.table.buckets * WAYS * sizeof(ProofSlot))
        finally:
            self.lock.give()

    def stop(self):
        """Ends a search that runs in another thread; its record so far is returned there."""
        store_flag(&self.stop_flag, 1)

    cdef int read(self, str marks, board, State* state) except -1:
        cdef Picture picture
        cdef int i
        if len(marks) != 81 or not set(marks) <= set("xo."):
            raise BadNotation("the board is 81 cells, each x, o or a dot")
        for i in range(81):
            picture.marks[i] = ord(marks[i])
        picture.board = ANY_BOARD if board == "*" else board
        picture.ply = 81 - marks.count(".")
        cdef const char* wrong = arrange(&self.rules, state, &picture)
        if wrong != NULL:
            raise BadNotation(wrong.decode())
        return 0

    def glance(self, str marks, board):
        """(moves that win at once, moves after which the other side cannot), by number."""
        cdef State state
        self.read(marks, board, &state)
        return numbers_of(immediate(&self.rules, &state)), numbers_of(safe(&self.rules, &state))

    def judge(self, str marks, board):
        """The evaluation's log-odds that the side to move wins a running game."""
        cdef State state
        self.read(marks, board, &state)
        return judge(&self.model, &self.rules, &state, ply(&self.rules, &state)) / <double> SCALE

    def prove(self, str marks, board, int attacker, uint64_t nodes, double limit):
        """Asks whether the attacker (0: x, 1: o) wins a running game in which no move wins at once.
        Goes on where an earlier call was stopped. The record's numbers are those of the side to
        move, `children` has a tuple (move, phi, delta, drawn, effort) a move that matters."""
        cdef State state
        cdef Proof proof
        cdef Child list_[MOVES]
        cdef Proving* proving = &self.prover.proving
        cdef double began = seconds()
        cdef int i
        self.read(marks, board, &state)
        self.lock.take()
        try:
            if attacker:
                state.fore.key ^= SALT
            self.set_limits(nodes, limit, began)
            self.prover.attacker = attacker
            self.prover.played = ply(&self.rules, &state)
            with nogil:
                prove(&self.prover, &state, state.fore.key, 0, ENDLESS, ENDLESS, &proof)
            if proving.interrupted:
                propagate()
            children = [
                (list_[i].move, list_[i].proof.phi, list_[i].proof.delta,
                 bool(list_[i].proof.drawn), list_[i].proof.effort)
                for i in range(expand(&self.prover, &state, 0, list_))]
        finally:
            self.lock.give()
        return {"phi": proof.phi, "delta": proof.delta, "drawn": bool(proof.drawn),
                "nodes": proving.nodes, "expansions": proving.expansions, "children": children,
                "seconds": seconds() - began}

    def wins_within(self, str marks, board, int attacker, int plies, uint64_t nodes, double limit):
        """(whether the attacker wins a running game, in which no move wins at once, within so many
        plies; None if a limit came first, nodes)."""
        cdef State state
        cdef Proving* proving = &self.prover.proving
        cdef bint found
        self.read(marks, board, &state)
        self.lock.take()
        try:
            self.set_limits(nodes, limit, seconds())
            self.prover.attacker = attacker
            self.prover.played = ply(&self.rules, &state)
            with nogil:
                found = wins_within(&self.prover, &state, plies, 0)
            if proving.interrupted:
                propagate()
        finally:
            self.lock.give()
        return None if proving.stopped else bool(found), proving.nodes

    cdef void set_limits(self, uint64_t nodes, double limit, double began) noexcept:
        cdef Proving* proving = &self.prover.proving
        proving.nodes = proving.expansions = 0
        proving.limit = nodes
        proving.poll = 0
        proving.deadline = began + limit if limit > 0 else 0
        proving.signals = True
        proving.signal_time = began + SIGNAL_GAP / 1000.0
        proving.stopped = proving.interrupted = False
        store_flag(&self.stop_flag, 0)

    def safe_moves(self, int plies, uint64_t seed_value):
        """The moves of a random game, by number: after none of them, nor after the last, can the
        other side win at once, and it has such a move too. Refuses if no game comes that far."""
        cdef State state
        cdef Random random
        cdef MoveSet rest
        cdef Undo room
        cdef Move move
        cdef int game
        seed(&random, seed_value)
        for game in range(SAFE_GAMES):
            start(&self.rules, &state)
            played = []
            while not stuck(&self.rules, &state):
                rest = safe(&self.rules, &state)
                if not some(rest):
                    break
                if len(played) == plies:
                    return played
                move = pick(rest, below(&random, count(rest)))
                played.append(move)
                enter(&self.rules, &state, move, &room)
        raise ValueError(f"plies={plies}: none of {SAFE_GAMES:,} random games came that far")

    # --- the table in files -----------------------------------------------------------------

    def efforts(self):
        """How many entries there are of each effort, 0 (empty) to 63."""
        cdef uint64_t counts[64]
        cdef uint64_t i
        memset(counts, 0, sizeof(counts))
        with nogil:
            for i in range(WAYS * self.table.buckets):
                counts[load(&self.table.slots[i].data) >> 56 & 63] += 1
        return [counts[i] for i in range(64)]

    def entries(self, int least, uint64_t first, uint64_t slots):
        """The entries of at least this effort among so many slots, as bytes; a slot is 16."""
        cdef bytearray found = bytearray()
        cdef ProofSlot* slot
        cdef uint64_t i, end = min(first + slots, WAYS * self.table.buckets)
        for i in range(first, end):
            slot = &self.table.slots[i]
            if <int> (slot.data >> 56 & 63) >= max(least, 1):
                found += (<char*> slot)[:sizeof(ProofSlot)]
        return bytes(found)

    @property
    def slots(self):
        """How many entries the table has room for."""
        return WAYS * self.table.buckets

    def take_entries(self, const unsigned char[::1] entries not None):
        """Takes up what `entries` gave."""
        cdef ProofSlot slot
        cdef size_t i
        if entries.shape[0] % sizeof(ProofSlot):
            raise ValueError("entries are 16 bytes each")
        self.lock.take()
        try:
            for i in range(entries.shape[0] // sizeof(ProofSlot)):
                memcpy(&slot, &entries[i * sizeof(ProofSlot)], sizeof(ProofSlot))
                restore(&self.table, slot.check ^ slot.data, slot.data)
        finally:
            self.lock.give()


cdef list numbers_of(MoveSet rest):
    found = []
    while some(rest):
        found.append(take(&rest))
    return found
