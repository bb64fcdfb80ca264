# Ruleset: the Python class for the rules of a game under one choice of options.
#
# Needs: Rules; configure move_count symmetries image; Weights LEARNED_WEIGHTS prepare_weights.

from cpython.number cimport PyNumber_Index as index
from libc.stdint cimport int16_t

from ttt_core.runtime.pages cimport release_pages, zeroed_pages

from ttt_core.errors import BadNotation


cdef class Ruleset:
    """The rules of the game under one choice of options, and the names of its moves."""

    cdef Rules rules
    cdef Weights* weights      # of the evaluations; NULL until they are first needed
    cdef object load_weights
    cdef readonly tuple options
    cdef readonly tuple moves
    cdef dict numbers

    def __cinit__(self, tuple options, names, load_weights=None):
        """`options` are the whole numbers the core takes; `names(options)` gives the moves.
        `load_weights()` gives the learned weights, a buffer of int16, where the game has any; it is
        called when the first engine is made."""
        self.options = tuple([index(option) for option in options])
        cdef const char* wrong = configure(&self.rules, self.options)
        if wrong != NULL:
            raise BadNotation(wrong.decode())
        self.load_weights = load_weights
        self.moves = tuple(names(self.options))
        self.numbers = {str(move): i for i, move in enumerate(self.moves)}
        if not len(self.moves) == len(self.numbers) == move_count(&self.rules):
            raise ValueError(f"the game has {move_count(&self.rules)} moves, each with a name")

    def __dealloc__(self):
        release_pages(self.weights, sizeof(Weights))

    # The weights of the evaluations, made by the first call.
    cdef Weights* ensure_weights(self) except NULL:
        cdef const int16_t[::1] learned
        cdef const int16_t* first = NULL
        if self.weights != NULL:
            return self.weights
        if LEARNED_WEIGHTS:
            if self.load_weights is None:
                raise ValueError("the evaluations of this game need load_weights")
            learned = self.load_weights()
            if learned.shape[0] != LEARNED_WEIGHTS:
                raise ValueError(
                    f"{learned.shape[0]} learned weights; the evaluation takes {LEARNED_WEIGHTS}")
            first = &learned[0]
        # Another thread may have made them while the weights were loaded.
        if self.weights == NULL:
            self.weights = <Weights*> zeroed_pages(sizeof(Weights))
            if self.weights == NULL:
                raise MemoryError("out of memory: cannot allocate the evaluation weights")
            prepare_weights(self.weights, &self.rules, first)
        return self.weights

    def find(self, text):
        """The move with a canonical text; None if there is none."""
        which = self.numbers.get(text)
        return None if which is None else self.moves[which]

    @property
    def symmetries(self):
        """The number of symmetries of the board, with the identity."""
        return symmetries(&self.rules)

    def image(self, symmetry, move):
        """Where a symmetry sends a move."""
        symmetry = index(symmetry)
        if not 0 <= symmetry < symmetries(&self.rules):
            raise IndexError(f"symmetry {symmetry}: expected 0 to {symmetries(&self.rules) - 1}")
        which = self.numbers.get(move) if isinstance(move, str) else None
        if which is None:
            raise BadNotation(f"{move!r} is not a move of this game")
        return self.moves[image(&self.rules, symmetry, which)]
