"""The command line: `ttt VERB`, one module a verb."""
