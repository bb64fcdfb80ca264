"""A pytest plugin for the tests of a mutant: ends the process if one test takes very long.

It counts processor time, so that a busy machine does not matter. The signal is not handled: a loop
in compiled code would not let a handler run.
"""

import signal

MOST = 25.0
"""Seconds. Without a mutant the longest test takes less than half."""


def pytest_runtest_setup() -> None:
    signal.setitimer(signal.ITIMER_PROF, MOST)


def pytest_runtest_teardown() -> None:
    signal.setitimer(signal.ITIMER_PROF, 0)
