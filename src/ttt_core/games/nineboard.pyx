"""Nine-board tic-tac-toe, compiled: see `nineboard.pxd` for the rules and the layout."""

from ttt_core.primitives.cells81 cimport count, has, pick, some, take  # no-cython-lint
from ttt_core.runtime.counters cimport Counters  # no-cython-lint
from ttt_core.evaluations.nineboard cimport (
    DEFAULT, EVALUATIONS, LEARNED_WEIGHTS, Accumulator, Weights, evaluate, evaluate_near,  # no-cython-lint
    last_ply, prepare_weights,  # no-cython-lint
)
from ttt_core.search.threats.none cimport (
    ThreatSearch, prepare_threats, threat_win_plies,  # no-cython-lint
)

EVALUATION_NAMES = ("none", "default", "line-weights", "two-in-a-row", "threats")

cdef enum:
    TACTICS = 2  # see mcts.pxi
    FUTILITY_MARGIN = 10  # see pvs.pxi
    LMR_DIVISOR = 150  # see pvs.pxi
    ASPIRATION_WINDOW = 40  # see deepening.pxi


cdef const char* configure(Rules* rules, options):
    full_draws, = options
    return prepare(rules, full_draws)


include "../bindings/all.pxi"
include "../training/selfplay.pxi"
