"""Training of learned evaluations: loss and gradients over self-play games, a module a game."""
