# Solver: the Python face of the proof search, its table and what is written of it to files.
#
# Needs: the search of nineboard.pyx.


cdef class Solver(ProofCrew):
    """The compiled solver of nine-board. Made by `ttt.solvers.nineboard`.

    A position is given as `Position.picture` tells it: its marks, and the board in force.
    """

    cdef Rules rules
    cdef Odds odds
    cdef readonly int hash

    def __cinit__(self, bint full_draws, hash, threads, const int16_t[::1] weights not None):
        """`weights` are the ROWS x UNITS weights of the network."""
        cdef Context* context
        cdef int i
        if weights.shape[0] != ROWS * UNITS:
            raise ValueError(f"{weights.shape[0]} weights; the network takes {ROWS * UNITS}")
        self.recruit(hash, 1, 1, threads)
        self.hash = hash
        prepare(&self.rules, full_draws)
        prepare_odds(&self.odds, &self.rules, &weights[0])
        for i in range(self.threads):
            context = &self.workers[i].context
            context.limits = &self.workers[i].limits
            context.rules = &self.rules
            context.odds = &self.odds
            context.table = &self.table

    def clear(self):
        """Empties the table."""
        self.lock.take()
        try:
            memset(self.table.slots, 0, self.table.buckets * BUCKET * sizeof(Slot))
        finally:
            self.lock.give()

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

    def evaluate(self, str marks, board):
        """The network's log-odds that the side to move wins a running game."""
        cdef State state
        self.read(marks, board, &state)
        return evaluate_network(&self.odds.network, &self.rules, &state,
                                ply(&self.rules, &state)) / <double> SCALE

    # Gets ready to ask whether the attacker wins.
    cdef void ask(self, int attacker, uint64_t nodes, double limit) noexcept:
        cdef int i
        for i in range(self.threads):
            self.workers[i].context.attacker = attacker
        self.start(nodes, limit)

    def prove(self, str marks, board, int attacker, uint64_t nodes, double limit):
        """Asks whether the attacker (0: x, 1: o) wins a running game in which no move wins at once
        and one is safe. Goes on where an earlier call was stopped. The record's numbers are 0 when
        it is done; `children` has a tuple (move, proof, disproof, effort) a move that matters."""
        cdef State state
        cdef Place root
        cdef Numbers numbers
        cdef Child children[MOST_CHILDREN]
        cdef double began = seconds()
        cdef int i
        self.read(marks, board, &state)
        self.lock.take()
        try:
            if attacker:
                state.fore.key ^= SALT
            self.ask(attacker, nodes, limit)
            take_up(&self.workers[0].context, &state, ply(&self.rules, &state), &root)
            self.run(&root, None, began)
            if not read_numbers(&self.table, root.key, &numbers):
                start_numbers(&numbers, 1, 1)
            record = self.record(&numbers, began, False)
            record["children"] = [
                (children[i].move, children[i].numbers.proof, children[i].numbers.disproof,
                 children[i].numbers.effort)
                for i in range(list_children(&self.workers[0].context, &root, children))]
        finally:
            self.lock.give()
        return record

    def wins_within(self, str marks, board, int attacker, int plies, uint64_t nodes, double limit):
        """(whether the attacker wins a running game, in which no move wins at once, within so many
        plies; None if a limit came first, nodes)."""
        cdef State state
        cdef Worker* worker = &self.workers[0]
        cdef bint found
        self.read(marks, board, &state)
        self.lock.take()
        try:
            self.ask(attacker, nodes, limit)
            with nogil:
                found = wins_within(&worker.context, &self.table, &state, plies,
                                    ply(&self.rules, &state))
            self.check()
        finally:
            self.lock.give()
        return None if worker.limits.stopped else bool(found), worker.limits.nodes

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
            for i in range(BUCKET * self.table.buckets):
                counts[load(&self.table.slots[i].data) >> 56 & 63] += 1
        return [counts[i] for i in range(64)]

    def entries(self, int least, uint64_t first, uint64_t slots):
        """The entries of at least this effort among so many slots, as bytes; a slot is 16."""
        cdef bytearray found = bytearray()
        cdef Slot* slot
        cdef uint64_t i, end = min(first + slots, BUCKET * self.table.buckets)
        for i in range(first, end):
            slot = &self.table.slots[i]
            if <int> (slot.data >> 56 & 63) >= max(least, 1):
                found += (<char*> slot)[:sizeof(Slot)]
        return bytes(found)

    @property
    def slots(self):
        """How many entries the table has room for."""
        return BUCKET * self.table.buckets

    def take_entries(self, const unsigned char[::1] entries not None):
        """Takes up what `entries` gave."""
        cdef Slot slot
        cdef size_t i
        if entries.shape[0] % sizeof(Slot):
            raise ValueError("entries are 16 bytes each")
        self.lock.take()
        try:
            for i in range(entries.shape[0] // sizeof(Slot)):
                memcpy(&slot, &entries[i * sizeof(Slot)], sizeof(Slot))
                put_entry(&self.table, slot.check ^ slot.data, slot.data)
        finally:
            self.lock.give()


cdef list numbers_of(MoveSet rest):
    found = []
    while some(rest):
        found.append(take(&rest))
    return found
