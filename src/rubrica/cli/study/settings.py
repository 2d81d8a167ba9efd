"""Show or change the settings of a study's file: title, instructions, pass share, annotators."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.study.collect import open_study
from rubrica.cli.study.serve import add_settings, read_settings
from rubrica.formatting.text_table import text_table

if TYPE_CHECKING:
    from rubrica.serve.store import Store


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study settings study.db --pass-share 0.9 --add-annotators ann"
    parser.add_argument(
        "database", metavar="DB", help="the study's file; the server may be running"
    )
    add_settings(parser)
    parser.add_argument(
        "--paused", choices=("yes", "no"), help="whether annotators must wait; answers are kept"
    )
    parser.add_argument(
        "--add-annotators",
        nargs="+",
        default=[],
        metavar="NAME",
        help="pseudonyms of new annotators",
    )
    parser.add_argument(
        "--remove-annotators",
        nargs="+",
        default=[],
        metavar="NAME",
        help="close their links; others get their unsubmitted tasks",
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    changes = read_settings(arguments)
    if arguments.paused is not None:
        changes["paused"] = "yes" if arguments.paused == "yes" else ""
    store = open_study(arguments.database)
    try:
        changed = _change(store, changes, arguments, console)
        if not changed:
            rows = [[name, _short(value)] for name, value in store.settings().items()]
            rows.append(
                ["annotators", ", ".join(a.name for a in store.annotators() if not a.removed)]
            )
            console.result(text_table(["setting", "value"], rows, right=2))
    finally:
        store.close()
    return 0


def _change(
    store: Store, changes: dict[str, str], arguments: argparse.Namespace, console: Console
) -> bool:
    before = store.settings()
    for name, value in changes.items():
        if before[name] == value:
            console.say(f"{name}: unchanged")
        else:
            store.change_setting(name, value)
            console.say(f"{name}: {_short(before[name])} -> {_short(value)}")
    for name in arguments.remove_annotators:
        taken = store.remove_annotator(name)
        if store.settings()["enrolment"]:
            console.say(f"removed {name}; people who join get the unsubmitted tasks")
        else:
            console.say(f"removed {name}; {taken:,} unsubmitted tasks went to others")
    for name in arguments.add_annotators:
        annotator = store.add_annotator(name)
        total = store.progress(annotator.id)[1]
        console.say(f"added {name} with {total:,} tasks; link: /a/{annotator.token}")
    return bool(changes or arguments.remove_annotators or arguments.add_annotators)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return f"{words[:57]}..." if len(words) > 60 else words or "(default)"
