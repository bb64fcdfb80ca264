"""Tasks for the tests of `ttt.jobs`."""

import os
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ttt.jobs.worker import note


def checksum(job: Any) -> int:
    return zlib.crc32(str(job).encode())


def short(settings: dict[str, Any]) -> Callable[[int], Any]:
    """Takes between 0.5 and 1.5 times `seconds`."""

    def run(job: int) -> Any:
        time.sleep(settings["seconds"] * (0.5 + checksum(job) / 2**32))
        return {"job": job, "checksum": checksum(job)}

    return run


def misbehave(settings: dict[str, Any]) -> Callable[[str], Any]:
    """Each job names what it does."""
    folder = Path(settings["folder"])

    def run(job: str) -> Any:
        (folder / f"{job}.{os.getpid()}").touch()
        if job == "die":
            os._exit(7)
        if job == "die once" and len(list(folder.glob("die once.*"))) < 2:
            os._exit(8)
        if job == "value":
            raise ValueError("a bad value")
        if job == "key":
            raise KeyError("a bad key")
        if job == "set":
            return {1, 2}
        if job == "print":
            print('{"result": "wrong"}', flush=True)
            os.system("echo from a child")
            return sys.stdin.read()
        while job in ("sleep", "compute"):
            if job == "sleep":
                time.sleep(0.01)
        return job

    return run


def refused(settings: dict[str, Any]) -> None:
    raise ValueError(f"no such setting: {settings['name']}")


class Crashing:
    """Notes numbers, then dies; the result tells what was left."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.last = settings["last"]

    def __call__(self, job: int) -> Any:
        for number in range(self.last):
            note([job, number])
        if job % 2:
            os._exit(9)
        return "whole"

    def after_crash(self, job: int, left: Any, status: int) -> Any:
        return {"job": job, "left": left, "status": status}
