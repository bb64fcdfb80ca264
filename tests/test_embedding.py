"""A compiled module outside the tree cimports the rules, plays, searches and tests wins."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import ttt_core
from ttt import Board

SETUP = """
from setuptools import Extension, setup
from Cython.Build import cythonize
import ttt_core

setup(ext_modules=cythonize([Extension("outside", ["outside.pyx"])],
                            include_path=[ttt_core.get_include()]))
"""


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    folder = tmp_path_factory.mktemp("outside")
    shutil.copy(Path(__file__).parent / "embedding/outside.pyx", folder)
    (folder / "setup.py").write_text(SETUP)
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    done = subprocess.run(build, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (library,) = folder.glob("outside.*.so")
    spec = importlib.util.spec_from_file_location("outside", library)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_include_folder_holds_the_core() -> None:
    folder = Path(ttt_core.get_include())
    assert (folder / "ttt_core/games/connect4.pxd").is_file()
    assert (folder / "ttt_core/search/perft.pxi").is_file()


def test_plays_and_tests_wins(outside: ModuleType) -> None:
    assert outside.winner_of([3, 0, 3, 0, 3, 0, 3]) == "x"
    assert outside.winner_of([3, 0, 3, 0, 3, 0, 6, 0]) == "o"
    assert outside.winner_of([3, 0, 3]) is None


def test_searches(outside: ModuleType) -> None:
    assert outside.perft(7) == 823_536


def test_the_table_keeps_what_took_most_work(outside: ModuleType) -> None:
    """A full bucket: the new entry replaces the one of least depth - 4 x age."""
    four = [(1, 9, 5), (2, 3, 5), (3, 12, 5), (4, 6, 5)]
    assert outside.kept_entries(four, 5) == {
        low: (100 * low - 32000, depth, low, 3) for low, depth, _ in four
    }
    kept = outside.kept_entries
    assert {*kept([*four, (5, 1, 5)], 5)} == {1, 3, 4, 5}  # the depth of 2 is least
    assert {*kept([*four, (5, 20, 5), (6, 1, 5)], 5)} == {1, 3, 5, 6}
    # The same position is replaced, whatever its depth.
    assert kept([*four, (1, 2, 5)], 5)[1][1] == 2
    assert {*kept([*four, (1, 2, 5)], 5)} == {1, 2, 3, 4}
    # Two searches later, depth 12 of the old search is worth 4.
    assert {*kept([(1, 5, 7), (2, 12, 5), (3, 6, 7), (4, 5, 7), (5, 1, 7)], 7)} == {1, 3, 4, 5}
    assert {*kept([(1, 3, 7), (2, 12, 5), (3, 6, 7), (4, 5, 7), (5, 1, 7)], 7)} == {2, 3, 4, 5}
    # Ages wrap around: generation 1 follows 255 after two searches.
    assert {*kept([(1, 5, 1), (2, 12, 255), (3, 6, 1), (4, 5, 1), (5, 1, 1)], 1)} == {1, 3, 4, 5}


@pytest.mark.parametrize("seed", range(20))
def test_undo_restores_every_byte(outside: ModuleType, seed: int) -> None:
    for option, full in enumerate(("any", "draw")):
        game = Board("nineboard", full=full).playout(seed)
        assert outside.nineboard_undo_restores(option, [move.number for move in game.moves])
    for option, won in enumerate(("closed", "open")):
        game = Board("ultimate", won=won).playout(seed)
        assert outside.ultimate_undo_restores(0, option, [move.number for move in game.moves])
