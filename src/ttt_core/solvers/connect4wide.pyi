from ttt_core.solvers.connect4 import Solver as Solver
