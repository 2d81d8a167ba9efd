"""Turn references into tasks for writing content units: a CSV file of eventId, summId, summary_text."""

from __future__ import annotations

import argparse
import os

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import add_seed
from rubrica.cli.parser import Parser
from rubrica.cli.study.options import add_ids
from rubrica.data.files import read_text_lines
from rubrica.errors import MismatchError, UsageError
from rubrica.study.layout import read_ids
from rubrica.study.scus import WRITE_COLUMNS, writing_tasks
from rubrica.study.sheets import write_sheet
from rubrica.text.tags import is_stand_in, sentences_of


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = (
        "rubrica study scus make chosen/ext/lead3/ref.txt --ids chosen/ids.txt -o write.csv"
    )
    parser.add_argument(
        "references", nargs="+", metavar="FILE", help="one reference per line, tagged or not"
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="CSV", help="where to write the result (the tasks)"
    )
    add_ids(parser, " (default: 0, 1, ...)")
    parser.add_argument(
        "--per-event", type=int, metavar="N", help="draw N references of each input"
    )
    add_seed(parser, default=0)
    parser.add_argument(
        "--plain-quotes", action="store_true", help="replace \" with ' as LitePyramids did"
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if arguments.per_event is not None and arguments.per_event < 1:
        raise UsageError(f"--per-event must be at least 1: {arguments.per_event}")
    columns = {}
    for file in arguments.references:
        name = os.path.basename(file).partition(".txt")[0]
        if len(arguments.references) > 1 and name in columns:
            raise UsageError(f"two files have the reference name {name!r}; rename one")
        columns[name] = [line for _, line in read_text_lines(file)]
    counts = {len(lines) for lines in columns.values()}
    if len(counts) > 1:
        raise MismatchError(f"the files have different numbers of lines: {sorted(counts)}")
    ids = read_ids(arguments.ids, counts.pop())
    references: dict[str, list[tuple[str, str]]] = {}
    for number, event in enumerate(ids):
        for name, lines in columns.items():
            if is_stand_in(lines[number]) or not lines[number].strip():
                continue
            text = " ".join(sentences_of(lines[number], "repair"))
            # One reference: its id is the event's, as in REALSumm's list.
            summ = event if len(columns) == 1 else f"{event}.{name}"
            references.setdefault(event, []).append((summ, text))
    rows = writing_tasks(references, per_event=arguments.per_event, seed=arguments.seed)
    if arguments.plain_quotes:
        rows = [{k: v.replace('"', "'") for k, v in row.items()} for row in rows]
    count = write_sheet(arguments.output, WRITE_COLUMNS, rows)
    console.say(f"{arguments.output}: {count:,} tasks for {len(references):,} inputs")
    return 0
