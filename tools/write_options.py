"""Write the tables of docs/cli.md from the parsers: every command, and every option word with its meaning.

python tools/write_options.py [--check]
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from rubrica.cli.options import add_general_options
from rubrica.cli.parser import Parser
from rubrica.cli.scoring.metric import metric_command
from rubrica.cli.verbs import SECTIONS, VERBS, Command, Group
from rubrica.metrics.base.metric import METRICS
from rubrica.parameters import parameters_of

PAGE = Path(__file__).resolve().parents[1] / "docs" / "cli.md"
BEGIN, END = "<!-- {}: written by tools/write_options.py -->\n", "<!-- end of {} -->\n"
# Commands of every metric, which are no entries of the registry.
OF_METRICS = {
    "METRIC evaluate": "score summaries with one metric: system scores, rows",
    "METRIC score": "score peers and references with one metric, jackknifed",
    "METRIC --p ... --r ...": "score one system in one line",
}
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


def command_table(page: str) -> Iterator[str]:
    """Yield the lines of the table of commands, with links to the sections of the page."""
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    yield "| Command | What it does |"
    yield "| --- | --- |"
    for title, entries in SECTIONS.items():
        yield f"| **{title}** | |"
        if title == next(iter(SECTIONS)):
            for name, summary in OF_METRICS.items():
                yield f"| {_linked(name, headings)} | {summary} |"
        for name, entry in entries.items():
            inner = ""
            if isinstance(entry, Group):
                inner = ": " + ", ".join(f"`{word}`" for word in entry.commands)
            summary = entry.summary.partition(":")[0] if inner else entry.summary
            yield f"| {_linked(name, headings)} | {summary}{inner} |"


def _linked(name: str, headings: list[str]) -> str:
    """Return a command as a link to its section: the first heading that names it, or that of its first word."""
    heading = next(
        (heading for heading in headings if f"`{name}`" in heading),
        "`METRIC` in one line" if name.startswith("METRIC") else None,
    )
    if heading is None:
        raise SystemExit(f"{PAGE.name} has no section for {name}")
    anchor = re.sub(r"[^\w\s-]", "", heading).lower().replace(" ", "-")
    return f"[`{name}`](#{anchor})"


def actions(command: Command) -> list[argparse.Action]:
    """Return the options of a command."""
    parser = Parser(prog="rubrica")
    add_general_options(parser)
    command.add_arguments(parser, [])
    return [action for action in parser._actions if action.option_strings]


def options() -> dict[str, list[tuple[str, argparse.Action]]]:
    """Return the uses of each option (command, action), by its first long spelling; without hidden ones."""
    uses: dict[str, list[tuple[str, argparse.Action]]] = {}
    metric = {parameter.name for parameter in parameters_of(METRICS.get("rouge"))}
    for name, command in commands():
        for action in actions(command):
            hidden = action.help is argparse.SUPPRESS or "--help" in action.option_strings
            if hidden or (action.dest.startswith("metric_") and action.dest[7:] in metric):
                continue
            long = [
                word for word in action.option_strings if word.startswith("--") and "_" not in word
            ]
            uses.setdefault([*long, *action.option_strings][0], []).append((name, action))
    return uses


def meaning(action: argparse.Action) -> str:
    """Return what an option means in every command: its help up to the first `;`, `:`, `(` or full stop."""
    text = re.split(r"[;:(]|[.] |[.]$", _help(action))[0].strip()
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def table() -> Iterator[str]:
    """Yield the lines of the table, an option each, by name."""
    every = len(list(commands()))
    yield "| Option | Meaning | Commands |"
    yield "| --- | --- | --- |"
    for name, uses in sorted(options().items(), key=lambda row: row[0].lstrip("-").lower()):
        words = dict.fromkeys(word for _, action in uses for word in action.option_strings)
        option = ", ".join(
            f"`{word}`" for word in sorted(words, key=lambda word: (word != name, len(word)))
        )
        helps: dict[str, list[str]] = {}
        for user, action in uses:
            helps.setdefault(meaning(action) if _is_shared(uses) else _help(action), []).append(
                user
            )
        for text, users in helps.items():
            yield f"| {option} | {text} | {_users(users, every)} |"


def _is_shared(uses: list[tuple[str, argparse.Action]]) -> bool:
    """Return whether commands explain the option's one meaning in different words."""
    return len({_help(action) for _, action in uses}) > 1


def _help(action: argparse.Action) -> str:
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
    written = text
    for name, lines in {"commands": command_table(text), "options": table()}.items():
        before, _, rest = written.partition(BEGIN.format(name))
        _, _, after = rest.partition(END.format(name))
        written = "\n".join([before + BEGIN.format(name), *lines, "", END.format(name) + after])
    if "--check" in sys.argv[1:]:
        if written != text:
            print(f"{PAGE.name} is out of date: run python tools/write_options.py", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(written, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
