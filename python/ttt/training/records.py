"""Records of self-play games as numpy reads them; see `src/ttt_core/training/record.pxd`.

A file of games is an array of RECORD: `numpy.fromfile(path, RECORD)`. Every game ends with a record
of kind END.
"""

import numpy as np

RECORD = np.dtype([("move", np.uint8), ("kind", np.uint8), ("score", np.int16)])
OPENING, SEARCHED, RANDOM, END = range(4)
