"""Training of evaluations, run by `ttt train`. Needs numpy: `pip install "ttt-engine[train]"`.

curricula          what is learned for nine-board and ultimate, and under which rules
records, weights   the data: games, and the weights of a network
selfplay           games of the engine against itself, in several processes
fitting            a network's weights fitted to games: TD(lambda) targets, Adam
generations        self-play and fitting in turn, kept in a folder and resumed from it
nineboard_solver   the network of nine-board's proof search
connect4           the constants of Connect Four's evaluation
"""
