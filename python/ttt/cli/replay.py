"""`ttt replay`: shows saved games, of a series or a single one."""

import argparse
import sys
from typing import Any

from ttt.board import Board
from ttt.cli.common import Parents, fit, print_json, print_row, whole


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "replay",
        parents=[parents.report],
        help="show saved games",
        description="Lists the games of a file, or shows one of them move by move. In a terminal"
        " the keys n, b, f, l and q, or the arrow keys, step through the game.",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help="games saved by --out of `ttt match` and `ttt tournament`, or one game saved by"
        " `save` of `ttt play` or by `Board.save`",
    )
    parser.add_argument(
        "--game",
        metavar="K",
        type=whole,
        help="show game K move by move (default: list all games)",
    )
    parser.add_argument(
        "--all", action="store_true", help="print all positions at once, also in a terminal"
    )
    parser.add_argument("--ascii", action="store_true", help="plain ASCII without colours")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    (replay_single if is_single(arguments.file) else replay_series)(arguments)


def is_single(path: str) -> bool:
    """Whether a file has one game, as `Board.save` writes it."""
    from ttt.storage.reading import open_regular

    with open_regular(path) as file:
        return file.read(1000).lstrip().startswith(b"[")


def load_game(path: str, number: int | None) -> Board:
    """The board of a saved game; `number` chooses one of several."""
    from ttt.game import Game
    from ttt.matches import record

    if is_single(path):
        check_single(path, number)
        return Game.load(path).board()
    header, games = record.read_games(path)
    if number is None and len(games) == 1:
        number = games[0]["game"]
    if number is None:
        raise ValueError(f"{path}: {len(games)} games; choose one with --game K")
    chosen = [game for game in games if game["game"] == number]
    if header is None or not chosen:
        raise ValueError(f"{path}: no game {number}; it has {len(games)} games")
    return record.replay(header, chosen[0])


def check_single(path: str, number: int | None) -> None:
    if number not in (None, 1):
        raise ValueError(f"{path}: no game {number}; it has 1 game")


def replay_single(arguments: argparse.Namespace) -> None:
    """Shows a game that `Board.save` or `Game.save` wrote."""
    from ttt.game import Game

    check_single(arguments.file, arguments.game)
    game = Game.load(arguments.file)
    board = game.board()
    if arguments.json:
        print_json({"headers": game.headers, "moves": game.moves, "position": board.text()})
        return
    title = ", ".join(f"{name}: {value}" for name, value in game.headers.items())
    show_moves(title, board, 0, board.status(), arguments)


def replay_series(arguments: argparse.Namespace) -> None:
    """Lists the games of a series, or shows one of them."""
    from ttt.matches import record

    header, games = record.read_games(arguments.file)
    chosen = [game for game in games if arguments.game in (None, game["game"])]
    if header is None:
        raise ValueError(f"{arguments.file}: no saved games")
    if arguments.game is not None and not chosen:
        raise ValueError(f"{arguments.file}: no game {arguments.game}; it has {len(games)} games")
    if arguments.json:
        print_json({**header, "games": chosen})
        return
    for game in sorted(chosen, key=lambda game: game["game"]):
        board = record.replay(header, game)
        x, o = (header["players"][number - 1] for number in (game["x"], game["o"]))
        error = f"{game['termination']}: {game.get('error')}"
        ending = board.status() if board.is_game_over() else error
        title = f"game {game['game']}: x {x}, o {o}; {game['result']} ({ending})"
        if arguments.game is None:
            print_row("", title, 0)
            print_row("", " ".join(move.replace(" ", "-") for move in board.moves), 2)
        else:
            show_moves(title, board, game["opening"], ending, arguments)


def show_moves(
    title: str, board: Board, opening: int, ending: str, arguments: argparse.Namespace
) -> None:
    """Shows a game position by position; the first `opening` moves are marked as given."""
    from ttt.cli.stepper import can_step, step_through
    from ttt.render.terminal import draw

    step: Board = board.root()
    boards, notes = [step.copy()], [f"{step.status()}; {len(board.moves)} moves follow"]
    for number, move in enumerate(board.moves, 1):
        given = " (opening)" if number <= opening else ""
        notes.append(f"{number}. {step.turn} {move}{given}")
        step.push(move)
        boards.append(step.copy())
    notes[-1] += f"; {ending}"
    if can_step() and not arguments.all:
        step_through(title, boards, notes, arguments.ascii)
        return
    print(fit(title, sys.stdout))
    for note, shown in zip(notes, boards, strict=True):
        print(fit(note, sys.stdout))
        print(draw(shown, arguments.ascii, sys.stdout))
