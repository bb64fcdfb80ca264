"""How good is a player? Its moves are compared with the true value of every move.

positions.py    positions of all stages of a game, with the value of every move
grade.py        the moves of a player in these positions: shares, losses, confidence intervals
picture.py      a grade as an SVG picture
"""
