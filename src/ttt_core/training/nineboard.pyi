from ttt_core.training.lessons import SHAPE as SHAPE
from ttt_core.training.lessons import Lessons as Lessons
