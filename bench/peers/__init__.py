"""`make bench`: ours beside what people use today, one module a kind of work.

`measure.py` interleaves the contenders and keeps the rows, `report.py` writes the tables,
`picture.py` draws them. A peer that is not installed is named in the report and left out.
"""
