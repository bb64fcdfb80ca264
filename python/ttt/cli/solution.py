"""Solutions as JSON, as text, as lines of progress, and as lines of a file."""

from typing import Any

from ttt.board import Board
from ttt.cli.all_moves import signed
from ttt.solvers.base import Solution


def json_fields(board: Board, solution: Solution) -> dict[str, Any]:
    """What --json prints."""
    fields = solution._asdict()
    details = fields.pop("details")
    return {
        "game": board.game,
        "position": board.text(),
        "proven": solution.proven,
        "value": fields.pop("value"),
        "score": solution.verdict() if solution.proven else None,
        "evaluation": solution.score.evaluation if solution.proven else None,
        **fields,
        **details,
    }


def summary(solution: Solution) -> str:
    """A solution for people."""
    lines = [solution.verdict()]
    if solution.game_score is not None:
        lines[0] += f", game score {signed(solution.game_score)}"
    if solution.best:
        lines.append(f"best: {', '.join(solution.best)}")
    elif solution.move:
        lines.append(f"best so far: {solution.move}")
    lines += [
        f"{name.replace('_', ' ')}: {value_text(value)}" for name, value in solution.details.items()
    ]
    lines.append(f"{solution.nodes:,} nodes, {solution.seconds:.3f} s")
    return "\n".join(lines)


def progress(solution: Solution) -> str:
    """One line of a running search."""
    text = f"{solution.verdict()}, {solution.nodes:,} nodes, {solution.seconds:.2f} s"
    for name, value in solution.details.items():
        text += f", {name.replace('_', ' ')} {value_text(value)}"
    return text


def value_text(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def line_of(board: Board, found: Solution) -> str:
    """The position, its score or value, and the best moves."""
    score = found.verdict() if found.game_score is None else found.game_score
    return f"{board.text()}\t{score}\t{','.join(found.best) or '-'}"
