"""The rules of each game as a WebAssembly module of a few kilobytes, without Python: two people can
play as soon as the page is there, by the same compiled rules as the engine (rules.pxi)."""

import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ttt.board import Board, board_class
from ttt.registry import games
from ttt.web.site.compiler import COMPILE, FEATURES, FOLDER, make_headers, newest, run
from ttt.web.site.imports import imports
from ttt.web.site.ingredients import fail, zig

HERE = Path(__file__).parent
FUNCTIONS = ("begin", "can_play", "push", "outcome_value", "plies", "marks", "owners", "line")
"""What a module exports, besides its memory."""
LINK = (
    *("--no-entry", "--gc-sections", "--strip-all", "--allow-undefined", "--no-check-features"),
    *(f"--features={FEATURES}", *(f"--export={name}" for name in FUNCTIONS)),
)
CYTHON = ("-3", "-I", "src", "-X", "cdivision=True,wraparound=False,boundscheck=False")
CELLS = re.compile(r"from (ttt_core\.primitives\.cells\d+) cimport")


def home_of(game: str) -> str:
    """The module of a game; several games may share one."""
    return board_class(game).engine_type.__module__.rpartition(".")[2]


def source_of(start: Board) -> str:
    """The Cython module of a game with its default options."""
    home = home_of(start.game)
    found = CELLS.search(Path(f"src/ttt_core/games/{home}.pxd").read_text(encoding="utf-8"))
    if found is None:
        fail(f"{home}.pxd has changed: it does not say which cells it uses")
    values = ", ".join(["rules", *map(str, start.ruleset.options)])
    return (
        f"from ttt_core.games.{home} cimport *\n"
        f"from {found[1]} cimport has\n\n"
        f"cdef inline void configure(Rules* rules) noexcept nogil:\n    prepare({values})\n\n"
        f'include "{(HERE / "rules.pxi").resolve()}"\n'
    )


def compile_all_rules() -> list[Path]:
    """Compiles what has changed: a module for each game, named after it."""
    compiler = zig()
    headers = make_headers(compiler)
    sources = [path for path in Path("src/ttt_core").rglob("*") if path.suffix in (".pxd", ".pxi")]
    stamp = newest([headers, Path(__file__), HERE / "rules.pxi", *sources])
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        jobs = [executor.submit(compile_rules, game, compiler, headers, stamp) for game in games()]
        return [job.result() for job in jobs]


def compile_rules(game: str, compiler: Path, headers: Path, stamp: float) -> Path:
    """The module of a game. It imports nothing: no function of Python is left in it."""
    folder = FOLDER / "rules"
    folder.mkdir(parents=True, exist_ok=True)
    source, target = folder / f"{game}_rules.pyx", folder / f"{game}.wasm"
    text = source_of(board_class(game)())
    known = source.exists() and source.read_text(encoding="utf-8") == text
    if known and target.exists() and target.stat().st_mtime > stamp:
        return target
    print(f"compiling the rules of {game}", flush=True)
    target.unlink(missing_ok=True)
    source.write_text(text, encoding="utf-8")
    in_c, object_file = source.with_suffix(".c"), target.with_suffix(".o")
    run([sys.executable, "-m", "cython", *CYTHON, str(source), "-o", str(in_c)], source.name)
    program, own = str(compiler / "zig"), str(compiler / "lib/include")
    command = [program, "cc", *COMPILE, "-ffunction-sections", "-fdata-sections", "-nostdinc"]
    include = ["-isystem", own, "-isystem", str(headers)]
    run([*command, *include, "-c", str(in_c), "-o", str(object_file)], source.name)
    fresh = target.with_suffix(".new")
    run([program, "wasm-ld", *LINK, str(object_file), "-o", str(fresh)], source.name)
    if asked := imports(fresh):
        fail(f"the rules of {game} import {', '.join(sorted(asked))}: they must need no Python")
    fresh.rename(target)
    return target
