"""The extension modules of ttt_core as WebAssembly, for Pyodide.

They use Python's stable ABI, so that the headers of any CPython from 3.11 on will do. The headers
of the C library are zig's: `imports.py` checks that no function is used whose structures differ
from those of Pyodide's C library.
"""

import ast
import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ttt.web.site.ingredients import fail, pyodide, zig

FOLDER = Path("build/wasm")
SUFFIX = ".abi3.so"
COMPILE = (
    *("-target", "wasm32-emscripten", "-fPIC", "-O3", "-msimd128", "-DNDEBUG"),
    *("-DCYTHON_LIMITED_API=1", "-DPy_LIMITED_API=0x030B0000", "-D__EMSCRIPTEN__=1"),
    *("-Wno-unreachable-code", "-Wno-unused-command-line-argument", "-fno-sanitize=undefined"),
)
FEATURES = "bulk-memory,mutable-globals,nontrapping-fptoint,sign-ext,simd128,multivalue"
"""What the linker may use. No extended-const: Node 20 refuses it."""
LINK = (
    *("-shared", "--experimental-pic", "--unresolved-symbols=import-dynamic", "--strip-all"),
    *("--no-check-features", f"--features={FEATURES}"),
)


def compile_modules() -> list[Path]:
    """Compiles what has changed: all modules, below FOLDER/modules as below src."""
    if sys.version_info < (3, 11):
        fail("the site needs the headers of Python 3.11 or later; build it with that")
    compiler = zig()
    sources = translate()
    headers = make_headers(compiler)
    stamp = newest([headers, Path(__file__)])
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        jobs = [
            executor.submit(compile_module, compiler, headers, name, Path(source), stamp)
            for name, source in sources.items()
        ]
        return [job.result() for job in jobs]


def translate() -> dict[str, str]:
    """The modules as C: names and files."""
    setup: dict[str, Any] = runpy.run_path("setup.py")
    # Without bindings Cython's class methods need more than the stable ABI.
    modules = setup["extensions"](str(FOLDER / "c"), binding=True)
    return {
        module.name: module.sources[0]
        for module in modules
        if not module.name.startswith("ttt_core.training.")
    }


def newest(files: list[Path]) -> float:
    return max(file.stat().st_mtime for file in files)


def make_headers(compiler: Path) -> Path:
    """The headers of C and Python for WebAssembly, in one folder."""
    folder = FOLDER / "include"
    if folder.exists():
        return folder
    fresh = folder.with_name("include.new")
    shutil.rmtree(fresh, ignore_errors=True)
    libc = compiler / "lib/libc/include"
    python = Path(sysconfig.get_path("include"))
    if not (python / "Python.h").exists():
        fail(f"no Python.h in {python}: install Python's headers (Debian: python3-dev)")
    for part in (python, libc / "generic-musl", libc / "riscv32-linux-musl"):
        shutil.copytree(part, fresh, dirs_exist_ok=True)
    types = fresh / "bits/alltypes.h"
    text = types.read_text(encoding="utf-8")
    types.write_text(text.replace("#define _Addr int\n", "#define _Addr __PTRDIFF_TYPE__\n"))
    (fresh / "pyconfig.h").write_text(pyconfig(), encoding="utf-8")
    fresh.rename(folder)
    return folder


def pyconfig() -> str:
    """`pyconfig.h` of Pyodide, made from the values that its Python reports."""
    with zipfile.ZipFile(pyodide() / "python_stdlib.zip") as library:
        name = next(name for name in library.namelist() if name.startswith("_sysconfigdata"))
        source = library.read(name).decode()
    words = ("HAVE_", "SIZEOF_", "ALIGNOF_", "Py_", "WITH_", "DOUBLE_IS_", "_", "PY_")
    tables = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Dict))
    lines = [
        f"#define {name.value!s} {value.value!s}"
        for table in tables
        for name, value in zip(table.keys, table.values, strict=True)
        if isinstance(name, ast.Constant) and str(name.value).startswith(words)
        if isinstance(value, ast.Constant) and isinstance(value.value, int) and value.value
    ]
    return "\n".join(lines) + "\n"


def compile_module(compiler: Path, headers: Path, name: str, source: Path, stamp: float) -> Path:
    """Compiles and links one module, unless it is newer than its source."""
    target = (FOLDER / "modules" / name.replace(".", "/")).with_suffix(SUFFIX)
    if target.exists() and target.stat().st_mtime > max(stamp, source.stat().st_mtime):
        return target
    print(f"compiling {name}", flush=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    object_file = target.with_suffix(".o")
    program, own = str(compiler / "zig"), str(compiler / "lib/include")
    command = [program, "cc", *COMPILE, "-nostdinc", "-isystem", own, "-isystem", str(headers)]
    run([*command, "-c", str(source), "-o", str(object_file)], name)
    export = f"--export=PyInit_{name.rpartition('.')[2]}"
    command = [program, "wasm-ld", *LINK, export, str(object_file)]
    run([*command, "-o", str(target.with_suffix(".new"))], name)
    object_file.unlink()
    target.with_suffix(".new").rename(target)
    return target


def run(command: list[str], name: str) -> None:
    caches = {
        "ZIG_GLOBAL_CACHE_DIR": str((FOLDER / "cache").resolve()),
        "ZIG_LOCAL_CACHE_DIR": str((FOLDER / "cache").resolve()),
    }
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **caches})
    if done.returncode:
        fail(f"cannot compile {name}:\n{done.stderr.strip()[-3000:]}")
