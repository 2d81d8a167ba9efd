"""Runs described by a configuration file: several metrics at once."""

from __future__ import annotations

import argparse

from rubrica.cli.options import Parser
from rubrica.cli.packages import search_working_directory
from rubrica.cli.scoring.config import RunConfig, read_config
from rubrica.cli.scoring.inputs import reader_for
from rubrica.cli.scoring.run import Run
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.metric_like import with_like


def add_config_arguments(parser: Parser) -> None:
    """`--config` and `--overrides`."""
    task = parser.prog.rpartition(" ")[2]
    parser.missing_hint = (
        f"; without such a file: rubrica METRIC {task}, or rubrica compare for several metrics"
    )
    group = parser.add_argument_group("configuration")
    group.add_argument(
        "--config", required=True, metavar="FILE", help="TOML or JSON; see docs/formats.md"
    )
    group.add_argument(
        "--overrides",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help="changes, such as metrics.0.max_ngram=2, or a JSON object with such keys",
    )
    group.add_argument(
        "--trust-config",
        action="store_true",
        help="let the file import code: include_packages and addresses module:name",
    )


def configured_run(arguments: argparse.Namespace) -> tuple[Run, RunConfig]:
    """The run a configuration file describes."""
    trust = arguments.trust_config
    if trust:
        search_working_directory()
    config = read_config(arguments.config, arguments.overrides, trust=trust)
    configs = [with_like(metric, arguments.like or config.like) for metric in config.metrics]
    metrics = [Metric.from_config(metric, allow_import=trust) for metric in configs]
    reader = reader_for(config.dataset_reader, metrics, config.input_files, allow_import=trust)
    return Run(arguments, metrics, reader, config.input_files), config
