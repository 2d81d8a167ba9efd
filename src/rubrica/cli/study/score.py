"""Score every system of an ext/ abs/ folder against its own references, into one table."""

from __future__ import annotations

import argparse
import warnings

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.scoring.metric_spec import metrics_of
from rubrica.cli.study.options import add_ids, add_tags
from rubrica.data.scores.writer import RowWriter
from rubrica.errors import UnknownNameError
from rubrica.study.layout import chosen_systems, find_systems
from rubrica.study.realsumm import SHORT_NAMES, other_model
from rubrica.study.rows import StudyRow
from rubrica.study.score import (
    References,
    SkippedLines,
    describe_run,
    score_study,
    study_instances,
)


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options, including those of REALSumm."""
    parser.example = "rubrica study score -dp aligned -m rouge js2 -op metrics.jsonl --ids ids.txt"
    parser.add_argument(
        "-dp", "--data-path", required=True, metavar="DIR", help="folder of the systems"
    )
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        required=True,
        metavar="METRIC",
        help="metrics (rouge, js2, bertscore, rwe, moverscore, wms, sms or any registered metric, with "
        "parameters after commas or as JSON: bertscore,lang=en)",
    )
    parser.add_argument(
        "-o",
        "--output",
        "-op",
        required=True,
        metavar="FILE",
        help="where to write the result (the table, .jsonl or .parquet)",
    )
    parser.add_argument("-lp", dest="log_file", metavar="FILE", help="append messages to this file")
    parser.old_spellings |= {
        "--metric": "--metrics",
        "--output-path": "--output",
        "--log-path": "--log-file",
        "--n-jobs": "--workers",
    }
    parser.add_argument(
        "-num_ref",
        "--num-ref",
        type=int,
        default=1,
        metavar="K",
        help="number of references in a line (default: 1)",
    )
    parser.add_argument(
        "-ref_sep",
        "--ref-sep",
        default="||sep||",
        metavar="MARK",
        help="separator of the references in a line (default: ||sep||)",
    )
    parser.add_argument(
        "--workers", "-n_jobs", type=int, metavar="N", help="cores to use (default: all)"
    )
    parser.add_argument(
        "--systems", nargs="+", metavar="ID", help="systems: only these, such as abs/bart_out"
    )
    parser.add_argument(
        "--references-of", metavar="ID", help="score all against this system's references"
    )
    add_ids(parser, " (default: 0, 1, ...)")
    add_tags(parser)
    parser.add_argument("--no-texts", action="store_true", help="keep only the hashes of texts")
    parser.add_argument("--resume", action="store_true", help="continue an interrupted run")
    parser.add_argument(
        "--overwrite", action="store_true", help="discard the output of an interrupted run"
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    metrics = metrics_of(list(dict.fromkeys(arguments.metrics)), SHORT_NAMES)
    for warning in filter(None, map(other_model, metrics)):
        warnings.warn(warning, stacklevel=1)
    systems = find_systems(arguments.data_path)
    common = None
    if arguments.references_of:
        owners = {system.summarizer_id: system.ref for system in systems}
        if arguments.references_of not in owners:
            raise UnknownNameError("system", arguments.references_of, owners)
        common = owners[arguments.references_of]
    systems = chosen_systems(systems, arguments.systems)
    skipped = SkippedLines()
    instances = study_instances(
        systems, references=References(arguments.num_ref, arguments.ref_sep), tags=arguments.tags,
        ids_file=arguments.ids, common=common, skipped=skipped,
    )  # fmt: skip
    path = arguments.output
    run_note = describe_run(
        systems, metrics, tags=arguments.tags, texts=not arguments.no_texts, ids=arguments.ids,
        references=(arguments.num_ref, arguments.ref_sep, arguments.references_of),
    )  # fmt: skip
    writer = RowWriter(
        path,
        run=run_note,
        resume=arguments.resume,
        overwrite=arguments.overwrite,
        kind=StudyRow,
    )
    count = writer.rows_finished
    for _ in range(count):
        next(instances)
    if count:
        console.say(f"{count:,} rows of an earlier run kept")
    try:
        scored = score_study(
            instances, metrics, workers=arguments.workers, texts=not arguments.no_texts
        )
        for row in console.progress(scored, "summaries"):
            writer.write(row)
            count += 1
            if count % 256 == 0:
                writer.flush()
        writer.finish()
    finally:
        writer.close()
    for name, number in skipped.missing.items():
        console.say(f"{name}: {number:,} stand-in lines (### ... ###) were left out")
    for name, number in skipped.empty.items():
        console.say(f"{name}: {number:,} empty summaries were scored as such")
    console.say(f"{path}: {count:,} rows, {len(systems)} systems, {len(metrics)} metrics")
    return 0
