# What an evaluation learns from games of the engine with itself.
#
# Needs: Rules State PLIES MOVES configure start moves won has play numbered of the game; ROWS UNITS
# MOST_FEATURES list_features row_image of its evaluation; TTT_UNITS in C.
#
# The evaluation is a network of one hidden layer: each of UNITS units, under each of the eight
# symmetries of the board, adds up the weights of a position's features; what is positive is added
# (first half of the units) or taken off. Its result is the log-odds that the side to move wins.

from libc.math cimport exp, log
from libc.stdint cimport int16_t, uint8_t, uint16_t

from ttt_core.evaluations.board_classes cimport find_classes
from ttt_core.primitives.nine cimport PATTERNS
from ttt_core.training.record cimport CHOSEN, DRAWN_BY_LOT, ENDED, Turn

cdef extern from *:
    """
    typedef float ttt_units __attribute__((vector_size(4 * TTT_UNITS), aligned(4), may_alias));

    /* The sums of all units under the symmetries; returns the result. */
    static inline float ttt_forward(const uint16_t *images, int rows, const float *weights,
                                    const uint16_t *features, int total, float *sums) {
        float result = 0;
        for (int symmetry = 0; symmetry < 8; symmetry++) {
            const uint16_t *image = images + symmetry * rows;
            ttt_units sum = {0};
            for (int i = 0; i < total; i++)
                sum += *(const ttt_units *)(weights + TTT_UNITS * image[features[i]]);
            *(ttt_units *)(sums + TTT_UNITS * symmetry) = sum;
            for (int unit = 0; unit < TTT_UNITS; unit++)
                if (sum[unit] > 0)
                    result += unit < TTT_UNITS / 2 ? sum[unit] : -sum[unit];
        }
        return result;
    }

    /* Adds what `error` of the result means for each weight. */
    static inline void ttt_backward(const uint16_t *images, int rows, float *slopes,
                                    const uint16_t *features, int total, const float *sums,
                                    float error) {
        for (int symmetry = 0; symmetry < 8; symmetry++) {
            const uint16_t *image = images + symmetry * rows;
            ttt_units slope = {0};
            for (int unit = 0; unit < TTT_UNITS; unit++)
                slope[unit] = sums[TTT_UNITS * symmetry + unit] <= 0 ? 0
                              : unit < TTT_UNITS / 2 ? error : -error;
            for (int i = 0; i < total; i++)
                *(ttt_units *)(slopes + TTT_UNITS * image[features[i]]) += slope;
        }
    }
    """
    float forward "ttt_forward"(const uint16_t* images, int rows, const float* weights,
                                const uint16_t* features, int total, float* sums) noexcept nogil
    void backward "ttt_backward"(const uint16_t* images, int rows, float* slopes,
                                 const uint16_t* features, int total, const float* sums,
                                 float error) noexcept nogil


SHAPE = (ROWS, UNITS)  # of the weights


cdef class Lessons:
    """Replays games under one choice of options."""

    cdef Rules rules
    cdef uint16_t images[8][ROWS]
    cdef uint16_t board_class[PATTERNS]

    def __cinit__(self, tuple options):
        cdef const char* wrong = configure(&self.rules, options)
        cdef int symmetry, row
        if wrong != NULL:
            raise ValueError(wrong.decode())
        find_classes(&self.rules.nine, self.board_class)
        for symmetry in range(8):
            for row in range(ROWS):
                self.images[symmetry][row] = <uint16_t> row_image(&self.rules.nine, symmetry, row)

    def slopes(self, const uint8_t[::1] games not None, const float[:, ::1] weights not None,
               float[:, ::1] slopes, double decay, double odds):
        """Adds the slopes of the logarithmic loss over the positions of some games to `slopes`, if
        there are any; returns the loss and the number of positions.

        What a position should be worth is a mean of how the game ended and of what the searches
        from it on thought (a score of `odds` is a log-odd of 1): from ply to ply `decay` of what
        came after it. A move drawn by lot breaks the chain."""
        if weights.shape[0] != ROWS or weights.shape[1] != UNITS:
            raise ValueError(f"the weights are {ROWS} rows of {UNITS}")
        if slopes is not None and (slopes.shape[0] != ROWS or slopes.shape[1] != UNITS):
            raise ValueError(f"the slopes are {ROWS} rows of {UNITS}")
        if games.shape[0] % sizeof(Turn):
            raise ValueError("the games are not whole turns")
        if not (odds > 0 and 0 <= decay <= 1):
            raise ValueError("odds are more than 0, decay is from 0 to 1")
        cdef const Turn* turns
        cdef Py_ssize_t total = games.shape[0] // sizeof(Turn), i = 0, length
        cdef double loss = 0
        cdef long positions = 0
        cdef float* into = NULL if slopes is None else &slopes[0, 0]
        cdef bint sound = True
        turns = <const Turn*> &games[0] if total else NULL
        if <size_t> turns % sizeof(int16_t):
            raise ValueError("the games lie at an odd address")
        if not total or turns[total - 1].kind != ENDED:
            raise ValueError("the last game has no end")
        with nogil:
            while sound and i < total:
                length = 0
                while turns[i + length].kind != ENDED:
                    length += 1
                sound = self.playable(turns + i, length)
                if sound:
                    loss += self.replay(turns + i, <int> length, &weights[0, 0], into, decay, odds,
                                        &positions)
                i += length + 1
        if not sound:
            raise ValueError("a game has a move that cannot be played")
        return loss, positions

    # Whether so many turns are moves of a game.
    cdef bint playable(self, const Turn* turns, Py_ssize_t length) noexcept nogil:
        cdef State state
        cdef Py_ssize_t i
        start(&self.rules, &state)
        for i in range(length):
            if won(&self.rules, &state) or turns[i].move >= MOVES or not has(
                    moves(&self.rules, &state), numbered(&self.rules, &state, turns[i].move)):
                return False
            play(&self.rules, &state, numbered(&self.rules, &state, turns[i].move))
        return True

    # The loss over the positions of a game.
    cdef double replay(self, const Turn* turns, int length, const float* weights, float* slopes,
                       double decay, double odds, long* positions) noexcept nogil:
        cdef State state
        cdef float wanted[PLIES]
        cdef float sums[8 * UNITS]
        cdef uint16_t features[MOST_FEATURES]
        cdef double value = (1 + max(-1, min(1, <int> turns[length].score))) / 2.0, chance, loss = 0
        cdef int i, total
        if length % 2:
            value = 1 - value
        for i in range(length - 1, -1, -1):
            value = 1 - value
            chance = 1 / (1 + exp(-turns[i].score / odds))
            value = decay * value + (1 - decay) * chance if turns[i].kind == CHOSEN else chance
            wanted[i] = value
        start(&self.rules, &state)
        for i in range(length):
            if turns[i].kind != DRAWN_BY_LOT:
                total = list_features(self.board_class, &self.rules, &state, features)
                chance = 1 / (1 + exp(-forward(&self.images[0][0], ROWS, weights, features, total,
                                               sums)))
                loss -= (wanted[i] * log(max(chance, 1e-9))
                         + (1 - wanted[i]) * log(max(1 - chance, 1e-9)))
                if slopes != NULL:
                    backward(&self.images[0][0], ROWS, slopes, features, total, sums,
                             <float> chance - wanted[i])
                positions[0] += 1
            play(&self.rules, &state, numbered(&self.rules, &state, turns[i].move))
        return loss
