"""`python -m ttt` is `ttt`."""

import sys

from ttt.cli import main

sys.exit(main())
