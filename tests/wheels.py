"""Builds wheels for x86-64 and aarch64 in `dist`: `make wheels`.

Each is checked by auditwheel, installed in an empty environment and tried there. That for aarch64
is cross-compiled and tried under qemu-user (`platforms.py`).
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from platforms import BUILD, PROJECT, add_modules, emulated

DIST = PROJECT / "dist"
LINKED = BUILD / "wheels"
"""Wheels before they are checked for the libraries that they need."""
TRIALS = (
    ("--version",),
    ("perft", "connect4", "7"),
    ("solve", "connect4", "--set", "columns=5", "--set", "rows=4"),
    ("solve", "qubic", "--nodes", "1000"),
    ("match", "tictactoe", "engine:depth=3", "random", "--games", "2", "--seed", "1"),
)


def call(*command: str | Path, **settings: str) -> str:
    """What a command prints."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=PROJECT, env={**os.environ, **settings}, check=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    return done.stdout


def build_here() -> Path:
    """The wheel for this machine."""
    portable = os.environ.get("TTT_PORTABLE", "1")
    for library in (PROJECT / "build").glob("wheel-*/lib*"):  # may have modules deleted since
        shutil.rmtree(library)
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", LINKED)
    call(*build, TTT_PORTABLE=portable)
    return next(LINKED.glob("*-linux_x86_64.whl"))


def exchange_modules(wheel: Path, name: str) -> Path:
    """The same wheel with the modules of another machine."""
    folder = LINKED / name
    shutil.rmtree(folder, ignore_errors=True)
    call(sys.executable, "-m", "wheel", "unpack", "--dest", folder, wheel)
    (content,) = folder.iterdir()
    for module in content.rglob("*.so"):
        module.unlink()
    add_modules(emulated(name), content)
    about = next(content.glob("*.dist-info")) / "WHEEL"
    lines = about.read_text(encoding="utf-8").splitlines()
    tagged = [f"Tag: cp311-cp311-linux_{name}" if line[:4] == "Tag:" else line for line in lines]
    about.write_text("\n".join(tagged) + "\n", encoding="utf-8", newline="\n")
    call(sys.executable, "-m", "wheel", "pack", "--dest-dir", LINKED, content)
    return next(LINKED.glob(f"*-linux_{name}.whl"))


def finish(wheel: Path) -> Path:
    """The wheel under the name of the oldest systems that it runs on."""
    tool = [sys.executable, "-m", "auditwheel"]
    bin_folder = str(Path(sys.executable).parent)
    path = os.pathsep.join((bin_folder, os.environ.get("PATH", "")))
    machine = wheel.stem.rpartition("linux_")[2]
    strip = ("--strip",) if machine == "x86_64" else ()  # by this machine's own program
    for earlier in DIST.glob(f"*{machine}.whl"):
        earlier.unlink()
    call(*tool, "repair", *strip, "--wheel-dir", DIST, wheel, PATH=path)
    return next(DIST.glob(f"*manylinux*{machine}.whl"))


def try_wheel(wheel: Path, name: str) -> None:
    folder = BUILD / f"installed-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    if name == "x86_64":
        call(sys.executable, "-m", "venv", folder)
        call(folder / "bin/pip", "install", "-qq", wheel)
        command: list[str | Path] = [folder / "bin/ttt"]
    else:
        pip = (sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--target", folder)
        call(*pip, "--only-binary", ":all:", "--platform", f"manylinux_2_17_{name}", wheel)
        command = [emulated(name).command, "-S", "-m", "ttt"]
    for trial in TRIALS:
        print(f"{name}: ttt {' '.join(trial)}", flush=True)
        print(call(*command, *trial, PYTHONPATH=str(folder)), flush=True)
    if name == "x86_64" and os.environ.get("TTT_PORTABLE") != "v2":
        tests = (sys.executable, "-m", "pytest", "-q", "tests/test_variants.py")
        print(call(*tests, TTT_WHEEL=str(folder / "bin/python")), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("x86_64", "aarch64"), help="one of them")
    arguments = parser.parse_args()
    shutil.rmtree(LINKED, ignore_errors=True)
    DIST.mkdir(exist_ok=True)
    here = build_here()
    for name in (arguments.only,) if arguments.only else ("x86_64", "aarch64"):
        wheel = finish(here if name == "x86_64" else exchange_modules(here, name))
        print(f"{name}: {wheel.name}, {wheel.stat().st_size:,} bytes", flush=True)
        try_wheel(wheel, name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
