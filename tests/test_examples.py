"""Programs and shell commands on the pages of the documentation run as a reader would run them.

`test_docs.py` runs the interactive examples (`>>>`), `make docs` the notebooks."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.dialogues import Answers
from support.imports import imports_of
from support.pages import PAGES, PROJECT, Block, blocks, indented
from support.web import serve
from ttt import Board
from ttt.protocols.ugi import UgiSession

BLOCKS = [block for page in PAGES for block in blocks(page)]
PROGRAMS = [
    block
    for block in BLOCKS
    if block.language == "python" and not block.file and not block.text.startswith(">>>")
]
CONSOLES = [block for block in BLOCKS if block.language == "console"]
MEASURED = re.compile(r"[\d,.]+(?= ms\b)|(?<=nps )\d+|(?<=time )\d+")
"""Figures that differ from run to run."""


class Shell:
    """A reader's folder and shell, in which `ttt` and `python` are those under test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        commands = folder / "bin"
        commands.mkdir()
        for name, start in (("python", ""), ("ttt", " -m ttt")):
            (commands / name).write_text(f'#!/bin/sh\nexec {sys.executable}{start} "$@"\n')
            (commands / name).chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{commands}:{os.environ['PATH']}"}

    def write_files(self, page: Path) -> None:
        """Writes the files that a page tells its reader to make."""
        for block in blocks(page):
            if block.file:
                (self.folder / block.file).write_text(block.text, encoding="utf-8")

    def run(self, command: str, **environment: str) -> str:
        """What a command prints."""
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=self.folder,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def missing_for(module: str) -> str | None:
    """The package that a module needs and that is not installed, if any."""
    if module.startswith("ttt.adapters."):
        try:
            import_module(module)
        except ModuleNotFoundError as error:
            return error.name
    package = module.partition(".")[0]
    return None if find_spec(package) else package


@pytest.mark.parametrize("block", PROGRAMS, ids=lambda block: block.name)
def test_program_runs(block: Block, shell: Shell) -> None:
    missing = {name for name in map(missing_for, imports_of(block.text)) if name}
    if missing:
        pytest.skip(f"not installed: {', '.join(sorted(missing))}; make test-adapters")
    (shell.folder / "program.py").write_text(block.text, encoding="utf-8")
    shell.run("python program.py")


@pytest.mark.parametrize("block", CONSOLES, ids=lambda block: block.name)
def test_commands_print_what_is_shown(block: Block, shell: Shell) -> None:
    shell.write_files(block.page)
    checker = doctest.OutputChecker()
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        printed = shell.run(command)
        expected, got = (MEASURED.sub("N", text) for text in (shown, printed))
        assert checker.check_output(expected, got, doctest.ELLIPSIS), f"{command}\n{printed}"


def test_every_block_is_run() -> None:
    """No block escapes the tests: it has a language that one of them looks for."""
    assert len(PROGRAMS) >= 3
    assert len(CONSOLES) >= 3
    for block in BLOCKS:
        if block.language in ("python", "cython") and not block.text.startswith(">>>"):
            users = [one for one in CONSOLES if one.page == block.page]
            assert block in PROGRAMS or users, f"{block.name}: no command uses {block.file}"
        elif not block.language.startswith("{"):
            expected = ("python", "console", "sh", "text")
            assert block.language in expected, f"{block.name}: {block.language!r}"


def test_positions_are_valid() -> None:
    (block,) = (one for one in BLOCKS if one.language == "text")
    assert block.page.name == "notation.md"
    for line in block.text.splitlines():
        assert Board.parse(line).text() == line


def test_dialogue_with_ugi() -> None:
    answers = Answers()
    session = UgiSession("connect4", {}, answers, hash_limit=16)
    said: list[str] = []
    for line in [*indented("docs/guides/protocols.md", "> position"), "> isready", "readyok"]:
        if line.startswith("> "):
            assert session.handle(line[2:])
        else:
            said += answers.until(line.split()[0])
            assert MEASURED.sub("N", said.pop(0)) == MEASURED.sub("N", line)
            assert said == []


def test_request_to_the_web_server() -> None:
    (line,) = indented("docs/guides/web.md", "curl")
    curl, stream, address, header, kind, data, body = shlex.split(line)
    assert (curl, stream, header, data) == ("curl", "-N", "-H", "-d")
    name, _, value = kind.partition(": ")
    with serve() as server:
        path = address.removeprefix("http://127.0.0.1:8000")
        response = server.post(path, content=body, headers={name: value})
    assert response.status_code == 200
    assert "event: result" in response.text


def test_programs_play_through_pipes(shell: Shell) -> None:
    make, play = indented("docs/reference/command-line.md", "mkfifo")
    shell.run(f"{make}\n{play}")


def test_shards_of_a_batch_system(shell: Shell) -> None:
    """The script for Slurm, with fewer and smaller jobs."""
    script, joining = (
        block.text for block in blocks(PROJECT / "docs/guides/cluster.md") if block.language == "sh"
    )
    lines = [f"4455{column}1" for column in "1234567"]
    (shell.folder / "positions.txt").write_text("\n".join(lines) + "\n")
    for number in (1, 2):
        shell.run(
            script.replace("/20", "/2").replace("--processes 8", "--processes 1"),
            SLURM_ARRAY_TASK_ID=str(number),
        )
    joined = shell.run(joining)
    assert len((shell.folder / "solutions.txt").read_text().splitlines()) == len(lines), joined
