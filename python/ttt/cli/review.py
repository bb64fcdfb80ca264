"""`ttt review`: the moves of a saved game with their values, and where it was decided."""

import argparse
from typing import TYPE_CHECKING, Any

from ttt.board import Board
from ttt.cli.common import Parents, print_json, whole

if TYPE_CHECKING:
    from ttt.limits import Limit
    from ttt.review import ReviewedMove

REMARKS = ("inaccuracy", "mistake", "blunder")
"""Labels that are shown."""


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "review",
        parents=[parents.report, parents.work],
        help="show where a saved game was lost",
        description="Shows the value of every move of a saved game, and the move that decided it."
        " --nodes (default 200,000) and --time limit the search of each position.",
    )
    parser.add_argument("file", metavar="FILE", help="saved game or games, as for `ttt replay`")
    parser.add_argument(
        "--game", metavar="K", type=whole, help="number of the game, if the file has several"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from ttt.cli.replay import load_game
    from ttt.limits import Limit

    board = load_game(arguments.file, arguments.game)
    limit = Limit(nodes=arguments.nodes, time=arguments.time)
    moves = review_board(board, limit, arguments.hash, arguments.threads)
    if arguments.json:
        print_json(json_fields(board, moves))
    else:
        print(review_text(board, moves))


def review_board(
    board: Board, limit: "Limit | None" = None, hash: int | None = None, threads: int = 1
) -> "list[ReviewedMove]":
    """The review of a game, with a line of progress; Ctrl-C ends it with the moves so far, the last
    ones of the game."""
    from ttt.cli.thinking import LiveLine
    from ttt.engine import Engine
    from ttt.review import ReviewedMove, review

    total = len(board.moves)
    found: list[ReviewedMove] = []
    with (
        LiveLine("reviewing") as line,
        Engine(
            board.game, hash=32 if hash is None else hash, threads=threads, **board.options
        ) as engine,
    ):

        def inform(moves: list[ReviewedMove]) -> None:
            found[:] = moves
            line.text = f"reviewing: {len(moves)} of {total} moves"

        try:
            return review(board, engine, limit, inform)
        except KeyboardInterrupt:
            return found


def review_text(board: Board, moves: "list[ReviewedMove]") -> str:
    """A row for each move and a sentence on the one that decided the game."""
    from ttt.review import turning_point

    if not moves:
        return "nothing to review: no move was played" if not board.moves else "no move reviewed"
    rows = [
        (
            f"{entry.ply}.",
            f"{entry.side} {entry.move}",
            worth(entry, board),
            f"{entry.label}: {better(entry, board)}" if entry.label in REMARKS else "",
        )
        for entry in moves
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = [
        f"{row[0]:>{widths[0]}} {row[1]:<{widths[1]}}  {row[2]:<{widths[2]}}  {row[3]}".rstrip()
        for row in rows
    ]
    if any("%" in row[2] for row in rows):
        lines.append("A percentage is the winning chance of the side that moved.")
    decisive = turning_point(moves)
    if decisive is not None:
        lines.append(decided_by(decisive, moves[-1], board))
    elif moves[-1].after_proven and moves[-1].after.value is None:
        lines.append("No move gave anything away.")
    return "\n".join(lines)


def worth(entry: "ReviewedMove", board: Board) -> str:
    """What a move is worth for the side that made it: "wins", "draws", "loses" or its chances."""
    return _worth(entry.after, entry.after_proven, board)


def _worth(score: Any, proven: bool, board: Board) -> str:
    from ttt.review import winning_chance

    if score.value is not None:
        return "wins" if score.value == "win" else "loses"
    if proven:
        return "draws"
    return f"{winning_chance(score, proven, board.evaluation_scale):.0%}"


def better(entry: "ReviewedMove", board: Board) -> str:
    """The best move and what it is worth."""
    value = _worth(entry.before, entry.before_proven, board)
    return f"{entry.best} {value}" if value.isalpha() else f"{entry.best} is better, {value}"


def decided_by(entry: "ReviewedMove", last: "ReviewedMove", board: Board) -> str:
    """A sentence on the move that decided the game."""
    move = f"move {entry.ply}, {entry.side} {entry.move}"
    if entry.after.value != "loss":
        return f"{entry.side} could have won: {move} let it slip; {entry.best} wins."
    over = board.is_game_over()  # if not, either side may have resigned
    lost = "The game was lost with" if over else f"{entry.side} has been losing since"
    if entry.best == entry.move or (entry.before.value is None and not entry.before_proven):
        return f"{lost} {move}: from then on it could not be saved." if over else f"{lost} {move}."
    return f"{lost} {move}; {better(entry, board)}."


def json_fields(board: Board, moves: "list[ReviewedMove]") -> dict[str, Any]:
    """What --json prints."""
    from ttt.review import turning_point

    decisive = turning_point(moves)
    return {
        "game": board.game,
        "options": board.options,
        "result": board.result(),
        "turning_point": None if decisive is None else decisive.ply,
        "moves": [
            {
                "ply": entry.ply,
                "side": entry.side,
                "move": entry.move,
                "score": entry.verdict(),
                "proven": entry.after_proven,
                "best": entry.best,
                "best_score": entry.best_verdict(),
                "best_proven": entry.before_proven,
                "loss": round(entry.loss, 4),
                "label": entry.label,
            }
            for entry in moves
        ],
    }
