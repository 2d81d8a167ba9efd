"""Show or change the settings of a study's file: title, instructions, pass share, annotators."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.study.collect import open_study
from rubrica.data.files import open_binary, read_text_lines
from rubrica.errors import UsageError
from rubrica.formatting.text_table import text_table
from rubrica.study.clean import parse_rules

if TYPE_CHECKING:
    from rubrica.serve.study_database import StudyDatabase


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
    database = open_study(arguments.database)
    try:
        changed = _change(database, changes, arguments, console)
        if not changed:
            rows = [[name, _short(value)] for name, value in database.settings().items()]
            rows.append(
                ["annotators", ", ".join(a.name for a in database.annotators() if not a.removed)]
            )
            console.result(text_table(["setting", "value"], rows, right=2))
    finally:
        database.close()
    return 0


def _change(
    database: StudyDatabase,
    changes: dict[str, str],
    arguments: argparse.Namespace,
    console: Console,
) -> bool:
    before = database.settings()
    for name, value in changes.items():
        if before[name] == value:
            console.say(f"{name}: unchanged")
        else:
            database.change_setting(name, value)
            console.say(f"{name}: {_short(before[name])} -> {_short(value)}")
    for name in arguments.remove_annotators:
        taken = database.remove_annotator(name)
        if database.settings()["enrolment"]:
            console.say(f"removed {name}; people who join get the unsubmitted tasks")
        else:
            console.say(f"removed {name}; {taken:,} unsubmitted tasks went to others")
    for name in arguments.add_annotators:
        annotator = database.add_annotator(name)
        total = database.progress(annotator.id)[1]
        console.say(f"added {name} with {total:,} tasks; link: /a/{annotator.token}")
    return bool(changes or arguments.remove_annotators or arguments.add_annotators)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return f"{words[:57]}..." if len(words) > 60 else words or "(default)"


def add_settings(parser: Any) -> None:
    """Add the options for settings that can be changed later."""
    parser.add_argument("--title", metavar="TEXT", help="title of the page (the first one)")
    parser.add_argument(
        "--instructions", metavar="FILE", help="text file; a blank line separates paragraphs"
    )
    parser.add_argument(
        "--pass-share",
        type=float,
        metavar="X",
        help="share of practice answers that must be right (default: 0.8)",
    )
    parser.add_argument(
        "--practice-feedback",
        choices=("yes", "no"),
        help="whether annotators see the right answers after each practice task (default: no)",
    )
    parser.add_argument("--rules", metavar="TOML", help="rules (a TOML file, for the owner's page)")
    for word, text in (
        ("--pay-per-task", "payment for a submitted task (default: 0)"),
        ("--bonus", "bonus of annotators who agree with others (default: 0)"),
        ("--bonus-agreement", "minimum agreement for the bonus (default: 0.8)"),
    ):
        parser.add_argument(word, type=float, metavar="X", help=text)
    parser.add_argument(
        "--enrolment",
        choices=("open", "closed"),
        help="whether anyone with the study's link can join (default: closed)",
    )
    parser.add_argument(
        "--consent", metavar="FILE", help="text to agree to before the first task (Markdown)"
    )
    parser.add_argument(
        "--completion-code",
        metavar="TEXT",
        help="completion code, or https address, that is shown after the last task",
    )
    parser.add_argument(
        "--tasks-each",
        type=int,
        metavar="N",
        help="maximum number of tasks for a person who joins (default: all)",
    )


def read_settings(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the settings that were passed, as they are stored."""
    settings = {}
    if arguments.title is not None:
        settings["title"] = arguments.title
    for name in ("instructions", "consent"):
        if (file := getattr(arguments, name)) is not None:
            settings[name] = "\n".join(line for _, line in read_text_lines(file))
    if arguments.practice_feedback is not None:
        settings["practice_feedback"] = "yes" if arguments.practice_feedback == "yes" else ""
    if arguments.enrolment is not None:
        settings["enrolment"] = "open" if arguments.enrolment == "open" else ""
    if arguments.completion_code is not None:
        settings["completion_code"] = arguments.completion_code
    if arguments.tasks_each is not None:
        if not 1 <= arguments.tasks_each < 1 << 31:
            raise UsageError(f"--tasks-each must be at least 1, not {arguments.tasks_each}")
        settings["tasks_each"] = str(arguments.tasks_each)
    if arguments.pass_share is not None:
        if not 0 <= arguments.pass_share <= 1:
            raise UsageError(f"--pass-share must be between 0 and 1, not {arguments.pass_share}")
        settings["pass_share"] = f"{arguments.pass_share:g}"
    if arguments.rules is not None:
        with open_binary(arguments.rules) as stream:
            data = stream.read()
        parse_rules(data, arguments.rules)
        settings["rules"] = data.decode("utf-8")
    for name in ("pay_per_task", "bonus", "bonus_agreement"):
        value = getattr(arguments, name)
        if value is not None:
            if not 0 <= value < 1e9:
                raise UsageError(f"--{name.replace('_', '-')} must not be negative, not {value}")
            settings[name] = f"{value:g}"
    return settings
