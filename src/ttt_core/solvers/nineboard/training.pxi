# Trainer: positions that the solver has decided, and weights of the evaluation fitted to them.
#
# Needs: nineboard_face.pxi.

from libc.math cimport log


# Of the derivative of the result with respect to a lane's sum: 1, -1 or 0.
cdef inline float lane_slope(int lane, float total) noexcept nogil:
    if lane == 0:
        return 1
    if total <= 0:
        return 0
    return 1 if lane < ADDED else -1


cdef class Trainer:
    """Gathers decided positions and fits the weights to them. Forgets the learned weights first."""

    cdef Solver solver
    cdef Context* context      # of the solver's first thread, the only one that works here
    cdef Sample* samples
    cdef float weights[ROWS][LANES]
    cdef float squares[ROWS]   # of the errors a row took part in: frequent rows move less
    cdef Random random

    def __cinit__(self, Solver solver not None, size_t room, uint64_t seed_value):
        self.solver = solver
        self.samples = <Sample*> calloc(room, sizeof(Sample))
        if self.samples == NULL:
            raise MemoryError(f"no memory for {room} positions")
        self.context = &solver.workers[0].context
        self.context.samples = self.samples
        self.context.sample_capacity = room
        memset(solver.odds.model.rows, 0, sizeof(solver.odds.model.rows))
        seed(&self.random, seed_value)
        self.context.random = self.random

    def __dealloc__(self):
        if self.context != NULL:
            self.context.samples = NULL
        free(self.samples)

    @property
    def positions(self):
        """How many positions have been gathered."""
        return self.context.sampled

    def harvest(self, list moves, uint64_t nodes, uint64_t rarity):
        """Works on the position after the moves for so many nodes and takes decided positions that
        it meets: all that took `rarity` nodes or more, of the smaller ones a share."""
        cdef State state
        cdef Undo undo
        cdef Node root
        start(&self.solver.rules, &state)
        for move in moves:
            enter(&self.solver.rules, &state, move, &undo)
        self.context.rarity = rarity
        self.solver.start_attack(state.side, nodes, 0)
        make_node(self.context, &state, len(moves), &root)
        self.solver.work(0, &root)
        self.solver.check_interrupt()

    def take(self, list moves, list chances):
        """Takes the positions of a game: `chances` has, for each position from the first to the one
        after the last move, how likely its side to move wins, or None to leave it out."""
        cdef State state
        cdef Undo undo
        cdef int played
        start(&self.solver.rules, &state)
        for played, chance in enumerate(chances):
            if (chance is not None and self.context.sampled < self.context.sample_capacity
                    and not some(immediate(&self.solver.rules, &state))
                    and some(safe(&self.solver.rules, &state))):
                add_sample(self.context, &state, played, chance)
            if played < len(moves):
                enter(&self.solver.rules, &state, moves[played], &undo)

    # The predicted chance of a sample; the sums of its lanes go to `sums`.
    cdef double predict(self, const Sample* sample, float* sums) noexcept nogil:
        cdef const float* row
        cdef double odds = 0
        cdef int i, j
        for j in range(LANES):
            sums[j] = 0
        for i in range(FEATURES):
            if sample.features[i] == NO_FEATURE:
                break
            row = self.weights[sample.features[i]]
            for j in range(LANES):
                sums[j] += row[j]
        for j in range(LANES):
            odds += sums[j] * lane_slope(j, sums[j])
        return 1 / (1 + exp(-odds))

    # One step down the gradient of the logarithmic loss of a sample.
    cdef void learn(self, const Sample* sample, float rate) noexcept nogil:
        cdef float sums[LANES]
        cdef float slope[LANES]
        cdef float step, error = self.predict(sample, sums) - sample.chance
        cdef float* row
        cdef int i, j
        for j in range(LANES):
            slope[j] = error * lane_slope(j, sums[j])
        for i in range(FEATURES):
            if sample.features[i] == NO_FEATURE:
                break
            row = self.weights[sample.features[i]]
            self.squares[sample.features[i]] += error * error
            step = rate / <float> sqrt(self.squares[sample.features[i]])
            for j in range(LANES):
                row[j] -= step * slope[j]

    def fit(self, int epochs, float rate, size_t held):
        """Fits new weights to all but the last `held` samples and uses them from now on. Returns,
        after each epoch, the mean loss on those and the share told rightly."""
        cdef size_t n, used = self.context.sampled - held
        cdef float sums[LANES]
        cdef double loss, right, chance, wanted
        cdef int i, j, epoch
        for i in range(ROWS):
            self.squares[i] = 1
            self.weights[i][0] = 0
            for j in range(1, LANES):
                self.weights[i][j] = ((draw(&self.random) >> 40) / <float> (1 << 24) - 0.5) / 10
        found = []
        for epoch in range(epochs):
            with nogil:
                for n in range(used):
                    self.learn(&self.samples[draw(&self.random) % used],
                               rate * (epochs * used - epoch * used - n) / (epochs * used))
            loss = right = 0
            for n in range(used, used + held):
                chance = self.predict(&self.samples[n], sums)
                wanted = self.samples[n].chance
                loss -= wanted * log(max(chance, 1e-9)) + (1 - wanted) * log(max(1 - chance, 1e-9))
                right += (chance > 0.5) == (wanted > 0.5)
            found.append((loss / held, right / held))
        for i in range(ROWS):
            for j in range(LANES):
                self.solver.odds.model.rows[i][j] = <int16_t> (
                    self.weights[i][j] * SCALE + (0.5 if self.weights[i][j] > 0 else -0.5))
        return found

    def forget(self):
        """Drops all samples."""
        self.context.sampled = 0

    @property
    def rows(self):
        """The weights in use: a list of lanes a row."""
        cdef int i, j
        return [[self.solver.odds.model.rows[i][j] for j in range(LANES)] for i in range(ROWS)]
