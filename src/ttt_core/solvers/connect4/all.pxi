# All that an extension module of the Connect Four solver is made of.
#
# Needs: what the included files name at their head.

include "../../runtime/threads.pxi"
include "search.pxi"
include "driver.pxi"
include "binding.pxi"
