"""Find errors in texts and scores: tags, glued or copied texts, line counts, scores of other texts."""

from __future__ import annotations

import argparse
import os

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.study.options import add_ids
from rubrica.data.jsonl import encoded_json, write_json
from rubrica.errors import UsageError
from rubrica.formatting.text_table import text_table
from rubrica.study.audit import audit
from rubrica.study.checks.findings import GRAVITIES, Audit
from rubrica.study.checks.scores import Scored
from rubrica.study.layout import read_ids
from rubrica.study.pickles import read_score_dict
from rubrica.study.rows import read_table


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study audit aligned"
    parser.add_argument(
        "folder", nargs="?", metavar="DIR", help="ext/ and abs/, or the models of one of them"
    )
    parser.add_argument(
        "--scores",
        nargs="+",
        default=[],
        metavar="FILE",
        help="files of scores: tables (.jsonl, .parquet) or REALSumm's pickles (.pkl), checked against the texts",
    )
    parser.add_argument(
        "--split", default="", metavar="NAME", help="ext or abs (what the pickles hold)"
    )
    add_ids(parser)
    parser.add_argument(
        "-o", "--output", metavar="JSON", help="where to write the result (the findings)"
    )
    parser.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="output format (default: text)",
    )
    parser.add_argument(
        "--fail-on",
        choices=("error", "warning", "never"),
        default="error",
        help="lowest severity that gives exit code 1 (default: error)",
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if arguments.folder is None and not arguments.scores:
        raise UsageError("pass a folder of systems, --scores, or both")
    ids = None
    if arguments.ids is not None:
        ids = {name: line for line, name in enumerate(read_ids(arguments.ids))}
    tables = []
    for file in arguments.scores:
        pickled = file.endswith((".pkl", ".pickle"))
        rows = list(read_score_dict(file, arguments.split) if pickled else read_table(file))
        tables.append(Scored(os.path.basename(file), rows, ids))
    result = audit(arguments.folder, tables)
    if arguments.output is not None:
        write_json(arguments.output, result.to_dict())
    if arguments.format == "json":
        console.result(encoded_json(result.to_dict()).decode().rstrip())
    elif result.findings:
        console.result(_shown(result))
    counts = result.counts()
    totals = ", ".join(f"{counts[g]:,} {g}{'s' * (counts[g] != 1)}" for g in GRAVITIES)
    console.say(
        f"{len(result.looked_at['systems'])} systems, {result.looked_at['files']} files: {totals}"
    )
    worst = result.worst()
    if worst is None or arguments.fail_on == "never":
        return 0
    return int(GRAVITIES.index(worst) <= GRAVITIES.index(arguments.fail_on))


def _shown(result: Audit) -> str:
    """Return a row per finding, then the meaning of each kind."""
    rows = [
        [
            finding.gravity,
            finding.kind,
            finding.where,
            finding.cases(),
            ", ".join(map(str, finding.lines)),
        ]
        for finding in result.findings
    ]
    meanings = dict.fromkeys((finding.kind, finding.message) for finding in result.findings)
    notes = [f"{kind}: {message}" for kind, message in meanings]
    header = ["gravity", "kind", "where", "cases", "first lines"]
    return "\n".join([text_table(header, rows, right=5), "", *notes])
