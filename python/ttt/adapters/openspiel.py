"""OpenSpiel: our players as bots, and our games as OpenSpiel games.

>>> import pyspiel
>>> from ttt.adapters.openspiel import PlayerBot
>>> game = pyspiel.load_game("connect_four")
>>> bot = PlayerBot(game, "engine:nodes=10000")
>>> state = game.new_initial_state()
>>> state.apply_action(bot.step(state))

Bots play OpenSpiel's tic_tac_toe, connect_four and ultimate_tic_tac_toe, and the games registered
here: ttt_tictactoe, ttt_mnk, ttt_nineboard, ttt_ultimate, ttt_qubic and ttt_connect4, whose
parameters are our options: `pyspiel.load_game("ttt_nineboard(full=draw)")`. Importing this module
registers them. OpenSpiel's MCTS in Python plays them; its compiled one crashes on every game that
is defined in Python, its own included (2.0.2). Needs the extra `[openspiel]`.
"""

from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from ttt.adapters.arrays import Grid, observation_of
from ttt.board import Board, board_class, games
from ttt.players.spec import make_player
from ttt_core.move import Move

THEIRS = {
    "tic_tac_toe": "tictactoe",
    "connect_four": "connect4",
    "ultimate_tic_tac_toe": "ultimate",
}
"""OpenSpiel's games and ours. Their actions are the numbers of our moves, but in ultimate a free
choice of board is two actions: the board, then the cell."""
PREFIX = "ttt_"


# --- bots ----------------------------------------------------------------------------------------


class PlayerBot(pyspiel.Bot):
    """A player of ours in OpenSpiel's games: `PlayerBot(game, "engine:time=0.1")`."""

    def __init__(self, game: pyspiel.Game, player: str = "engine", seed: int = 0) -> None:
        super().__init__()
        self.start = first_board(game)
        self.player: Any = make_player(player, self.start)
        self.seed = seed
        self.planned: tuple[tuple[Move, ...], Move] | None = None
        """In ultimate, the whole move whose board has been chosen, and the moves before it."""
        self.restart()

    def restart(self) -> None:
        """Begins a new game."""
        self.planned = None
        if hasattr(self.player, "new_game"):
            self.player.new_game(self.seed)

    def restart_at(self, state: pyspiel.State) -> None:
        self.restart()

    def provides_policy(self) -> bool:
        return False

    def step(self, state: pyspiel.State) -> int:
        """The action of the player."""
        board, chosen = board_of(state, self.start)
        played = tuple(board.moves)
        if self.planned is not None and self.planned[0] == played:
            move = self.planned[1]
        else:
            move = board.parse_move(self.player.choose(board.copy()))
        self.planned = None
        if self.start.game != "ultimate" or type(state) is State:
            return move.number
        if chosen is not None:
            if move.number // 9 != chosen:  # somebody else chose the board
                legal = [other for other in board.legal_moves if other.number // 9 == chosen]
                move = legal[0]
            return move.number % 9
        if is_free(board):
            self.planned = played, move
            return move.number // 9
        return move.number % 9


def first_board(game: pyspiel.Game) -> Board:
    """The first position of our version of an OpenSpiel game."""
    name = game.get_type().short_name
    if isinstance(game, Game):
        return game.start.copy()
    if name not in THEIRS:
        known = ", ".join((*THEIRS, *(PREFIX + own for own in games())))
        raise ValueError(f"unknown game {name!r}; choose from {known}")
    start = Board(THEIRS[name])
    if game.num_distinct_actions() != (9 if name != "connect_four" else 7):
        raise ValueError(f"{game}: expected the standard board of {name}")
    return start


def is_free(board: Board) -> bool:
    """Whether the next move of ultimate may be on any board."""
    return board.picture()[1] == "*"


def board_of(state: pyspiel.State, start: Board) -> tuple[Board, int | None]:
    """The board of a state, and the board that has been chosen for the next move (ultimate)."""
    board = start.copy()
    if start.game != "ultimate" or type(state) is State:
        for action in state.history():
            board.push(board.ruleset.moves[action])
        return board, None
    chosen = None
    for action in state.history():
        if chosen is None and is_free(board):
            chosen = action
            continue
        force = board.picture()[1] if chosen is None else chosen
        assert isinstance(force, int)
        board.push(board.ruleset.moves[9 * force + action])
        chosen = None
    return board, chosen


# --- games ---------------------------------------------------------------------------------------


def parameters(name: str) -> dict[str, Any]:
    """The options of a game, with their defaults."""
    return dict(Board(name).options)


def game_type(name: str) -> pyspiel.GameType:
    return pyspiel.GameType(
        short_name=PREFIX + name,
        long_name=board_class(name).title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters(name),
    )


class Game(pyspiel.Game):
    """A game of ours; subclasses name it."""

    name: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        self.start = Board(self.name, **(params or {}))
        self.grid = Grid(self.start)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.start.ruleset.moves),
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=len(self.start.marks),
        )
        super().__init__(game_type(self.name), info, params or {})

    def new_initial_state(self, state: Any = None) -> "State":
        return State(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return Observer(self.grid)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class State(pyspiel.State):
    """A position of one of our games; `board` is ours."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.board = game.start.copy()

    def current_player(self) -> Any:
        if self.board.is_game_over():
            return pyspiel.PlayerId.TERMINAL
        return "xo".index(self.board.turn)

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(move.number for move in self.board.legal_moves)

    def _apply_action(self, action: int) -> None:
        self.board.push(self.board.ruleset.moves[action])

    def _action_to_string(self, player: int, action: int) -> str:
        return str(self.board.ruleset.moves[action])

    def is_terminal(self) -> bool:
        return self.board.is_game_over()

    def returns(self) -> list[float]:
        outcome = self.board.outcome()
        if outcome is None or outcome.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if outcome.winner == "x" else [-1.0, 1.0]

    def __str__(self) -> str:
        return self.board.text()


class Observer:
    """The position as the player sees it: the planes of `ttt.adapters.arrays`."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.tensor = np.zeros(int(np.prod(grid.shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(grid.shape)}

    def set_from(self, state: State, player: int) -> None:
        self.dict["observation"][:] = observation_of(state.board, self.grid, "xo"[player])

    def string_from(self, state: State, player: int) -> str:
        return state.board.text()


for _name in games():
    pyspiel.register_game(game_type(_name), type(f"Game_{_name}", (Game,), {"name": _name}))
