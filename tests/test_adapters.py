"""The games in PettingZoo, Gymnasium and OpenSpiel: each framework's own conformance tests, and
what its users see compared with our boards. `make test-adapters` installs the frameworks."""

import random
import warnings
from typing import Any

import pytest

from ttt import Board, games
from ttt.players.spec import make_player

np = pytest.importorskip("numpy")

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "mnk": [{"m": 4, "n": 3, "k": 3}],
    "nineboard": [{"full": "draw"}],
    "ultimate": [{"tie": "boards", "won": "open"}],
    "connect4": [{"columns": 6, "rows": 5, "connect": 3}],
}
VARIANTS = [(game, options) for game in games() for options in ({}, *OPTIONS.get(game, []))]
NAMES = [f"{game}{options or ''}" for game, options in VARIANTS]


def slow_observation(board: Board, side: str) -> Any:
    """From the drawing's layout alone."""
    width, height, blocks, across = board.layout
    columns = width * min(across, blocks)
    found = np.zeros((height * -(-blocks // across), columns, 2), np.int8)
    for cell, mark in enumerate(board.marks):
        block, inside = divmod(cell, width * height)
        row = height * (block // across) + inside // width
        column = width * (block % across) + inside % width
        if mark != ".":
            found[row, column, 0 if mark == side else 1] = 1
    return found


# --- PettingZoo ----------------------------------------------------------------------------------


@pytest.fixture
def pettingzoo() -> Any:
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: make test-adapters")
    from ttt.adapters import pettingzoo

    return pettingzoo


@pytest.mark.parametrize(("game", "options"), VARIANTS, ids=NAMES)
def test_pettingzoo_api(pettingzoo: Any, game: str, options: dict[str, Any]) -> None:
    from pettingzoo.test import api_test, seed_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # hints about style and names of observations
        api_test(pettingzoo.env(game, **options), num_cycles=60)
        seed_test(lambda: pettingzoo.env(game, **options), num_cycles=20)


@pytest.mark.parametrize(("game", "options"), VARIANTS, ids=NAMES)
def test_pettingzoo_games(pettingzoo: Any, game: str, options: dict[str, Any]) -> None:
    dice = random.Random(game)
    for mode in ("ansi", "rgb_array"):
        env = pettingzoo.env(game, mode, **options)
        env.reset()
        board = Board(game, **options)
        total = dict.fromkeys("xo", 0)
        for agent in env.agent_iter():
            observation, reward, over, _, _ = env.last()
            total[agent] += reward
            if over:
                env.step(None)
                continue
            assert agent == board.turn
            assert (observation["observation"] == slow_observation(board, agent)).all()
            legal = [move.number for move in board.legal_moves]
            assert np.flatnonzero(observation["action_mask"]).tolist() == sorted(legal)
            action = dice.choice(legal)
            board.push(board.ruleset.moves[action])
            env.step(action)
            drawn = env.render()
            if mode == "ansi":
                assert drawn == str(board)
            else:
                assert drawn.dtype == np.uint8
                assert drawn.ndim == 3
        outcome = board.outcome()
        assert outcome is not None
        expected = {None: (0, 0), "x": (1, -1), "o": (-1, 1)}[outcome.winner]
        assert (total["x"], total["o"]) == expected


def test_pettingzoo_illegal_action(pettingzoo: Any) -> None:
    env = pettingzoo.env("tictactoe")
    env.reset()
    env.step(4)
    env.step(4)
    assert env.unwrapped.rewards["o"] == -1
    assert all(env.unwrapped.terminations.values())
    with pytest.raises(ValueError, match="expected ansi"):
        pettingzoo.env("tictactoe", "film")


def test_pictures_show_every_mark(pettingzoo: Any) -> None:
    from ttt.adapters.arrays import CELL, COLOURS, Grid, picture

    board = Board("nineboard")
    board.push_moves("5 6 6 1")
    image = picture(board, Grid(board))
    assert image.shape == (9 * CELL + 1, 9 * CELL + 1, 3)
    for colour, (row, column) in ((COLOURS["x"], (4, 5)), (COLOURS["o"], (3, 6))):
        found = np.argwhere((image == colour).all(axis=2))
        assert {tuple(place // CELL) for place in found} == {(row, column)}


# --- Gymnasium -----------------------------------------------------------------------------------


@pytest.fixture
def gymnasium() -> Any:
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed: make test-adapters")
    from ttt.adapters import gymnasium

    return gymnasium


@pytest.mark.parametrize("side", ["x", "o", "random"])
@pytest.mark.parametrize(("game", "options"), VARIANTS, ids=NAMES)
def test_gymnasium_check(gymnasium: Any, game: str, options: dict[str, Any], side: str) -> None:
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.GameEnv(game, "random", side, **options)
    env.action_space.seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env, skip_render_check=True)


@pytest.mark.parametrize("side", ["x", "o"])
@pytest.mark.parametrize("game", games())
def test_gymnasium_games(gymnasium: Any, game: str, side: str) -> None:
    import gymnasium as framework

    env: Any = framework.make("ttt/Game-v0", game=game, opponent="level-1", side=side)
    results = set()
    for seed in range(8):
        dice = random.Random(seed)
        observation, info = env.reset(seed=seed)
        over, reward, actions = False, 0.0, []
        while not over:
            board = env.unwrapped.board
            assert board.turn == side
            assert (observation == slow_observation(board, side)).all()
            actions.append(dice.choice(np.flatnonzero(info["action_mask"]).tolist()))
            observation, reward, over, _, info = env.step(actions[-1])
        outcome = env.unwrapped.board.outcome()
        assert reward == {None: 0, side: 1}.get(outcome.winner, -1)
        results.add(reward)
        env.reset(seed=seed)
        again = [env.step(action)[1] for action in actions]
        assert again[-1] == reward, "the same seed gives the same opponent"
    assert -1.0 in results or 1.0 in results


def test_gymnasium_refusals(gymnasium: Any) -> None:
    env = gymnasium.GameEnv("tictactoe", "first")
    env.reset(seed=1)
    env.step(4)
    _, reward, over, _, info = env.step(4)
    assert (reward, over) == (-1.0, True)
    assert "taken" in info["illegal"]
    with pytest.raises(ValueError, match="expected x, o or random"):
        gymnasium.GameEnv("tictactoe", side="X")
    with pytest.raises(ValueError, match="unknown player"):
        gymnasium.GameEnv("tictactoe", "nobody")
    env = gymnasium.GameEnv("tictactoe", "first")
    env.reset()
    while not env.board.is_game_over():
        env.step(int(np.flatnonzero(env.action_masks())[-1]))
    with pytest.raises(ValueError, match="call reset"):
        env.step(0)


@pytest.mark.parametrize(("game", "options"), VARIANTS, ids=NAMES)
def test_vector_games_equal_boards(gymnasium: Any, game: str, options: dict[str, Any]) -> None:
    size = 16
    envs = gymnasium.VectorGames(game, size, **options)
    boards = [Board(game, **options) for _ in range(size)]
    observation, info = envs.reset(seed=1)
    dice = random.Random(game)
    ended = 0
    for _ in range(100):
        assert observation.shape == envs.observation_space.shape
        actions = np.zeros(size, np.int64)
        rewards = np.zeros(size)
        over = np.zeros(size, bool)
        for i, board in enumerate(boards):
            if board.is_game_over():
                boards[i] = Board(game, **options)
                continue
            legal = [move.number for move in board.legal_moves]
            assert np.flatnonzero(info["action_mask"][i]).tolist() == sorted(legal)
            assert (observation[i] == slow_observation(board, board.turn)).all()
            actions[i] = dice.choice(legal)
            mover = board.turn
            board.push(board.ruleset.moves[actions[i]])
            outcome = board.outcome()
            if outcome is not None:
                over[i] = True
                ended += 1
                rewards[i] = {None: 0, mover: 1}.get(outcome.winner, -1)
        observation, got, terminated, truncated, info = envs.step(actions)
        assert (got == rewards).all()
        assert (terminated == over).all()
        assert not truncated.any()
    assert ended >= size


# --- OpenSpiel -----------------------------------------------------------------------------------


@pytest.fixture
def openspiel() -> Any:
    pytest.importorskip("pyspiel", "2.0.1", reason="OpenSpiel is not installed: make test-adapters")
    from ttt.adapters import openspiel

    return openspiel


SPIEL_NAMES = [
    "ttt_tictactoe",
    "ttt_mnk(m=4,n=4,k=3)",
    "ttt_nineboard",
    "ttt_nineboard(full=draw)",
    "ttt_ultimate(tie=boards)",
    "ttt_qubic",
    "ttt_connect4",
]


@pytest.mark.parametrize("name", SPIEL_NAMES)
def test_openspiel_conformance(openspiel: Any, name: str) -> None:
    import pyspiel

    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=3, serialize=True, verbose=False)


@pytest.mark.parametrize("name", SPIEL_NAMES)
def test_openspiel_games_follow_our_boards(openspiel: Any, name: str) -> None:
    import pyspiel

    game = pyspiel.load_game(name)
    dice = random.Random(name)
    state = game.new_initial_state()
    board = openspiel.first_board(game)
    observer = game.make_py_observer()
    while not state.is_terminal():
        player = state.current_player()
        assert "xo"[player] == board.turn
        assert state.legal_actions() == sorted(move.number for move in board.legal_moves)
        observer.set_from(state, player)
        assert (observer.dict["observation"] == slow_observation(board, board.turn)).all()
        action = dice.choice(state.legal_actions())
        assert board.parse_move(state.action_to_string(action)).number == action
        board.push(board.ruleset.moves[action])
        state.apply_action(action)
    outcome = board.outcome()
    assert outcome is not None
    assert state.returns() == {None: [0, 0], "x": [1, -1], "o": [-1, 1]}[outcome.winner]


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "ultimate_tic_tac_toe"])
def test_bots_play_what_the_player_chooses(openspiel: Any, name: str) -> None:
    """On OpenSpiel's own states, against random actions; their rules decide what is legal."""
    import pyspiel

    game = pyspiel.load_game(name)
    for seed in range(6):
        dice = random.Random(seed)
        bot = openspiel.PlayerBot(game, "engine:depth=2")
        player = make_player("engine:depth=2", openspiel.first_board(game))
        state = game.new_initial_state()
        mine = seed % 2
        while not state.is_terminal():
            if state.current_player() == mine:
                action = bot.step(state)
                board, chosen = openspiel.board_of(state, bot.start)
                if chosen is None:
                    move = board.parse_move(player.choose(board.copy()))
                    expected = move.number
                    if name == "ultimate_tic_tac_toe":
                        free = openspiel.is_free(board)
                        expected = move.number // 9 if free else move.number % 9
                    assert action == expected
            else:
                action = dice.choice(state.legal_actions())
            assert action in state.legal_actions()
            state.apply_action(action)
        assert openspiel.board_of(state, bot.start)[0].is_game_over()


def test_bots_refuse_other_games(openspiel: Any) -> None:
    import pyspiel

    with pytest.raises(ValueError, match="unknown game 'hex'"):
        openspiel.PlayerBot(pyspiel.load_game("hex"))


@pytest.mark.parametrize("name", ["connect_four", "ttt_nineboard", "ttt_qubic"])
def test_their_mcts_plays_our_bot(openspiel: Any, name: str) -> None:
    """Their compiled search on their own game, the one in Python on games defined in Python."""
    import pyspiel
    from open_spiel.python.algorithms import evaluate_bots, mcts

    game = pyspiel.load_game(name)
    rng = np.random.RandomState(1)
    for seat in range(2):
        if name == "connect_four":
            evaluator = pyspiel.RandomRolloutEvaluator(1, 7)
            theirs = pyspiel.MCTSBot(game, evaluator, 1.4, 20, 1, True, 7, False)
        else:
            rollouts = mcts.RandomRolloutEvaluator(1, rng)
            theirs = mcts.MCTSBot(game, 1.4, 5, rollouts, random_state=rng)
        bots = [theirs, theirs]
        bots[seat] = openspiel.PlayerBot(game, "engine:nodes=3000")
        returns = evaluate_bots.evaluate_bots(game.new_initial_state(), bots, rng)
        assert returns[seat] == 1.0
