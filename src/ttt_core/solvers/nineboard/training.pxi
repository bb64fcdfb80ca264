# Trainer: gathers positions with known or estimated results, and fits the network to them.
#
# Needs: binding.pxi.

from libc.math cimport log


# The derivative of the output by a unit's sum: 1, -1 or 0.
cdef inline float output_gradient(int unit, float total) noexcept nogil:
    if unit == 0:
        return 1
    if total <= 0:
        return 0
    return 1 if unit < ADDED else -1


cdef class Trainer:
    """Gathers positions and fits the network to them. Sets the solver's weights to zero first."""

    cdef Solver solver
    cdef Context* context      # of the solver's first thread, the only one that works here
    cdef Sample* samples
    cdef float weights[ROWS][UNITS]
    cdef float squares[ROWS]   # sum of the squared errors of each row, for Adagrad
    cdef Random random

    def __cinit__(self, Solver solver not None, size_t capacity, uint64_t seed_value):
        self.solver = solver
        self.samples = <Sample*> calloc(capacity, sizeof(Sample))
        if self.samples == NULL:
            raise MemoryError(f"out of memory: cannot allocate {capacity} samples")
        self.context = &solver.workers[0].context
        self.context.samples = self.samples
        self.context.sample_capacity = capacity
        memset(solver.odds.network.rows, 0, sizeof(solver.odds.network.rows))
        seed(&self.random, seed_value)
        self.context.random = self.random

    def __dealloc__(self):
        if self.context != NULL:
            self.context.samples = NULL
        free(self.samples)

    @property
    def positions(self):
        """Number of positions gathered."""
        return self.context.sampled

    def add_solved(self, list moves, uint64_t nodes, uint64_t rarity):
        """Searches the position after the moves for `nodes` nodes and adds decided positions of
        that search: one that took n nodes with probability n / `rarity`."""
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

    def add_game(self, list moves, list chances):
        """Adds the positions of a game. `chances` has the probability that the side to move wins
        for each position, from the first to the one after the last move; None skips it."""
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

    # The forward pass: the predicted chance of a sample. Fills `sums`, those of the units.
    cdef double predict(self, const Sample* sample, float* sums) noexcept nogil:
        cdef const float* row
        cdef double output = 0
        cdef int i, j
        for j in range(UNITS):
            sums[j] = 0
        for i in range(FEATURES):
            if sample.features[i] == NO_FEATURE:
                break
            row = self.weights[sample.features[i]]
            for j in range(UNITS):
                sums[j] += row[j]
        for j in range(UNITS):
            output += sums[j] * output_gradient(j, sums[j])
        return 1 / (1 + exp(-output))

    # One step of Adagrad, a rate for each row, on the logarithmic loss of a sample.
    cdef void learn(self, const Sample* sample, float rate) noexcept nogil:
        cdef float sums[UNITS]
        cdef float gradient[UNITS]
        cdef float step, error = self.predict(sample, sums) - sample.chance
        cdef float* row
        cdef int i, j
        for j in range(UNITS):
            gradient[j] = error * output_gradient(j, sums[j])
        for i in range(FEATURES):
            if sample.features[i] == NO_FEATURE:
                break
            row = self.weights[sample.features[i]]
            self.squares[sample.features[i]] += error * error
            step = rate / <float> sqrt(self.squares[sample.features[i]])
            for j in range(UNITS):
                row[j] -= step * gradient[j]

    def fit(self, int epochs, float rate, size_t held_out):
        """Fits new weights to all but the last `held_out` samples and gives them to the solver.
        Returns, for each epoch, the mean loss and the accuracy on the samples held out."""
        cdef size_t n, used = self.context.sampled - held_out
        cdef float sums[UNITS]
        cdef double loss, right, chance, target
        cdef int i, j, epoch
        for i in range(ROWS):
            self.squares[i] = 1
            self.weights[i][0] = 0
            for j in range(1, UNITS):
                self.weights[i][j] = ((draw(&self.random) >> 40) / <float> (1 << 24) - 0.5) / 10
        found = []
        for epoch in range(epochs):
            with nogil:
                for n in range(used):
                    self.learn(&self.samples[draw(&self.random) % used],
                               rate * (epochs * used - epoch * used - n) / (epochs * used))
            loss = right = 0
            for n in range(used, used + held_out):
                chance = self.predict(&self.samples[n], sums)
                target = self.samples[n].chance
                loss -= target * log(max(chance, 1e-9)) + (1 - target) * log(max(1 - chance, 1e-9))
                right += (chance > 0.5) == (target > 0.5)
            found.append((loss / held_out, right / held_out))
        for i in range(ROWS):
            for j in range(UNITS):
                self.solver.odds.network.rows[i][j] = <int16_t> (
                    self.weights[i][j] * SCALE + (0.5 if self.weights[i][j] > 0 else -0.5))
        return found

    def clear(self):
        """Removes all samples."""
        self.context.sampled = 0

    @property
    def rows(self):
        """The solver's weights, a list for each row."""
        cdef int i, j
        return [[self.solver.odds.network.rows[i][j] for j in range(UNITS)] for i in range(ROWS)]
