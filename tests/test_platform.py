"""The C code that differs between platforms, against slow versions of the same functions, with
every compiler and processor that is at hand."""

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from platforms import WINE

ROOT = Path(__file__).parents[1]
CORE = ROOT / "src/ttt_core"
HEADER = CORE / "primitives/platform.pxd"
VERBATIM = re.compile(r'extern from \*:\n    """\n(.*?)\n    """', re.DOTALL)
X86 = platform.machine().lower() in ("x86_64", "amd64")

COMPILERS = {
    "gcc": (["gcc"], []),
    "gcc-native": (["gcc", "-march=native"], []),
    "gcc-generic": (["gcc", "-march=native", "-DTTT_GENERIC"], []),
    "clang": (["clang"], []),
    "clang-native": (["clang", "-march=native"], []),
    "clang-generic": (["clang", "-DTTT_GENERIC"], []),
    "musl": (["musl-gcc"], []),
    "aarch64": (["aarch64-linux-gnu-gcc", "-static"], ["qemu-aarch64-static"]),
    "s390x": (["s390x-linux-gnu-gcc", "-static"], ["qemu-s390x-static"]),
    "windows": (["x86_64-w64-mingw32-gcc", "-static"], [WINE]),
}
"""The commands that compile a program and run it."""


def c_code(path: Path) -> str:
    """The C code in a Cython file, as Cython copies it."""
    blocks = VERBATIM.findall(path.read_text(encoding="utf-8"))
    return "\n".join(blocks).replace("\\\\", "\\")


@pytest.mark.parametrize("name", COMPILERS)
def test_functions_equal_slow_versions(name: str, tmp_path: Path) -> None:
    compiler, runner = COMPILERS[name]
    for program in (compiler[0], *runner):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    if not X86 and "-march=native" in compiler and compiler[0] == "clang":
        pytest.skip("clang has no -march=native for this processor")
    (tmp_path / "platform.h").write_text(c_code(HEADER), encoding="utf-8")
    binary = tmp_path / ("check.exe" if name == "windows" else "check")
    source = ROOT / "tests/platform/check.c"
    subprocess.run(
        [
            *compiler,
            "-O2",
            "-Wall",
            "-Werror",
            "-Wno-psabi",
            f"-I{tmp_path}",
            "-o",
            binary,
            source,
        ],
        check=True,
    )
    done = subprocess.run([*runner, binary], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("checks\n")


def test_only_the_header_names_a_compiler_or_a_system() -> None:
    special = re.compile(
        r"__builtin_(?!convertvector)|__atomic_|__attribute__|__int128|_WIN32|__linux__"
        r"|__AVX|__BMI|#include <(?!math|stdint)"
    )
    for path in (path for path in CORE.rglob("*.p[yx][xdi]") if path != HEADER):
        found = special.search(c_code(path))
        assert found is None, f"{path}: {found} belongs into {HEADER.name}"
