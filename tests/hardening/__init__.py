"""The checks of `make harden`, one per module; `tests/harden.py` runs them."""

from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table."""

    test: str
    figure: str
    limit: str
    good: bool
