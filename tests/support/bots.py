"""Small programs that speak a protocol, well or badly, and the player texts that start them."""

import shlex
import sys
from pathlib import Path

UGI = """
import sys, time, os, subprocess
sys.path[:0] = []
moves = 0
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["ugi"]: print("id name bot\\nugiok", flush=True)
    elif words[:1] == ["isready"]: print("readyok", flush=True)
    elif words[:1] == ["position"]: position = words
    elif words[:1] == ["go"]:
        moves += 1
        BEHAVIOUR
"""

TTT = f"{shlex.quote(sys.executable)} -m ttt"
"""The command line as a command."""


def ugi_bot(folder: Path, behaviour: str) -> str:
    """The command of a UGI program that runs this statement for each `go`."""
    return python_bot(folder, UGI.replace("BEHAVIOUR", behaviour))


def python_bot(folder: Path, source: str) -> str:
    """The command of a program with this source."""
    path = folder / f"bot{len(list(folder.iterdir()))}.py"
    path.write_text(source, encoding="utf-8")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"
