"""Gymnasium: one side against any player, and many games at once.

>>> import gymnasium
>>> import ttt.adapters.gymnasium
>>> env = gymnasium.make("ttt/Game-v0", game="connect4", opponent="level-2", side="x")
>>> observation, info = env.reset(seed=1)
>>> action = env.action_space.sample(info["action_mask"])
>>> observation, reward, terminated, truncated, info = env.step(action)

The reward is 1 for a win, -1 for a loss and 0 otherwise. An illegal action loses the game, and the
info says so. `VectorGames` plays thousands of games of both sides. Needs the extra `[gymnasium]`.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from ttt.adapters.arrays import Grid, mask_of, observation_of, picture
from ttt.batch import Batch
from ttt.board import Board
from ttt.players.spec import make_player

SIDES = ("x", "o", "random")


class GameEnv(gymnasium.Env[NDArray[np.int8], int]):
    """One side of a game; `opponent` is the text of a player. `side` is "x", "o" or "random"."""

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: str = "tictactoe",
        opponent: str = "random",
        side: str = "x",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if side not in SIDES:
            raise ValueError(f"side={side!r}: expected x, o or random")
        self.start = Board(game, **options)
        self.board = self.start.copy()
        self.opponent: Any = make_player(opponent, self.board)
        self.wanted_side = self.side = side
        self.grid = Grid(self.board)
        self.observation_space = Box(0, 1, self.grid.shape, np.int8)
        self.action_space = Discrete(len(self.board.ruleset.moves))
        self.render_mode = render_mode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Starts a new game; the seed also seeds the opponent."""
        super().reset(seed=seed)
        self.board = self.start.copy()
        self.side = self.wanted_side
        if self.side == "random":
            self.side = ("x", "o")[int(self.np_random.integers(2))]
        if hasattr(self.opponent, "new_game"):
            self.opponent.new_game(int(self.np_random.integers(2**31)))
        self._reply()
        return self._observe()

    def step(self, action: Any) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Plays the action and the opponent's reply."""
        if self.board.is_game_over():
            raise ValueError("the game is over: call reset")
        move = self.board.ruleset.moves[int(action)]
        if not self.board.is_legal(move):
            observation, info = self._observe()
            return observation, -1.0, True, False, {**info, "illegal": self.board.why_illegal(move)}
        self.board.push(move)
        self._reply()
        observation, info = self._observe()
        outcome = self.board.outcome()
        reward = 0.0
        if outcome is not None and outcome.winner is not None:
            reward = 1.0 if outcome.winner == self.side else -1.0
        return observation, reward, outcome is not None, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, as libraries with masked policies ask for them."""
        return mask_of(self.board).astype(np.bool_)

    def render(self) -> Any:
        """The board as text ("ansi") or as an image ("rgb_array")."""
        if self.render_mode == "rgb_array":
            return picture(self.board, self.grid)
        return str(self.board) if self.render_mode == "ansi" else None

    def _reply(self) -> None:
        if not self.board.is_game_over() and self.board.turn != self.side:
            self.board.push(self.opponent.choose(self.board.copy()))

    def _observe(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        info = {"action_mask": mask_of(self.board), "side": self.side}
        return observation_of(self.board, self.grid, self.side), info


class VectorGames(VectorEnv[NDArray[np.int8], NDArray[np.int64], NDArray[Any]]):
    """Many games at once, both sides played by the caller: `VectorGames("connect4", 4096)`.

    An observation is the position as the side to move sees it; a reward is for the side that has
    just moved. A game that has ended starts again at the next step, whose action is ignored
    (autoreset mode "next step"). `info["action_mask"]` has the legal actions of every game. If any
    action is illegal, the step raises IllegalMove and plays none.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(self, game: str, num_envs: int, **options: Any) -> None:
        self.batch = Batch(game, num_envs, **options)
        self.num_envs = num_envs
        self.grid = Grid(self.batch.start)
        self.single_observation_space = Box(0, 1, self.grid.shape, np.int8)
        self.single_action_space = Discrete(len(self.batch.moves))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.over = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        super().reset(seed=seed)
        self.batch.reset(np.ones(self.num_envs, np.bool_))
        self.over[:] = False
        return self._observe(self.batch.turn)

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[np.int8], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        mover = self.batch.turn
        self.batch.step(np.where(self.over, -1, np.asarray(actions)))
        self.batch.reset(self.over)
        restarted = self.over
        over, winner, turn = self.batch.results()
        rewards = np.where(restarted, 0.0, winner * mover)
        self.over = over
        observation, info = self._observe(turn)
        return observation, rewards, over.copy(), np.zeros(self.num_envs, np.bool_), info

    def _observe(self, turn: NDArray[np.int8]) -> tuple[NDArray[np.int8], dict[str, Any]]:
        return self.grid.observation(self.batch.marks, turn), {"action_mask": self.batch.legal}


if "ttt/Game-v0" not in gymnasium.registry:
    gymnasium.register("ttt/Game-v0", entry_point=GameEnv)
