"""Write the table of options in docs/cli.md from the parsers: every option word and its meaning.

python tools/write_options.py [--check]
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from rubrica.cli.options import Parser, add_general_options
from rubrica.cli.scoring.metric import metric_command
from rubrica.cli.verbs import VERBS, Command, Group
from rubrica.metrics.base.metric import METRICS
from rubrica.parameters import parameters_of

PAGE = Path(__file__).resolve().parents[1] / "docs" / "cli.md"
BEGIN, END = "<!-- options: written by tools/write_options.py -->\n", "<!-- end of options -->\n"
MANY = 6


def commands() -> Iterator[tuple[str, Command]]:
    """Yield every command with its name; those of metrics once, as METRIC."""
    for name, entry in VERBS.items():
        if isinstance(entry, Group):
            for inner, inner_entry in entry.commands.items():
                yield f"{name} {inner}", import_module(inner_entry.module)
        elif name != "rouge155":
            yield name, import_module(entry.module)
    for words in (["evaluate"], ["score"], ["--p"]):
        yield f"METRIC {words[0]}", metric_command("rouge", words)[0]


def actions(command: Command) -> list[argparse.Action]:
    """Return the options of a command."""
    parser = Parser(prog="rubrica")
    add_general_options(parser)
    command.add_arguments(parser, [])
    return [action for action in parser._actions if action.option_strings]


def table() -> Iterator[str]:
    """Yield the lines of the table, an option each, by name."""
    rows: dict[tuple[str, ...], dict[str, list[str]]] = {}
    names, metric = [], {parameter.name for parameter in parameters_of(METRICS.get("rouge"))}
    for name, command in commands():
        names.append(name)
        for action in actions(command):
            hidden = action.help is argparse.SUPPRESS or "--help" in action.option_strings
            if hidden or (action.dest.startswith("metric_") and action.dest[7:] in metric):
                continue
            words = tuple(sorted(action.option_strings, key=lambda word: (len(word) > 2, word)))
            rows.setdefault(words, {}).setdefault(_meaning(action), []).append(name)
    yield "| Option | Meaning | Commands |"
    yield "| --- | --- | --- |"
    for words, meanings in sorted(rows.items(), key=lambda row: row[0][-1].lstrip("-")):
        option = ", ".join(f"`{word}`" for word in words)
        for meaning, users in meanings.items():
            yield f"| {option} | {meaning} | {_users(users, len(names))} |"


def _meaning(action: argparse.Action) -> str:
    text = re.sub(r" *\(default: [^()]*(\([^()]*\))?[^()]*\)", "", str(action.help or "")).strip()
    return text.replace("%%", "%").replace("|", "\\|").replace("\n", " ")


def _users(users: list[str], every: int) -> str:
    if len(users) == every:
        return "all"
    if len(users) > MANY:
        return f"{', '.join(users[:3])} and {len(users) - 3} more"
    return ", ".join(users)


def main() -> int:
    """Write the page, or check it."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    written = "\n".join([before + BEGIN, *table(), "", END + after])
    if "--check" in sys.argv[1:]:
        if written != text:
            print(f"{PAGE.name} is out of date: run python tools/write_options.py", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(written, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
