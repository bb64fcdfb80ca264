"""What `make harden` checks, a module each with a function `check`; `tests/harden.py` runs them."""

from typing import NamedTuple


class Row(NamedTuple):
    """A line of the table."""

    test: str
    figure: str
    limit: str
    good: bool
