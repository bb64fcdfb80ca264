"""The nine-board solver."""

from ttt_core.variants import with_variant

__path__ = with_variant(__path__)
