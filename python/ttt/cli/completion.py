"""`ttt completion`: a script that lets a shell complete the command line, made from the parser."""

import argparse
import shlex
from collections.abc import Iterable
from typing import Any, NamedTuple

from ttt.cli.common import Parents, Parser

SHELLS = ("bash", "zsh", "fish")
INSTALL = """\
to install:
  bash  echo 'source <(ttt completion bash)' >> ~/.bashrc
  zsh   ttt completion zsh > "${fpath[1]}/_ttt"
  fish  ttt completion fish > ~/.config/fish/completions/ttt.fish"""
FILES = ("FILE", "FOLDER", "random:K|FILE")
"""The metavars of arguments that are files."""


def add_parser(verbs: Any, parents: Parents) -> None:
    parser = verbs.add_parser(
        "completion", help="print a completion script for your shell", epilog=INSTALL
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=" or ".join(SHELLS))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from ttt.cli.main import make_parser

    write = {"bash": bash, "zsh": zsh, "fish": fish}[arguments.shell]
    print(write(verbs_of(make_parser())), end="")


# --- what the parser knows -----------------------------------------------------------------------


class Value(NamedTuple):
    """What an argument can be: some words, a file, or anything."""

    name: str
    words: tuple[str, ...] = ()
    is_file: bool = False


class Flag(NamedTuple):
    """An option of a verb; `value` is None if it takes none."""

    names: tuple[str, ...]
    help: str
    value: Value | None


class Verb(NamedTuple):
    name: str
    help: str
    flags: list[Flag]
    arguments: list[Value]
    """Positional arguments."""
    repeats: bool
    """Whether the last one may be repeated."""


def verbs_of(parser: argparse.ArgumentParser) -> list[Verb]:
    """All verbs of `ttt` with their arguments."""
    found = next(
        action for action in parser._actions if isinstance(action, argparse._SubParsersAction)
    )
    helps = {action.dest: action.help or "" for action in found._choices_actions}
    return [verb_of(name, helps[name], sub) for name, sub in found.choices.items()]


def verb_of(name: str, help: str, parser: Parser) -> Verb:
    if parser.complete is not None:
        parser.complete(parser)
        parser.complete = None
    verb = Verb(name, help, [], [], any(action.nargs == "+" for action in parser._actions))
    arguments = verb.arguments
    for action in parser._actions:
        value = Value(*value_of(action))
        if isinstance(action, argparse._SubParsersAction):
            flags = [flag for sub in action.choices.values() for flag in verb_of("", "", sub).flags]
            known = {flag.names for flag in verb.flags}
            verb.flags.extend(
                {flag.names: flag for flag in flags if flag.names not in known}.values()
            )
        if action.option_strings:
            text = (action.help or "").replace("%%", "%")
            takes = None if action.nargs == 0 else value
            verb.flags.append(Flag(tuple(action.option_strings), text, takes))
        else:
            arguments += [value] * (action.nargs if isinstance(action.nargs, int) else 1)
    return verb


def value_of(action: argparse.Action) -> tuple[str, tuple[str, ...], bool]:
    from ttt.board import games
    from ttt.players.builtin import PLAYERS
    from ttt.players.presets import HUMAN, LEVELS, PRESETS, level_name

    name = action.metavar if isinstance(action.metavar, str) else action.dest
    words: Iterable[str] = ()
    if action.choices is not None:
        words = action.choices
    elif name == "GAME":
        words = games()
    elif name == "PLAYER":
        levels = [level_name(level) for level in range(1, len(LEVELS) + 1)]
        people = [HUMAN] if action.dest == "opponent" else []
        words = [*PLAYERS, *PRESETS, *levels, *people]
    return name, tuple(map(str, words)), name in FILES


# --- scripts -------------------------------------------------------------------------------------


def bash(verbs: list[Verb]) -> str:
    names = " ".join(verb.name for verb in verbs)
    lines = [
        "# bash completion of ttt",
        "_ttt() {",
        "    local IFS=$' \\t\\n' current=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]}",
        "    local previous=${COMP_WORDS[COMP_CWORD-1]} valued='' options='' offer='' i at=0",
        "    COMPREPLY=()",
        "    if ((COMP_CWORD == 1)); then",
        f'        COMPREPLY=($(compgen -W "{names} --help --version" -- "$current"))',
        "        return",
        "    fi",
        '    case "$verb" in',
    ]
    for verb in verbs:
        options = " ".join(name for flag in verb.flags for name in flag.names)
        valued = " ".join(name for flag in verb.flags if flag.value for name in flag.names)
        lines.append(f'        {verb.name}) options="{options}" valued="{valued}" ;;')
    lines += [
        "        *) return ;;",
        "    esac",
        "    for ((i = 2; i < COMP_CWORD; i++)); do  # counts the positional arguments so far",
        '        if [[ " $valued " == *" ${COMP_WORDS[i]} "* ]]; then ((i++))',
        "        elif [[ ${COMP_WORDS[i]} != -* ]]; then ((at++)); fi",
        "    done",
        '    if [[ " $valued " == *" $previous "* ]]; then',
        '        case "$verb $previous" in',
    ]
    for verb in verbs:
        for flag in verb.flags:
            if flag.value and (flag.value.words or flag.value.is_file):
                cases = "|".join(f'"{verb.name} {name}"' for name in flag.names)
                lines.append(f"            {cases}) {_bash_offer(flag.value)} ;;")
    lines += [
        "            *) return ;;",
        "        esac",
        "    elif [[ $current == -* ]]; then",
        '        offer="$options"',
        "    else",
        '        case "$verb $at" in',
    ]
    for verb in verbs:
        for i, value in enumerate(verb.arguments):
            if value.words or value.is_file:
                repeated = verb.repeats and i == len(verb.arguments) - 1
                case = f'"{verb.name} "*' if repeated else f'"{verb.name} {i}"'
                lines.append(f"            {case}) {_bash_offer(value)} ;;")
    lines += [
        "            *) return ;;",
        "        esac",
        "    fi",
        '    if [[ $offer == "<file>" ]]; then',
        "        IFS=$'\\n'",
        '        COMPREPLY=($(compgen -f -- "$current"))',
        "        compopt -o filenames 2>/dev/null",
        "    else",
        '        COMPREPLY=($(compgen -W "$offer" -- "$current"))',
        "    fi",
        "}",
        "complete -F _ttt ttt",
        "",
    ]
    return "\n".join(lines)


def _bash_offer(value: Value) -> str:
    return f'offer="{"<file>" if value.is_file else " ".join(value.words)}"'


def zsh(verbs: list[Verb]) -> str:
    lines = [
        "#compdef ttt",
        "# zsh completion of ttt",
        "_ttt() {",
        "    local -a verbs",
        "    if ((CURRENT == 2)); then",
        "        verbs=(",
        *(f"            {shlex.quote(f'{verb.name}:{verb.help}')}" for verb in verbs),
        "        )",
        "        _describe verb verbs",
        "        return",
        "    fi",
        "    local verb=$words[2]",
        "    shift words",
        "    ((CURRENT--))",
        "    case $verb in",
    ]
    for verb in verbs:
        specs = [_zsh_flag(name, flag) for flag in verb.flags for name in flag.names]
        for i, value in enumerate(verb.arguments, 1):
            last = verb.repeats and i == len(verb.arguments)
            specs.append(f"{'*' if last else i}:{value.name}:{_zsh_value(value)}")
        quoted = " \\\n".join(f"                {shlex.quote(spec)}" for spec in specs)
        lines += [f"        {verb.name})", f"            _arguments \\\n{quoted}", "            ;;"]
    lines += [
        "    esac",
        "}",
        'if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _ttt "$@"; else compdef _ttt ttt; fi',
        "",
    ]
    return "\n".join(lines)


def _zsh_flag(name: str, flag: Flag) -> str:
    text = "".join(f"\\{letter}" if letter in "[]:\\" else letter for letter in flag.help)
    spec = f"{name}[{text}]"
    return spec if flag.value is None else f"{spec}:{flag.value.name}:{_zsh_value(flag.value)}"


def _zsh_value(value: Value) -> str:
    return "_files" if value.is_file else f"({' '.join(value.words)})" if value.words else " "


def fish(verbs: list[Verb]) -> str:
    lines = ["# fish completion of ttt", "complete -c ttt -f"]
    for verb in verbs:
        about = _fish_quote(verb.help)
        lines.append(f"complete -c ttt -n __fish_use_subcommand -a {verb.name} -d {about}")
    for verb in verbs:
        when = f"complete -c ttt -n '__fish_seen_subcommand_from {verb.name}'"
        for flag in verb.flags:
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                for name in flag.names
            )
            takes = "" if flag.value is None else f" {_fish_value(flag.value)}"
            lines.append(f"{when} {names}{takes} -d {_fish_quote(flag.help)}")
        for value in dict.fromkeys(verb.arguments):
            if value.is_file:
                lines.append(f"{when} -F")
            elif value.words:
                lines.append(f"{when} -a '{' '.join(value.words)}'")
    return "\n".join([*lines, ""])


def _fish_value(value: Value) -> str:
    if value.is_file:
        return "-r -F"
    return f"-x -a '{' '.join(value.words)}'" if value.words else "-x"


def _fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
