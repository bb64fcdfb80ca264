# The parts of an extension module of the Connect Four solver.
#
# Needs: what the included files list in their headers.

include "../../runtime/threads.pxi"
include "search.pxi"
include "driver.pxi"
include "binding.pxi"
