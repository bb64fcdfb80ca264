"""Fixtures for all tests."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.browser import chromium, open_visit
from support.site import isolated, open_host, shared

if TYPE_CHECKING:  # Windows has none of its modules
    from support.terminal import Terminal

__all__ = ["chromium", "isolated", "open_host", "open_visit", "shared"]

# Tests send Ctrl-C and SIGHUP to themselves and to processes that they start. A shell lets commands
# in the background ignore the one, nohup the other, and their children too.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps unfinished games of `ttt play` out of the user's own state folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for custom players, which this process and its children can import."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


@pytest.fixture
def terminals() -> "Iterator[list[Terminal]]":
    """Terminals to be closed after the test."""
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        os.close(terminal.file)
