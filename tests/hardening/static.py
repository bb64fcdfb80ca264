"""Compiler warnings, run-time dependencies and the contents of a wheel.

Only warnings about our own code count. Cython marks C lines that come from our source (`#line`) and
copies the C in our .pxd files verbatim; all other lines are Cython's own code.
"""

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib.metadata import requires
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from hardening import Row
from hardening.portable import build_wheel
from hardening.sanitizers import PROJECT
from support.imports import imports_of

PARTS = ("warnings", "dependencies", "wheel")
QUICK = 0.1
QUICK_PARTS = ("warnings", "dependencies")
FLAGS = ("-Wall", "-Wextra", "-march=native")
WARNING = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+):\d+: warning: (?P<what>.*)")
SOURCES = ("tests/proof/check.c", "tests/strategy/check.c", "tests/hardening/failing.c")

EXTRAS = {
    "ttt/batch.py": {"numpy"},
    "ttt/training/": {"numpy"},
    "ttt/adapters/": {"numpy", "gymnasium", "pettingzoo", "open_spiel", "pyspiel"},
    "ttt/web/": {"starlette", "uvicorn", "h11"},
}
"""Files and folders that need packages of an optional extra, and these packages; h11 is a part of
uvicorn."""
LAZY = {"ttt/solvers/connect4.py": {"numpy"}}
"""The solver imports numpy only if a caller asks for arrays."""

SHIPPED = (
    "ttt/*.py", "ttt/py.typed", "ttt/data/*", "ttt/web/page/*", "ttt_core/*.py", "ttt_core/*.pyi",
    "ttt_core/*.pxd", "ttt_core/*.pxi", "ttt_core/*.so", "ttt_core/py.typed", "ttt*.dist-info/*",
)  # fmt: skip
"""What a wheel may contain: Python, compiled modules, and the files that embedders cimport."""


def verbatim_c() -> set[str]:
    """The lines of C in our .pxd and .pxi files, as Cython copies them."""
    found: set[str] = set()
    for path in (PROJECT / "src").rglob("*.p[yx][xdi]"):
        for block in re.findall(r'extern from \*:\n\s+"""(.*?)"""', path.read_text(), re.DOTALL):
            found |= {line.strip() for line in block.splitlines() if line.strip()}
    return found


def warnings_of(module: Path, folder: Path, ours: set[str]) -> list[str]:
    """The compiler's warnings about our code in a module."""
    target = folder / f"{module.parent.name}-{module.stem}.c"
    subprocess.run(
        [sys.executable, "-m", "cython", "-3", "--line-directives", "-Isrc",
         "-Xcdivision=True", "-Xboundscheck=False", "-Xwraparound=False",
         "-Xinitializedcheck=False", "-Xbinding=False", str(module.relative_to(PROJECT)),
         "-o", str(target)],
        cwd=PROJECT, stdout=sys.stderr, stderr=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    include = f"-I{sysconfig.get_path('include')}"
    done = subprocess.run(
        ["gcc", "-S", "-o", os.devnull, *FLAGS, include, str(target)],
        cwd=PROJECT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    text = target.read_text(encoding="utf-8").splitlines()
    found = []
    for match in WARNING.finditer(done.stderr):
        in_c = match["file"].endswith(".c")
        if not in_c or text[int(match["line"]) - 1].strip() in ours:
            found.append(match[0])
    return found


def warnings(scale: float) -> Iterator[Row]:
    ours = verbatim_c()
    modules = sorted((PROJECT / "src/ttt_core").rglob("*.pyx"))
    if scale < 1:
        modules = [module for module in modules if module.match("games/nineboard.pyx")]
    found: set[str] = set()
    with TemporaryDirectory() as folder:
        for module in modules:
            found |= set(warnings_of(module, Path(folder), ours))
    for source in SOURCES:
        done = subprocess.run(["gcc", "-fsyntax-only", "-Wall", "-Wextra", source],
                              cwd=PROJECT, capture_output=True, text=True, check=True)  # fmt: skip
        found |= {match[0] for match in WARNING.finditer(done.stderr)}
    print("\n".join(sorted(found)), file=sys.stderr)
    figure = f"{len(found)} in {len(modules)} modules and {len(SOURCES)} C files"
    yield Row("warnings, -Wall -Wextra, our code", figure, "0", not found)


def dependencies(scale: float) -> Iterator[Row]:
    needed = [text for text in requires("ttt-engine") or [] if "extra ==" not in text]
    yield Row("run-time dependencies", ", ".join(needed) or "none", "none", not needed)
    known = {*sys.stdlib_module_names, "ttt", "ttt_core"}
    odd = []
    for folder in ("python", "src"):
        for path in sorted((PROJECT / folder).rglob("*.p[yx]*")):
            file = str(path.relative_to(PROJECT / folder))
            if path.suffix in (".py", ".pyx", ".pxi"):
                extra = [
                    names for start, names in (EXTRAS | LAZY).items() if file.startswith(start)
                ]
                odd += [f"{name} in {file}" for name in sorted(imports(path) - known.union(*extra))]
    figure = ", ".join(odd) or "none"
    yield Row("third-party imports", figure, "those of optional extras", not odd)
    paths = (PROJECT / "python/ttt").rglob("[a-z]*.py")
    files = sorted(str(path.relative_to(PROJECT / "python")) for path in paths)
    modules = [file[:-3].replace("/", ".") for file in files if not file.startswith((*EXTRAS,))]
    program = f"import sys; sys.path[:0] = {[str(PROJECT / 'python'), str(PROJECT / 'src')]}\n"
    program += "".join(f"import {name}\n" for name in modules)
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], check=False)
    good = done.returncode == 0
    yield Row("every module without site-packages", f"{len(modules)} imported", "imports", good)


def imports(path: Path) -> set[str]:
    """The packages that a file imports, without those for annotations alone."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return set(re.findall(r"^(?:from|import) +(\w+)[\w. ]*(?:import .*)?$", text, re.MULTILINE)
                   ) - {"libc", "cpython", "posix"}  # fmt: skip
    return {name.split(".")[0] for name in imports_of(text)}


def wheel_rows(wheel: Path) -> Iterator[Row]:
    """Checks the contents of a wheel."""
    names = ZipFile(wheel).namelist()
    odd = [name for name in names if not any(fnmatch(name, form) for form in SHIPPED)]
    absent = [form for form in SHIPPED if not any(fnmatch(name, form) for name in names)]
    figure = (
        f"{len(names)} files; unexpected: {', '.join(odd) or 'none'}; "
        f"missing: {', '.join(absent) or 'none'}"
    )
    yield Row("wheel: contents", figure, "the API only", not odd and not absent)
    core = {f"ttt_core/{path.relative_to(PROJECT / 'src/ttt_core')}"
            for path in (PROJECT / "src/ttt_core").rglob("*.pxd")}  # fmt: skip
    core |= {str(path.relative_to(PROJECT / "src")) for path in (PROJECT / "src").rglob("*.pxi")}
    lost = sorted(core - set(names))
    yield Row("wheel: what embedders cimport", f"{len(core)} files", "all", not lost)


def wheel(scale: float) -> Iterator[Row]:
    yield from wheel_rows(build_wheel())


def check(part: str, scale: float) -> Iterator[Row]:
    yield from {"warnings": warnings, "dependencies": dependencies, "wheel": wheel}[part](scale)


if __name__ == "__main__":
    rows = list(wheel_rows(Path(sys.argv[1])))
    for row in rows:
        print(f"{row.test}: {row.figure} ({'good' if row.good else 'BAD'})")
    sys.exit(not all(row.good for row in rows))
