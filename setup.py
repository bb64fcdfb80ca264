"""Builds the extension modules: every `.pyx` below `src/ttt_core`.

Environment variables:
  TTT_PORTABLE=1    build for any x86-64 with popcount instead of for this machine, as wheels are;
                    on Linux with variants for newer processors (ttt_core/variants.py)
  TTT_PORTABLE=v2   the same without variants, which takes a third of the time
  TTT_DEBUG=1       build with bounds checks and asserts
  TTT_COMPILER=     the kind of compiler, for setuptools; Windows needs mingw32
  TTT_SANITIZE=     thread or address,undefined: a debug build with these sanitizers of gcc

Any "performance hint" of Cython is an error.
"""

import contextlib
import io
import os
import platform
import shutil
import sys
from pathlib import Path

from Cython.Build import cythonize
from Cython.Compiler import Options
from Cython.Compiler.Code import UtilityCode
from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext

X86 = platform.machine().lower() in ("x86_64", "amd64")
PORTABLE = os.environ.get("TTT_PORTABLE", "0") not in ("", "0")
SANITIZE = os.environ.get("TTT_SANITIZE", "")
DEBUG = bool(SANITIZE) or os.environ.get("TTT_DEBUG", "0") not in ("", "0")
CHECKS = "debug" if DEBUG else "release"
MODE = (f"sanitize-{SANITIZE}" if SANITIZE else CHECKS) + ("-portable" if PORTABLE else "-native")
VARIANTS: tuple[str, ...] = ()
"""Levels of x86-64 for which modules are also compiled; their names in `ttt_core/variants.py`."""
if PORTABLE and X86 and sys.platform == "linux" and not DEBUG:
    VARIANTS = () if os.environ["TTT_PORTABLE"] == "v2" else ("v3", "v4")
    MODE += "-variants" if VARIANTS else ""
if SANITIZE not in ("", "thread", "address,undefined"):
    sys.exit(f"error: unknown TTT_SANITIZE={SANITIZE!r}; choose from thread, address,undefined")


def compile_flags(level: str = "v2") -> list[str]:
    """The flags of a module; `level` is that of x86-64 in a portable build."""
    flags = ["-O1", "-g", "-UNDEBUG"] if DEBUG else ["-O3", "-DNDEBUG"]
    flags.append("-Wno-unreachable-code")
    if SANITIZE:
        flags += [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer"]
    if X86:
        flags.append(f"-march=x86-64-{level}" if PORTABLE else "-march=native")
        flags += ["-mavx512vnni", "-mavx512vpopcntdq"] if PORTABLE and level == "v4" else []
    return flags


def link_flags() -> list[str]:
    if os.name == "nt":  # no library of the compiler besides the module
        return ["-static"]
    return [f"-fsanitize={SANITIZE}"] if SANITIZE else []


class StrictHints(io.TextIOBase):
    """Forwards Cython's messages and remembers whether one was a performance hint."""

    def __init__(self) -> None:
        self.hinted = False

    def write(self, text: str) -> int:
        expected = DEBUG and "Use boundscheck(False)" in text
        self.hinted = self.hinted or ("performance hint:" in text and not expected)
        return sys.__stderr__.write(text)


def fix_comprehensions() -> None:
    """Works around a double free in Cython 3.3: when a list comprehension runs out of memory, both
    the helper and its caller release the item. After this only the caller does."""
    with contextlib.suppress(KeyError):  # older versions have no such helper
        helper = UtilityCode.load_cached("ListCompAppendAndDecref", "Optimize.c")
        helper.impl = helper.impl.replace("    Py_DECREF(x);", "    if (!result) Py_DECREF(x);")


def extensions(build_dir: str = f"build/cython-{CHECKS}", **directives: bool) -> list[Extension]:
    """All extension modules, translated to C in `build_dir`."""
    sources = sorted(Path("src/ttt_core").rglob("*.pyx"))
    modules = [
        Extension(
            ".".join(path.relative_to("src").with_suffix("").parts),
            [str(path)],
            extra_compile_args=compile_flags(),
            extra_link_args=link_flags(),
        )
        for path in sources
    ]
    Options.warning_errors = True
    fix_comprehensions()
    messages = StrictHints()
    with contextlib.redirect_stderr(messages):
        modules = cythonize(
            modules,
            build_dir=build_dir,
            include_path=["src"],
            compiler_directives={
                "language_level": 3,
                "binding": False,
                "embedsignature": True,
                "embedsignature.format": "clinic",  # for inspect.signature
                "boundscheck": DEBUG,
                "wraparound": False,
                "cdivision": True,
                "initializedcheck": DEBUG,
                "freethreading_compatible": False,
                **directives,
            },
        )
    if messages.hinted:
        for module in modules:
            for source in module.sources:
                Path(source).unlink(missing_ok=True)
        sys.exit("error: Cython printed a performance hint (above); fix the code that it names")
    return modules


def variant(module: Extension, level: str) -> Extension:
    """A translated module compiled for another level: the same module in a folder of that name.

    `ttt_core/variants.py` chooses the folder. The C file is copied, so that the object files of the
    levels do not overwrite each other.
    """
    folder, _, name = module.name.rpartition(".")
    (source,) = map(Path, module.sources)
    copy = Path("build", f"variant-{level}", *folder.split("."), source.name)
    if not copy.exists() or copy.read_bytes() != source.read_bytes():
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())
    return Extension(
        f"{folder}.{level}.{name}", [str(copy)], extra_compile_args=compile_flags(level)
    )


class BuildApart(build):
    """Builds wheels in a folder of their mode, where an interrupted build continues."""

    def initialize_options(self) -> None:
        super().initialize_options()
        self.build_base = f"build/wheel-{MODE}"


class BuildInMode(build_ext):
    """Rebuilds everything in place if the last build in place was made in another mode."""

    STAMP = Path("build/mode")

    def finalize_options(self) -> None:
        self.compiler = self.compiler or os.environ.get("TTT_COMPILER") or None
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()
        self.build_temp = f"build/objects-{MODE}"
        if self.inplace:  # an editable install names another folder and would build twice
            self.build_lib = "build/inplace"
            if not self.STAMP.exists() or self.STAMP.read_text() != MODE:
                self.force = True
        if self.inplace and not VARIANTS:  # those of another build would be loaded
            for level in ("v3", "v4"):
                for folder in Path("src/ttt_core").rglob(level):
                    shutil.rmtree(folder)

    def run(self) -> None:
        super().run()
        if self.inplace:
            self.STAMP.parent.mkdir(exist_ok=True)
            self.STAMP.write_text(MODE)


if __name__ == "__main__":  # the site (python/ttt/web/site) compiles the same modules
    modules = extensions()
    modules += [
        variant(module, level)
        for level in VARIANTS
        for module in modules
        if not module.name.startswith("ttt_core.runtime.")
    ]
    setup(ext_modules=modules, cmdclass={"build": BuildApart, "build_ext": BuildInMode})
