"""Protocols: the engine for other programs, and other programs as players.

    ugi           the Universal Game Interface, for every game
    unsw          the nine-board agent and server of a UNSW course, over TCP
    codingame     ultimate tic-tac-toe on CodinGame
    kaggle        the agent for Kaggle's ConnectX
    program       a program that speaks one of the first three, as a player
    clock         how much of the remaining time to spend on a move

docs/guides/protocols.md has the grammars.
"""
