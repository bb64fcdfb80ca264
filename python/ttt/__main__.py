"""`python -m ttt` is `ttt`."""

import sys

from ttt.cli.main import main

sys.exit(main())
