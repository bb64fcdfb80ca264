"""Nine-board tic-tac-toe, compiled: see `nineboard.pxd` for the rules and the layout."""

from ttt_core.cells81 cimport count, has, pick, some, take
from ttt_core.evaluations.nineboard cimport (
    DEFAULT, EVALUATIONS, Weights, evaluate, prepare_weights, survey,
)
from ttt_core.chains.none cimport Chains, chain_plies, prepare_chains
from ttt_core.evaluations.nineboard_model cimport ROWS, UNITS, take_units
from ttt_core.evaluations.nineboard_weights cimport WEIGHTS_CHECK, WEIGHTS_VERSION
from ttt_core.survey cimport Survey

WEIGHTS = (WEIGHTS_VERSION, WEIGHTS_CHECK)  # of the learned evaluation
EVALUATION_NAMES = ("none", "default", "line-weights", "two-in-a-row", "threats")

cdef enum:
    TACTICS = 2  # of the random games of mcts.pxi
    MARGIN = 10  # of pvs.pxi


cdef const char* configure(Rules* rules, options):
    full_draws, = options
    return prepare(rules, full_draws)


include "../search/perft.pxi"
include "../search/playout.pxi"
include "../search/pvs.pxi"
include "../search/ruleset.pxi"
include "../search/position.pxi"
include "../search/plain.pxi"
include "../search/turns.pxi"
include "../search/engine.pxi"
include "../search/batch.pxi"
include "../search/montecarlo.pxi"
include "../search/mcts.pxi"
include "../search/sampler.pxi"
include "../search/learning.pxi"
