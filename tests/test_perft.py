"""Perft against published counts and, from late positions, against the slow reference."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from support.contract import GAMES, Game, choose, name_of
from support.reference import Reference, lines_of, reference
from ttt import Board
from ttt.notation import parse_options


def published() -> list[tuple[str, dict[str, str], list[int]]]:
    found = []
    for line in (Path(__file__).parent / "data/perft.txt").read_text().splitlines():
        if not line.startswith("#"):
            name, counts = line.split(":")
            game, *options = name.split()
            found.append((game, parse_options(",".join(options)), [*map(int, counts.split())]))
    return found


@pytest.mark.parametrize(
    ("game", "options", "counts"), published(), ids=lambda part: str(part)[:24]
)
def test_published_counts(game: str, options: dict[str, str], counts: list[int]) -> None:
    board = Board(game, **options)
    assert board.perft(0) == 1
    assert [board.perft(depth + 1) for depth in range(len(counts))] == counts


def test_all_games_of_tictactoe() -> None:
    """255,168 games, 549,946 nodes with the root: 131,184 won by x, 77,904 by o, 46,080 drawn."""
    board = Board("tictactoe")
    leaves = [board.count_leaves(depth) for depth in range(10)]
    assert sum(nodes for nodes, _ in leaves) == 549_946
    assert sum(won for _, won in leaves[1::2]) == 131_184
    assert sum(won for _, won in leaves[::2]) == 77_904
    assert leaves[9][0] - leaves[9][1] == 46_080


def test_positions_of_tictactoe() -> None:
    seen: set[Board] = set()
    frontier = [Board("tictactoe")]
    while frontier:
        board = frontier.pop()
        if board not in seen:
            seen.add(board)
            for move in board.legal_moves:
                child = board.copy()
                child.push(move)
                frontier.append(child)
    assert len(seen) == 5_478
    assert len({board.canonical_key() for board in seen}) == 765


@pytest.mark.parametrize(
    ("ply", "positions"),
    [(1, 2), (2, 35), (3, 757), (4, 20_851), pytest.param(5, 401_778, marks=pytest.mark.slow)],
)
def test_positions_of_qubic_up_to_symmetry(ply: int, positions: int) -> None:
    frontier = [Board("qubic")]
    for last in [False] * (ply - 1) + [True]:
        seen: set[int] = set()
        children = []
        for board in frontier:
            for move in board.legal_moves:
                board.push(move)
                key = board.canonical_key()
                if key not in seen:
                    seen.add(key)
                    if not last:
                        children.append(board.copy())
                board.pop()
        frontier = children
    assert len(seen) == positions


def test_lines_of_qubic() -> None:
    """76 lines; 16 cells are on seven of them and 48 on four; each line wins when it is filled."""
    lines = lines_of((4, 4, 4), 4)
    assert len(lines) == 76
    assert Counter(sum(cell in line for line in lines) for cell in range(64)) == {7: 16, 4: 48}
    for line in lines:
        others = [cell for cell in range(64) if cell not in line][:5:2]
        board = Board("qubic")
        for mine, theirs in zip(line[:3], others, strict=True):
            board.push(board.ruleset.moves[mine])
            board.push(board.ruleset.moves[theirs])
        assert [move.number for move in board.wins("x")] == [line[3]]
        board.push(board.ruleset.moves[line[3]])
        assert board.outcome() == ("x", "line", line)


def late_position(game: Game, seed: int) -> tuple[Board, Reference]:
    """A game that avoids wins, stopped a few plies before its end."""
    random = Random(seed)
    fast, slow = Board(game[0], **game[1]), reference(game[0], **game[1])
    while not fast.is_game_over():
        fast.push(choose(fast, random.randrange, peaceful=True))
    for _ in range(min(fast.ply, 2 + seed)):
        fast.pop()
    for move in fast.moves:
        slow.play(move.number)
    return fast, slow


@pytest.mark.parametrize("game", GAMES, ids=name_of)
def test_late_positions(game: Game) -> None:
    for seed in range(10):
        fast, slow = late_position(game, seed)
        depth = 1
        while depth <= 12 and (expected := slow.perft(depth)) < 3_000:
            assert fast.perft(depth) == expected
            assert sum(fast.divide(depth).values()) == expected
            if not expected:
                break
            depth += 1


def test_wrong_depths() -> None:
    board = Board("tictactoe")
    with pytest.raises(ValueError, match="at least 0"):
        board.perft(-1)
    with pytest.raises(ValueError, match="at least 1"):
        board.divide(0)
