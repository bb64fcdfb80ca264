"""Tuning the search: the engine with other constants against the engine as it is, at equal nodes.

    python bench/tune.py GAME CHANGE ... [--set NAME=VALUE] [--nodes N] [--games N] [--sprt 0,10]

A change is a list of constants, such as FUTILITY_MARGIN=14,LMR_DIVISOR=120, which are set in a copy
of the tree; or the folder of another checkout, built, for what is no constant and for a version
before. Each change plays its own match, every random opening from both sides, until the sequential
test accepts one of its two Elo differences or all games are played. Prints a row of a table for
each. With --results FILE a finished match becomes a line of FILE, and is not played again.
"""

import argparse
import json
import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

from ablation import PROJECT, build_copy

from ttt.matches.match import play_match
from ttt.matches.rating import parse_sprt
from ttt.notation import parse_options

SEARCH = ("games/{game}.pyx", "search/pvs.pxi", "search/deepening.pxi")
"""The files with the constants."""


def edits(game: str, change: str) -> list[tuple[str, str, str]]:
    """What sets the constants: (file, text, replacement)."""
    found = []
    for name, value in parse_options(change).items():
        for path in SEARCH:
            file = f"src/ttt_core/{path.format(game=game)}"
            lines = re.findall(rf"^    {name} = -?\d+", (PROJECT / file).read_text(), re.M)
            if lines:
                found.append((file, lines[0], f"    {name} = {int(value)}"))
                break
        else:
            sys.exit(f"{name}: the search of {game} has no such constant")
    return found


def player(folder: Path, arguments: argparse.Namespace) -> str:
    """The engine of a checkout as a player, in a process of its own."""
    paths = f"PYTHONPATH={folder / 'src'}:{folder / 'python'}"
    command = ["env", paths, sys.executable, "-S", "-m", "ttt", "ugi", arguments.game]
    for option in arguments.set:
        command += ["--set", option]
    return f"program:{shlex.join(command)},protocol=ugi,nodes={arguments.nodes}"


def play(change: str, copies: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """The result of a match of the engine with a change against the engine without it."""
    folder = Path(change).resolve() if "=" not in change else copies / change
    if not folder.exists():
        build_copy(folder, f"games/{arguments.game}.pyx", edits(arguments.game, change))
    played = play_match(
        arguments.game,
        player(folder, arguments),
        player(PROJECT, arguments),
        arguments.games,
        seed=arguments.seed,
        openings=f"random:{arguments.plies}",
        options=parse_options(",".join(arguments.set)),
        sprt=parse_sprt(arguments.sprt) if arguments.sprt else None,
    )
    if played.stopped == "interrupted":
        raise KeyboardInterrupt
    first = played.standings[0]
    games = {"won": first.won, "drawn": first.drawn, "lost": first.lost, "errors": first.errors}
    return {**games, **played.rating()._asdict()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("changes", nargs="+", metavar="CHANGE")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--nodes", type=int, default=10_000, help="a move")
    parser.add_argument("--games", type=int, default=1000, help="at most, in each match")
    parser.add_argument("--plies", type=int, default=2, help="of the openings")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sprt", metavar="ELO0,ELO1")
    parser.add_argument("--results", type=Path)
    arguments = parser.parse_args()
    names = ("game", "set", "nodes", "games", "plies", "seed", "sprt")
    settings = {name: getattr(arguments, name) for name in names}
    kept = arguments.results
    known = [json.loads(line) for line in kept.open()] if kept and kept.exists() else []
    print(f"{arguments.game} {' '.join(arguments.set)}, {arguments.nodes:,} nodes a move")
    print("| change | won-drawn-lost | points | Elo (95%) |", "|---|---|---|---|", sep="\n")
    with tempfile.TemporaryDirectory() as copies:
        for change in arguments.changes:
            this = {"change": change, **settings}
            found = next((entry for entry in known if this.items() <= entry.items()), None)
            if found is None:
                found = this | play(change, Path(copies), arguments)
                if kept:
                    with kept.open("a") as file:
                        print(json.dumps(found), file=file)
            games = "{won}-{drawn}-{lost} | {score:.1%} | {elo:+.0f} ({low:+.0f} to {high:+.0f})"
            print(f"| {change} | {games.format(**found)} |", flush=True)


if __name__ == "__main__":
    main()
