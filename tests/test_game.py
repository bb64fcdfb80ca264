"""Games as text: they round-trip, and invalid text is refused with the reason."""

from pathlib import Path

import pytest

import ttt
from ttt import BadNotation, Board, Game
from ttt.boards.tictactoe import TicTacToeBoard


@pytest.mark.parametrize("game", ttt.games())
def test_every_game_is_read_back(game: str, tmp_path: Path) -> None:
    for board in (Board(game), Board(game).playout(3)):
        board.save(tmp_path / "game.txt", X="me", O='a "player"\\', Date="2026.11.17")
        again = Board.load(tmp_path / "game.txt")
        assert (again, again.moves, type(again)) == (board, board.moves, type(board))
        saved = Game.load(tmp_path / "game.txt")
        assert saved.headers["O"] == 'a "player"\\'
        assert saved.headers["Result"] == board.result()
        assert Game.parse(str(saved)) == saved
        assert max(map(len, str(saved).splitlines())) <= 80


def test_options_and_positions_are_kept() -> None:
    board = Board("nineboard", full="draw")
    board.push_moves("5 6 6 1")
    assert str(Game.from_board(board)) == (
        '[Game "nineboard"]\n[Options "full=draw"]\n[Result "*"]\n\n5-6 6-1'
    )
    middle = Board.parse(board.text())
    middle.push("1 9")
    again = Game.parse(str(Game.from_board(middle))).board()
    assert (again, again.moves, again.root()) == (middle, ["1 9"], middle.root())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not a saved game"),
        ("4 4 5 5", "not a saved game"),
        ('[Game "chess"]', "unknown game 'chess'"),
        ('[Game "tictactoe"', "line 1: expected a header"),
        ('[Game "tictactoe"]\n[Game "tictactoe"]', "line 2: header Game is given twice"),
        ('[Game "tictactoe"]\n\n5 5', "taken"),
        ('[Game "tictactoe"]\n\n5 10', "'10' is not a move"),
        ('[Game "tictactoe"]\n[Result "2-0"]', "unknown result '2-0'"),
        ('[Game "tictactoe"]\n[Result "0-1"]\n\n14253', "the moves end with 1-0"),
        (
            '[Game "mnk"]\n[Position "tictactoe .../.../... x"]',
            "expected a position of mnk, not of tictactoe",
        ),
        ('[Game "mnk"]\n[Options "m=0"]', "option m='0'"),
    ],
)
def test_bad_texts(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=why):
        Game.parse(text)
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=why):
        Board.load(path)


def test_headers_are_checked() -> None:
    board = Board("tictactoe")
    assert Game.from_board(board, Result="1-0").headers["Result"] == "1-0"
    for headers in ({"Game": "mnk"}, {"x y": "z"}, {"X": "two\nlines"}, {"X": 5}):
        with pytest.raises(ValueError, match="header"):
            Game.from_board(board, **headers)
    board.push_moves("1 4 2 5 3")
    with pytest.raises(BadNotation, match="the moves end with 1-0"):
        Game.from_board(board, Result="0-1")


def test_load_of_one_game_refuses_another(tmp_path: Path) -> None:
    Board("qubic").save(tmp_path / "game.txt")
    with pytest.raises(BadNotation, match="expected a game of tictactoe, not of qubic"):
        TicTacToeBoard.load(tmp_path / "game.txt")
    with pytest.raises(FileNotFoundError):
        Board.load(tmp_path / "none.txt")
