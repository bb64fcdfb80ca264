# The rules of one game without Python, for the page before the engine runs: one position, the moves
# that can be played there, and what is on the board. rules.py compiles it for each game.
#
# Needs: Rules State; configure start moves won no_moves_left final_result numbered move_count play
# describe ply; has.

from ttt_core.primitives.picture cimport Picture

cdef enum:
    RUNNING = 2  # no value of a finished game

cdef Rules rules
cdef State state
cdef Picture picture


# Goes to the first position; the first call of all.
cdef public void begin() noexcept nogil:
    configure(&rules)
    start(&rules, &state)


# Whether the move with this number can be played.
cdef public bint can_play(int which) noexcept nogil:
    return (0 <= which < move_count(&rules) and not won(&rules, &state)
            and has(moves(&rules, &state), numbered(&rules, &state, which)))


# Plays the move with this number; False if that is not allowed.
cdef public bint push(int which) noexcept nogil:
    if not can_play(which):
        return False
    play(&rules, &state, numbered(&rules, &state, which))
    return True


# 1, 0 or -1 if the side to move has won, drawn or lost; RUNNING while nobody has.
cdef public int outcome_value() noexcept nogil:
    if won(&rules, &state):
        return -1
    return final_result(&rules, &state) if no_moves_left(&rules, &state) else RUNNING


cdef public int plies() noexcept nogil:
    return ply(&rules, &state)


# The mark of each cell, the owner of each board and the cells of the winning lines: where they are
# in memory, until the next call. The owners begin with 0 in games without them.
cdef public const char* marks() noexcept nogil:
    picture.owners[0] = 0
    describe(&rules, &state, &picture)
    return picture.marks


cdef public const char* owners() noexcept nogil:
    return picture.owners


cdef public const char* line() noexcept nogil:
    return picture.line
