# Self-play: games of an engine against itself, recorded to train its evaluation.
#
# Needs: engine.pxi and playout.pxi; some count pick; won moves safe winnable final_result.

from libc.stdint cimport int16_t

from ttt_core.runtime.limits cimport restart_limits
from ttt_core.runtime.signals cimport interrupted
from ttt_core.training.record cimport END, OPENING, RANDOM, SEARCHED, MoveRecord


# Searches about `nodes` nodes. Puts the best move first and returns its score.
cdef int search_position(Worker* worker, Root* root, State* state, uint64_t nodes) noexcept nogil:
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


# Plays a game until it is over or a search has proven its result. Returns the number of records, 0
# if Ctrl-C interrupted it.
cdef int play_game(Worker* worker, Root* root, Random* random, uint64_t nodes, int opening,
                   double random_moves, MoveRecord* records) noexcept nogil:
    cdef const Rules* rules = worker.rules
    cdef State state
    cdef MoveSet options
    cdef Move move
    cdef MoveRecord* record = records
    cdef int score, result = 0, plies = below(random, opening + 1)
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
        record.kind = OPENING
        record.score = 0
        if record - records >= plies:
            record.kind = SEARCHED
            score = search_position(worker, root, &state, nodes)
            if worker.limits.interrupted:
                return 0
            if abs(score) >= DECIDED:
                result = 1 if score > 0 else -1
                break
            record.score = <int16_t> score
            if below(random, 1 << 20) < random_moves * (1 << 20):
                record.kind = RANDOM
        move = root.move[0]
        if record.kind != SEARCHED:
            if not some(immediate(rules, &state)) and some(safe(rules, &state)):
                options = safe(rules, &state)
            move = pick(options, below(random, count(options)))
        record.move = <uint8_t> number(rules, move)
        record += 1
        play(rules, &state, move)
    record.move = 0
    record.kind = END
    record.score = <int16_t> (result if ply(rules, &state) % 2 == 0 else -result)
    return <int> (record - records) + 1


def play_games(Engine engine not None, int games, uint64_t seed, uint64_t nodes, int opening,
               double random_moves, int evaluation):
    """Plays a number of games, at `nodes` nodes a move, and returns them as a bytearray of records
    (`training/record.pxd`). The first 0 to `opening` moves are random, later ones with probability
    `random_moves`. After `engine.stop()` it returns the games finished so far. Leaves the engine's
    table empty."""
    if games < 1 or nodes < 1 or opening < 0:
        raise ValueError("games and nodes must be at least 1, opening at least 0")
    if not 0 <= evaluation < EVALUATIONS:
        raise ValueError(f"evaluation {evaluation}: expected 0 to {EVALUATIONS - 1}")
    cdef Random random
    cdef Worker* worker = NULL
    cdef Root* root = NULL
    cdef MoveRecord records[PLIES + 1]
    cdef int length
    found = bytearray()
    engine.lock.acquire()
    try:
        worker = <Worker*> PyMem_Calloc(1, sizeof(Worker))
        root = <Root*> PyMem_Calloc(1, sizeof(Root))
        if worker == NULL or root == NULL:
            raise MemoryError("out of memory: cannot allocate the search")
        seed_random(&random, seed)
        store_flag(&engine.stop_flag, 0)
        engine.widen(2.0 * nodes)
        engine.prepare_worker(worker, evaluation, True)
        start_limits(&worker.limits, nodes, 0, &engine.stop_flag,
                     in_main_thread())
        while games:
            with nogil:
                length = play_game(worker, root, &random, nodes, opening, random_moves, records)
            if worker.limits.interrupted or interrupted():
                propagate()
            if load_flag(&engine.stop_flag):
                break
            found += (<char*> records)[:length * sizeof(MoveRecord)]
            games -= 1
    finally:
        PyMem_Free(worker)
        PyMem_Free(root)
        memset(engine.table.slots, 0, engine.table.buckets * BUCKET * sizeof(Slot))
        engine.lock.release()
    return found
