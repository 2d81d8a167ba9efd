"""The options of every run, `evaluate` or `score`: outputs, and how to run."""

from __future__ import annotations

from rubrica.cli.options import (
    add_cluster,
    add_confidence,
    add_dry_run,
    add_resampling_rounds,
    add_seed,
)
from rubrica.cli.parser import Parser
from rubrica.metrics.base.originals import ORIGINALS
from rubrica.scoring.engines.base import RAY_BATCH_SIZE
from rubrica.scoring.loop import BATCH_SIZE
from rubrica.scoring.per_file import FORMATS


def add_run_arguments(parser: Parser, task: str, *, positional: bool = True) -> None:
    """Add outputs and the ways of running, for one task; outputs may be positional words, too."""
    output = parser.add_argument_group("output")
    if positional:
        words = {"evaluate": "MACRO MICRO", "score": "OUT"}[task]
        same = {"evaluate": "-o and --rows-output", "score": "-o"}[task]
        output.add_argument("outputs", nargs="*", metavar=words, help=f"the same as {same}")
    if task == "evaluate":
        output.add_argument(
            "-o",
            "--output",
            "--macro-output-json",
            metavar="FILE",
            help="where to write the result (system scores, as JSON; - is stdout)",
        )
        output.add_argument(
            "--rows-output",
            "--micro-output-jsonl",
            metavar="FILE",
            help="file for rows (JSON lines or .parquet); - is stdout, NAME/ a folder of parts",
        )
        output.add_argument(
            "-f",
            "--format",
            choices=("text", "json", "rouge155"),
            default="text",
            help="output format (json has every measure; rouge155 is the layout of ROUGE-1.5.5; for LaTeX, "
            "Markdown and HTML: rubrica compare; default: text)",
        )
        output.add_argument(
            "--include-references",
            action="store_true",
            help="include reference rows (in system scores)",
        )
        add_resampling_rounds(output, "for the intervals; 0 for none; ")
        parser.old_spellings["--num-samples"] = "--rounds"
        add_confidence(output)
        add_cluster(output)
        add_seed(output)
    else:
        output.add_argument(
            "-o",
            "--output",
            "--output-jsonl",
            metavar="FILE",
            help="where to write the result (rows, as JSON lines or .parquet; - is stdout, NAME/ a folder of parts)",
        )
        output.add_argument(
            "--disable-peer-jackknifing",
            action="store_true",
            help="do not compute _jk values for peers",
        )
    output.add_argument(
        "--parts-format",
        choices=FORMATS,
        default="jsonl",
        help="file format of the parts when rows go to a folder NAME/ (default: jsonl)",
    )
    run = parser.add_argument_group("running")
    run.add_argument(
        "--like",
        choices=ORIGINALS,
        help="follow this program where our defaults differ (models, system scores)",
    )
    run.add_argument("--workers", type=int, metavar="N", help="cores to use (default: all)")
    run.add_argument(
        "--batch-size",
        type=int,
        metavar="N",
        help=f"rows per batch (default: {BATCH_SIZE}; on Ray {RAY_BATCH_SIZE})",
    )
    run.add_argument(
        "--engine",
        default="local",
        metavar="NAME",
        help="where to score: local (this machine), ray (a Ray cluster) or a plug-in (default: local)",
    )
    run.add_argument(
        "--address",
        metavar="A",
        help="address of the Ray cluster: auto, HOST:PORT or ray://HOST:PORT (default: start one here)",
    )
    run.add_argument(
        "--store",
        metavar="DIR",
        help="directory of saved scores: reuse those found there, add new ones",
    )
    add_dry_run(run, "requests, tokens and cost of metrics that ask models")
    run.add_argument("--resume", action="store_true", help="continue an interrupted run")
    run.add_argument(
        "--overwrite", action="store_true", help="discard the output of an interrupted run"
    )
