# Loss and gradients of a network over self-play games.
#
# Needs: Rules State PLIES MOVES configure start moves won has play numbered of the game; ROWS
# MAX_FEATURES list_features map_rows of its network.
#
# The network is that of `evaluations/network.pxd` in floating point, before its weights are rounded
# and its rows are summed in advance.

from libc.math cimport exp, log
from libc.stdint cimport int16_t, uint8_t, uint16_t

from ttt_core.primitives.nine cimport PATTERNS
from ttt_core.evaluations.board_classes cimport find_classes
from ttt_core.evaluations.network cimport MAX_LEARNED_ROWS, UNITS, Images
from ttt_core.training.record cimport END, OPENING, SEARCHED, MoveRecord

cdef extern from *:
    """
    typedef TTT_VECTOR(float, 4 * TTT_UNITS, 4) ttt_floats;

    static inline float ttt_forward_float(const uint16_t *images, int rows, const float *weights,
                                          const uint16_t *features, int total, float *hidden) {
        float output = 0;
        for (int symmetry = 0; symmetry < 8; symmetry++) {
            const uint16_t *image = images + symmetry * rows;
            ttt_floats sum = {0};
            for (int i = 0; i < total; i++)
                sum += *(const ttt_floats *)(weights + TTT_UNITS * image[features[i]]);
            *(ttt_floats *)(hidden + TTT_UNITS * symmetry) = sum;
            for (int unit = 0; unit < TTT_UNITS; unit++)
                if (sum[unit] > 0) {
                    float clipped = sum[unit] < 1 ? sum[unit] : 1;
                    output += (unit < TTT_UNITS / 2 ? 1 : -1) * clipped * clipped;
                }
        }
        return output;
    }

    static inline void ttt_backward_float(const uint16_t *images, int rows, float *gradients,
                                          const uint16_t *features, int total,
                                          const float *hidden, float error) {
        for (int symmetry = 0; symmetry < 8; symmetry++) {
            const uint16_t *image = images + symmetry * rows;
            ttt_floats gradient = {0};
            for (int unit = 0; unit < TTT_UNITS; unit++)
                gradient[unit] = hidden[TTT_UNITS * symmetry + unit] <= 0 ? 0
                                 : hidden[TTT_UNITS * symmetry + unit] >= 1 ? 0
                                 : (unit < TTT_UNITS / 2 ? 2 : -2) * error
                                   * hidden[TTT_UNITS * symmetry + unit];
            for (int i = 0; i < total; i++)
                *(ttt_floats *)(gradients + TTT_UNITS * image[features[i]]) += gradient;
        }
    }
    """
    # The forward pass: returns the log-odds and fills `hidden`, the sums of the hidden units.
    # `images` has a list of `rows` rows for each symmetry.
    float forward "ttt_forward_float"(
        const uint16_t* images, int rows, const float* weights, const uint16_t* features,
        int total, float* hidden) noexcept nogil
    # The backward pass: adds the gradients for `error`, the derivative of the loss by the output.
    void backward "ttt_backward_float"(
        const uint16_t* images, int rows, float* gradients, const uint16_t* features, int total,
        const float* hidden, float error) noexcept nogil


SHAPE = (ROWS, UNITS)  # of the weights


cdef class GameLoss:
    """The logarithmic loss of the network over games, under one choice of options."""

    cdef Rules rules
    cdef Images images
    cdef uint16_t board_class[PATTERNS]

    def __cinit__(self, tuple options):
        cdef const char* wrong = configure(&self.rules, options)
        if wrong != NULL:
            raise ValueError(wrong.decode())
        find_classes(&self.rules.nine, self.board_class)
        map_rows(&self.images, &self.rules.nine)

    def add_gradients(self, const uint8_t[::1] games not None, const float[:, ::1] weights not None,
                      float[:, ::1] gradients, double td_lambda, double score_scale):
        """Replays games, given as bytes of `training/record.pxd`, and returns the sum of their
        losses and the number of positions. Adds the gradients to `gradients` unless it is None.

        Targets are TD(lambda): the target of a position is `td_lambda` of the next position's and
        1 - `td_lambda` of the search score's chance, where `score_scale` is one unit of log-odds.
        The last one is the result. Before a random move the target is the search score alone."""
        if weights.shape[0] != ROWS or weights.shape[1] != UNITS:
            raise ValueError(f"weights: expected {ROWS} rows of {UNITS}")
        if gradients is not None and (gradients.shape[0] != ROWS or gradients.shape[1] != UNITS):
            raise ValueError(f"gradients: expected {ROWS} rows of {UNITS}")
        if games.shape[0] % sizeof(MoveRecord):
            raise ValueError(f"games: expected records of {sizeof(MoveRecord)} bytes")
        if not (score_scale > 0 and 0 <= td_lambda <= 1):
            raise ValueError("score_scale must be above 0, td_lambda from 0 to 1")
        cdef const MoveRecord* records
        cdef Py_ssize_t total = games.shape[0] // sizeof(MoveRecord), i = 0, length
        cdef double loss = 0
        cdef long positions = 0
        cdef float* into = NULL if gradients is None else &gradients[0, 0]
        cdef bint legal = True
        records = <const MoveRecord*> &games[0] if total else NULL
        if <size_t> records % sizeof(int16_t):
            raise ValueError("games: the buffer starts at an odd address")
        if not total or records[total - 1].kind != END:
            raise ValueError("games: the last record must be of kind END")
        with nogil:
            while legal and i < total:
                length = 0
                while records[i + length].kind != END:
                    length += 1
                legal = self.is_legal(records + i, length)
                if legal:
                    loss += self.replay(records + i, <int> length, &weights[0, 0], into, td_lambda,
                                        score_scale, &positions)
                i += length + 1
        if not legal:
            raise ValueError("games: a game has an illegal move")
        return loss, positions

    # Whether the records are legal moves of one game.
    cdef bint is_legal(self, const MoveRecord* records, Py_ssize_t length) noexcept nogil:
        cdef State state
        cdef Py_ssize_t i
        start(&self.rules, &state)
        for i in range(length):
            if won(&self.rules, &state) or records[i].move >= MOVES or not has(
                    moves(&self.rules, &state), numbered(&self.rules, &state, records[i].move)):
                return False
            play(&self.rules, &state, numbered(&self.rules, &state, records[i].move))
        return True

    # The loss over the positions of a game; adds to `gradients` (unless NULL) and to `positions`.
    cdef double replay(self, const MoveRecord* records, int length, const float* weights,
                       float* gradients, double td_lambda, double score_scale,
                       long* positions) noexcept nogil:
        cdef State state
        cdef float target[PLIES]
        cdef float hidden[8 * UNITS]
        cdef uint16_t features[MAX_FEATURES]
        cdef double value = (1 + max(-1, min(1, <int> records[length].score))) / 2.0
        cdef double chance, loss = 0
        cdef int i, total
        if length % 2:
            value = 1 - value
        for i in range(length - 1, -1, -1):
            value = 1 - value
            chance = 1 / (1 + exp(-records[i].score / score_scale))
            if records[i].kind == SEARCHED:
                value = td_lambda * value + (1 - td_lambda) * chance
            else:
                value = chance
            target[i] = value
        start(&self.rules, &state)
        for i in range(length):
            if records[i].kind != OPENING:
                total = list_features(self.board_class, &self.rules, &state, features)
                chance = 1 / (1 + exp(-forward(&self.images.row[0][0], MAX_LEARNED_ROWS, weights,
                                               features, total, hidden)))
                loss -= (target[i] * log(max(chance, 1e-9))
                         + (1 - target[i]) * log(max(1 - chance, 1e-9)))
                if gradients != NULL:
                    backward(&self.images.row[0][0], MAX_LEARNED_ROWS, gradients, features, total,
                             hidden, <float> chance - target[i])
                positions[0] += 1
            play(&self.rules, &state, numbered(&self.rules, &state, records[i].move))
        return loss
