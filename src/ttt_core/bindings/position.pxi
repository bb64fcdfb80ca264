# Position: the Python class of a position with the history of its moves.
#
# Needs: Rules State Move MoveSet PLIES; cells start ply key moves won no_moves_left final_result
# wins play number numbered symmetries image transform describe arrange; count has nothing some
# take; perft.pxi playout.pxi ruleset.pxi.

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.list cimport PyList_New, PyList_SetItem
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from ttt_core.primitives.picture cimport ANY_BOARD, NO_BOARD, UNKNOWN_BOARD
from ttt_core.runtime.limits cimport UNLIMITED_NODES, Limits, set_poll_interval, start_limits
from ttt_core.runtime.signals cimport propagate

from ttt_core.errors import IllegalMove


# The moves that can be played: none when the game is over.
cdef inline MoveSet legal_moves(const Rules* rules, const State* state) noexcept nogil:
    return nothing() if won(rules, state) else moves(rules, state)


# Whether the move with this number, which may be out of range, can be played.
cdef inline bint playable_number(const Rules* rules, const State* state,
                                 int which) noexcept nogil:
    return (0 <= which < move_count(rules)
            and has(legal_moves(rules, state), numbered(rules, state, which)))


cdef class Position:
    """A position with the moves that led to it."""

    cdef readonly Ruleset ruleset
    cdef State stack[PLIES + 1]      # the positions since the first, the current one on top
    cdef uint8_t played[PLIES]
    cdef int height

    def __cinit__(self, Ruleset ruleset=None, /, **options):
        self.ruleset = type(self).make_ruleset(**options) if ruleset is None else ruleset
        if self.ruleset is None:
            raise TypeError("make_ruleset returned no Ruleset")
        start(&self.ruleset.rules, &self.stack[0])

    @classmethod
    def make_ruleset(cls, **options):
        """The rules for options given by name: each game's board class says how."""
        raise TypeError("expected a Ruleset; ttt.Board makes one from the name of a game")

    cdef MoveSet legal(self) noexcept:
        return legal_moves(&self.ruleset.rules, &self.stack[self.height])

    cdef list named(self, MoveSet rest):
        cdef tuple names = self.ruleset.moves
        cdef Py_ssize_t i, size = count(rest)
        cdef list found = PyList_New(size)
        for i in range(size):
            name = names[number(&self.ruleset.rules, take(&rest))]
            Py_INCREF(name)
            PyList_SetItem(found, i, name)
        return found

    cdef int legal_number(self, move) except -1:
        found = self.ruleset.numbers.get(move) if isinstance(move, str) else None
        if found is None:
            found = self.ruleset.numbers.get(self.parse_move(move))
        if found is None:
            raise BadNotation(f"{move!r} is not a move of this game")
        cdef int which = found
        if not has(self.legal(), numbered(&self.ruleset.rules, &self.stack[self.height], which)):
            raise IllegalMove(self.why_illegal(self.ruleset.moves[which]))
        return which

    def parse_move(self, text):
        """The move that a text means, in any of its spellings: each game's board class knows."""
        raise BadNotation(f"{text!r} is not a move of this game")

    def why_illegal(self, move):
        """Why a move cannot be played now."""
        return f"{move} cannot be played"

    cdef void add(self, int which) noexcept:
        cdef State* state = &self.stack[self.height]
        state[1] = state[0]
        play(&self.ruleset.rules, &state[1], numbered(&self.ruleset.rules, state, which))
        self.played[self.height] = which
        self.height += 1

    def push(self, move):
        """Plays a move, given as a Move or as text.

        >>> board = Board("nineboard")
        >>> board.push("5 6")
        """
        self.add(self.legal_number(move))

    def pop(self):
        """Takes the last move back and returns it.

        >>> board = Board("tictactoe")
        >>> board.push("5")
        >>> board.pop()
        Move('5')
        """
        if not self.height:
            raise IndexError("there is no move to take back")
        self.height -= 1
        return self.ruleset.moves[self.played[self.height]]

    def peek(self):
        """The last move."""
        if not self.height:
            raise IndexError("there is no move to take back")
        return self.ruleset.moves[self.played[self.height - 1]]

    @property
    def moves(self):
        """The moves played since the first position, in order."""
        return [self.ruleset.moves[self.played[i]] for i in range(self.height)]

    @property
    def legal_moves(self):
        """The moves that can be played now; none when the game is over.

        >>> Board("connect4").legal_moves[:3]
        [Move('1'), Move('2'), Move('3')]
        """
        return self.named(self.legal())

    def is_legal(self, move):
        """Whether a move, given as a Move or as text, can be played now."""
        try:
            self.legal_number(move)
        except ValueError:
            return False
        return True

    def wins(self, side=None):
        """The moves that would win at once for a side: "x", "o" or, by default, the side to move.

        The side to move and the board in force do not matter, but the move must be playable.

        >>> board = Board("connect4")
        >>> board.push_moves("44553")
        >>> board.wins("x")
        [Move('2'), Move('6')]
        """
        if side is not None and side not in ("x", "o"):
            raise ValueError(f"unknown side {side!r}; choose from x, o")
        if not some(self.legal()):
            return []
        cdef bint mine = side is None or side == self.turn
        return self.named(wins(&self.ruleset.rules, &self.stack[self.height], mine))

    def safe_moves(self):
        """The legal moves after which the other side cannot win at once, or that win themselves."""
        cdef State* state = &self.stack[self.height]
        if not some(self.legal()):
            return []
        winning = self.named(immediate(&self.ruleset.rules, state))
        others = self.named(safe(&self.ruleset.rules, state))
        return sorted({*winning, *others}, key=lambda move: move.number)

    def is_hopeless(self):
        """Whether neither side can win any more."""
        return not (winnable(&self.ruleset.rules, &self.stack[self.height], True)
                    or winnable(&self.ruleset.rules, &self.stack[self.height], False))

    @property
    def ply(self):
        """The number of marks on the board."""
        return ply(&self.ruleset.rules, &self.stack[self.height])

    @property
    def turn(self):
        """The side to move, "x" or "o"."""
        return "o" if ply(&self.ruleset.rules, &self.stack[self.height]) & 1 else "x"

    @property
    def key(self):
        """A 64-bit hash key: equal for equal positions of a game and its options."""
        return key(&self.ruleset.rules, &self.stack[self.height])

    def canonical_key(self):
        """The least key of the position's symmetric images."""
        cdef uint64_t least
        canonical(&self.ruleset.rules, &self.stack[self.height], &least)
        return least

    def outcome_value(self):
        """1, 0 or -1 if the side to move has won, drawn or lost; None while the game runs."""
        cdef State* state = &self.stack[self.height]
        if won(&self.ruleset.rules, state):
            return -1
        if no_moves_left(&self.ruleset.rules, state):
            return final_result(&self.ruleset.rules, state)
        return None

    # --- whole positions ------------------------------------------------------------------------

    cdef Position clone(self):
        cdef Position fresh = Position.__new__(type(self), self.ruleset)
        memcpy(fresh.stack, self.stack, (self.height + 1) * sizeof(State))
        memcpy(fresh.played, self.played, self.height)
        fresh.height = self.height
        return fresh

    def copy(self, *, stack=True):
        """An independent board with the same position; without its history if not `stack`."""
        if stack is not True and stack is not False:
            raise TypeError(f"stack={stack!r}: expected True or False")
        if stack:
            return self.clone()
        cdef Position fresh = Position.__new__(type(self), self.ruleset)
        fresh.stack[0] = self.stack[self.height]
        return fresh

    def reset(self):
        """Goes back to the first position of the game and forgets the history."""
        start(&self.ruleset.rules, &self.stack[0])
        self.height = 0

    def record(self):
        """The history as bytes: the number of each move."""
        return PyBytes_FromStringAndSize(<char*> self.played, self.height)

    def replay(self, bytes record not None):
        """Plays the moves of a record; raises IllegalMove at the first that cannot be played."""
        cdef int which
        for which in record:
            if not (0 <= which < move_count(&self.ruleset.rules) and has(
                    self.legal(),
                    numbered(&self.ruleset.rules, &self.stack[self.height], which))):
                raise IllegalMove(f"move number {which} cannot be played")
            self.add(which)

    def is_from_start(self):
        """Whether the history goes back to the first position of the game."""
        cdef State first
        start(&self.ruleset.rules, &first)
        return (ply(&self.ruleset.rules, &self.stack[0]) == 0
                and key(&self.ruleset.rules, &self.stack[0]) == key(&self.ruleset.rules, &first))

    def root(self):
        """The position before the first move of the history."""
        cdef Position fresh = Position.__new__(type(self), self.ruleset)
        fresh.stack[0] = self.stack[0]
        return fresh

    def transform(self, symmetry):
        """The image of the position under a symmetry of the board; 0 is the identity."""
        symmetry = index(symmetry)
        cdef Position fresh = Position.__new__(type(self), self.ruleset)
        cdef int i
        if not 0 <= symmetry < symmetries(&self.ruleset.rules):
            raise IndexError(
                f"symmetry {symmetry}: expected 0 to {symmetries(&self.ruleset.rules) - 1}")
        for i in range(self.height + 1):
            transform(&self.ruleset.rules, symmetry, &self.stack[i], &fresh.stack[i])
        for i in range(self.height):
            fresh.played[i] = image(&self.ruleset.rules, symmetry, self.played[i])
        fresh.height = self.height
        return fresh

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        cdef Position theirs = other
        if self.ruleset.options != theirs.ruleset.options or self.key != theirs.key:
            return False
        return self.picture() == theirs.picture()

    def __hash__(self):
        return hash((type(self), self.ruleset.options, self.key))

    def picture(self):
        """(marks, board in force, owners): "x", "o" or "." for each cell in reading order; the
        board in force 0-8, "*" for any board, None for none; the owner of each board of
        ultimate."""
        cdef Picture picture
        picture.owners[0] = 0
        describe(&self.ruleset.rules, &self.stack[self.height], &picture)
        board = None if picture.board == NO_BOARD else picture.board
        return (
            picture.marks[:cells(&self.ruleset.rules)].decode("ascii"),
            "*" if board == ANY_BOARD else board,
            picture.owners[:9].decode("ascii") if picture.owners[0] else "",
        )

    def line_cells(self):
        """The cells of the winning lines, by number in reading order; empty if nobody has won."""
        cdef Picture picture
        describe(&self.ruleset.rules, &self.stack[self.height], &picture)
        return [i for i in range(cells(&self.ruleset.rules)) if picture.line[i]]

    def set_picture(self, str marks, board=None, str owners=""):
        """Sets the position from what `picture` returns; raises BadNotation if it is impossible."""
        cdef int size = cells(&self.ruleset.rules)
        cdef Picture picture
        cdef State state
        cdef int i
        if len(marks) != size or not set(marks) <= set("xo."):
            raise BadNotation(f"the board is {size} cells, each x, o or a dot")
        if len(owners) not in (0, 9) or not set(owners) <= set("xo."):
            raise BadNotation("the owners are nine boards, each x, o or a dot")
        if board is not None and board != "*" and index(board) not in range(9):
            raise BadNotation(f"{board!r} is not a board: expected 0-8 or *")
        picture.owners[0] = 0
        start(&self.ruleset.rules, &state)
        describe(&self.ruleset.rules, &state, &picture)
        if owners and not picture.owners[0]:
            raise BadNotation("this game has no owners of boards")
        if board is not None and picture.board == NO_BOARD:
            raise BadNotation("this game has no board in force")
        for i in range(size):
            picture.marks[i] = ord(marks[i])
        for i in range(9):
            picture.owners[i] = ord(owners[i]) if owners else 0
        picture.board = NO_BOARD if board is None else ANY_BOARD if board == "*" else board
        picture.ply = size - marks.count(".")
        if marks.count("x") - marks.count("o") != picture.ply % 2:
            raise BadNotation(
                f"{marks.count('x')} x and {marks.count('o')} o: x and o alternate, x first")
        cdef const char* wrong = arrange(&self.ruleset.rules, &state, &picture)
        if wrong != NULL:
            raise BadNotation(wrong.decode())
        if won(&self.ruleset.rules, &state) and not self.won_by_one(&picture):
            raise BadNotation("no single last move completes all the lines")
        self.stack[0] = state
        self.height = 0

    # Whether the position can have been won by its last move alone.
    cdef bint won_by_one(self, Picture* picture) noexcept:
        cdef char mover = c'x' if picture.ply & 1 else c'o'
        cdef State before
        cdef Picture earlier = picture[0]
        cdef int i
        earlier.ply -= 1
        earlier.board = UNKNOWN_BOARD
        for i in range(cells(&self.ruleset.rules)):
            if picture.marks[i] != mover:
                continue
            earlier.marks[i] = c'.'
            if arrange(&self.ruleset.rules, &before, &earlier) == NULL:
                return True
            earlier.marks[i] = mover
        return False

    # --- counting and playing on ----------------------------------------------------------------

    def perft(self, depth):
        """The number of move sequences of exactly `depth` plies.

        >>> Board("tictactoe").perft(5)
        15120
        """
        return self.count_leaves(depth)[0]

    def count_leaves(self, depth):
        """(perft, the number of its sequences that end with a winning move)."""
        cdef State state = self.stack[self.height]
        cdef int plies
        cdef Count count
        cdef Limits limits
        depth = index(depth)
        if depth < 0:
            raise ValueError(f"depth={depth}: must be at least 0")
        if depth == 0:
            return 1, int(won(&self.ruleset.rules, &state))
        if (won(&self.ruleset.rules, &state)
                or depth > cells(&self.ruleset.rules) - ply(&self.ruleset.rules, &state)):
            return 0, 0
        plies = depth
        start_limits(&limits, UNLIMITED_NODES, 0, NULL, True)
        set_poll_interval(&limits, POLL_LEAVES)
        with nogil:
            count = polled_perft(&self.ruleset.rules, &state, plies, &limits)
        if limits.interrupted:
            propagate()
        return count.nodes, count.won

    def divide(self, depth):
        """Perft of each move: {move: number of sequences that begin with it}."""
        depth = index(depth)
        if depth < 1:
            raise ValueError(f"depth={depth}: must be at least 1")
        cdef Position below = self.clone()
        found = {}
        for move in self.named(below.legal()):
            below.push(move)
            found[move] = below.count_leaves(depth - 1)[0]
            below.pop()
        return found

    def playout(self, seed=0):
        """A copy of the board played to the end by uniformly random moves."""
        cdef uint64_t start_value = index(seed) & 0xFFFFFFFFFFFFFFFF
        cdef Position fresh = self.clone()
        cdef State state = fresh.stack[fresh.height]
        cdef uint8_t played[PLIES]
        cdef Random random
        cdef int i, length
        seed_random(&random, start_value)
        playout(&self.ruleset.rules, &state, &random, played, &length)
        for i in range(length):
            fresh.push(fresh.ruleset.moves[played[i]])
        return fresh

    def playouts(self, games, seed=0):
        """Random games from here: {"x": won, "o": won, "draw": drawn, "plies": total plies}."""
        cdef uint64_t start_value = index(seed) & 0xFFFFFFFFFFFFFFFF
        cdef int64_t wanted = index(games)
        cdef uint64_t outcomes[3]
        cdef uint64_t plies = 0
        cdef State root = self.stack[self.height]
        cdef State state
        cdef Random random
        cdef Limits limits
        cdef int length
        cdef bint second = ply(&self.ruleset.rules, &root) & 1
        if wanted < 0:
            raise ValueError(f"games={games}: must be at least 0")
        outcomes[0] = outcomes[1] = outcomes[2] = 0
        seed_random(&random, start_value)
        start_limits(&limits, wanted, 0, NULL, True)
        set_poll_interval(&limits, POLL_GAMES)
        limits.stopped = wanted == 0
        with nogil:
            while not limits.stopped:
                state = root
                outcomes[playout(&self.ruleset.rules, &state, &random, NULL, &length) + 1] += 1
                plies += length
                count_game(&limits)
        if limits.interrupted:
            propagate()
        mine, other = ("o", "x") if second else ("x", "o")
        return {mine: outcomes[2], other: outcomes[0], "draw": outcomes[1], "plies": plies}
