"""Annotate in a browser: a small server on this machine, a personal link for each annotator."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.signals import stoppable
from rubrica.cli.study.settings import add_settings, read_settings
from rubrica.errors import RubricaError, UsageError

if TYPE_CHECKING:
    from rubrica.serve.study_database import StudyDatabase
    from rubrica.study.forms.base import Form, Item


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study serve study.db --tasks tasks.csv --annotators 3"
    parser.add_argument("database", metavar="DB", help="the study's file; created if missing")
    what = parser.add_argument_group("a new study")
    what.add_argument("--tasks", metavar="CSV", help="rating tasks, from tasks make")
    what.add_argument("--key", metavar="JSONL", help="keys of the tasks (default: FILE.key.jsonl)")
    what.add_argument(
        "--write", metavar="CSV", help="tasks to write units, from scus make (instead of --tasks)"
    )
    what.add_argument(
        "--form",
        metavar="TOML",
        help="the definition of tasks of another kind (instead of --tasks)",
    )
    what.add_argument(
        "--summaries", nargs="+", metavar="FILE", help="the texts (to judge, with --form)"
    )
    add_documents(what)
    what.add_argument(
        "--lines",
        type=int,
        default=8,
        metavar="N",
        help="number of lines (empty lines in a writing task; default: 8)",
    )
    what.add_argument(
        "--qualification",
        metavar="CSV",
        help="practice tasks, shown first, with columns gold_1, ...",
    )
    add_unsure(what)
    what.add_argument(
        "--annotators",
        nargs="+",
        metavar="N",
        help="annotators (how many, or their pseudonyms; default: 3)",
    )
    what.add_argument(
        "--per-task", type=int, metavar="K", help="annotators of each task (default: all)"
    )
    what.add_argument(
        "--task-order",
        choices=("balanced", "fixed", "value"),
        help="order of tasks: random for each annotator, as in the files, or first the inputs on which scores disagree (default: balanced)",
    )
    what.add_argument(
        "--task-scores",
        nargs="+",
        metavar="FILE",
        help="scores of metrics or judges, for --task-order value",
    )
    what.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="seed of the random numbers (for the order of tasks; default: 0)",
    )
    add_settings(what)
    how = parser.add_argument_group("the server")
    how.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="address to listen on (default: 127.0.0.1)",
    )
    how.add_argument(
        "--port", type=int, default=8765, metavar="N", help="port to listen on (default: 8765)"
    )
    how.add_argument(
        "--tls", nargs=2, metavar=("CERTIFICATE", "KEY"), help="PEM files; serve by HTTPS"
    )
    how.add_argument(
        "--behind-proxy",
        action="store_true",
        help="a proxy encrypts the connection (needed for --host without --tls)",
    )


def add_documents(parser: Any) -> None:
    """Add the option for documents that the files of summaries lack."""
    parser.add_argument(
        "--documents",
        nargs="+",
        metavar="FILE",
        help="documents (JSON lines with instance_id and document), if a form shows them and --summaries "
        "lacks them",
    )


def add_unsure(parser: Any) -> None:
    """Add the option for an answer of annotators who cannot decide."""
    parser.add_argument(
        "--unsure",
        action="store_true",
        default=None,
        help="add the answer Unsure to statements; it counts as no answer",
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    from rubrica.serve.server import bind, is_local, known_hosts, require_packages, serve

    require_packages()
    if not 0 <= arguments.port < 65536:
        raise UsageError(f"--port must be between 0 and 65535, not {arguments.port}")
    encrypted = bool(arguments.tls) or arguments.behind_proxy
    if not is_local(arguments.host) and not encrypted:
        raise UsageError(
            f"--host {arguments.host}: others on the network could connect without encryption. Pass "
            "--tls CERTIFICATE KEY, or --behind-proxy if a proxy encrypts the connection"
        )
    for file in arguments.tls or ():
        if not os.path.isfile(file):
            raise UsageError(f"--tls: {file} does not exist")
    from rubrica.serve.app import make_app
    from rubrica.serve.study_database import StudyDatabase

    _check_words(arguments)
    settings = read_settings(arguments)
    form, items = _items(arguments)
    listening = bind(arguments.host, arguments.port)
    database = StudyDatabase(arguments.database)
    try:
        if items is not None:
            _set_up(database, form, items, arguments, settings)
        hosts = None if arguments.behind_proxy else known_hosts(arguments.host)
        app = make_app(database, hosts=hosts, secure=encrypted)
        host, port = listening.getsockname()[:2]
        place = f"{'https' if arguments.tls else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"
        for annotator in database.annotators():
            if annotator.removed:
                continue
            done, total = database.progress(annotator.id)
            console.result(f"{annotator.name}  {done} of {total}  {place}/a/{annotator.token}")
        if database.settings()["enrolment"]:
            console.result(f"anybody  {place}/join/{database.token('join')}")
        console.result(f"owner  {place}/owner/{database.token('owner')}")
        if not is_local(arguments.host):
            console.say("Others on the network can connect; their links are their passwords.")
        console.say(
            "Give each annotator their link, and keep the owner's. Ctrl-C stops the server; nothing is lost."
        )
        with stoppable():
            serve(app, listening, tls=tuple(arguments.tls) if arguments.tls else None)
    finally:
        listening.close()
        database.close()
    return 0


def _set_up(
    database: StudyDatabase, form: Form | None, items: list[Item], arguments: argparse.Namespace,
    settings: dict[str, str],
) -> None:  # fmt: skip
    """Set up a new study; leave no file behind if that fails."""
    from rubrica.study.forms.definition import encode_form

    facts = {"kind": items[-1].kind} | settings
    default = [] if settings.get("enrolment") else ["3"]
    names = annotator_names(arguments.annotators or default)
    if form is not None:
        facts = {"form": encode_form(form), "title": form.title} | facts
    try:
        inputs, order_facts = _order(items, arguments)
        database.set_up(
            items, names, per_task=arguments.per_task,
            seed=arguments.seed or 0, facts=facts | order_facts, inputs=inputs,
        )  # fmt: skip
    except RubricaError:
        database.close()
        for ending in ("", "-wal", "-shm"):
            Path(arguments.database + ending).unlink(missing_ok=True)
        raise


def _order(
    items: list[Item], arguments: argparse.Namespace
) -> tuple[list[str] | None, dict[str, str]]:
    """Return the order of inputs for everybody, if there is one, and the facts to store about it."""
    from rubrica.study.forms.adaptive import draw_order, read_input_values, weights_of

    events = list(dict.fromkeys(item.event for item in items))
    if arguments.task_order in (None, "balanced"):
        return None, {}
    if arguments.task_order == "fixed":
        return events, {"order": json.dumps(events)}
    values = read_input_values(arguments.task_scores, events)
    weights = weights_of(values)
    order = draw_order(weights, arguments.seed or 0)
    return order, {"order": json.dumps(order), "weights": json.dumps(weights)}


def _check_words(arguments: argparse.Namespace) -> None:
    exists = os.path.exists(arguments.database)
    new = [word for word in (arguments.tasks, arguments.write, arguments.form) if word]
    if len(new) > 1:
        raise UsageError("a study has one kind of tasks: pass --tasks, --write or --form")
    if bool(arguments.form) != bool(arguments.summaries):
        raise UsageError("--form needs --summaries, and --summaries needs --form")
    if arguments.documents and not arguments.form:
        raise UsageError("--documents needs --form and --summaries")
    if exists and new:
        raise UsageError(
            f"{arguments.database} is there already: leave out --tasks, --write and --form to go on with it, "
            "or name another file"
        )
    if exists:
        options = ("title", "instructions", "pass_share", "rules", "pay_per_task", "bonus",
                   "bonus_agreement", "practice_feedback", "enrolment", "consent", "completion_code", "tasks_each",
                   "annotators", "per_task", "seed", "task_order", "unsure")  # fmt: skip
        for name in options:
            if getattr(arguments, name) is not None:
                raise UsageError(
                    f"--{name.replace('_', '-')}: {arguments.database} has its settings already; "
                    f"change them with rubrica study settings {arguments.database}"
                )
    if not exists and not new:
        raise UsageError(
            f"{arguments.database} does not exist; a new study needs --tasks, --write or --form"
        )
    if (arguments.task_order == "value") != bool(arguments.task_scores):
        raise UsageError(
            "--task-order value needs --task-scores, and --task-scores needs --task-order value"
        )
    if arguments.qualification and not arguments.tasks:
        raise UsageError("--qualification needs --tasks")
    if arguments.unsure and not arguments.tasks:
        raise UsageError("--unsure needs --tasks; a form has the key unsure")


def _items(arguments: argparse.Namespace) -> tuple[Form | None, list[Item] | None]:
    """Return the tasks of a new study, and their form if a file defines it."""
    from rubrica.study.forms.definition import read_form, read_summaries
    from rubrica.study.forms.units import Units

    if not arguments.form:
        return Units(unsure=True) if arguments.unsure else None, _unit_items(arguments)
    form = read_form(arguments.form)
    summaries = read_summaries(form, arguments.summaries, arguments.documents)
    return form, form.items(summaries, arguments.seed or 0)


def _unit_items(arguments: argparse.Namespace) -> list[Item] | None:
    from rubrica.serve.exchange import rating_items, writing_items
    from rubrica.study.tasks import read_task_file, read_tasks

    if arguments.write:
        if not 1 <= arguments.lines <= 100:
            raise UsageError(f"--lines must be between 1 and 100, not {arguments.lines}")
        return writing_items(arguments.write, arguments.lines)
    if not arguments.tasks:
        return None
    tasks = read_task_file(arguments.tasks, arguments.key)
    practice = []
    if arguments.qualification:
        practice = read_tasks(arguments.qualification, qualification=True)
        shared = {task.key for task in practice} & {task.key for task in tasks}
        if shared:
            raise UsageError(f"{sorted(shared)[0]} is a practice task and a task")
    return rating_items([*practice, *tasks])


def annotator_names(words: list[str]) -> list[str]:
    """Return pseudonyms: those passed, or annotator-1, ... for a number."""
    if len(words) == 1 and words[0].isdecimal():
        count = int(words[0])
        if not 1 <= count <= 1000:
            raise UsageError(f"--annotators: from 1 to 1000, not {count}")
        return [f"annotator-{number}" for number in range(1, count + 1)]
    return words
