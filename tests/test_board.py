"""Boards: the API that python-chess users expect, and its errors."""

import inspect
import json
import pickle
import weakref

import pytest

import ttt
from support.contract import GAMES, Game, name_of
from ttt import BadNotation, Board, IllegalMove, Move, Termination
from ttt_core import interface
from ttt_core.games import connect4, mnk, nineboard, qubic, ultimate


@pytest.mark.parametrize("game", GAMES, ids=name_of)
def test_every_move_has_one_text(game: Game) -> None:
    board = Board(game[0], **game[1])
    moves = board.ruleset.moves
    assert len({str(move) for move in moves}) == len(moves)
    for index, move in enumerate(moves):
        assert move.number == index
        assert board.parse_move(str(move)) is move
        assert board.parse_move(f"  {str(move).upper()} ") is move
    assert board.parse_moves(" ".join(moves)) == list(moves)
    assert board.parse_moves(", ".join(moves)) == list(moves)


@pytest.mark.parametrize(
    ("game", "spellings"),
    [
        ("nineboard", ["5 6", "56", "5-6", "5.6", "5,6"]),
        ("ultimate", ["9 1", "91"]),
        ("qubic", ["123", "1 2 3", "1-2-3"]),
        ("mnk", ["b3", "B3"]),
        ("connect4", ["4", " 4"]),
    ],
)
def test_aliases(game: str, spellings: list[str]) -> None:
    board = Board(game)
    assert {board.parse_move(text) for text in spellings} == {spellings[0]}


def test_a_move_is_its_text() -> None:
    move = Board("nineboard").legal_moves[0]
    assert move == "1 1"
    assert hash(move) == hash("1 1")
    assert repr(move) == "Move('1 1')"
    again = pickle.loads(pickle.dumps(move))
    assert (again, again.number, type(again)) == ("1 1", 0, Move)


def test_a_whole_game_at_once() -> None:
    board = Board("connect4")
    board.push_moves("4455")
    assert board.moves == ["4", "4", "5", "5"]
    with pytest.raises(IllegalMove):
        board.push_moves("1 444444")
    assert board.moves == ["4", "4", "5", "5"]
    with pytest.raises(BadNotation):
        board.push_moves("128")
    assert len(board.moves) == 4


@pytest.mark.parametrize(
    ("game", "moves", "bad", "why"),
    [
        ("tictactoe", "5", "5", "5 cannot be played: that cell is taken"),
        ("tictactoe", "14253", "9", "the game is over"),
        ("mnk", "a1", "a1", "taken"),
        ("nineboard", "56", "11", "board 6 is in force"),
        ("ultimate", "56", "51", "board 6 is in force"),
        ("qubic", "111", "111", "taken"),
        ("connect4", "444444", "4", "column 4 is full"),
    ],
)
def test_illegal_moves(game: str, moves: str, bad: str, why: str) -> None:
    board = Board(game)
    board.push_moves(moves)
    before = board.text()
    assert not board.is_legal(bad)
    with pytest.raises(IllegalMove, match=why):
        board.push(bad)
    assert board.text() == before


def test_closed_boards_say_so() -> None:
    board = Board("ultimate")
    board.push_moves("11 15 51 14 41 16 61")
    assert board.picture()[1] == "*"
    with pytest.raises(IllegalMove, match="that board is closed"):
        board.push("1 2")


@pytest.mark.parametrize("game", ttt.games())
@pytest.mark.parametrize(
    "bad", ["", " ", "0", "z", "99999", "5 6 7 8", "é", "\x00", "1\n2", "²", "x1"]
)
def test_texts_that_are_no_move(game: str, bad: str) -> None:
    board = Board(game)
    with pytest.raises(BadNotation):
        board.push(bad)
    assert not board.is_legal(bad)
    assert not board.moves


@pytest.mark.parametrize("bad", [5, None, 1.5, b"5", ["5"]])
def test_things_that_are_no_text(bad: object) -> None:
    with pytest.raises(TypeError, match="expected a Move or its text"):
        Board("tictactoe").push(bad)  # type: ignore[arg-type]


def test_history() -> None:
    board = Board("tictactoe")
    with pytest.raises(IndexError, match="no move to take back"):
        board.pop()
    with pytest.raises(IndexError, match="no move to take back"):
        board.peek()
    board.push("5")
    assert board.peek() == "5"
    copied = board.copy()
    copied.push("1")
    assert (len(board.moves), len(copied.moves)) == (1, 2)
    assert board != copied
    copied.pop()
    assert board == copied
    assert len({board, copied}) == 1


def test_equality_is_of_positions() -> None:
    first, second = Board("tictactoe"), Board("tictactoe")
    first.push_moves("1 2 3")
    second.push_moves("3 2 1")
    assert first == second
    assert first != Board("mnk")
    assert Board("nineboard") != Board("nineboard", full="draw")
    assert Board("tictactoe") != "tictactoe"


def test_outcomes() -> None:
    board = Board("tictactoe")
    assert board.outcome() is None
    board.push_moves("15243")
    outcome = board.outcome()
    assert outcome == ("x", "line", (0, 1, 2))
    assert str(outcome) == "x wins"
    assert board.legal_moves == []
    board = Board("tictactoe")
    board.push_moves("152374689")
    assert board.outcome() == (None, "full", ())
    assert str(board.outcome()) == "a draw: no move is left"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("chess", {}),
        ("", {}),
        ("__init__", {}),
        ("_nine", {}),
        ("Tictactoe", {}),
        ("tictactoe", {"m": 3}),
        ("mnk", {"m": 0}),
        ("mnk", {"m": 9, "n": 8}),
        ("mnk", {"m": 3, "n": 3, "k": 4}),
        ("mnk", {"m": "three"}),
        ("mnk", {"m": 3.0}),
        ("mnk", {"m": True}),
        ("mnk", {"m": "9" * 5000}),
        ("mnk", {"m": -1}),
        ("mnk", {"m": 2**80}),
        ("nineboard", {"full": "maybe"}),
        ("nineboard", {"full": None}),
        ("ultimate", {"tie": "boards", "won": "shut"}),
        ("connect4", {"columns": 9, "rows": 7}),
        ("connect4", {"columns": 3, "rows": 3}),
    ],
)
def test_games_and_options_that_are_not(name: str, options: dict[str, object]) -> None:
    with pytest.raises(BadNotation):
        Board(name, **options)


def test_lines_of_one() -> None:
    """Every cell is a line: the first move wins, on the largest boards too."""
    for board in (Board("mnk", m=8, n=8, k=1), Board("connect4", columns=8, rows=7, connect=1)):
        assert len(board.wins()) == len(board.legal_moves)
        board.push(board.legal_moves[-1])
        assert board.is_game_over()


def test_board_wants_a_name() -> None:
    for arguments in ((), (5,), ("mnk", "nineboard")):
        with pytest.raises(TypeError, match="name of a game"):
            Board(*arguments)


def test_playouts_are_reproducible_and_fair() -> None:
    board = Board("tictactoe")
    assert board.playout(7).moves == board.playout(7).moves
    assert {tuple(board.playout(seed).moves) for seed in range(20)} != {
        tuple(board.playout(7).moves)
    }
    assert board.playouts(1000, 3) == board.playouts(1000, 3)
    assert board.playouts(1000, -3) == board.playouts(1000, 2**64 - 3)
    # Random play wins for x, o and nobody with these chances (all 255,168 games, weighted).
    many = board.playouts(200_000, 1)
    expected = {"x": 0.5849, "o": 0.2881, "draw": 0.1270}
    for name, chance in expected.items():
        assert abs(many[name] / 200_000 - chance) < 0.005
    assert board.playouts(0)["plies"] == 0
    with pytest.raises(ValueError, match="at least 0"):
        board.playouts(-1)


def test_playouts_know_the_side_to_move() -> None:
    board = Board("tictactoe")
    board.push_moves("1 4 2 5 9")
    found = board.playouts(9000, 5)
    assert 2500 < found["o"] < 9000
    board.push("6")
    assert board.outcome() == ("o", "line", (3, 4, 5))
    assert board.playouts(10) == {"x": 0, "o": 10, "draw": 0, "plies": 0}


@pytest.mark.parametrize("game", ttt.games())
def test_every_game_draws_itself(game: str) -> None:
    board = Board(game)
    for position in (board, board.playout(1)):
        drawn = str(position)
        assert drawn == "\n".join(line.rstrip() for line in drawn.split("\n"))
        assert position.svg().startswith("<svg ")
        assert eval(repr(position), {"Board": Board}) == position


def test_pickle_keeps_options_history_and_a_set_up_root() -> None:
    start, empty = Board("nineboard", full="draw"), Board("nineboard", full="draw")
    start.push_moves("5 6 6 1 1 9")
    middle = Board.parse(start.text())
    middle.push("9 9")
    for board in (empty, start, middle):
        again = pickle.loads(pickle.dumps(board))
        assert (again, again.moves, again.options) == (board, board.moves, board.options)
        assert again.root() == board.root()


def test_a_record_replays_or_is_refused() -> None:
    board, other = Board("connect4"), Board("connect4")
    board.push_moves("4455")
    other.replay(board.record())
    assert (board.record(), other.moves) == (bytes([3, 3, 4, 4]), board.moves)
    for bad in (bytes([7]), bytes([255]), bytes([0] * 7)):
        with pytest.raises(IllegalMove, match="cannot be played"):
            Board("connect4").replay(bad)
    with pytest.raises(TypeError):
        other.replay("33")  # type: ignore[arg-type]


def test_reset_and_copies_without_history() -> None:
    board = Board("nineboard", full="draw")
    board.push_moves("5 6 6 1")
    bare = board.copy(stack=False)
    assert (bare, bare.moves, bare.root()) == (board, [], board)
    assert board.copy(stack=True).moves == board.moves
    with pytest.raises(TypeError, match="stack=3: expected True or False"):
        board.copy(stack=3)  # type: ignore[arg-type]
    bare.push("1 9")
    assert len(board.moves) == 2
    bare.reset()
    assert (bare, bare.moves, bare.options) == (Board("nineboard", full="draw"), [], board.options)
    with pytest.raises(TypeError):
        board.copy(False)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("moves", "result", "value"),
    [("", "*", None), ("14253", "1-0", -1), ("142596", "0-1", -1), ("152374689", "1/2-1/2", 0)],
)
def test_results(moves: str, result: str, value: int | None) -> None:
    board = Board("tictactoe")
    board.push_moves(moves)
    assert (board.result(), board.outcome_value()) == (result, value)


def test_terminations_are_texts() -> None:
    board = Board("tictactoe")
    board.push_moves("15243")
    outcome = board.outcome()
    assert outcome is not None
    assert outcome.termination is Termination.LINE
    assert f"{outcome.termination}" == str(outcome.termination) == "line"
    assert outcome.result() == "1-0"
    assert (
        json.dumps(outcome._asdict()) == '{"winner": "x", "termination": "line", "line": [0, 1, 2]}'
    )
    assert pickle.loads(pickle.dumps(outcome)) == outcome


def test_moves_made_from_text() -> None:
    move = Move("7")
    assert (move, move.number) == ("7", -1)
    for game in ("tictactoe", "connect4"):
        board = Board(game)
        board.push(move)
        assert board.peek().number == 6
    with pytest.raises(BadNotation):
        Board("qubic").push(move)
    with pytest.raises(TypeError, match="text of a move, not int"):
        Move(7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        ("tictactoe", "10", "'10' is not a move: a cell, 1-9 in reading order"),
        ("tictactoe", "1 10, 3", "'10' is not a move: a cell, 1-9 in reading order"),
        ("connect4", "4498", "'4498' is not a move: a column, 1-7"),
        ("qubic", "111 115", "'115' is not a move: level, row and column, 1-4 each, such as 123"),
    ],
)
def test_messages_quote_the_word(game: str, text: str, message: str) -> None:
    with pytest.raises(BadNotation) as caught:
        Board(game).parse_moves(text)
    assert str(caught.value) == message


def test_the_game_of_a_board_stays() -> None:
    board = Board("tictactoe")
    with pytest.raises(AttributeError, match="game"):
        board.game = "mnk"  # type: ignore[misc]
    assert weakref.ref(board)() is board


def test_names_that_people_see() -> None:
    assert dir(ttt) == sorted(ttt.__all__)
    assert all(hasattr(ttt, name) for name in ttt.__all__)
    names = dir(Board("connect4"))
    assert {"push", "legal_moves", "outcome", "save", "svg"} <= {*names}
    assert not {"ruleset_type", "set_picture", "text_row"} & {*names}


@pytest.mark.parametrize("module", [connect4, mnk, nineboard, qubic, ultimate])
def test_compiled_classes_have_the_interface(module: object) -> None:
    """Every public name of `ttt_core.interface`, with the same arguments, and nothing else."""
    for kind in (interface.Position, interface.Engine, interface.Batch, interface.Sampler):
        compiled = getattr(module, kind.__name__)
        own = {name for name in vars(kind) if name[0] != "_"} | {*kind.__annotations__}
        assert own == {name for name in vars(compiled) if name[0] != "_"}
        for name in own & {*vars(kind)}:
            function = vars(kind)[name]
            if inspect.isfunction(function):
                wanted = list(inspect.signature(function).parameters)
                assert list(inspect.signature(getattr(compiled, name)).parameters) == wanted, name


def test_push_a_list_of_moves() -> None:
    board = Board("ultimate")
    board.push_moves(["5 5", ttt.Move("51"), "1 9"])
    assert board.moves == ["5 5", "5 1", "1 9"]
    with pytest.raises(IllegalMove):
        board.push_moves(["9 1", "5 5"])
    assert len(board.moves) == 3


def test_a_position_is_not_the_name_of_a_game() -> None:
    with pytest.raises(BadNotation, match=r"Board\.parse"):
        Board(Board("ultimate").text())
