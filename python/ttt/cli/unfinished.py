"""Unfinished games of `ttt play`, which `ttt play --resume` continues.

Each session keeps its game in a file of its own in the state folder of the user
($XDG_STATE_HOME/ttt/play, by default ~/.local/state/ttt/play) and removes it when the game ends.
The file is locked while the session runs. After each change a line of JSON is added, with the
game as `ttt.game` writes it; the last complete line counts, so even a killed session loses nothing.
"""

import json
import os
import time
from contextlib import suppress
from pathlib import Path

from ttt.game import Game
from ttt.storage.lines import DamagedFile, LineFile

START = '{"game": '
SUFFIX = ".game"
MOST = 50
"""Files that are kept; the oldest ones are removed."""


def folder() -> Path:
    """Where unfinished games are kept."""
    given = os.environ.get("XDG_STATE_HOME", "")
    base = Path(given) if os.path.isabs(given) else Path.home() / ".local/state"
    return base / "ttt/play"


def files() -> list[Path]:
    """The files of unfinished games, newest first."""
    found = []
    with suppress(OSError, RuntimeError):  # no folder, or no home
        for path in folder().glob(f"*{SUFFIX}"):
            with suppress(OSError):
                found.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(found, reverse=True)]


class Unfinished:
    """The file of a session. A file that cannot be written is no reason to end the game: `problem`
    then says why, and nothing is saved."""

    def __init__(self, file: LineFile | None = None) -> None:
        self.file = file
        self.problem = ""

    def store(self, game: Game) -> None:
        """Saves the game as it is now."""
        if self.problem:
            return
        try:
            if self.file is None:
                self.file = new_file(game.headers["Game"])
            self.file.append(json.dumps({"game": str(game)}))
        except (OSError, RuntimeError, ValueError) as error:
            self.problem = str(error)

    @property
    def path(self) -> str:
        return "" if self.file is None else self.file.path

    @property
    def is_saved(self) -> bool:
        return self.file is not None and not self.problem

    def remove(self) -> None:
        """Forgets the game: it has ended."""
        if self.file is not None:
            with suppress(OSError):
                self.file.remove()
        self.file = None

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
        self.file = None


def new_file(game: str) -> LineFile:
    """A new file; removes the oldest ones if there are too many."""
    for path in files()[MOST - 1 :]:
        with suppress(OSError, ValueError):  # of a file that is in use
            with suppress(DamagedFile):
                LineFile(str(path)).close()
            path.unlink()
    folder().mkdir(parents=True, exist_ok=True)
    name = f"{game}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    taken = 0
    while True:
        try:
            path = folder() / f"{name}{f'-{taken}' if taken else ''}{SUFFIX}"
            return LineFile(str(path), START, new=True)
        except FileExistsError:
            taken += 1


def latest(game: str | None = None) -> tuple[Game, Unfinished] | None:
    """The newest unfinished game, of one game or of any, that no other session plays."""
    for path in files():
        with suppress(OSError, ValueError):
            file = LineFile(str(path), START)
            with suppress(KeyError, TypeError, ValueError):
                found = Game.parse(json.loads(file.lines[-1])["game"]) if file.lines else None
                if found is not None and game in (None, found.headers["Game"]):
                    return found, Unfinished(file)
            file.close()
    return None
