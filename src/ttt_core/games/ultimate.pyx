"""Ultimate tic-tac-toe, compiled: see `ultimate.pxd` for the rules and the layout."""

from ttt_core.cells81 cimport count, has, pick, some, take
from ttt_core.evaluations.ultimate cimport DEFAULT, EVALUATIONS, Weights, evaluate, prepare_weights
from ttt_core.evaluations.ultimate_model cimport ROWS, UNITS, take_units
from ttt_core.evaluations.ultimate_weights cimport WEIGHTS_CHECK, WEIGHTS_VERSION
from ttt_core.chains.none cimport Chains, chain_plies, prepare_chains
from ttt_core.survey cimport Survey, count_children

EVALUATION_NAMES = ("none", "default", "open-lines", "two-in-a-row")
WEIGHTS = (WEIGHTS_VERSION, WEIGHTS_CHECK)  # of the learned evaluation

cdef enum:
    TACTICS = 1  # of the random games of mcts.pxi
    MARGIN = 20  # of pvs.pxi


cdef const char* configure(Rules* rules, options):
    count_boards, won_open = options
    return prepare(rules, count_boards, won_open)


include "../search/perft.pxi"
include "../search/playout.pxi"
include "../search/pvs.pxi"
include "../search/ruleset.pxi"
include "../search/position.pxi"
include "../search/survey.pxi"
include "../search/plain.pxi"
include "../search/turns.pxi"
include "../search/engine.pxi"
include "../search/batch.pxi"
include "../search/montecarlo.pxi"
include "../search/mcts.pxi"
include "../search/sampler.pxi"
include "../search/learning.pxi"
