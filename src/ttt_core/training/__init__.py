"""Training of learned evaluations: loss and gradients over self-play games, a module a game."""

from ttt_core.variants import with_variant

__path__ = with_variant(__path__)
