"""TCP connections that carry lines of text."""

import contextlib
import socket
import weakref
from typing import BinaryIO, cast

from ttt.protocols.lines import LineReader


class Connection:
    """A connection with lines in both directions; `close` ends it."""

    def __init__(self, link: socket.socket) -> None:
        link.settimeout(None)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._link = link
        self.lines = LineReader(cast("BinaryIO", link.makefile("rb")))
        self.close = weakref.finalize(self, _close, link, self.lines)

    def send(self, *lines: str) -> None:
        """Writes lines; raises OSError if the connection is lost."""
        self._link.sendall("".join(f"{line}\n" for line in lines).encode())

    def read(self, deadline: float | None) -> str:
        """The next line; raises TimeoutError at the deadline, EOFError at the end."""
        return self.lines.read(deadline)


def _close(link: socket.socket, lines: LineReader) -> None:
    with contextlib.suppress(OSError):
        link.shutdown(socket.SHUT_RDWR)
    link.close()
    lines.join(1)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _check_port(port: int) -> None:
    if not 0 <= port <= 65535:
        raise ValueError(f"port {port}: expected 0 to 65535")


def listen(host: str, port: int) -> socket.socket:
    """A socket that accepts connections; port 0 means any free one. Raises ValueError."""
    _check_port(port)
    try:
        return socket.create_server((host, port), backlog=4)
    except OSError as error:
        raise ValueError(f"cannot listen on {host} port {port}: {_reason(error)}") from None


def connect(host: str, port: int, seconds: float = 10.0) -> Connection:
    """A connection to a server; raises ValueError if there is none."""
    _check_port(port)
    try:
        return Connection(socket.create_connection((host, port), seconds))
    except OSError as error:
        raise ValueError(f"cannot connect to {host} port {port}: {_reason(error)}") from None
