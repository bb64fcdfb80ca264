"""The scripts of `ttt completion`, run by the shells that are installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.inprocess import run
from ttt.cli.main import VERBS


def script(shell: str) -> str:
    done = run("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def complete(tmp_path: Path, *words: str) -> list[str]:
    """What bash offers for the last word, in a folder with two files."""
    (tmp_path / "games.txt").touch()
    (tmp_path / "other file").touch()
    (tmp_path / "ttt.bash").write_text(script("bash"))
    quoted = " ".join(f"'{word}'" for word in words)
    program = (
        f"source ttt.bash; complete -p ttt; COMP_WORDS=(ttt {quoted}); COMP_CWORD={len(words)};"
        ' _ttt; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stderr == ""
    registered, *offered = done.stdout.splitlines()
    assert registered == "complete -F _ttt ttt"
    return [word for word in offered if word]


def test_bash_completes_verbs_and_options(tmp_path: Path) -> None:
    assert complete(tmp_path, "") == [*VERBS, "--help", "--version"]
    assert complete(tmp_path, "re") == ["replay", "review"]
    assert complete(tmp_path, "play", "--re") == ["--resume"]
    assert complete(tmp_path, "solve", "connect4", "--we") == ["--weak"]  # added by a solver
    assert complete(tmp_path, "train", "ultimate", "--gen") == ["--generations"]
    assert complete(tmp_path, "nonsense", "") == []


def test_bash_completes_values(tmp_path: Path) -> None:
    assert complete(tmp_path, "play", "n") == ["nineboard"]
    assert complete(tmp_path, "play", "--level", "3", "q") == ["qubic"]
    assert complete(tmp_path, "play", "qubic", "--as", "") == ["x", "o"]
    assert complete(tmp_path, "play", "qubic", "--level", "") == []
    assert complete(tmp_path, "play", "qubic", "") == []
    assert complete(tmp_path, "play", "qubic", "--opponent", "hu") == ["human"]
    assert complete(tmp_path, "match", "qubic", "level-1", "qubic-c-") == ["qubic-c-blind"]
    assert complete(tmp_path, "tournament", "mnk", "first", "first", "rand") == ["random"]
    assert complete(tmp_path, "replay", "ga") == ["games.txt"]
    assert complete(tmp_path, "match", "mnk", "first", "first", "--out", "o") == ["other file"]
    assert complete(tmp_path, "completion", "") == ["bash", "zsh", "fish"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_syntax(tmp_path: Path, shell: str) -> None:
    path = tmp_path / "script"
    path.write_text(script(shell))
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, "-n", str(path)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("ttt re", {"replay", "review"}),
        ("ttt play n", {"nineboard"}),
        ("ttt play --as ", {"x", "o"}),
        ("ttt play --resu", {"--resume"}),
        ("ttt completion ", {"bash", "zsh", "fish"}),
    ],
)
def test_fish(tmp_path: Path, typed: str, offered: set[str]) -> None:
    path = tmp_path / "ttt.fish"
    path.write_text(script("fish"))
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source {path}; complete -C '{typed}'"],
        capture_output=True,
        text=True,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )
    assert {line.split("\t")[0] for line in done.stdout.splitlines()} == offered


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_registers_its_function(tmp_path: Path) -> None:
    path = tmp_path / "_ttt"
    path.write_text(script("zsh"))
    program = (
        f"autoload -Uz compinit; compinit -u -d {tmp_path}/dump; source {path}; print $_comps[ttt]"
    )
    done = subprocess.run(["zsh", "-f", "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("_ttt\n", "")


def test_unknown_shell() -> None:
    done = run("completion", "tcsh")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
