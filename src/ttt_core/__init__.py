"""The compiled core of ttt: rules and search, for Python and for other compiled modules."""

import os


def get_include() -> str:
    """The folder to put on Cython's include path in order to cimport `ttt_core`."""
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
