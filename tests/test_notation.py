"""Position texts: their form, and errors for impossible positions."""

import pytest

from ttt import BadNotation, Board
from ttt.boards.tictactoe import TicTacToeBoard


@pytest.mark.parametrize(
    ("game", "options", "moves", "text"),
    [
        ("tictactoe", {}, "15", "tictactoe x../.o./... x"),
        ("mnk", {"m": 4, "n": 2, "k": 4}, "b2", "mnk:m=4,n=2,k=4 ..../.x.. o"),
        ("connect4", {}, "44", "connect4 ......./......./......./......./...o.../...x... x"),
        ("qubic", {}, "114 222", f"qubic ...x{'.' * 12}/.....o{'.' * 10}/{'.' * 16}/{'.' * 16} x"),
        (
            "nineboard",
            {"full": "draw"},
            "12",
            f"nineboard:full=draw .x......./{'/'.join(['.' * 9] * 8)} o 2",
        ),
        (
            "ultimate",
            {"won": "open"},
            "12",
            f"ultimate:won=open .x......./{'/'.join(['.' * 9] * 8)} o 2 .........",
        ),
    ],
)
def test_texts(game: str, options: dict[str, object], moves: str, text: str) -> None:
    board = Board(game, **options)
    board.push_moves(moves)
    assert board.text() == text
    assert Board.parse(text) == board
    assert Board.parse(text.upper()) == board
    assert Board.parse(text).options == board.options


EMPTY = "." * 9
NINE = "/".join([EMPTY] * 9)


def nine(first: str, rest: str = NINE[10:]) -> str:
    return f"{first}/{rest}"


WON = nine("xxx......", nine("oo.......", NINE[20:]))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("chess x../.../... o", "unknown game 'chess'; choose from"),
        ("tictactoe", "0 fields"),
        ("tictactoe x../.../...", "1 fields"),
        ("tictactoe x../.../... o 5", "3 fields"),
        ("tictactoe x../.../.. o", "3 groups of 3"),
        ("tictactoe x../.../.../... o", "3 groups of 3"),
        ("tictactoe x../.z./... o", "each x, o or a dot"),
        ("tictactoe x../.../... x", "expected o, by the number of marks"),
        ("tictactoe x../.../... z", "expected o, by the number of marks"),
        ("tictactoe xx./.../... o", "2 x and 0 o"),
        ("tictactoe o../.../... x", "0 x and 1 o"),
        ("tictactoe xxx/ooo/... x", "has a line already"),
        ("tictactoe xxx/oo./..o x", "has a line already"),
        ("tictactoe:m=3 .../.../... x", "unknown option 'm'; it has no options"),
        ("mnk:m=4 ..../..../.... ", "1 fields"),
        ("mnk:m ... x", "write name=value"),
        ("mnk:m=4,m=5 ..../.... x", "given twice"),
        ("mnk:m=6,n=1,k=2 xx.xoo o", "has a line already"),
        ("mnk:m=8,n=1,k=2 xx.xx.oo x", "4 x and 2 o"),
        ("mnk:m=9,n=1,k=2 xx.xxo.o. o", "4 x and 2 o"),
        ("mnk:m=8,n=2,k=3 xxx.xxx./o.o.o.oo o", "no single last move"),
        ("connect4 ......./......./......./......./...x.../....... o", "floats"),
        ("connect4:columns=4,rows=4 ..../..../oo../xxxx o", "4 x and 2 o"),
        ("connect4:columns=5,rows=4 oooo./xxxx./oooo./xxxx. x", "has a line already"),
        (f"nineboard {NINE} x", "2 fields"),
        (f"nineboard {NINE} x 0", "board in force '0': expected 1-9"),
        (f"nineboard {NINE} x 10", "board in force '10': expected 1-9"),
        (f"nineboard {NINE} x 5", "points to the board in force"),
        (f"nineboard {NINE} x -", "the game is not over"),
        (f"nineboard {nine('x........')} o *", "did not free the choice"),
        (f"nineboard {nine('x........')} o 2", "points to the board in force"),
        (f"nineboard {WON} o 3", "the game is over"),
        (f"nineboard {WON} o *", "the game is over"),
        (f"nineboard {nine('xoxxoxoxo')} o 1", "has no empty cell"),
        (f"nineboard:full=draw {nine('xoxxoxoxo')} o *", "did not free the choice"),
        (f"nineboard {nine('xoxxoxoxo')} o -", "the game is not over"),
        (f"ultimate {nine('xxx.oo...')} o 1", "closed"),
        (f"ultimate {nine('xxxooox..')} o *", "both sides have a line"),
        (f"ultimate:won=open {nine('xxxooox..')} o 2 .........", "give the owner"),
        (f"ultimate:won=open {nine('xx.oo.x..')} o 2 x........", "has no line"),
        (f"ultimate:won=open {nine('xx.oo.x..')} o 2", "3 fields after the game; expected 4"),
        (f"ultimate:won=open {nine('xx.oo.x..')} o 2 xx", "nine boards"),
        (f"ultimate {nine('x........')} o -", "the game is not over"),
    ],
)
def test_impossible_positions(text: str, why: str) -> None:
    with pytest.raises(BadNotation, match=why):
        Board.parse(text)


def test_a_pointed_draw_differs_from_a_running_game() -> None:
    marks = nine("xoxxoxoxo")
    drawn = Board.parse(f"nineboard:full=draw {marks} o -")
    assert drawn.outcome() == (None, "pointed", ())
    assert drawn.legal_moves == []
    assert drawn != Board.parse(f"nineboard:full=draw {marks} o 3")
    assert len(Board.parse(f"nineboard {marks} o *").legal_moves) == 72


def test_owners_are_given_if_both_sides_have_a_line() -> None:
    first = Board.parse(f"ultimate:won=open {nine('xxxooox..')} o 2 x........")
    second = Board.parse(f"ultimate:won=open {nine('xxxooox..')} o 2 o........")
    assert first != second
    assert first.key != second.key
    assert first.text() != second.text()


def test_parse_of_one_game_refuses_another() -> None:
    assert TicTacToeBoard.parse("tictactoe .../.../... x") == TicTacToeBoard()
    with pytest.raises(BadNotation, match="expected a position of tictactoe, not of mnk"):
        TicTacToeBoard.parse("mnk .../.../... x")
    with pytest.raises(TypeError, match="expected a position as text"):
        Board.parse(5)  # type: ignore[arg-type]
