"""Fixtures for all tests."""

import os
from collections.abc import Iterator

import pytest

from support.terminal import Terminal


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps unfinished games of `ttt play` out of the user's own state folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    """Terminals to be closed after the test."""
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        os.close(terminal.file)
