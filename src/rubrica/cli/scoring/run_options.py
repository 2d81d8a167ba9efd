"""The options of every run, `evaluate` or `score`: outputs, and the ways of running."""

from __future__ import annotations

from rubrica.cli.options import Parser, add_seed
from rubrica.metrics.base.originals import ORIGINALS
from rubrica.scoring.engines.base import RAY_BATCH_SIZE
from rubrica.scoring.loop import BATCH_SIZE
from rubrica.scoring.per_file import FORMATS


def add_run_arguments(parser: Parser, task: str) -> None:
    """Outputs and the ways of running, for one task."""
    output = parser.add_argument_group("output")
    if task == "evaluate":
        output.add_argument(
            "macro", nargs="?", metavar="MACRO", help="file for system scores (JSON)"
        )
        output.add_argument(
            "micro",
            nargs="?",
            metavar="MICRO",
            help="file for rows (JSON lines); NAME/ is a folder of parts",
        )
        output.add_argument("--macro-output-json", metavar="FILE", help="the same as MACRO")
        output.add_argument("--micro-output-jsonl", metavar="FILE", help="the same as MICRO")
        output.add_argument(
            "--format",
            choices=("table", "json", "rouge155"),
            default="table",
            help="what standard output shows; rouge155 is the layout of ROUGE-1.5.5",
        )
        output.add_argument(
            "--include-references",
            action="store_true",
            help="let reference rows count in system scores",
        )
        output.add_argument(
            "--num-samples",
            type=int,
            default=1000,
            metavar="N",
            help="bootstrap rounds of the intervals; 0 for none (default: 1000)",
        )
        output.add_argument(
            "--confidence", type=float, default=95.0, metavar="X", help="percent (default: 95)"
        )
        add_seed(output)
    else:
        output.add_argument(
            "output",
            nargs="?",
            metavar="OUT",
            help="file for rows; - is stdout, NAME/ a folder of parts",
        )
        output.add_argument("--output-jsonl", metavar="FILE", help="the same as OUT")
        output.add_argument(
            "--disable-peer-jackknifing", action="store_true", help="peers get no _jk values"
        )
    output.add_argument(
        "--parts-format",
        choices=FORMATS,
        default="jsonl",
        help="of the parts, where a folder is named for rows (OUT/): JSON lines or Parquet",
    )
    run = parser.add_argument_group("running")
    run.add_argument(
        "--like",
        choices=ORIGINALS,
        help="behave as this program does where our default is another (models, system scores)",
    )
    run.add_argument("--workers", type=int, metavar="N", help="cores to use (default: all)")
    run.add_argument(
        "--batch-size",
        type=int,
        metavar="N",
        help=f"rows per piece of work (default: {BATCH_SIZE}; on Ray {RAY_BATCH_SIZE})",
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
        help="of the Ray cluster: auto, HOST:PORT or ray://HOST:PORT (default: a new one here)",
    )
    run.add_argument(
        "--store",
        metavar="DIR",
        help="keep scores in this directory, and score nothing that is there already",
    )
    run.add_argument("--resume", action="store_true", help="continue an interrupted run")
    run.add_argument(
        "--overwrite", action="store_true", help="discard what an interrupted run left"
    )
