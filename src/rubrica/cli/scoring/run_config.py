"""Runs of several metrics: those of `-m METRIC...` on files, or those of a configuration file."""

from __future__ import annotations

import argparse

from rubrica.cli.packages import search_working_directory
from rubrica.cli.parser import Parser
from rubrica.cli.scoring.config import RunConfig, read_config
from rubrica.cli.scoring.inputs import InputOptions
from rubrica.cli.scoring.metric_spec import add_metrics, metrics_of
from rubrica.cli.scoring.run import Run
from rubrica.datasets.open import reader_for
from rubrica.errors import UsageError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.metric_like import required_fields, with_like


def add_run_source(parser: Parser, words: list[str], task: str) -> None:
    """Add the input files and `-m`, or `--config`, which describes them."""
    outputs = {"evaluate": "[MACRO] [MICRO]", "score": "[OUT]"}[task]
    parser.usage = (
        f"rubrica {task} FILE [FILE ...] -m METRIC [METRIC ...] [options]\n"
        f"       rubrica {task} --config FILE {outputs} [options]"
    )
    parser.example = f"rubrica {task} -m rouge chrf summaries.jsonl" + (
        " -o scores.jsonl" if task == "score" else ""
    )
    options = InputOptions(
        parser,
        words,
        required=False,
        files_help=f"files of summaries (- for stdin). With --config: output files {outputs}",
    )
    parser.set_defaults(input_options=options)
    add_metrics(parser)
    group = parser.add_argument_group("configuration")
    group.add_argument(
        "--config", metavar="FILE", help="TOML or JSON file of options (see: rubrica docs formats)"
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
        help="let the file import code (include_packages, and classes named as module:Class)",
    )


def prepared_run(arguments: argparse.Namespace, task: str) -> tuple[Run, RunConfig | None]:
    """Return the run that the command line, or a configuration file, describes."""
    if arguments.config is not None:
        if arguments.metrics:
            raise UsageError("--config names the metrics; drop -m, or use --overrides")
        return _configured_run(arguments)
    if not arguments.metrics or not arguments.input_files:
        raise UsageError(
            f"name metrics and files, or a configuration: rubrica {task} FILE -m rouge chrf, "
            f"rubrica {task} --config FILE\nSee: rubrica {task} --help"
        )
    metrics = metrics_of([_word_with_like(word, arguments.like) for word in arguments.metrics])
    reader = arguments.input_options.reader(arguments, metrics)
    return Run(arguments, metrics, reader, arguments.input_files), None


def _word_with_like(word: str, like: str | None) -> str:
    return word if like is None or ",like=" in word or "{" in word else f"{word},like={like}"


def _configured_run(arguments: argparse.Namespace) -> tuple[Run, RunConfig]:
    trust = arguments.trust_config
    if trust:
        search_working_directory()
    config = read_config(arguments.config, arguments.overrides, trust=trust)
    configs = [with_like(metric, arguments.like or config.like) for metric in config.metrics]
    metrics = [Metric.from_config(metric, allow_import=trust) for metric in configs]
    reader = reader_for(
        config.input_files, required_fields(metrics), config.dataset_reader, allow_import=trust
    )
    return Run(arguments, metrics, reader, config.input_files), config
