"""The limits of the server. A request that asks for more is refused with a reason."""

from typing import NamedTuple


class WebLimits(NamedTuple):
    """What one request, one client and all clients together may use."""

    seconds: float = 60.0
    """Seconds of an analysis; of a review, for the whole game."""
    move_seconds: float = 10.0
    """Seconds of a player's move."""
    nodes: int = 1_000_000_000
    """Nodes of a search."""
    hash: int = 64
    """MiB of the table of one engine, and the most that a player text may ask for."""
    searches: int = 8
    """Searches at the same time."""
    wait: float = 0.5
    """Seconds that a request waits for one of them to end before it is refused."""
    body: int = 65_536
    """Bytes of a request's body."""
    body_seconds: float = 10.0
    """Seconds within which the body must arrive."""
    request_seconds: float = 15.0
    """Seconds within which a whole request must arrive; the connection is closed otherwise."""
    moves: int = 256
    """Moves of a game: no game lasts longer."""
    rate: float = 20.0
    """Searches per second that one client address may start in the long run."""
    burst: int = 60
    """Searches that it may start at once."""
    connections: int = 1_000
    """Open connections."""


DEFAULT_LIMITS = WebLimits()
