# All that the extension module of a game is made of: searches, and their Python classes.
#
# Needs: what the included files name at their head.

include "../search/perft.pxi"
include "../search/playout.pxi"
include "../search/pvs.pxi"
include "ruleset.pxi"
include "position.pxi"
include "../search/minimax.pxi"
include "../runtime/threads.pxi"
include "engine.pxi"
include "batch.pxi"
include "../search/montecarlo.pxi"
include "../search/mcts.pxi"
include "sampler.pxi"
