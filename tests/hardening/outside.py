"""Compiled modules of the tests' own, built against the core where it stands."""

import os
import subprocess
import sys
from pathlib import Path

from hardening.sanitizers import PROJECT

SETUP = """
from setuptools import Extension, setup
from Cython.Build import cythonize

setup(ext_modules=cythonize([Extension({name!r}, [{source!r}])], include_path=[{include!r}]))
"""


def build_module(name: str, folder: Path, *flags: str) -> None:
    """Builds hardening/<name>.pyx in place in a folder, with more flags for the compiler."""
    source = folder / f"{name}.pyx"
    source.write_text((PROJECT / f"tests/hardening/{name}.pyx").read_text())
    text = SETUP.format(name=name, source=source.name, include=str(PROJECT / "src"))
    (folder / "setup.py").write_text(text)
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=folder,
        env={**os.environ, "CFLAGS": " ".join(flags), "LDFLAGS": " ".join(flags)},
        stdout=sys.stderr,
        check=True,
    )
