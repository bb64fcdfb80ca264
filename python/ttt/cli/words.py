"""Searches in a beginner's words: who is winning, and how soon."""

from ttt.review import winning_chance
from ttt.score import Score

SURE, HOPEFUL = 0.85, 0.65
"""Winning chances from which the computer thinks that it is winning, or likes its position."""


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def outlook(score: Score, proven: bool, scale: float) -> str:
    """What the computer says after its move; `score` is that of the move. Empty if there is nothing
    to say."""
    if score.value == "win":
        if score.plies is None:
            return "I will win."
        if score.plies <= 3:
            return "I will win with my next move." if score.plies > 1 else ""
        most = "" if score.exact else "at most "
        return f"I will win in {most}{count((score.plies - 1) // 2, 'more move')}."
    if score.value == "loss":
        return "You are winning."
    if proven:
        return "I expect a draw."
    chance = winning_chance(score, proven, scale)
    if chance >= HOPEFUL:
        return "I think I am winning." if chance >= SURE else "I like my position."
    if chance <= 1 - HOPEFUL:
        return "I think you are winning." if chance <= 1 - SURE else "You are doing well."
    return ""


def prospect(score: Score, proven: bool) -> str:
    """What a move leads to, for the side that makes it; "" if that is not known."""
    if score.value == "win":
        if score.plies == 1:
            return "wins at once"
        most = "" if score.exact else "at most "
        return f"wins in {most}{(score.plies + 1) // 2} moves" if score.plies else "wins"
    if score.value == "loss":
        return "the best defence"
    return "leads to a draw" if proven else ""
