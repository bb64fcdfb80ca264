"""Series of games: matches, tournaments, their files and ratings."""
