# Ruleset: the Python face of the rules of a game under one choice of options.
#
# Needs: Rules; configure move_count symmetries image; Weights prepare_weights.

from cpython.mem cimport PyMem_Calloc, PyMem_Free

from operator import index

from ttt_core.errors import BadNotation

cdef enum:
    LINE = 64                  # bytes of the cache


cdef class Ruleset:
    """The rules of the game under one choice of options, and the names of its moves."""

    cdef Rules rules
    cdef Weights* weights      # of the evaluations; NULL before they are first asked for
    cdef void* memory          # where these lie, at a multiple of LINE bytes
    cdef readonly tuple options
    cdef readonly tuple moves
    cdef dict numbers

    def __cinit__(self, tuple options, names):
        """`options` are the whole numbers the core takes; `names(options)` gives the moves."""
        self.options = tuple([index(option) for option in options])
        cdef const char* wrong = configure(&self.rules, self.options)
        if wrong != NULL:
            raise BadNotation(wrong.decode())
        self.moves = tuple(names(self.options))
        self.numbers = {str(move): i for i, move in enumerate(self.moves)}
        if not len(self.moves) == len(self.numbers) == move_count(&self.rules):
            raise ValueError(f"the game has {move_count(&self.rules)} moves, each with a name")

    def __dealloc__(self):
        PyMem_Free(self.memory)

    cdef Weights* weigh(self) except NULL:
        if self.weights == NULL:
            self.memory = PyMem_Calloc(1, sizeof(Weights) + LINE)
            if self.memory == NULL:
                raise MemoryError("no memory for the evaluations")
            self.weights = <Weights*> ((<size_t> self.memory + LINE - 1) & ~<size_t> (LINE - 1))
            prepare_weights(self.weights, &self.rules)
        return self.weights

    def find(self, text):
        """The move of a canonical text; None if there is none."""
        which = self.numbers.get(text)
        return None if which is None else self.moves[which]

    @property
    def symmetries(self):
        """How many symmetries the board has, the identity among them."""
        return symmetries(&self.rules)

    def image(self, symmetry, move):
        """Where a symmetry sends a move."""
        symmetry = index(symmetry)
        if not 0 <= symmetry < symmetries(&self.rules):
            raise IndexError(f"symmetry {symmetry}: there are {symmetries(&self.rules)}")
        which = self.numbers.get(move) if isinstance(move, str) else None
        if which is None:
            raise BadNotation(f"{move!r} is no move's canonical text")
        return self.moves[image(&self.rules, symmetry, which)]
