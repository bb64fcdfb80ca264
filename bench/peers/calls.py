"""Single calls, against OpenSpiel's and, on a chess board, python-chess's."""

import pickle
from collections.abc import Callable
from random import Random
from typing import Any

from peers.measure import OURS, Bench, Row, Timing, call_cost
from peers.spiel import SPIEL, Spiel
from ttt import Board

PLIES = 4
CHESS = "python-chess (chess)"
Calls = dict[str, Callable[[], object]]


def ours(game: str) -> Calls:
    """The calls by name, on a board in mid-game (`result`: on a finished one)."""
    random = Random(1)
    board = Board(game)
    for _ in range(PLIES):
        board.push(random.choice(board.legal_moves))
    move = board.legal_moves[0]
    over = Board(game).playout(seed=1)

    def push_pop() -> None:
        board.push(move)
        board.pop()

    return {
        "push and pop": push_pop,
        "legal_moves": lambda: board.legal_moves,
        "outcome, game running": board.outcome,
        "result, game over": over.result,
        "copy": board.copy,
        "pickle and back": lambda: pickle.loads(pickle.dumps(board)),
    }


def spiel_calls(pyspiel: Any, spiel: Spiel) -> Calls:
    """The same calls in OpenSpiel; games without undo clone the state instead."""
    random = Random(1)
    state = pyspiel.load_game(spiel.name).new_initial_state()
    for _ in range(PLIES):
        state.apply_action(random.choice(state.legal_actions()))
    over = state.clone()
    while not over.is_terminal():
        over.apply_action(random.choice(over.legal_actions()))
    action, player = state.legal_actions()[0], state.current_player()

    def apply_undo() -> None:
        state.apply_action(action)
        state.undo_action(player, action)

    def clone_apply() -> None:
        state.clone().apply_action(action)

    return {
        "push and pop": apply_undo if spiel.undoes else clone_apply,
        "legal_moves": state.legal_actions,
        "outcome, game running": state.is_terminal,
        "result, game over": over.returns,
        "copy": state.clone,
        "pickle and back": lambda: pickle.loads(pickle.dumps(state)),
    }


def chess_calls(chess: Any) -> Calls:
    """The same calls on a chess board: the same API, other rules."""
    board = chess.Board()
    for text in ("e4", "e5", "Nf3", "Nc6"):
        board.push_san(text)
    move = next(iter(board.legal_moves))
    over = chess.Board("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")

    def push_pop() -> None:
        board.push(move)
        board.pop()

    return {
        "push and pop": push_pop,
        "legal_moves": lambda: list(board.legal_moves),
        "outcome, game running": board.outcome,
        "result, game over": over.result,
        "copy": board.copy,
        "pickle and back": lambda: pickle.loads(pickle.dumps(board)),
    }


def measure(bench: Bench) -> None:
    pyspiel = bench.peer("pyspiel", "OpenSpiel")
    chess = bench.peer("chess", "python-chess")
    rows: list[tuple[Row, dict[str, Timing]]] = []
    for game in ("tictactoe", "connect4", "nineboard", "ultimate", "qubic"):
        contenders: dict[str, Calls] = {OURS: ours(game)}
        if pyspiel and game in SPIEL:
            contenders["OpenSpiel"] = spiel_calls(pyspiel, SPIEL[game])
        if chess and game == "connect4":
            contenders[CHESS] = chess_calls(chess)
        for name in contenders[OURS]:
            timings: dict[str, Timing] = {
                who: call_cost(calls[name]) for who, calls in contenders.items()
            }
            note = ""
            if name == "push and pop" and game in SPIEL and not SPIEL[game].undoes:
                note = "OpenSpiel cannot undo here: it clones the state and plays on the clone"
            row = Row(f"call: {name}", game, "ns", f"one call, at ply {PLIES}", {}, note)
            rows.append((row, timings))
    bench.measure_all(rows)
