# Solver: the Python class of the proof search, with its table and the export of table entries.
#
# Needs: solver.pyx up to its includes, search/dfpn_threads.pxi, wins_within.pxi.


cdef class Solver(DfpnSolver):
    """Proof search of nine-board; `ttt.solvers.nineboard.NineboardSolver` is the public class.

    A position is given as by `Position.picture`: its 81 marks, and the board in force.
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
        self.allocate(hash, 1, 1, threads)
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
        self.lock.acquire()
        try:
            memset(self.table.slots, 0, self.table.buckets * BUCKET * sizeof(Slot))
        finally:
            self.lock.release()

    # Sets up the state of a position; raises BadNotation if it is impossible.
    cdef int read(self, str marks, board, State* state) except -1:
        cdef Picture picture
        cdef int i
        if len(marks) != 81 or not set(marks) <= set("xo."):
            raise BadNotation("a board has 81 cells, each x, o or .")
        for i in range(81):
            picture.marks[i] = ord(marks[i])
        picture.board = ANY_BOARD if board == "*" else board
        picture.ply = 81 - marks.count(".")
        cdef const char* wrong = arrange(&self.rules, state, &picture)
        if wrong != NULL:
            raise BadNotation(wrong.decode())
        return 0

    def wins_and_safe(self, str marks, board):
        """(moves that win at once, moves after which the opponent cannot), by number."""
        cdef State state
        self.read(marks, board, &state)
        return numbers_of(immediate(&self.rules, &state)), numbers_of(safe(&self.rules, &state))

    def evaluate(self, str marks, board):
        """The network's log-odds that the side to move wins a running game."""
        cdef State state
        self.read(marks, board, &state)
        return evaluate_network(&self.odds.network, &self.rules, &state,
                                ply(&self.rules, &state)) / <double> SCALE

    def evaluate_children(self, str marks, board):
        """The log-odds after each safe move, as the search computes them, by the move's number."""
        cdef State state
        cdef Siblings siblings
        cdef Undo undo
        cdef Move move
        cdef uint64_t cells
        cdef int count
        self.read(marks, board, &state)
        found = {}
        for number in numbers_of(safe(&self.rules, &state)):
            move = number
            sum_siblings(&self.odds.network, &self.rules, &state, move // 9, &siblings)
            enter(&self.rules, &state, move, &undo)
            count = find_safe(&self.rules, &state, &cells)
            found[number] = evaluate_child(&self.odds.network, &self.rules, &state,
                                           ply(&self.rules, &state), move // 9, cells, count,
                                           &siblings) / <double> SCALE
            leave(&self.rules, &state, move, &undo)
        return found

    # Starts the limits of a search for a win of the attacker.
    cdef void start_attack(self, int attacker, uint64_t nodes, double limit) noexcept:
        cdef int i
        for i in range(self.threads):
            self.workers[i].context.attacker = attacker
        self.start(nodes, limit)

    def prove(self, str marks, board, int attacker, uint64_t nodes, double limit):
        """Tries to prove that the attacker (0: x, 1: o) wins a running game in which no move wins
        at once and some move is safe. Resumes what an earlier call has left in the table.

        Returns a `ProofRecord`; the attacker wins if "proof" is 0, does not if "disproof" is.
        """
        cdef State state
        cdef Node root
        cdef Numbers numbers
        cdef Child children[MAX_CHILDREN]
        cdef double began = seconds()
        cdef int i
        self.read(marks, board, &state)
        self.lock.acquire()
        try:
            if attacker:
                state.key ^= O_ATTACKS_KEY
            self.start_attack(attacker, nodes, limit)
            make_node(&self.workers[0].context, &state, ply(&self.rules, &state), &root)
            self.run(&root, None, began)
            if not read_numbers(&self.table, root.key, &numbers):
                start_numbers(&numbers, 1, 1)
            record = self.report(&numbers, began, False)
            record["children"] = [
                (children[i].move, children[i].numbers.proof, children[i].numbers.disproof,
                 children[i].numbers.effort)
                for i in range(expand(&self.workers[0].context, &root, children))]
        finally:
            self.lock.release()
        return record

    def wins_within(self, str marks, board, int attacker, int plies, uint64_t nodes, double limit):
        """(won, nodes): whether the attacker wins a running game, in which no move wins at once,
        within `plies`; None if a limit was reached first."""
        cdef State state
        cdef Worker* worker = &self.workers[0]
        cdef bint found
        self.read(marks, board, &state)
        self.lock.acquire()
        try:
            self.start_attack(attacker, nodes, limit)
            with nogil:
                found = wins_within(&worker.context, &self.table, &state, plies,
                                    ply(&self.rules, &state))
            self.check_interrupt()
        finally:
            self.lock.release()
        return None if worker.limits.stopped else bool(found), worker.limits.nodes

    def safe_moves(self, int plies, uint64_t seed_value):
        """The moves of a random game of `plies` safe moves, by number: after each of them the
        opponent cannot win at once and has a safe move. ValueError if no such game is found."""
        cdef State state
        cdef Random random
        cdef MoveSet rest
        cdef Undo undo
        cdef Move move
        cdef int game
        seed(&random, seed_value)
        for game in range(SAFE_GAMES):
            start(&self.rules, &state)
            played = []
            while not no_moves_left(&self.rules, &state):
                rest = safe(&self.rules, &state)
                if not some(rest):
                    break
                if len(played) == plies:
                    return played
                move = pick(rest, below(&random, count(rest)))
                played.append(move)
                enter(&self.rules, &state, move, &undo)
        raise ValueError(f"plies={plies}: none of {SAFE_GAMES:,} random games lasted that long")

    # --- saving and loading the table ------------------------------------------------------

    def efforts(self):
        """Number of entries of each effort, 0 (empty) to 63."""
        cdef uint64_t counts[64]
        cdef uint64_t i
        memset(counts, 0, sizeof(counts))
        with nogil:
            for i in range(BUCKET * self.table.buckets):
                counts[load_word(&self.table.slots[i].data) >> 56 & 63] += 1
        return [counts[i] for i in range(64)]

    def entries(self, int least, int most, uint64_t first, uint64_t slots):
        """The entries of effort `least` to `most` in the slots from `first` on, 16 bytes each."""
        cdef bytearray found = bytearray()
        cdef Slot* slot
        cdef uint64_t i, end = min(first + slots, BUCKET * self.table.buckets)
        for i in range(first, end):
            slot = &self.table.slots[i]
            if max(least, 1) <= <int> (slot.data >> 56 & 63) <= most:
                found += (<char*> slot)[:sizeof(Slot)]
        return bytes(found)

    @property
    def slots(self):
        """Number of entries that the table can hold."""
        return BUCKET * self.table.buckets

    def put_entries(self, const unsigned char[::1] entries not None):
        """Puts bytes that `entries` returned back into the table."""
        cdef Slot slot
        cdef size_t i
        if entries.shape[0] % sizeof(Slot):
            raise ValueError(f"{entries.shape[0]} bytes; entries are 16 bytes each")
        self.lock.acquire()
        try:
            for i in range(entries.shape[0] // sizeof(Slot)):
                memcpy(&slot, &entries[i * sizeof(Slot)], sizeof(Slot))
                put_entry(&self.table, slot.check ^ slot.data, slot.data)
        finally:
            self.lock.release()


# The numbers of the moves of a set.
cdef list numbers_of(MoveSet rest):
    found = []
    while some(rest):
        found.append(take(&rest))
    return found
