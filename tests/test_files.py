"""Files that killed programs leave, and files that were changed since."""

import fcntl
import json
from pathlib import Path

import pytest

from ttt.matches.match import play_match
from ttt.matches.record import read_games
from ttt.storage.atomic import check_target, sweep, write_whole
from ttt.storage.lines import DamagedFile, LineFile, read_lines, sealed, unsealed


def test_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, [b"one ", b"two"])
    assert path.read_bytes() == b"one two"

    def failing() -> object:
        yield b"three"
        raise RuntimeError("full")

    with pytest.raises(RuntimeError, match="full"):
        write_whole(path, failing())  # type: ignore[arg-type]
    assert [found.read_bytes() for found in tmp_path.iterdir()] == [b"one two"]


def test_rests_of_killed_writers_are_swept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    rest, alive, other = (
        tmp_path / f"{name}.new" for name in ("file.0123abcd", "file.4567abcd", "files.0123abcd")
    )
    for stray in (rest, alive, other):
        stray.write_bytes(b"half")
    with alive.open("rb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        sweep(path)
        assert {*tmp_path.iterdir()} == {alive, other}
    write_whole(path, [b"whole"])
    assert {*tmp_path.iterdir()} == {path, other}


@pytest.mark.parametrize("change", ["digit", "move", "player", "checksum", "cut"])
def test_damaged_games_are_refused(tmp_path: Path, change: str) -> None:
    path = tmp_path / "games"
    play_match("tictactoe", "first", "random", 3, out=str(path))
    header, games = read_games(str(path))
    assert header is not None
    assert "crc" not in header
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    game = json.loads(lines[2])
    old, new = {
        "digit": (f'"opening":{game["opening"]}', '"opening":2'),
        "move": (game["moves"], game["moves"][::-1]),
        "player": ('"first"', '"frist"'),
        "checksum": (game["crc"], "00000000"),
        "cut": (',"crc":"' + game["crc"] + '"', ""),
    }[change]
    path.write_bytes(whole.replace(old.encode(), new.encode(), 1))
    assert path.read_bytes() != whole
    with pytest.raises(DamagedFile, match="damaged"):
        read_games(str(path))
    path.write_bytes(whole[:-5])
    assert read_games(str(path))[1] == games[:-1]
