"""PettingZoo: every game as an AEC environment of two agents, "x" and "o".

>>> from ttt.adapters.pettingzoo import env
>>> game = env("connect4")
>>> game.reset(seed=1)
>>> for agent in game.agent_iter():
...     observation, reward, terminated, truncated, info = game.last()
...     mask = observation["action_mask"]
...     game.step(None if terminated or truncated else game.action_space(agent).sample(mask))

The reward is 1 for the winner and -1 for the loser at the end, 0 otherwise. An illegal action loses
the game. Needs the extra `[pettingzoo]`.
"""

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ttt.adapters.arrays import Grid, mask_of, observation_of, picture
from ttt.board import Board

AGENTS = ["x", "o"]
RENDER_MODES = ["ansi", "human", "rgb_array"]


def env(game: str, render_mode: str | None = None, **options: Any) -> Any:
    """The environment of a game with PettingZoo's usual checks around it."""
    found: Any = GameEnv(game, render_mode, **options)
    found = wrappers.TerminateIllegalWrapper(found, illegal_reward=-1)
    found = wrappers.AssertOutOfBoundsWrapper(found)
    return wrappers.OrderEnforcingWrapper(found)


class GameEnv(AECEnv[str, Any, Any]):
    """The environment without wrappers. `board` is the position."""

    def __init__(self, game: str, render_mode: str | None = None, **options: Any) -> None:
        super().__init__()
        self.metadata = {
            "render_modes": RENDER_MODES,
            "name": f"ttt_{game}_v0",
            "is_parallelizable": False,
            "render_fps": 2,
        }
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(f"render_mode={render_mode!r}: expected ansi, human or rgb_array")
        self.render_mode = render_mode
        self.start = Board(game, **options)
        self.board = self.start.copy()
        self.grid = Grid(self.board)
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        moves = len(self.board.ruleset.moves)
        self._spaces: dict[str, tuple[Space[Any], Space[Any]]] = {
            agent: (
                Dict(
                    {
                        "observation": Box(0, 1, self.grid.shape, np.int8),
                        "action_mask": Box(0, 1, (moves,), np.int8),
                    }
                ),
                Discrete(moves),
            )
            for agent in AGENTS
        }

    def observation_space(self, agent: str) -> Space[Any]:
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Space[Any]:
        return self._spaces[agent][1]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a new game; nothing is random, so the seed is not used."""
        self.board = self.start.copy()
        self.agents = list(AGENTS)
        self.agent_selection = "x"
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, Any] = {agent: {} for agent in AGENTS}

    def observe(self, agent: str) -> dict[str, Any]:
        mask = mask_of(self.board)
        if agent != self.board.turn:
            mask[:] = 0
        return {"observation": observation_of(self.board, self.grid, agent), "action_mask": mask}

    def step(self, action: Any) -> None:
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0
        self.board.push(self.board.ruleset.moves[int(action)])
        self.agent_selection = self.board.turn
        outcome = self.board.outcome()
        if outcome is not None:
            self.terminations = dict.fromkeys(AGENTS, True)
            if outcome.winner is not None:
                self.rewards = {agent: 1 if agent == outcome.winner else -1 for agent in AGENTS}
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """The board as text ("ansi"), printed ("human"), or as an image ("rgb_array")."""
        if self.render_mode == "rgb_array":
            return picture(self.board, self.grid)
        if self.render_mode == "ansi":
            return str(self.board)
        if self.render_mode == "human":
            print(self.board)
        return None

    def close(self) -> None:
        """Nothing to release."""
