"""Turn summaries and content units into rating tasks: a CSV file in LitePyramids' format, and its key."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Callable, Iterator

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import add_seed
from rubrica.cli.parser import Parser
from rubrica.cli.study.options import add_ids, add_running_text, add_tags, add_unglue
from rubrica.data.files import atomic_output, read_text_lines
from rubrica.data.jsonl import write_jsonl
from rubrica.errors import UsageError
from rubrica.serve.viewer.flags import read_flags
from rubrica.study.exchange.turk_layout import turk_layout
from rubrica.study.layout import (
    SystemFiles,
    chosen_systems,
    equal_counts,
    find_systems,
    lines_of,
    read_ids,
)
from rubrica.study.preprocess import unglue
from rubrica.study.scus import read_scus
from rubrica.study.sheets import write_sheet
from rubrica.study.tasks import Showing, Summary, Task, make_tasks, task_columns, task_rows
from rubrica.text.detokenize import detokenize
from rubrica.text.tags import is_stand_in, sentences_of
from rubrica.text.truecase import Truecaser


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = (
        "rubrica study tasks make -dp chosen --ids chosen/ids.txt --scus scus.csv -o tasks.csv"
    )
    parser.add_argument(
        "-dp", "--data-path", required=True, metavar="DIR", help="folder of the systems"
    )
    parser.add_argument(
        "--scus", required=True, metavar="CSV", help="units; only those marked forUse are used"
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="CSV",
        help="where to write the result (the tasks; a folder with --per-system; the key goes to FILE.key.jsonl)",
    )
    add_ids(parser, " (default: 0, 1, ...)")
    parser.add_argument("--systems", nargs="+", metavar="ID", help="systems (default: all)")
    parser.add_argument(
        "--from-flags",
        metavar="FILE",
        help="only summaries that were flagged in the viewer (the file of rubrica open --notes)",
    )
    parser.add_argument("--per-system", action="store_true", help="a file for each system")
    parser.add_argument(
        "--attention",
        type=int,
        default=0,
        metavar="N",
        help="attention checks in each task (default: 0)",
    )
    parser.add_argument(
        "--pad",
        type=int,
        metavar="N",
        help="fill up to N with BLANK (the statements of every task)",
    )
    parser.add_argument(
        "--turk-layout",
        metavar="HTML",
        help="the layout of a Mechanical Turk project for these tasks",
    )
    add_seed(parser, default=0)
    parser.add_argument(
        "--plain-quotes", action="store_true", help="replace \" with ' as LitePyramids did"
    )
    add_tags(parser)
    shown = parser.add_argument_group("what is shown", "changes are recorded in the key")
    add_unglue(shown)
    add_running_text(shown)


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    scus, _ = read_scus(arguments.scus)
    systems = chosen_systems(find_systems(arguments.data_path), arguments.systems)
    ids = read_ids(arguments.ids, equal_counts(systems))
    tasks = make_tasks(
        _chosen(_summaries(arguments, systems, ids), systems, arguments.from_flags), scus,
        attention=arguments.attention, showing=_showing(arguments), seed=arguments.seed,
    )  # fmt: skip
    if not tasks:
        raise UsageError("no summary has units for use; do the ids of --ids and of --scus agree?")
    if arguments.turk_layout:
        with atomic_output(arguments.turk_layout) as stream:
            stream.write(turk_layout(_width(arguments, tasks)).encode())
    if arguments.per_system:
        for name in sorted({task.summarizer_id for task in tasks}):
            chosen = [task for task in tasks if task.summarizer_id == name]
            place = os.path.join(arguments.output, f"{name.replace('/', '_')}.csv")
            _write(arguments, console, chosen, place)
    else:
        _write(arguments, console, tasks, arguments.output)
    return 0


def _summaries(
    arguments: argparse.Namespace, systems: list[SystemFiles], ids: list[str]
) -> Iterator[Summary]:
    for system in systems:
        for number, (event, line) in enumerate(zip(ids, lines_of(system.out), strict=True), 1):
            if not is_stand_in(line):
                sentences = sentences_of(line, arguments.tags, file=str(system.out), number=number)
                yield Summary(event, system.summarizer_id, sentences)


def _chosen(
    summaries: Iterator[Summary], systems: list[SystemFiles], flags: str | None
) -> Iterator[Summary]:
    """Yield all summaries, or those that a file of flags names, by the study's name of a system or its folder's."""
    if flags is None:
        yield from summaries
        return
    flagged = {(flag.instance_id, flag.summarizer_id) for flag in read_flags(flags) if flag.flagged}
    if not flagged:
        raise UsageError(f"{flags} flags no summary")
    folders = Counter(system.model for system in systems)
    names = {s.summarizer_id: {s.summarizer_id} for s in systems}
    for system in systems:
        if folders[system.model] == 1:
            names[system.summarizer_id].add(system.model)
    here = list(summaries)
    chosen = [
        text
        for text in here
        if any((text.event, name) in flagged for name in names[text.summarizer_id])
    ]
    if not chosen:
        flag, other = " of ".join(min(flagged)[::-1]), here[0] if here else None
        known = f"; there is {other.summarizer_id} of {other.event}" if other else ""
        raise UsageError(f"no summary here is flagged in {flags}: it flags {flag}{known}")
    yield from chosen


def _showing(arguments: argparse.Namespace) -> Showing:
    steps: list[tuple[str, Callable[[str], str]]] = []
    if arguments.unglue:
        steps.append(("unglue", unglue))
    if arguments.detokenize:
        steps.append(("detokenize", detokenize))
    if arguments.truecase_from:
        lines = (line for file in arguments.truecase_from for _, line in read_text_lines(file))
        caser = Truecaser.learn(
            sentence for line in lines for sentence in sentences_of(line, "repair")
        )
        steps.append(("truecase", caser))
    return Showing(tuple(steps))


def _width(arguments: argparse.Namespace, tasks: list[Task]) -> int:
    return arguments.pad or max(len(task.statements) for task in tasks)


def _write(arguments: argparse.Namespace, console: Console, tasks: list[Task], place: str) -> None:
    rows = task_rows(tasks, pad=arguments.pad, plain_quotes=arguments.plain_quotes)
    write_sheet(place, task_columns(_width(arguments, tasks)), rows)
    write_jsonl(f"{place}.key.jsonl", tasks)
    statements = sum(len(task.statements) for task in tasks)
    console.say(f"{place}: {len(tasks):,} tasks, {statements:,} statements; key: {place}.key.jsonl")
