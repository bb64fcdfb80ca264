"""One extension module for each game: its rules (`.pxd`) with the shared search compiled in."""

from ttt_core.variants import with_variant

__path__ = with_variant(__path__)
