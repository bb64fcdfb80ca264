"""One file a game whose evaluation is learned: games are replayed for the weights' slopes."""
