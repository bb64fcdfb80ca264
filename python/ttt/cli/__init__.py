"""The command line: `ttt VERB`, one module per verb."""
