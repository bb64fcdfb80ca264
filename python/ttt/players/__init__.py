"""Players: objects that choose moves, and the texts that name them."""
