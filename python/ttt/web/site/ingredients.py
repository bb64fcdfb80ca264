"""What the site is made of, from package registries: pinned by version and hash.

zig brings clang, wasm-ld and the headers of a C library (MIT; LLVM: Apache-2.0 with exception).
Pyodide is CPython for WebAssembly (MPL-2.0; CPython: PSF). Both are kept in build/ingredients.
"""

import hashlib
import platform
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple, NoReturn

FOLDER = Path("build/ingredients")


def fail(reason: str) -> NoReturn:
    """Ends the build with a reason."""
    sys.exit(f"error: {reason}")


class Ingredient(NamedTuple):
    """A file of a package registry."""

    name: str
    version: str
    file: str
    """Its name, with the wildcard of the platform."""
    hashes: tuple[str, ...]
    """SHA-256 of the file; one for each platform."""
    command: tuple[str, ...]
    """Downloads it into the working folder."""

    def fetch(self) -> Path:
        """The unpacked folder; downloads and unpacks the file if it is not there yet."""
        folder = FOLDER / f"{self.name}-{self.version}"
        if folder.exists():
            return folder
        archive = self.download()
        unpacked = folder.with_suffix(".new")
        shutil.rmtree(unpacked, ignore_errors=True)
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel:
                wheel.extractall(unpacked)
        else:
            with tarfile.open(archive) as package:
                package.extractall(unpacked, filter="data")
        unpacked.rename(folder)
        archive.unlink()
        return folder

    def download(self) -> Path:
        FOLDER.mkdir(parents=True, exist_ok=True)
        if shutil.which(self.command[0]) is None:
            fail(f"{self.name} {self.version} is fetched with {self.command[0]}; install that")
        print(f"fetching {self.name} {self.version}", flush=True)
        done = subprocess.run(self.command, cwd=FOLDER, capture_output=True, text=True)
        found = sorted(FOLDER.glob(self.file))
        if done.returncode or not found:
            reason = (done.stderr.strip() or "no such file").splitlines()[-1]
            fail(f"cannot fetch {self.name} {self.version}: {reason}")
        digest = hashlib.sha256(found[0].read_bytes()).hexdigest()
        if digest not in self.hashes:
            found[0].unlink()
            fail(f"{self.name} {self.version} has SHA-256 {digest}: not the file that is pinned")
        return found[0]


ZIG = Ingredient(
    "ziglang",
    "0.17.0",
    "ziglang-0.17.0-*.whl",
    ("97079827064a7492cce5541ceb438ae8003ce1e54e399676da2d62fb7a5dc08b",),
    (
        *(sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"),
        *("--no-deps", "--only-binary=:all:", "ziglang==0.17.0"),
    ),
)
PYODIDE = Ingredient(
    "pyodide",
    "314.0.7",
    "pyodide-314.0.7.tgz",
    ("66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0",),
    ("npm", "pack", "--silent", "pyodide@314.0.7"),
)


def zig() -> Path:
    """The folder of the compiler."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        fail("the compiler is pinned for Linux on x86-64 only; build the site there")
    folder = ZIG.fetch() / "ziglang"
    (folder / "zig").chmod(0o755)  # not kept when a wheel is unpacked
    return folder


def pyodide() -> Path:
    """The folder of the runtime."""
    return PYODIDE.fetch() / "package"


def node() -> str:
    """The program that runs JavaScript."""
    found = shutil.which("node")
    if found is None:
        fail("the site is built with Node.js 20 or later; install it")
    return found
