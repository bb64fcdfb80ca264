from ttt_core.training.lessons import Lessons as Lessons
