"""Published test data that is not part of the repository.

The environment variable TTT_TEST_DATA names its folder; the default is `shared/oracles` beside the
checkout. Tests that need a missing file are skipped.

    connect4/L1_R1.txt            on each line: moves, exact score for the side to move
    connect4/permove_L1_R1.txt    moves, scores of the seven columns (43: not playable)

and likewise L1_R2, L1_R3, L2_R1, L2_R2 and L3_R1.
"""

import os
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
TEST_DATA = Path(os.environ.get("TTT_TEST_DATA") or CHECKOUT.parent / "shared/oracles")
CONNECT4 = TEST_DATA / "connect4"


def connect4_lines(name: str) -> list[str]:
    """The lines of a file of Connect Four positions; skips the test if the file is missing."""
    path = CONNECT4 / f"{name}.txt"
    if not path.exists():
        import pytest

        pytest.skip(f"no {path.name}: set TTT_TEST_DATA to the folder of the published positions")
    return path.read_text(encoding="ascii").splitlines()
