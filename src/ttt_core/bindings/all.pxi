# The parts of a game's extension module: searches, and the Python classes that run them.
#
# Needs: what the included files list in their headers.

include "../search/perft.pxi"
include "../search/playout.pxi"
include "../search/pvs.pxi"
include "../search/deepening.pxi"
include "ruleset.pxi"
include "position.pxi"
include "../search/minimax.pxi"
include "../runtime/threads.pxi"
include "engine.pxi"
include "batch.pxi"
include "../search/montecarlo.pxi"
include "../search/mcts.pxi"
include "sampler.pxi"
