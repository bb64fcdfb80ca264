from ttt_core.interface import Batch as Batch
from ttt_core.interface import Engine as Engine
from ttt_core.interface import Position as Position
from ttt_core.interface import Ruleset as Ruleset
from ttt_core.interface import Sampler as Sampler

def play_games(
    engine: Engine,
    games: int,
    seed: int,
    nodes: int,
    opening: int,
    random_moves: float,
    evaluation: int,
) -> bytearray: ...
