"""Convert answers from another annotation tool to a study, or a REALSumm pickle of scores to a table.

No code in a pickle is imported or run.
"""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import add_measure_names
from rubrica.cli.parser import Parser
from rubrica.cli.study.export import add_tool
from rubrica.cli.study.options import add_ids
from rubrica.data.metrics import MetricsDict
from rubrica.data.scores.rows import write_score_rows
from rubrica.errors import UnknownNameError, UsageError
from rubrica.study.layout import read_ids
from rubrica.study.pickles import read_score_dict


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study import answers.json --tool label-studio --key project/key.json -o answered.db"
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="file or folder of the tool; without --tool a pickle written by get_scores.py",
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help="where to write the result (a new study's file, .db, or a table, .jsonl or .parquet)",
    )
    add_tool(parser)
    parser.add_argument("--key", metavar="JSON", help="keys of the tasks (key.json of the export)")
    table = parser.add_argument_group("a pickle of scores")
    table.add_argument(
        "--split", default="", metavar="NAME", help="ext or abs (prefix of system ids)"
    )
    add_ids(table, " (of documents 0, 1, ...)")
    add_measure_names(table, " (default: all)")


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if arguments.tool:
        return _import_answers(arguments, console)
    rows = list(read_score_dict(arguments.source, arguments.split))
    if arguments.measures:
        known = {name for row in rows for name in row.metrics}
        for name in arguments.measures:
            if name not in known:
                raise UnknownNameError("measure", name, known)
        for row in rows:
            chosen = ((k, v) for k, v in row.metrics.items() if k in arguments.measures)
            row.metrics = MetricsDict(dict(chosen))
    if arguments.ids is not None:
        documents = {row.instance_id for row in rows}
        ids = read_ids(arguments.ids, len(documents))
        for row in rows:
            if not row.instance_id.isdecimal() or int(row.instance_id) >= len(ids):
                raise UsageError(f"--ids: document {row.instance_id!r} has no line in the file")
            row.instance_id = ids[int(row.instance_id)]
    write_score_rows(arguments.output, rows)
    systems = {row.summarizer_id for row in rows}
    console.say(f"{arguments.output}: {len(rows):,} rows, {len(systems)} systems")
    return 0


def _import_answers(arguments: argparse.Namespace, console: Console) -> int:
    from rubrica.serve.campaigns import create_study
    from rubrica.study.exchange.answers import unanswered
    from rubrica.study.exchange.formats import read_campaign

    if arguments.split or arguments.ids or arguments.measures:
        raise UsageError("--split, --ids and --measures belong to pickles of scores, not to --tool")
    if not arguments.key:
        raise UsageError("--tool needs --key: the key.json that rubrica study export wrote")
    if not arguments.output.endswith(".db"):
        raise UsageError(f"--output must end in .db: {arguments.output}")
    campaign = read_campaign(arguments.tool, arguments.source, arguments.key)
    create_study(arguments.output, campaign)
    people = len({response.annotator for response in campaign.responses})
    console.say(
        f"{arguments.output}: {len(campaign.responses):,} answered tasks of {people:,} annotators"
    )
    if count := unanswered(campaign):
        console.say(f"{count:,} of them are incomplete; questions without an answer do not count")
    return 0
