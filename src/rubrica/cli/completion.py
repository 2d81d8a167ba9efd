"""Print the completion script of a shell; it completes commands, metrics, options and their values.

Bash: add `source <(rubrica completion bash)` to ~/.bashrc. Zsh: `source <(rubrica completion zsh)` in ~/.zshrc, after
compinit. Fish: `rubrica completion fish > ~/.config/fish/completions/rubrica.fish`.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import chain

from rubrica.cli.options import add_general_options
from rubrica.cli.parser import Parser
from rubrica.cli.verbs import METRIC_COMMANDS, VERBS, Command, Group
from rubrica.metrics import ADDRESSES

# The shells call `rubrica complete -- WORD...`; the last word is the one to complete, and may be empty. Candidates are
# never evaluated by a shell: some come from data files.
_SCRIPTS = {
    "bash": """\
_rubrica() {
    mapfile -t COMPREPLY < <(rubrica complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _rubrica rubrica""",
    "zsh": """\
_rubrica() {
    local -a candidates
    candidates=("${(@f)$(rubrica complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${candidates[1]}" ]]; then compadd -Q -a candidates; else _files; fi
}
compdef _rubrica rubrica""",
    "fish": """\
complete -c rubrica -a '(rubrica complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'""",
}
_SAFE = re.compile(r"[\w.+:/@%=-]+")
_MEASURE_OPTIONS = {"--measures", "--measure", "--human"}
_USUAL_MEASURES = ("rouge-1.f1", "rouge-2.f1", "rouge-l.f1")
_TABLES = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_METRIC_OPTIONS = {"-m", "--metrics", "--metric"}


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica completion`."""
    parser.add_argument("shell", choices=sorted(_SCRIPTS), help="whose script to print")
    parser.example = "source <(rubrica completion bash)"


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    print(_SCRIPTS[arguments.shell])
    return 0


def print_candidates(words: Sequence[str]) -> int:
    """Print what can complete the last word, a line each; nothing means: names of files."""
    words = list(words[1:] if words[:1] == ["--"] else words) or [""]
    for candidate in candidates(words[:-1], words[-1]):
        if _SAFE.fullmatch(candidate):
            print(candidate)
    return 0


def candidates(words: list[str], prefix: str) -> list[str]:
    """Return the completions of `prefix` after these words, sorted."""
    return sorted({word for word in _candidates(words, prefix) if word.startswith(prefix)})


def _candidates(words: list[str], prefix: str) -> Iterable[str]:
    if not words:
        return [*VERBS, *ADDRESSES, "--version", "--help"]
    entry = VERBS.get(words[0])
    if isinstance(entry, Group):
        typed = " ".join(words[1:3])
        for name in (typed, typed.partition(" ")[0]):
            if name in entry.commands:
                count = 1 + len(name.split())
                command = import_module(entry.commands[name].module)
                return _of_command(command, words[count:], prefix)
        return _next_words(entry.commands, words[1:])
    if entry is not None:
        return _of_command(import_module(entry.module), words[1:], prefix)
    if words[0] not in ADDRESSES:
        return []
    from rubrica.cli.scoring.metric import TASKS, metric_command

    if len(words) == 1:
        return [*TASKS, *METRIC_COMMANDS.get(words[0], {}), "--p", "--r", "--help"]
    metric, count = metric_command(words[0], words[1:])
    return _of_command(metric, words[1 + count :], prefix)


def _next_words(names: Iterable[str], words: list[str]) -> Iterator[str]:
    """Yield the words that can follow in names of one word or two."""
    for name in names:
        parts = name.split()
        if parts[: len(words)] == words and len(parts) > len(words):
            yield parts[len(words)]


def _of_command(command: Command, words: list[str], prefix: str) -> Iterable[str]:
    parser = Parser(prog="rubrica")
    add_general_options(parser)
    command.add_arguments(parser, words)
    option = next((word for word in reversed(words) if word.startswith("-")), None)
    action = next((a for a in parser._actions if option in a.option_strings), None)
    if action is not None and option is not None and not prefix.startswith("-"):
        values = len(words) - 1 - _last_index(words, option)
        takes_more = action.nargs in ("+", "*") or values < _count(action)
        if takes_more:
            return _values(action, words, parser)
    if prefix.startswith("-"):
        return parser.option_names()
    positional = [a for a in parser._actions if not a.option_strings]
    choices = [a.choices or parser.completions.get(a.dest, tuple)() for a in positional]
    return map(str, chain.from_iterable(choices))


def _last_index(words: Sequence[str], word: str) -> int:
    return len(words) - 1 - list(reversed(words)).index(word)


def _count(action: argparse.Action) -> int:
    """Return how many values an option takes."""
    if action.nargs is None or action.nargs == "?":
        return 1
    return action.nargs if isinstance(action.nargs, int) else 0


def _values(action: argparse.Action, words: Sequence[str], parser: Parser) -> Iterable[str]:
    options = set(action.option_strings)
    if action.dest in parser.completions:
        return parser.completions[action.dest]()
    if action.choices is not None:
        return map(str, action.choices)
    if isinstance(action.metavar, str) and "|" in action.metavar:
        return action.metavar.split("|")
    if "--dataset-reader" in options:
        from rubrica.datasets.readers import ADDRESSES as READERS

        return READERS
    if "--profile" in options:
        from rubrica.metrics.rouge.profiles import PROFILES

        return PROFILES
    if not options & (_MEASURE_OPTIONS | _METRIC_OPTIONS):
        return []
    measures = _measures_in(words)
    if options & _METRIC_OPTIONS:
        return [*ADDRESSES, *measures]
    # A metric's name means its only measure, or its F1.
    usual = {*_USUAL_MEASURES, *ADDRESSES} - {"rouge"}
    return measures or ([] if "--human" in options else usual)


def _measures_in(words: Sequence[str]) -> list[str]:
    """Return the measures of the first row of each file of scores among the words, or its columns."""
    names: dict[str, None] = {}
    for word in words:
        ending = os.path.splitext(word)[1]
        if ending != ".jsonl" and ending not in _TABLES:
            continue
        try:
            with open(word, encoding="utf-8") as stream:
                line = stream.readline(1_000_000)
            if ending in _TABLES:
                names |= dict.fromkeys(next(csv.reader([line], delimiter=_TABLES[ending]), []))
                continue
            row = json.loads(line)
            numbers = {name: value for name, value in row.items() if isinstance(value, float)}
            names |= dict.fromkeys(_dotted(row.get("metrics", numbers)))
        except (OSError, ValueError, TypeError, AttributeError, csv.Error):
            continue
    return list(names)


def _dotted(values: dict[str, object], before: str = "") -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _dotted(value, f"{before}{name}.")
        else:
            yield before + name
