"""The games in other frameworks, each an optional extra:

openspiel.py    our players as bots on OpenSpiel's games; our games as OpenSpiel games
pettingzoo.py   two-player environments (AEC)
gymnasium.py    one player against any of ours; many games at once as a vector environment
arrays.py       what they share: positions as arrays and pictures
"""
