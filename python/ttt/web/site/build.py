"""Builds the site: `python -m ttt.web.site.build`, from the root of a checkout."""

import hashlib
import json
import re
import shutil
from pathlib import Path

from ttt.board import board_class
from ttt.registry import games
from ttt.version import __version__
from ttt.web import service
from ttt.web.local import LIMITS
from ttt.web.records import Record
from ttt.web.site.bundles import gather, make_bundles, pack
from ttt.web.site.compiler import FOLDER, compile_modules
from ttt.web.site.imports import complaints
from ttt.web.site.ingredients import fail, pyodide
from ttt.web.site.rules import compile_all_rules, home_of

HERE = Path(__file__).parent
PAGE = HERE.parent / "page"
SITE = Path("build/site")
PRELOAD = '<link rel="preload" href="api/games" as="fetch" crossorigin="anonymous">'
"""The line of the served page that asks for the games."""
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; worker-src 'self';"
    " img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'"
)
MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)
LATER = ("connect4", "mnk", "nineboard", "qubic", "rest")
"""Bundles that a first visit does not load: it shows ultimate."""


def main() -> None:
    if not Path("setup.py").exists() or not Path("src/ttt_core").exists():
        fail("the site is built from the root of a checkout: run make site there")
    runtime = pyodide()
    modules = compile_modules()
    wrong = [
        text for module in modules for text in complaints(module, runtime / "pyodide.asm.wasm")
    ]
    if wrong:
        fail("\n".join(wrong))
    rules = compile_all_rules()
    bundles = make_bundles(gather(modules, FOLDER / "modules"))
    fresh = SITE.with_name("site.new")
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.copytree(PAGE, fresh)
    shutil.copytree(HERE / "page", fresh, dirs_exist_ok=True)
    engine = fresh / "engine"
    write_runtime(engine, runtime)
    for name, (data, _) in bundles.items():
        (engine / f"{name}.packed").write_bytes(data)
    engine = engine.rename(fresh / f"engine-{digest(engine)}")  # another name for other contents
    write_build(fresh, engine, {name: files for name, (_, files) in bundles.items()})
    write_games(fresh, rules)
    write_index(fresh)
    write_worker(fresh)
    shutil.rmtree(SITE, ignore_errors=True)
    fresh.rename(SITE)
    report(SITE)


def write_runtime(folder: Path, runtime: Path) -> None:
    """Pyodide: the loader, its module, and Python itself, packed."""
    folder.mkdir()
    for name in ("pyodide", "pyodide.asm"):
        text = (runtime / f"{name}.mjs").read_text(encoding="utf-8")
        (folder / f"{name}.js").write_text(MAP.sub("", text), encoding="utf-8")
    (folder / "wasm.packed").write_bytes(pack((runtime / "pyodide.asm.wasm").read_bytes()))


def write_games(folder: Path, rules: list[Path]) -> None:
    """What the page needs before the engine runs: the games, and their compiled rules."""
    record = service.games({}, LIMITS)
    record["games"] = [{**entry, "move_names": move_names(entry)} for entry in record["games"]]
    write_json(folder / "games.json", record)
    (folder / "rules").mkdir()
    for path in rules:
        shutil.copyfile(path, folder / "rules" / path.name)


def move_names(entry: Record) -> list[str]:
    """The moves of a game, by the numbers that its rules know them by."""
    return [str(move) for move in board_class(entry["game"])().ruleset.moves]


def write_json(path: Path, record: object) -> None:
    path.write_text(json.dumps(record, separators=(",", ":")), encoding="utf-8")


def write_build(site: Path, engine: Path, bundles: dict[str, list[str]]) -> None:
    """build.js: the files of the engine and what is in them."""
    lock = json.loads((pyodide() / "pyodide-lock.json").read_text(encoding="utf-8"))
    record = {
        "version": __version__,
        "loader": f"{engine.name}/pyodide.js",
        "module": f"{engine.name}/pyodide.asm.js",
        "lock": {"info": lock["info"]},
        "files": {
            path.stem: {"path": f"{engine.name}/{path.name}", "size": path.stat().st_size}
            for path in sorted(engine.glob("*.packed"))
        },
        "modules": {
            name: sorted(file.partition(".")[0] for file in files if file.endswith(".so"))
            for name, files in bundles.items()
            if name in games()
        },
        "home": {game: home_of(game) for game in games()},
    }
    text = json.dumps(record, separators=(",", ":"))
    (site / "build.js").write_text(f"export const BUILD = {text};\n", encoding="utf-8")


def write_index(site: Path) -> None:
    """The page, with its content security policy: a static host sends none."""
    path = site / "index.html"
    text = path.read_text(encoding="utf-8")
    if PRELOAD not in text or "<title>" not in text:
        fail(f"{path.name} has changed: it does not preload api/games")
    more = '<link rel="preload" href="games.json" as="fetch" crossorigin="anonymous">'
    text = text.replace(PRELOAD, f'{more}\n<link rel="modulepreload" href="build.js">')
    text = text.replace("</title>", '</title>\n<link rel="stylesheet" href="site.css">')
    policy = f'<meta http-equiv="content-security-policy" content="{POLICY}">\n<title>'
    path.write_text(text.replace("<title>", policy), encoding="utf-8")


def write_worker(site: Path) -> None:
    """The service worker begins with the names of all files and a version, their hash."""
    path = site / "service-worker.js"
    files = sorted(file.relative_to(site).as_posix() for file in site.rglob("*") if file.is_file())
    files.remove(path.name)
    version = digest(site)
    head = f"const VERSION = {json.dumps(version)};\nconst FILES = {json.dumps(files)};\n"
    path.write_text(head + path.read_text(encoding="utf-8"), encoding="utf-8")


def digest(folder: Path) -> str:
    """A short hash of all files below a folder."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:12]


def report(site: Path) -> None:
    """Prints what a first visit loads, compressed, by part."""
    print(f"{site}: size in KB, compressed")
    total = 0
    for name, size in weights(site).items():
        print(f"  {name:<24}{size / 1000:8,.0f}")
        total += size if name not in LATER else 0
    print(f"  {'first visit, ultimate':<24}{total / 1000:8,.0f}")


def weights(site: Path) -> dict[str, int]:
    """The compressed size of each part of the site."""
    engine = next(site.glob("engine-*"))
    scripts = list(engine.glob("*.js"))
    page = [path for path in site.rglob("*") if path.is_file() and engine not in path.parents]
    found = {
        "page": sum(len(pack(path.read_bytes())) for path in page),
        "Pyodide's JavaScript": sum(len(pack(path.read_bytes())) for path in scripts),
    }
    for path in sorted(engine.glob("*.packed")):
        found[path.stem] = path.stat().st_size
    return found


if __name__ == "__main__":
    main()
