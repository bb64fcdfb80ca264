"""The documentation: examples run, links lead to files, tables and pictures are current."""

import doctest
import re
import shlex
import sys
from pathlib import Path

import pytest

import ttt
from support.commands import run
from support.pages import PAGES, PROJECT, relative
from ttt.cli.main import parser_for

WITH_PYTHON = [page for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", WITH_PYTHON, ids=relative)
def test_python_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(
        str(page),
        module_relative=False,
        optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL,
        encoding="utf-8",
    )
    assert results.attempted > 2
    assert results.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_listed_commands_are_valid(page: Path) -> None:
    """Lists of commands, `    ttt …    what it does`: the command line accepts them."""
    lines = re.findall(r"^ {4,6}(ttt .*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    for line in lines:
        words = shlex.split(re.split(r" {3,}| # | \\$| [<|>] ", line)[0])[1:]
        if words and "|" not in words and "[--player" not in words:
            parser_for(words).parse_args(words)


def test_package_docstring_runs() -> None:
    assert doctest.testmod(ttt).failed == 0


def test_readme_is_short() -> None:
    assert len((PROJECT / "README.md").read_text(encoding="utf-8").split()) <= 900


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_lead_to_files(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_paths_exist(page: Path) -> None:
    """Paths in backquotes, from the top of the project or below the core or the library."""
    text = page.read_text(encoding="utf-8")
    for path in re.findall(r"`([a-z_]+/[\w/.]*\.(?:pyx|pxd|pxi|pyi|py|c|md|txt|svg))`", text):
        places = [PROJECT, PROJECT / "src/ttt_core", PROJECT / "python/ttt"]
        assert any((place / path).exists() for place in places), path


def test_every_command_is_documented() -> None:
    listed = re.findall(r"^ {4}(\w+)(?: {2,}\S|$)", run("--help").stdout, re.MULTILINE)
    page = (PROJECT / "docs/reference/command-line.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"^ {4,}(?:.*\| )?ttt (\w+)", page, re.MULTILINE))
    assert "analyse" in listed
    assert set(listed) == shown


def test_install_commands_name_the_distribution() -> None:
    project = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    extras = re.findall(r"^(\w+) = \[", project.split("[project.optional-dependencies]")[1], re.M)
    sources = [*PAGES, *(PROJECT / "python").rglob("*.py"), PROJECT / "Makefile"]
    for source in sources:
        for extra in re.findall(r"\bttt(?:-engine)?\[(\w+)\]", source.read_text(encoding="utf-8")):
            assert extra in extras
        assert not re.search(r"install \W*ttt\b(?!-engine)", source.read_text(encoding="utf-8"))


def test_board_pictures_are_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(PROJECT / "docs"), *sys.path])
    from make_images import board_pictures

    pictures = board_pictures()
    assert set(pictures) == set(ttt.games())
    for game, picture in pictures.items():
        assert (PROJECT / f"docs/images/{game}.svg").read_text(encoding="utf-8") == picture


def test_ratios_are_those_of_the_results() -> None:
    """The table of docs/reference/speed.md, its date and machine are those of bench/RESULTS.md."""
    results = (PROJECT / "bench/RESULTS.md").read_text(encoding="utf-8")
    text = (PROJECT / "docs/reference/speed.md").read_text(encoding="utf-8")
    shown = text.partition("<!-- make bench -->")[2].partition("<!-- end of make bench -->")[0]
    rows = [line for line in shown.splitlines() if line.startswith("|")]
    measured = re.search(r"on (\S+), one core of: (.*?);", shown)
    assert len(rows) >= 7
    assert all(row in results for row in rows)
    assert measured
    assert f"{measured[1]}, one core of: {measured[2]}" in results
