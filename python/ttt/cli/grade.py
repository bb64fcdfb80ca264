"""`ttt grade`: how good is a player? Compares its moves with the value of every move.

`--json` prints one object:

    game, options, player
    grades       a list, one for each stage and one for all: stage, positions, exact (positions in
                 which every value is proven), best, kept and loss, each with low and high, errors
    answers      with --details: each position, its stage, the player's move and what it lost
"""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ttt.board import Board
from ttt.cli.common import (
    Parents,
    add_game,
    add_jobs_arguments,
    add_move_time,
    add_seed,
    game_options,
    players_print_to_stderr,
    print_json,
    whole,
)

if TYPE_CHECKING:
    from ttt.grading.grade import Answer, StageGrade

POSITIONS = 40
NODES = 1_000_000


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "grade",
        parents=[parents.options, parents.report],
        help="compare a player's moves with the value of every move",
    )
    add_game(parser)
    parser.add_argument("player", metavar="PLAYER", help="a player; see `ttt players`")
    parser.add_argument(
        "--positions",
        metavar="N",
        type=whole,
        default=POSITIONS,
        help=f"positions of each of the three stages (default {POSITIONS})",
    )
    add_seed(parser)
    parser.add_argument(
        "--nodes",
        metavar="N",
        type=whole,
        default=NODES,
        help=f"nodes to find the values of a position (default {NODES:,})",
    )
    add_move_time(parser, "is an error")
    parser.add_argument("--svg", metavar="FILE", help="write a picture to FILE")
    parser.add_argument("--details", action="store_true", help="list every position and answer")
    add_jobs_arguments(parser, shard=False)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from contextlib import closing

    from ttt.grading.grade import grade_player, make_positions, summarise
    from ttt.grading.picture import draw
    from ttt.jobs import Progress
    from ttt.limits import check_whole
    from ttt.players.spec import make_player
    from ttt.storage.atomic import check_target, write_whole

    check_whole("positions", arguments.positions)
    check_whole("nodes", arguments.nodes)
    start = Board(arguments.game, **game_options(arguments))
    make_player(arguments.player, start, arguments.time)  # a wrong text ends here
    if arguments.svg is not None:
        check_target(arguments.svg)
    progress = Progress(3 * arguments.positions, unit="positions")
    positions = []
    try:
        with closing(
            make_positions(
                start.game,
                start.options,
                arguments.positions,
                arguments.seed,
                arguments.nodes,
                processes=arguments.processes,
                cluster=arguments.cluster,
            )
        ) as found:
            for position in found:
                positions.append(position)
                if not arguments.json:
                    progress.add()
    finally:
        progress.close()
    if not positions:
        raise ValueError(f"no position of {start.game} was found in which the moves differ")
    with players_print_to_stderr():
        answers = grade_player(
            start.game,
            arguments.player,
            sorted(positions),
            options=start.options,
            seed=arguments.seed,
            time=arguments.time,
        )
    grades = summarise(answers)
    if arguments.svg is not None:
        title = f"{arguments.player} in {start.game}"
        write_whole(arguments.svg, [draw(title, grades).encode()])
    if arguments.json:
        print_json(
            {
                "game": start.game,
                "options": start.options,
                "player": arguments.player,
                "grades": [json_fields(grade) for grade in grades],
                **({"answers": [answer_fields(a) for a in answers]} if arguments.details else {}),
            }
        )
        return
    print(table(grades))
    estimated = sum(not answer.position.exact for answer in answers)
    if estimated:
        print(
            f"{estimated} of {len(answers)} positions are valued by a search of"
            f" {arguments.nodes:,} nodes, not exactly",
            file=sys.stderr,
        )
    if arguments.details:
        for answer in answers:
            print(detail(answer))


def json_fields(grade: "StageGrade") -> dict[str, Any]:
    fields = grade._asdict()
    return {**fields, **{name: fields[name]._asdict() for name in ("best", "kept", "loss")}}


def answer_fields(answer: "Answer") -> dict[str, Any]:
    return {
        "moves": answer.position.moves,
        "stage": answer.position.stage,
        "exact": answer.position.exact,
        "move": answer.move,
        "best_moves": [value.move for value in answer.position.values if value.rank == 0],
        "best": answer.best,
        "kept": answer.kept,
        "loss": answer.loss,
        "error": answer.error,
    }


def table(grades: "list[StageGrade]") -> str:
    """The grades for people."""
    rows = [["stage", "positions", "exact", "best move", "result kept", "mean loss", "errors"]]
    for grade in grades:
        best, kept, loss = grade.best, grade.kept, grade.loss
        rows.append(
            [
                grade.stage,
                str(grade.positions),
                str(grade.exact),
                f"{best.share:.0%} ({100 * best.low:.0f}-{best.high:.0%})",
                f"{kept.share:.0%} ({100 * kept.low:.0f}-{kept.high:.0%})",
                f"{loss.mean:.3f} ({loss.low:.3f}-{loss.high:.3f})",
                str(grade.errors),
            ]
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def detail(answer: "Answer") -> str:
    """One answer for people."""
    best = ", ".join(value.move for value in answer.position.values if value.rank == 0)
    played = answer.error if answer.move is None else answer.move
    mark = "=" if answer.best else "+" if answer.kept else "-"
    return f"{mark} {answer.position.stage}: {answer.position.moves} | {played} | best: {best}"
