"""Connect Four, compiled: see `connect4.pxd` for the rules and the layout."""

from ttt_core.cells64 cimport count, has, nothing, pick, some, take
from ttt_core.evaluations.connect4 cimport DEFAULT, EVALUATIONS, Weights, evaluate, prepare_weights
from ttt_core.chains.none cimport Chains, chain_plies, prepare_chains
from ttt_core.survey cimport Survey, count_children

EVALUATION_NAMES = ("none", "default", "attack-block")

cdef enum:
    TACTICS = 2  # of the random games of mcts.pxi
    MARGIN = 0  # of pvs.pxi


cdef const char* configure(Rules* rules, options):
    columns, rows, connect = options
    return prepare(rules, columns, rows, connect)


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
