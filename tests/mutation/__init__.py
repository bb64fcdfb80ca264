"""Mutation testing: small faults are put into the program, and its tests must notice them.

    statements.py     the statements of the functions in a file, Python or Cython
    rules.py          the mutations of a statement
    copy.py           a copy of the tree with all mutants compiled in
    run.py timer.py   runs the tests of one mutant
    targets.txt       the files, how many mutants each gets, and the tests that should notice them
    chosen.txt        mutants chosen by hand
    equivalent.txt    mutants that change nothing a user could see, with the reason

`tests/mutate.py` is the program; `make mutate` runs it.
"""
