"""Convert a study to the files of another annotation tool, or a table of scores to REALSumm's pickle."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import add_seed
from rubrica.cli.parser import Parser
from rubrica.cli.study.collect import open_study
from rubrica.cli.study.options import add_ids, add_pseudonymize
from rubrica.cli.study.serve import add_documents, add_unsure
from rubrica.errors import UsageError
from rubrica.study.layout import read_ids
from rubrica.study.pickles import write_score_dict
from rubrica.study.rows import read_table
from rubrica.study.tasks import read_task_file

if TYPE_CHECKING:
    from rubrica.study.exchange.campaign import Campaign


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study export study.db --tool label-studio -o project"
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="a study's file (.db), a form (.toml) or tasks (.csv); without --tool a table of scores",
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help="where to write the result (a folder, or the pickle)",
    )
    add_tool(parser)
    parser.add_argument(
        "--summaries", nargs="+", metavar="FILE", help="the texts (to judge, with a form)"
    )
    add_documents(parser)
    parser.add_argument(
        "--key", metavar="JSONL", help="keys of the tasks (default: FILE.key.jsonl)"
    )
    add_unsure(parser)
    add_seed(parser, default=0)
    add_pseudonymize(parser)
    table = parser.add_argument_group("a table of scores")
    add_ids(table, " (of documents 0, 1, ...; default: ids stay as they are)")
    table.add_argument("--split", metavar="NAME", help="ext or abs (only its systems)")


def add_tool(parser: Parser) -> None:
    """Add the choice of a tool."""
    parser.add_argument(
        "--tool",
        choices=("label-studio", "argilla", "potato", "mturk"),
        help="annotation tool of the files (default: none, REALSumm's pickles)",
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if arguments.tool:
        return _export_campaign(arguments, console)
    if not arguments.output.endswith(".pkl"):
        raise UsageError(
            f"--output must end in .pkl: {arguments.output}. For an annotation tool, pass --tool"
        )
    rows = read_table(arguments.source)
    if arguments.split:
        rows = (row for row in rows if row.summarizer_id.startswith(f"{arguments.split}/"))
    ids = read_ids(arguments.ids) if arguments.ids else None
    count = write_score_dict(arguments.output, rows, ids)
    if not count:
        raise UsageError(f"--split {arguments.split}: no row belongs to this split")
    console.say(f"{arguments.output}: {count:,} summaries")
    return 0


def _export_campaign(arguments: argparse.Namespace, console: Console) -> int:
    from rubrica.study.exchange.formats import write_campaign

    for name in ("ids", "split"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} belongs to tables of scores, not to --tool")
    campaign = _campaign(arguments)
    write_campaign(arguments.tool, campaign, arguments.output)
    console.say(
        f"{arguments.output}: {len(campaign.tasks):,} tasks, {len(campaign.responses):,} answered; "
        "keep key.json, which the answers need"
    )
    return 0


def _campaign(arguments: argparse.Namespace) -> Campaign:
    """Return the tasks of a study's file (with its answers), of a form or of a task file."""
    from rubrica.serve.campaigns import campaign_of
    from rubrica.serve.exchange import rating_items
    from rubrica.serve.monitor import naming
    from rubrica.study.exchange.campaign import make_campaign
    from rubrica.study.forms.definition import read_form, read_summaries
    from rubrica.study.forms.units import Units

    source, seed = arguments.source, arguments.seed
    is_form = source.lower().endswith(".toml")
    if is_form != bool(arguments.summaries):
        raise UsageError("a form (.toml) needs --summaries, and --summaries needs a form")
    if arguments.documents and not is_form:
        raise UsageError("--documents needs a form (.toml) and --summaries")
    if arguments.unsure and not source.lower().endswith(".csv"):
        raise UsageError("--unsure needs a task file (.csv); forms and studies have their own")
    if is_form:
        form = read_form(source)
        items = form.items(read_summaries(form, arguments.summaries, arguments.documents), seed)
        return make_campaign(form, items, seed=seed)
    if source.lower().endswith(".csv"):
        return make_campaign(
            Units(unsure=bool(arguments.unsure)),
            rating_items(read_task_file(source, arguments.key)),
            seed=seed,
        )
    database = open_study(source)
    try:
        return campaign_of(database, rename=naming(database, arguments.pseudonymize), seed=seed)
    finally:
        database.close()
