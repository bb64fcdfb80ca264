"""Connect Four, compiled: see `connect4.pxd` for the rules and the layout."""

from ttt_core.primitives.cells64 cimport count, has, nothing, pick, some, take  # no-cython-lint
from ttt_core.runtime.counters cimport Counters, count_children
from ttt_core.evaluations.connect4 cimport (
    DEFAULT, EVALUATIONS, LEARNED_WEIGHTS, Weights, evaluate, prepare_weights,  # no-cython-lint
)
from ttt_core.search.threats.none cimport (
    ThreatSearch, prepare_threats, threat_win_plies,  # no-cython-lint
)

EVALUATION_NAMES = ("none", "default", "attack-block")

cdef enum:
    TACTICS = 2  # see mcts.pxi
    FUTILITY_MARGIN = 0  # see pvs.pxi
    LMR_DIVISOR = 150  # see pvs.pxi
    ASPIRATION_WINDOW = 40  # see deepening.pxi


cdef const char* configure(Rules* rules, options):
    columns, rows, connect = options
    return prepare(rules, columns, rows, connect)


include "../evaluations/stateless.pxi"
include "../search/last_ply.pxi"
include "../bindings/all.pxi"
