"""What the browser loads of Python: few files, compressed, no more than is used.

stdlib      the modules of the standard library that the engine imports, as a zip file of bytecode
base        our Python modules that it imports, and the puzzles
<game>      a game's compiled modules, weights and strategy; loaded when the game is opened
rest        all other modules; loaded if one of them is asked for after all

`page/boot.js` describes the format of a bundle. A packed file is compressed with gzip and named
`.packed`, so that no server unpacks it or packs it again.
"""

import gzip
import io
import json
import re
import shutil
import struct
import subprocess
import zipfile
from pathlib import Path

from ttt.registry import games
from ttt.web.site.ingredients import fail, node, pyodide

HERE = Path(__file__).parent
FOLDER = Path("build/wasm")
LIBRARY = re.compile(r"/lib/python3\d+\.zip/")
SKIPPED = ("ttt/web/site/", "ttt/web/page/", "ttt/training/", "ttt/adapters/")
"""Parts of our packages that no page needs."""

Files = dict[str, bytes]


def pack(data: bytes) -> bytes:
    """Compressed, the same for the same data."""
    return gzip.compress(data, 9, mtime=0)


def bundle(files: Files) -> bytes:
    """Files as one packed file."""
    index = json.dumps({name: len(data) for name, data in files.items()}).encode()
    return pack(struct.pack("<I", len(index)) + index + b"".join(files.values()))


def zipped(files: Files) -> bytes:
    """Files as a packed zip file: stored, because it is compressed as a whole."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return pack(buffer.getvalue())


def gather(modules: list[Path], compiled: Path) -> Path:
    """A folder with our packages as they are installed, without what no page needs."""
    folder = FOLDER / "packages"
    shutil.rmtree(folder, ignore_errors=True)
    for root, package in (("python", "ttt"), ("src", "ttt_core")):
        for path in sorted(Path(root, package).rglob("*")):
            name = path.relative_to(root).as_posix()
            wanted = path.suffix == ".py" or "/data/" in name
            if wanted and path.is_file() and not name.startswith(SKIPPED):
                copy_to(path, folder / name)
    for module in modules:
        copy_to(module, folder / module.relative_to(compiled))
    return folder


def copy_to(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


def trace(packages: Path) -> tuple[set[str], Files]:
    """The files that the engine imports, and the bytecode of all modules."""
    out = FOLDER / "results.zip"
    command = [node(), str(HERE / "tracing.mjs"), str(pyodide()), str(packages)]
    done = subprocess.run(
        [*command, str(HERE / "tracing.py"), str(out)], capture_output=True, text=True
    )
    if done.returncode:
        fail(f"the engine does not run under Node:\n{done.stderr.strip()[-3000:]}")
    with zipfile.ZipFile(out) as results:
        used = set(json.loads(results.read("used.json")))
        names = [name for name in results.namelist() if name.endswith(".pyc")]
        return used, {name: results.read(name) for name in names}


def owner(name: str) -> str:
    """The game that a file of our packages belongs to; empty if it is for all games."""
    if not name.endswith((".so", ".weights", ".strategy")):
        return ""
    words = re.split(r"[/.\-]", name)
    return next((game for game in games() if game in words), "")


def make_bundles(packages: Path) -> dict[str, tuple[bytes, list[str]]]:
    """All bundles: the packed file and the names of the files in it. `tictactoe` has no modules of
    its own: it is played by those of m,n,k."""
    used, bytecode = trace(packages)
    library = {LIBRARY.split(name)[1] + "c" for name in used if LIBRARY.search(name)}
    ours = {name.split("/site-packages/")[1] + "c" for name in used if "/site-packages/" in name}
    # Found by name, not by import.
    ours |= {name[5:] for name in bytecode if re.match(r"site/ttt/(boards|solvers)/", name)}
    stdlib = {name[4:]: data for name, data in bytecode.items() if name[4:] in library}
    parts: dict[str, Files] = {"base": {}, **{game: {} for game in games()}, "rest": {}}
    for name, data in bytecode.items():
        part = "base" if name[5:] in ours else "rest"
        if name.startswith("site/"):
            parts[part][name[5:]] = data
        elif name[4:] not in library:
            parts["rest"][name[4:]] = data
    for path in sorted(packages.rglob("*")):
        name = path.relative_to(packages).as_posix()
        if path.is_file() and path.suffix != ".py":
            parts[owner(name) or "base"][name] = path.read_bytes()
    found = {name: (bundle(files), list(files)) for name, files in parts.items() if files}
    return {"stdlib": (zipped(stdlib), list(stdlib)), **found}
