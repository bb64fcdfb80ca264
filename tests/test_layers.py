"""The layers of the project: imports go downwards only.

Python modules are read as syntax trees, so an import inside a function counts as one at the top of
the file. Two things are exempt. Imports under `if TYPE_CHECKING` may point upwards: they serve
annotations and never run. `import_module` with a computed name may load what a folder holds,
because games and solvers are found by their file names; DISCOVERY lists those places.
"""

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from support.imports import imports_of, running_nodes

PROJECT = Path(__file__).parent.parent
PYTHON = PROJECT / "python"
CORE = PROJECT / "src/ttt_core"

LAYERS = (
    ("__main__",),
    ("cli",),
    ("ttt",),  # the package itself: the names that `import ttt` offers
    ("training", "proofs", "web", "adapters", "grading"),
    ("matches",),
    ("players", "review", "puzzles"),
    ("protocols",),
    ("engine",),
    ("analysis",),
    ("solvers", "batch"),
    ("search",),
    ("boards",),
    ("board",),
    ("game",),
    ("render", "storage", "jobs"),
    ("outcome",),
    ("limits", "notation", "options", "registry", "score", "version"),
)
"""Top to bottom: modules and folders of `ttt`. Those of one layer do not import each other."""

CORE_LAYERS = (
    ("bindings", "solvers", "training"),
    ("search",),
    ("evaluations",),
    ("games",),
    ("tables",),
    ("runtime",),
    ("primitives",),
    ("errors", "move"),
)
"""Top to bottom: folders and Python modules of `ttt_core`, for `.pxd` and `.pxi` files. A `.pyx`
file puts one extension module together and stands above them all."""

DISCOVERY = {("registry", "boards"), ("solvers", "solvers")}
"""(layer that loads by file name, folder that it loads from)."""

RANK = {name: -rank for rank, layer in enumerate(LAYERS) for name in layer}
CORE_RANK = {name: -rank for rank, layer in enumerate(CORE_LAYERS) for name in layer}


def module_name(path: Path) -> str:
    parts = path.relative_to(PYTHON).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted((PYTHON / "ttt").rglob("*.py"))}


def loaded_by_name(source: str) -> set[str]:
    """The folders of `ttt` that a source loads modules from with `import_module`."""
    calls = (node for node in running_nodes(ast.parse(source)) if isinstance(node, ast.Call))
    texts = (ast.unparse(call) for call in calls if "import_module" in ast.unparse(call.func))
    return {match[1] for text in texts if (match := re.search(r"['\"]ttt\.(\w+)", text))}


def layer_of(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def violations(module: str, source: str) -> list[str]:
    """The imports of a module that do not point downwards."""
    here = layer_of(module)
    found = []
    for name in sorted(imports_of(source, MODULES)):
        there = layer_of(name)
        if name.split(".")[0] == "ttt" and there != here and RANK.get(there, 0) >= RANK[here]:
            found.append(f"{module} imports {name}")
        if name == "argparse" and here != "cli":
            found.append(f"{module} imports argparse, which belongs in ttt.cli")
    for there in sorted(loaded_by_name(source)):
        if here != "ttt" and (here, there) not in DISCOVERY:
            found.append(f"{module} loads modules of ttt.{there}")
    return found


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_downwards(module: str) -> None:
    assert layer_of(module) in RANK, f"{module} is in no layer: add it to LAYERS"
    assert violations(module, MODULES[module].read_text(encoding="utf-8")) == []


def test_no_import_cycle() -> None:
    """Not even through an import inside a function, nor between modules of one layer."""
    graph = {
        name: imports_of(path.read_text(encoding="utf-8"), MODULES) & set(MODULES) - {name}
        for name, path in MODULES.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize(
    ("module", "source", "found"),
    [
        ("ttt.board", "from ttt.options import Option", 0),
        ("ttt.board", "from ttt import engine", 1),
        ("ttt.board", "def f():\n    import ttt.engine", 1),
        ("ttt.board", "if TYPE_CHECKING:\n    from ttt.engine import Engine", 0),
        ("ttt.board", "if TYPE_CHECKING:\n    pass\nelse:\n    import ttt.engine", 1),
        ("ttt.registry", "import_module(f'ttt.boards.{name}')", 0),
        ("ttt.engine", "import_module(f'ttt.cli.{name}')", 1),
        ("ttt.search.mcts", "from ttt.solvers.base import Solver", 1),
        ("ttt.matches.match", "from ttt.cli.main import main", 1),
        ("ttt.players.spec", "import argparse", 1),
        ("ttt.cli.play", "import argparse", 0),
    ],
)
def test_violations_are_found(module: str, source: str, found: int) -> None:
    assert len(violations(module, source)) == found


def core_dependencies(path: Path, text: str) -> Iterator[Path]:
    """What a Cython file cimports from the core and includes, as paths below `ttt_core`."""
    for match in re.finditer(r"^\s*(?:from|cimport) +ttt_core\.([\w.]+)", text, re.MULTILINE):
        yield Path(*match[1].split("."))
    for match in re.finditer(r"^\s*include +[\"'](.+?)[\"']", text, re.MULTILINE):
        yield (CORE / path.parent / match[1]).resolve().relative_to(CORE)


def core_violations(path: Path, text: str) -> list[str]:
    """The cimports and includes of a file below `ttt_core` that do not point downwards."""
    here = path.parts[0]
    found = []
    for other in core_dependencies(path, text):
        there = other.parts[0]
        upwards = there != here and CORE_RANK[there] >= CORE_RANK[here]
        between_solvers = here == there == "solvers" and path.parts[1] != other.parts[1]
        if upwards or between_solvers:
            found.append(f"{path} uses {other}")
    return found


PARTS = sorted(
    path.relative_to(CORE)
    for path in CORE.rglob("*.px[di]")
    if path != CORE / "__init__.pxd"
)  # fmt: skip


@pytest.mark.parametrize("path", PARTS, ids=str)
def test_core_imports_go_downwards(path: Path) -> None:
    assert path.parts[0] in CORE_RANK, f"{path} is in no layer: add its folder to CORE_LAYERS"
    assert core_violations(path, (CORE / path).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("games/qubic.pxd", "from ttt_core.primitives.bits cimport mix", 0),
        ("games/qubic.pxd", "from ttt_core.solvers.qubic.moves cimport (", 1),
        ("games/qubic.pxd", "from ttt_core.search.threats.qubic cimport Rules", 1),
        ("runtime/limits.pxd", "cimport ttt_core.tables.proof", 1),
        ("search/dfpn.pxi", 'include "../bindings/engine.pxi"', 1),
        ("bindings/all.pxi", 'include "../search/pvs.pxi"', 0),
        ("bindings/all.pxi", 'include "../training/selfplay.pxi"', 1),
        ("solvers/qubic/moves.pxd", "from ttt_core.solvers.connect4.shape cimport Shape", 1),
    ],
)
def test_core_violations_are_found(path: str, text: str, found: int) -> None:
    assert len(core_violations(Path(path), text)) == found


@pytest.mark.parametrize(
    "path",
    sorted(path for path in CORE.rglob("*.p[yx]*") if path.suffix in (".py", ".pyx", ".pxi")),
)
def test_core_does_not_import_the_python_layer(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"^\s*(?:from|import) +ttt\b", text, re.MULTILINE)
