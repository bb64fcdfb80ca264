"""Ultimate tic-tac-toe, compiled: see `ultimate.pxd` for the rules and the layout."""

from ttt_core.primitives.cells81 cimport count, has, pick, some, take  # no-cython-lint
from ttt_core.runtime.counters cimport Counters, count_children
from ttt_core.evaluations.ultimate cimport (
    DEFAULT, EVALUATIONS, LEARNED_WEIGHTS, Accumulator, Weights, evaluate, evaluate_near,  # no-cython-lint
    prepare_weights,  # no-cython-lint
)
from ttt_core.search.threats.none cimport (
    ThreatSearch, prepare_threats, threat_win_plies,  # no-cython-lint
)

EVALUATION_NAMES = ("none", "default", "open-lines", "two-in-a-row")

cdef enum:
    TACTICS = 1  # see mcts.pxi
    FUTILITY_MARGIN = 20  # see pvs.pxi
    LMR_DIVISOR = 100  # see pvs.pxi
    ASPIRATION_WINDOW = 100  # see deepening.pxi


cdef const char* configure(Rules* rules, options):
    count_boards, won_open = options
    return prepare(rules, count_boards, won_open)


include "../search/last_ply.pxi"
include "../bindings/all.pxi"
include "../training/selfplay.pxi"
