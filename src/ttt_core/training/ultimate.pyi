from ttt_core.training.gradients import SHAPE as SHAPE
from ttt_core.training.gradients import Lessons as Lessons
