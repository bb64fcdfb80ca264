"""Builds compiled test modules against the core in this checkout."""

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
    """Builds hardening/<name>.pyx in a folder, with extra compiler flags."""
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
