# What a learned evaluation needs: games of the engine with itself, and weights put in its place.
#
# Needs: engine.pxi and playout.pxi; some count pick; won moves safe winnable settle; ROWS UNITS
# take_units of the evaluation.

from libc.stdint cimport int16_t

from ttt_core.runtime.limits cimport restart_limits
from ttt_core.runtime.signals cimport interrupted
from ttt_core.training.record cimport CHOSEN, DRAWN_BY_LOT, ENDED, STRAY, Turn


# The score of the best move, which the search puts first, after `nodes` nodes or so.
cdef int think(Worker* worker, Root* root, State* state, uint64_t nodes) noexcept nogil:
    cdef MoveSet rest = moves(worker.rules, state)
    cdef int depth = 0
    memset(worker.history, 0, sizeof(worker.history))
    restart_limits(&worker.limits, nodes)
    set_root(worker, state, True)
    worker.table.generation += 1
    root.moves = 0
    while some(rest):
        root.move[root.moves] = take(&rest)
        root.score[root.moves] = 0
        root.pv_length[root.moves] = 1
        root.moves += 1
    while depth < worker.left and not worker.limits.stopped and abs(root.score[0]) < DECIDED:
        depth += 1
        iterate(worker, root, state, depth, 1)
    return root.score[0]


# Plays a game until it is over or a search has seen its end; returns the number of turns, 0 if
# Ctrl-C came in between.
cdef int play_itself(Worker* worker, Root* root, Random* random, uint64_t nodes, int opening,
                     double strays, Turn* turns) noexcept nogil:
    cdef const Rules* rules = worker.rules
    cdef State state
    cdef MoveSet options
    cdef Move move
    cdef Turn* turn = turns
    cdef int score, result = 0, lots = 1 + below(random, opening)
    start(rules, &state)
    memset(worker.table.slots, 0, worker.table.buckets * BUCKET * sizeof(Slot))
    while True:
        if won(rules, &state):
            result = -1
            break
        options = moves(rules, &state)
        if not some(options):
            result = final_result(rules, &state)
            break
        if not (winnable(rules, &state, True) or winnable(rules, &state, False)):
            break
        turn.kind = DRAWN_BY_LOT
        turn.score = 0
        if turn - turns >= lots:
            turn.kind = CHOSEN
            score = think(worker, root, &state, nodes)
            if worker.limits.interrupted:
                return 0
            if abs(score) >= DECIDED:
                result = 1 if score > 0 else -1
                break
            turn.score = <int16_t> score
            if below(random, 1 << 20) < strays * (1 << 20):
                turn.kind = STRAY
        move = root.move[0]
        if turn.kind != CHOSEN:
            if not some(immediate(rules, &state)) and some(safe(rules, &state)):
                options = safe(rules, &state)
            move = pick(options, below(random, count(options)))
        turn.move = <uint8_t> number(rules, move)
        turn += 1
        play(rules, &state, move)
    turn.move = 0
    turn.kind = ENDED
    turn.score = <int16_t> (result if ply(rules, &state) % 2 == 0 else -result)
    return <int> (turn - turns) + 1


def play_games(Engine engine not None, int games, uint64_t seed, uint64_t nodes, int opening,
               double strays, int evaluation):
    """So many games of an engine with itself, so many nodes a move, as a bytearray of turns. The
    first 1 to `opening` moves are drawn by lot, then a share `strays` of the moves.
    `engine.stop()` leaves it at those that are over. The engine's table is left empty."""
    if games < 1 or nodes < 1 or opening < 1:
        raise ValueError("games, nodes and opening are numbers from 1 up")
    if not 0 <= evaluation < EVALUATIONS:
        raise ValueError(f"there is no evaluation {evaluation}")
    cdef Random random
    cdef Worker* worker = NULL
    cdef Root* root = NULL
    cdef Turn turns[PLIES + 1]
    cdef int length
    found = bytearray()
    engine.lock.take()
    try:
        worker = <Worker*> PyMem_Calloc(1, sizeof(Worker))
        root = <Root*> PyMem_Calloc(1, sizeof(Root))
        if worker == NULL or root == NULL:
            raise MemoryError("no memory for the search")
        seed_random(&random, seed)
        store_flag(&engine.stop_flag, 0)
        engine.widen(2.0 * nodes)
        engine.prepare_worker(worker, evaluation, True)
        start_limits(&worker.limits, nodes, 0, &engine.stop_flag,
                     current_thread() is main_thread())
        while games:
            with nogil:
                length = play_itself(worker, root, &random, nodes, opening, strays, turns)
            if worker.limits.interrupted or interrupted():
                propagate()
            if load_flag(&engine.stop_flag):
                break
            found += (<char*> turns)[:length * sizeof(Turn)]
            games -= 1
    finally:
        PyMem_Free(worker)
        PyMem_Free(root)
        memset(engine.table.slots, 0, engine.table.buckets * BUCKET * sizeof(Slot))
        engine.lock.give()
    return found


def take_weights(Ruleset ruleset not None, const int16_t[:, ::1] units not None):
    """Replaces the learned weights of `default`: a row a feature, a column a unit. Every
    engine of this ruleset has them then: `ttt.Engine` makes one for the same options only once.
    None may search meanwhile, and tables of earlier searches are to be cleared."""
    if units.shape[0] != ROWS or units.shape[1] != UNITS:
        raise ValueError(f"the weights are {ROWS} rows of {UNITS}")
    take_units(&ruleset.weigh().model, &ruleset.rules.nine, &units[0, 0])
