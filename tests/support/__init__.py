"""What tests share: the slow references, the contract of a game, `ttt` as a process."""
