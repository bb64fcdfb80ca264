"""Games, positions and analyses as JSON: all that the page knows of a game.

A cell is an index into `Board.marks`; a block is one of the boards or levels of the layout.
"""

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from ttt.board import Board, board_class, games
from ttt.notation import option_text
from ttt.options import Option, Whole
from ttt.players.builtin import PLAYERS
from ttt.players.presets import LEVELS, PRESETS
from ttt.players.spec import options_of
from ttt.render.text import blocks_in_force
from ttt.review import ReviewedMove, turning_point, winning_chance
from ttt.score import Score
from ttt.search.result import MoveAnalysis, MoveScore

Record = dict[str, Any]


# --- games ---------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def game_list() -> list[Record]:
    """All games with their default options."""
    return [game_record(board_class(game)()) for game in games()]


def game_record(start: Board) -> Record:
    """A game under some options: its rules in words, its options, how its cells are arranged, its
    first position."""
    return {
        "game": start.game,
        "title": start.title,
        "goal": start.goal,
        "rules": start.rules(),
        "notation": start.spelling.help,
        "options": start.options,
        "option_text": option_text(start),
        "choices": [choice_record(choice) for choice in start.choices],
        "layout": layout_record(start),
        "players": [name for name, (game, _) in PRESETS.items() if game == start.game],
        "first": position_record(start),
    }


def choice_record(choice: Option) -> Record:
    """An option of a game."""
    record: Record = {"name": choice.name, "help": choice.help, "default": choice.default}
    if isinstance(choice, Whole):
        return {**record, "least": 1, "most": choice.most}
    return {**record, "values": list(choice.values)}


def layout_record(start: Board) -> Record:
    """How the cells are arranged. `cells` has the name of each cell, a label for people who do not
    see it, and the move that a click on it means: with gravity, several cells mean the same."""
    layout = start.layout
    return {
        "width": layout.width,
        "height": layout.height,
        "blocks": layout.blocks,
        "across": layout.across,
        "block_labels": list(start.block_labels),
        "block_word": "board" if start.has_board_in_force else "level" if start.stacked else "",
        "row_labels": start.row_labels,
        "column_labels": start.column_labels,
        "headings_below": start.headings_below,
        "drops": start.drops,
        "stacked": start.stacked,
        "cells": [
            {
                "name": start.cell_name(cell),
                "label": cell_label(start, cell),
                "move": str(start.move_at(cell)),
            }
            for cell in range(len(start.marks))
        ],
    }


def cell_label(start: Board, cell: int) -> str:
    """A cell in words: "board 6, cell 4", "level 1, row 2, column 3", "column 4, row 1", "b3"."""
    block, row, column = place(start, cell)
    layout = start.layout
    if start.has_board_in_force:
        return f"board {block + 1}, cell {row * layout.width + column + 1}"
    if start.stacked:
        return f"level {block + 1}, row {row + 1}, column {column + 1}"
    if start.drops:
        return f"column {column + 1}, row {layout.height - row}"
    return start.cell_name(cell) if start.column_labels else f"cell {start.cell_name(cell)}"


def player_list() -> Record:
    """The players that the server lets play."""
    return {
        "levels": list(LEVELS),
        "players": {name: options_of(kind) for name, kind in PLAYERS.items()},
        "presets": {name: {"game": game, "player": text} for name, (game, text) in PRESETS.items()},
    }


# --- positions -----------------------------------------------------------------------------------


def position_record(board: Board) -> Record:
    """A position: marks, legal moves, boards in force, threats, outcome, one sentence."""
    marks, _, owners = board.picture()
    return {
        "game": board.game,
        "option_text": option_text(board),
        "position": board.text(),
        "start": "" if board.is_from_start() else board.root().text(),
        "moves": [str(move) for move in board.moves],
        "marks": marks,
        "turn": board.turn,
        "ply": board.ply,
        "last": board.last_cell(),
        "legal": [{"move": str(move), "cell": landing(board, move)} for move in board.legal_moves],
        "force": sorted(blocks_in_force(board)),
        "owners": owners,
        "threats": threats(board),
        "outcome": outcome_record(board),
        "status": sentence(board),
    }


def landing(board: Board, move: str) -> int:
    """The cell that a legal move marks."""
    after = board.copy()
    after.push(move)
    cell = after.last_cell()
    assert cell is not None
    return cell


def threats(board: Board) -> list[Record]:
    """The cells on which a side would win at once, were it to move, with the lines completed."""
    if board.is_game_over():
        return []
    marks, lines = board.marks, board.winning_lines()
    playable = {move: landing(board, move) for move in board.legal_moves}
    found = []
    for side in ("x", "o"):
        for move in board.wins(side):
            cell = playable.get(move, move.number)
            completed = [
                list(line)
                for line in lines
                if cell in line and all(marks[other] == side for other in line if other != cell)
            ]
            found.append({"side": side, "move": str(move), "cell": cell, "lines": completed})
    return found


def outcome_record(board: Board) -> Record | None:
    """How the game ended, with the winning lines; None while it is running."""
    outcome = board.outcome()
    if outcome is None:
        return None
    lines: list[list[int]] = []
    block_lines: list[list[int]] = []
    last, layout = board.last_cell(), board.layout
    size = layout.width * layout.height
    _, _, owners = board.picture()
    if outcome.line and last is not None and owners:
        blocks = {cell // size for cell in outcome.line}
        points = {block: divmod(block, layout.across) for block in blocks}
        block_lines = straight_lines(points, last // size)
    elif outcome.line and last is not None:
        lines = straight_lines({cell: place(board, cell) for cell in outcome.line}, last)
    elif outcome.line:
        lines = [list(outcome.line)]
    return {
        "winner": outcome.winner,
        "termination": str(outcome.termination),
        "result": outcome.result(),
        "cells": list(outcome.line),
        "lines": lines,
        "block_lines": block_lines,
    }


def place(board: Board, cell: int) -> tuple[int, int, int]:
    """Block, row and column of a cell."""
    layout = board.layout
    block, rest = divmod(cell, layout.width * layout.height)
    return block, *divmod(rest, layout.width)


def straight_lines(points: Mapping[int, tuple[int, ...]], through: int) -> list[list[int]]:
    """The points grouped into straight lines through one of them, each from end to end."""
    middle = points[through]
    found: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for name, point in points.items():
        step = tuple(a - b for a, b in zip(point, middle, strict=True))
        length = math.gcd(*step)
        if length:
            way = tuple(part // length for part in step)
            length = length if way > tuple(-part for part in way) else -length
            found.setdefault(max(way, tuple(-part for part in way)), []).append((length, name))
    return [[name for _, name in sorted([*line, (0, through)])] for line in found.values()]


def sentence(board: Board) -> str:
    """Who is to move and where, or how the game ended."""
    outcome = board.outcome()
    if outcome is not None:
        text = str(outcome).removeprefix("a ")
        return text[0].upper() + text[1:]
    blocks = sorted(blocks_in_force(board))
    where = f" on board {blocks[0] + 1}" if len(blocks) == 1 else " on any open board"
    return f"{board.turn.upper()} to move{where if blocks else ''}"


# --- analyses ------------------------------------------------------------------------------------


def chance_for_x(board: Board, side: str, score: Score, proven: bool) -> float:
    """The chance, 0 to 1, that x wins; the score is for `side`."""
    chance = winning_chance(score, proven, board.evaluation_scale)
    return round(chance if side == "x" else 1 - chance, 4)


def log_odds(board: Board, score: Score) -> float | None:
    """An evaluation as the natural logarithm of the odds of winning, for the side to move: 0.8 is
    about 69%. None for a win or a loss."""
    if score.evaluation is None:
        return None
    return round(score.evaluation / board.evaluation_scale, 2)


def score_record(board: Board, side: str, score: Score, proven: bool) -> Record:
    """A score for a side in the game of `board`. `value` is "win", "draw" or "loss" if it is proven
    and None for an estimate, whose `odds` are log-odds."""
    odds = log_odds(board, score)
    return {
        "value": score.value or ("draw" if proven and score.evaluation == 0 else None),
        "proven": proven,
        "plies": score.plies,
        "exact": score.exact,
        "evaluation": score.evaluation,
        "odds": odds,
        "x": chance_for_x(board, side, score, proven),
    }


def move_score_record(board: Board, entry: MoveScore) -> Record:
    """The score of a move, for the side that makes it."""
    return {
        "move": str(entry.move),
        **score_record(board, board.turn, entry.score, entry.proven),
        "game_score": entry.game_score,
        "line": [str(move) for move in entry.line],
    }


def analysis_record(analysis: MoveAnalysis, chain: Iterable[str] | None) -> Record:
    """The scores of all moves, best first, with counters. `chain` is a winning sequence of threats,
    where the game has such a search."""
    seconds = analysis.seconds
    return {
        "depth": analysis.depth,
        "nodes": analysis.nodes,
        "seconds": round(seconds, 3),
        "nodes_per_second": round(analysis.nodes / seconds) if seconds else 0,
        "proven": analysis.proven,
        "moves": [move_score_record(analysis.board, entry) for entry in analysis.moves],
        "chain": None if chain is None else [str(move) for move in chain],
    }


# --- reviews -------------------------------------------------------------------------------------


def review_record(board: Board, moves: list[ReviewedMove], seconds: float) -> Record:
    """The moves of a game that have been reviewed so far, always the last ones; `turning_point` is
    the ply of the move that decided the game."""
    turn = turning_point(moves)
    return {
        "plies": len(board.moves),
        "reviewed": len(moves),
        "seconds": round(seconds, 3),
        "moves": [reviewed_record(board, entry) for entry in moves],
        "turning_point": None if turn is None else turn.ply,
    }


def reviewed_record(board: Board, entry: ReviewedMove) -> Record:
    """A reviewed move. `best_score` and `score` are for the side that moved."""
    return {
        "ply": entry.ply,
        "side": entry.side,
        "move": str(entry.move),
        "label": entry.label,
        "loss": round(entry.loss, 4),
        "best": str(entry.best),
        "best_score": score_record(board, entry.side, entry.before, entry.before_proven),
        "score": score_record(board, entry.side, entry.after, entry.after_proven),
    }
