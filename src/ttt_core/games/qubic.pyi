from ttt_core.position import Position as Position
from ttt_core.position import Ruleset as Ruleset
