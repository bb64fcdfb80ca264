"""`make bench`: ttt against other libraries, one module per kind of work.

`measure.py` interleaves the contenders and keeps the rows, `report.py` writes the tables,
`picture.py` draws them. The report names the peers that are not installed.
"""
