"""Runs inside Pyodide under Node (tracing.mjs), when the site is built: finds out which modules the
engine imports, and compiles modules to bytecode."""

import importlib.util
import json
import marshal
import sys
from types import CodeType
from typing import Any


def bytecode(source: bytes, name: str) -> bytes:
    """A module as the contents of a `.pyc` file, without docstrings, asserts and line numbers. It
    is used whatever the date of its source."""
    code = without_lines(compile(source, name, "exec", dont_inherit=True, optimize=2))
    head = importlib.util.MAGIC_NUMBER + (0b01).to_bytes(4, "little") + bytes(8)
    return head + marshal.dumps(code)


def without_lines(code: CodeType) -> CodeType:
    """The same code without the table of its line numbers, a third of its size."""
    inner = (without_lines(part) if isinstance(part, CodeType) else part for part in code.co_consts)
    return code.replace(co_linetable=b"", co_consts=tuple(inner))


REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("games", {}),
    ("puzzles", {}),
    ("puzzle", {"id": "none", "moves": []}),
    ("parse", {"text": '[Game "tictactoe"]\n\n5 1'}),
    ("parse", {"text": "5 1 9", "game": "tictactoe"}),
    ("parse", {"text": "nonsense", "game": "tictactoe"}),
    *(
        ("export", {"game": "connect4", "moves": "44", "format": form, "size": 100})
        for form in ("game", "moves", "position", "text", "svg")
    ),
]
"""Requests that import what a page may need."""


def exercise() -> list[str]:
    """Answers requests of every kind for every game; returns the files of the modules imported."""
    from ttt.registry import games
    from ttt.web.local import Local

    sent: list[tuple[int, str, str]] = []
    fetches = (None, lambda: None)
    for fetch in fetches:
        local = Local(lambda *message: sent.append(message), fetch)
        requests = list(REQUESTS)
        for game in games():
            requests += [
                ("game", {"game": game}),
                ("position", {"game": game}),
                ("analyse", {"game": game, "nodes": 20_000}),
                *(("move", {"game": game, "player": f"level-{n}"}) for n in (1, 2, 3, 5, 8)),
                ("move", {"game": game, "player": "minimax:depth=2", "seed": 1}),
            ]
        requests.append(("review", {"game": "tictactoe", "moves": "51", "nodes": 1000}))
        for number, (name, request) in enumerate(requests):
            if local.handle(number, name, json.dumps(request)):
                while local.step():
                    pass
    failed = [text for _, kind, text in sent if kind == "missing"]
    failed += [text for _, kind, text in sent if kind == "error" and "nonsense" not in text]
    failed = [text for text in failed if "none" not in text]
    if failed:
        raise RuntimeError(f"a request failed: {failed[0]}")
    modules = [module for module in list(sys.modules.values()) if not is_frozen(module)]
    found = [getattr(module, "__file__", None) for module in modules]
    return sorted(str(name) for name in found if name)


def is_frozen(module: object) -> bool:
    """Whether a module is part of the interpreter, so that its file is never read."""
    return getattr(getattr(module, "__spec__", None), "origin", None) == "frozen"


def write_results(packages: str, library: str, out: str) -> None:
    """Writes a zip file: used.json with the files that `exercise` has imported, and the bytecode of
    all modules of the standard library (below lib/) and of our packages (below site/)."""
    used = exercise()
    import zipfile  # not before: the engine does not need them
    from pathlib import Path

    with zipfile.ZipFile(out, "w") as results:
        results.writestr("used.json", json.dumps(used))
        with zipfile.ZipFile(library) as sources:
            for name in sources.namelist():
                if name.endswith(".py"):
                    results.writestr(f"lib/{name}c", bytecode(sources.read(name), name))
        for path in sorted(Path(packages).rglob("*.py")):
            name = path.relative_to(packages).as_posix()
            if name.startswith("ttt"):
                results.writestr(f"site/{name}c", bytecode(path.read_bytes(), name))
