"""The compiled modules of the site: their imports, and their node counts under Node. `make
test-site` runs this."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

if not os.environ.get("TTT_SITE"):
    pytest.skip("needs the site and a browser: run `make test-site`", allow_module_level=True)

from support.site import SITE
from ttt import Board, Engine
from ttt.web.site.imports import complaints
from ttt.web.site.ingredients import pyodide

HERE = Path(__file__).parent
BENCH = HERE.parent / "data/bench.txt"
MODULES = sorted(Path("build/wasm/modules").rglob("*.so"))
NAMES = [str(path.relative_to("build/wasm/modules")) for path in MODULES]


def test_node_counts_equal_those_of_native_code(tmp_path: Path) -> None:
    node = shutil.which("node")
    assert node is not None
    command = [node, str(HERE / "node.mjs"), str(SITE), str(tmp_path / "unpacked")]
    done = subprocess.run(
        [*command, str(HERE / "bench_counts.py")], capture_output=True, text=True, timeout=1200
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    lines = [line.split() for line in BENCH.read_text(encoding="utf-8").splitlines()]
    assert found["nodes"] == {line[0]: int(line[1]) for line in lines if line[0] != "#"}
    board = Board("connect4")
    board.push_moves("32164625")
    native = Engine("connect4", hash=16).solve(board)
    assert found["solved"] == [native.game_score, native.nodes]


@pytest.mark.parametrize("module", MODULES, ids=NAMES)
def test_imports_are_those_that_pyodide_exports(module: Path) -> None:
    assert complaints(module, pyodide() / "pyodide.asm.wasm") == []
