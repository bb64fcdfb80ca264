"""`ttt replay`: shows saved games, of a series or a single one."""

import argparse
from typing import Any

from ttt.board import Board
from ttt.cli.common import Parents, print_json, whole


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser("replay", parents=[parents.report], help="show saved games")
    parser.add_argument(
        "file",
        metavar="FILE",
        help="games saved by --out of `ttt match` and `ttt tournament`, or one game saved by"
        " `Board.save` or `Game.save`",
    )
    parser.add_argument(
        "--game",
        metavar="K",
        type=whole,
        help="show game K move by move (default: list all games)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    with open(arguments.file, "rb") as file:
        is_single = file.read(1000).lstrip().startswith(b"[")
    (replay_single if is_single else replay_series)(arguments)


def replay_single(arguments: argparse.Namespace) -> None:
    """Shows a game that `Board.save` or `Game.save` wrote."""
    from ttt.game import Game

    if arguments.game not in (None, 1):
        raise ValueError(f"{arguments.file}: no game {arguments.game}; it has 1 game")
    game = Game.load(arguments.file)
    board = game.board()
    if arguments.json:
        print_json({"headers": game.headers, "moves": game.moves, "position": board.text()})
        return
    for name, value in game.headers.items():
        print(f"{name}: {value}")
    show_moves(board)
    print(board.status())


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
        print(f"game {game['game']}: x {x}, o {o}; {game['result']} ({ending})")
        if arguments.game is None:
            print(f"  {game['moves']}")
        else:
            show_moves(board, game["opening"])
            print(ending)


def show_moves(board: Board, opening: int = 0) -> None:
    """Prints a game position by position; the first `opening` moves are marked as given."""
    step: Board = board.root()
    print(step)
    for number, move in enumerate(board.moves, 1):
        given = " (opening)" if number <= opening else ""
        print(f"{number}. {step.turn} {move}{given}")
        step.push(move)
        print(step)
