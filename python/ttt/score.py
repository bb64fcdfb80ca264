"""Scores: what a position is worth to the side to move."""

WIN = 32_000
DECIDED = 31_000


def score_in_words(score: int) -> str:
    """A score for people: +12, win in 5, loss in 8."""
    if abs(score) < DECIDED:
        return f"{score:+d}"
    words = "win" if score > 0 else "loss"
    return words if abs(score) == DECIDED else f"{words} in {WIN - abs(score)}"
