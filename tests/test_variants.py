"""Variants of the compiled modules for newer processors: which one is loaded, and that all of them
agree. A build in place has none; `make package` runs these tests on the wheel (TTT_WHEEL)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ttt_core import variants
from ttt_core.runtime.processor import level

WHEEL = os.environ.get("TTT_WHEEL", "")
"""The Python of an environment in which a wheel with variants is installed."""
WORK = """
import ttt, ttt_core.games.connect4 as core
for game in ttt.games():
    board, engine = ttt.Board(game), ttt.Engine(game, hash=1, solver=False)
    print(game, board.perft(4), board.playouts(100, seed=1), engine.search(board, depth=4).nodes)
board = ttt.Board("connect4")
board.push_moves("4444445226")
found = ttt.Engine("connect4").solve(board)
print(found.game_score, found.nodes, found.best)
print(core.__file__)
"""


def run(python: str, asked: str, code: str = WORK) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["TTT_CPU"] = asked
    command = [python, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, cwd="/")


@pytest.mark.parametrize("best", [2, 3, 4])
def test_the_best_level_is_chosen(best: int) -> None:
    assert variants.choose(None, best) == variants.choose("", best) == f"v{best}"
    for asked in range(2, best + 1):
        assert variants.choose(f"v{asked}", best) == f"v{asked}"


@pytest.mark.parametrize("asked", ["v1", "v5", "3", "avx2", "V3"])
def test_an_unknown_level_is_an_error(asked: str) -> None:
    with pytest.raises(ImportError, match=f"TTT_CPU={asked}: unknown; choose from v2, v3, v4"):
        variants.choose(asked, 4)


def test_an_unsupported_level_is_an_error() -> None:
    with pytest.raises(ImportError, match="TTT_CPU=v4: this processor supports at most v3"):
        variants.choose("v4", 3)


def test_the_level_is_that_of_the_processor() -> None:
    """Against the flags that Linux lists."""
    listed = Path("/proc/cpuinfo")
    text = listed.read_text() if listed.exists() else ""
    flags = text.partition("flags")[2].partition("\n")[0].split()
    if not flags:
        pytest.skip("no flags in /proc/cpuinfo")
    third = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"} <= set(flags)
    fourth = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= set(flags)
    fourth = fourth and {"avx512_vnni", "avx512_vpopcntdq"} <= set(flags)
    assert level() == (4 if third and fourth else 3 if third else 2)


def test_a_folder_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants, "LEVEL", "v3")
    assert variants.with_variant(["a/games"]) == [os.path.join("a/games", "v3"), "a/games"]
    for without in ("", "v2"):
        monkeypatch.setattr(variants, "LEVEL", without)
        assert variants.with_variant(["a/games"]) == ["a/games"]


@pytest.mark.skipif(variants.LEVEL != "", reason="this build has variants")
def test_a_build_without_variants_refuses_to_choose() -> None:
    found = run(sys.executable, "v3", "import ttt_core.games.mnk")
    assert "TTT_CPU=v3: this build of ttt_core has no variants" in found.stderr


@pytest.mark.skipif(not WHEEL, reason="needs a wheel with variants: make package")
def test_all_variants_of_a_wheel_agree() -> None:
    answers = {}
    for asked in variants.LEVELS[: level() - 1]:
        found = run(WHEEL, asked)
        assert found.returncode == 0, found.stderr
        *answers[asked], file = found.stdout.splitlines()
        assert (asked in Path(file).parts) == (asked != "v2"), file
    assert len({tuple(answer) for answer in answers.values()}) == 1
    assert "TTT_CPU=v9: unknown" in run(WHEEL, "v9").stderr
