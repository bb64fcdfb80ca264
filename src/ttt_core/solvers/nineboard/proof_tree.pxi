# The tree of a proof that x wins under full=draw: canonical positions and the replies to a move.
#
# A position with x to move is a text of 82 characters: its 81 marks, board by board, and the board
# in force, 1-9, or * for any. The canonical one of its eight symmetric images is the least.
#
# Needs: solver.pyx up to its includes, binding.pxi.

cdef enum:
    SYMMETRIES = 8

cdef Rules tree_rules
prepare(&tree_rules, True)


# Sets up the state of a position; raises BadNotation if it is impossible or o is to move.
cdef int read_position(str position, State* state) except -1:
    cdef Picture picture
    cdef int i
    if len(position) != 82 or not set(position[:81]) <= set("xo.") or (
            position[81] not in "123456789*"):
        raise BadNotation("expected 81 marks, each x, o or ., and a board, 1-9 or *")
    for i in range(81):
        picture.marks[i] = ord(position[i])
    picture.board = ANY_BOARD if position[81] == "*" else ord(position[81]) - ord("1")
    picture.ply = 81 - position.count(".", 0, 81)
    if picture.ply % 2 or 2 * position.count("x", 0, 81) != picture.ply:
        raise BadNotation("x is not to move")
    cdef const char* wrong = arrange(&tree_rules, state, &picture)
    if wrong != NULL:
        raise BadNotation(wrong.decode())
    return 0


cdef str position_text(const State* state):
    cdef Picture picture
    describe(&tree_rules, state, &picture)
    return picture.marks[:81].decode("ascii") + (
        "*" if picture.board == ANY_BOARD else chr(ord("1") + picture.board))


# The canonical position; `symmetry` gets the number of the symmetry that leads to it.
cdef str canonical_text(const State* state, int* symmetry):
    cdef State image
    cdef str text, least = None
    cdef int i
    for i in range(SYMMETRIES):
        transform(&tree_rules, i, state, &image)
        text = position_text(&image)
        if least is None or text < least:
            least = text
            symmetry[0] = i
    return least


def canonical(str position not None):
    """(position, symmetry): the canonical position, and the symmetry that leads to it."""
    cdef State state
    cdef int symmetry = 0
    read_position(position, &state)
    return canonical_text(&state, &symmetry), symmetry


def image_of_move(int symmetry, int move):
    """The move that a symmetry maps a move to."""
    if not 0 <= symmetry < SYMMETRIES or not 0 <= move < MOVES:
        raise ValueError(f"symmetry {symmetry}, move {move}: expected 0 to 7, and 0 to 80")
    return move_image(&tree_rules.nine, symmetry, move)


def original_of_move(int symmetry, int move):
    """The move that a symmetry maps to a move."""
    for other in range(MOVES):
        if image_of_move(symmetry, other) == move:
            return other
    raise ValueError(f"move {move}: expected 0 to 80")


def wins_at_once(str position not None):
    """Whether x completes a line with its next move."""
    cdef State state
    read_position(position, &state)
    return some(immediate(&tree_rules, &state))


def replies(str position not None, int move):
    """(positions, wins): the positions after a move of x and every reply of o in which x does not
    win at once, in the order of the replies, and the number of replies after which x does.

    Raises ValueError if the move is illegal, points to a full board or lets o win or draw at once.
    """
    cdef State state
    cdef Undo undo, reply_undo
    cdef MoveSet rest
    cdef Move reply
    cdef int lost = 0
    read_position(position, &state)
    if move not in numbers_of(legal_moves(&tree_rules, &state)):
        raise ValueError("an illegal move of x")
    enter(&tree_rules, &state, move, &undo)
    if won(&tree_rules, &state):
        raise ValueError("x wins at once: such a position has no record")
    if no_moves_left(&tree_rules, &state):
        raise ValueError("a move of x points to a full board")
    if some(immediate(&tree_rules, &state)):
        raise ValueError("a move of x lets o win at once")
    rest = legal_moves(&tree_rules, &state)
    found = []
    while some(rest):
        reply = take(&rest)
        enter(&tree_rules, &state, reply, &reply_undo)
        if no_moves_left(&tree_rules, &state):
            raise ValueError("o can point to a full board")
        if some(immediate(&tree_rules, &state)):
            lost += 1
        else:
            found.append(position_text(&state))
        leave(&tree_rules, &state, reply, &reply_undo)
    return found, lost
