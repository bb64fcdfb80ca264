from ttt_core.solvers.connect4.solver import Solver as Solver
