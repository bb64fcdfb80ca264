"""Builds the extension modules: every `.pyx` below `src/ttt_core`.

Environment variables:
  TTT_PORTABLE=1    build for any x86-64 with popcount instead of for this machine
  TTT_DEBUG=1       build with bounds checks and asserts
  TTT_SANITIZE=     thread or address,undefined: a debug build with these sanitizers of gcc

Any "performance hint" of Cython is an error.
"""

import contextlib
import io
import os
import platform
import sys
from pathlib import Path

from Cython.Build import cythonize
from Cython.Compiler import Options
from Cython.Compiler.Code import UtilityCode
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

PORTABLE = os.environ.get("TTT_PORTABLE", "0") not in ("", "0")
SANITIZE = os.environ.get("TTT_SANITIZE", "")
DEBUG = bool(SANITIZE) or os.environ.get("TTT_DEBUG", "0") not in ("", "0")
CHECKS = "debug" if DEBUG else "release"
MODE = (f"sanitize-{SANITIZE}" if SANITIZE else CHECKS) + ("-portable" if PORTABLE else "-native")
if SANITIZE not in ("", "thread", "address,undefined"):
    sys.exit(f"error: unknown TTT_SANITIZE={SANITIZE!r}; choose from thread, address,undefined")


def compile_flags() -> list[str]:
    flags = ["-O1", "-g", "-UNDEBUG"] if DEBUG else ["-O3", "-DNDEBUG"]
    flags.append("-Wno-unreachable-code")
    if SANITIZE:
        flags += [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer"]
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    if x86:
        flags.append("-march=x86-64-v2" if PORTABLE else "-march=native")
    return flags


def link_flags() -> list[str]:
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


class BuildInMode(build_ext):
    """Rebuilds everything if the last build was made in another mode.

    A build that is not in place has its own stamp, because it does not overwrite another build.
    """

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()
        self.build_temp = f"build/objects-{MODE}"
        if self.inplace:  # an editable install names another folder and would build twice
            self.build_lib = "build/inplace"
        self.stamp = Path("build", "mode" if self.inplace else f"mode-{MODE}")
        if not self.stamp.exists() or self.stamp.read_text() != MODE:
            self.force = True

    def run(self) -> None:
        super().run()
        self.stamp.parent.mkdir(exist_ok=True)
        self.stamp.write_text(MODE)


if __name__ == "__main__":  # the site (python/ttt/web/site) compiles the same modules
    setup(ext_modules=extensions(), cmdclass={"build_ext": BuildInMode})
