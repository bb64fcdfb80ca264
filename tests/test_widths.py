"""Nothing that `ttt` prints in a terminal of 80 columns is wrapped by the terminal."""

import re
from pathlib import Path

import pytest

from support.terminal import Terminal
from ttt import Board
from ttt.cli.main import VERBS

LONG = "alphabeta:depth=2,eval=attack-block,ties=random"
OUTPUTS = [
    "games",
    "players",
    "show ultimate --moves 566111",
    "show nineboard",
    "show qubic",
    "show mnk:m=26,n=2,k=3",
    "analyse nineboard --moves 55 --depth 9",
    "analyse qubic --moves 111 --depth 6 --multipv 3",
    "analyse ultimate --all-moves --depth 3",
    "analyse nineboard --algorithm alphabeta --depth 3",
    "solve connect4 --moves 32164625 --all-moves",
    "solve nineboard --moves 555112 --nodes 100000",
    "solve nineboard --time 2.5 --checkpoint {folder}/search",
    "solve qubic --moves 112 --time 1.2",
    "solve tictactoe",
    f"match connect4 {LONG} level-2 --games 2",
    f"tournament connect4 {LONG} level-2 random --games 2",
    "perft connect4 4 --divide",
    "playouts connect4 1000",
    "bench tictactoe",
    "prove qubic --moves 111 --nodes 1000000 --out {folder}/proof",
    "review {folder}/game",
    "replay {folder}/game --all",
    f"play connect4 --player level-2 --opponent {LONG} --seed 1",
    "frobnicate",
    "play connect4 --player nobody",
    "play tictactoe --time 1",
    "show chess",
]


def screen(terminal: Terminal) -> list[str]:
    """The lines that a program prints, without colours and cursor movements."""
    terminal.status()
    text = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", terminal.seen).replace("\r\n", "\n")
    return re.split(r"[\n\r]", text)


@pytest.mark.parametrize("command", OUTPUTS)
def test_output_fits(command: str, tmp_path: Path, terminals: list[Terminal]) -> None:
    board = Board("nineboard")
    while not board.is_game_over():
        board.push(board.legal_moves[board.ply % len(board.legal_moves)])
    board.save(tmp_path / "game")
    terminal = Terminal(*command.format(folder=tmp_path).split(), COLUMNS="80", LINES="24")
    terminals.append(terminal)
    lines = screen(terminal)
    assert any(line.strip() for line in lines)
    assert [line for line in lines if len(line) > 79] == []


@pytest.mark.parametrize("verb", VERBS)
def test_help_fits(verb: str, terminals: list[Terminal]) -> None:
    terminal = Terminal(verb, "--help", COLUMNS="80")
    terminals.append(terminal)
    lines = screen(terminal)
    assert lines[0].startswith(f"usage: ttt {verb}")
    assert [line for line in lines if len(line) > 79] == []


def test_a_long_position_is_folded_and_read_back(terminals: list[Terminal]) -> None:
    terminal = Terminal("show", "nineboard", "--moves", "55", COLUMNS="80")
    terminals.append(terminal)
    lines = screen(terminal)
    begin = next(i for i, line in enumerate(lines) if line.startswith("nineboard "))
    folded = "\n".join(lines[begin:]).strip()
    assert "\n" in folded
    board = Board("nineboard")
    board.push("55")
    assert Board.parse(folded) == board
