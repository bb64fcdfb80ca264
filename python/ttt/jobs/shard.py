"""Shards: the part of all jobs that one of several separate runs does."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from ttt_core.errors import shorten

T = TypeVar("T")


@dataclass(frozen=True)
class Shard:
    """Part `number`, from 1, of `count` parts."""

    number: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def has(self, index: int) -> bool:
        """Whether the job with this index, from 0, belongs to this shard."""
        return index % self.count == self.number - 1

    def select(self, jobs: Iterable[T]) -> list[T]:
        """The jobs of this shard."""
        return [job for index, job in enumerate(jobs) if self.has(index)]


def parse_shard(text: str) -> Shard:
    """The shard that "I/N" names, e.g. "2/5" for the second of five."""
    match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise ValueError(f"shard {shorten(text)}: expected I/N with I from 1 to N, e.g. 2/5")
    return Shard(int(match[1]), int(match[2]))
