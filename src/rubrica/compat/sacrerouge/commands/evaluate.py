"""`evaluate`: the scores of one system over all summaries of a file, and of each summary."""

from __future__ import annotations

import argparse
import json
import logging
from typing import Any

from rubrica.compat.sacrerouge.commands import RootSubcommand
from rubrica.compat.sacrerouge.commands.options import (
    add_config_arguments,
    add_run_arguments,
    read_run,
    start,
)
from rubrica.compat.sacrerouge.common.util import make_parent
from rubrica.compat.sacrerouge.data import EvalInstance, Metrics, MetricsDict
from rubrica.compat.sacrerouge.io import JsonlWriter
from rubrica.compat.sacrerouge.metrics import Metric
from rubrica.errors import MismatchError

logger = logging.getLogger(__name__)


def evaluate_instances(
    instances: list[EvalInstance], metrics: list[Metric]
) -> tuple[MetricsDict, list[Metrics]]:
    """Return the scores over all instances, references included, and those of each."""
    if not instances:
        raise MismatchError("nothing to evaluate: the input has no rows")
    macro = MetricsDict()
    micro = [
        Metrics(instance.instance_id, instance.summarizer_id, instance.summarizer_type)
        for instance in instances
    ]
    for metric in metrics:
        names = [*metric.required_summary_fields, *metric.required_context_fields]
        columns = [[instance.fields[name].to_input() for instance in instances] for name in names]
        system, rows = metric.evaluate(*columns)
        macro.update(system)
        for row, own in zip(rows, micro, strict=True):
            own.metrics.update(row)
    return macro, micro


def save_evaluation_results(
    macro_results: MetricsDict,
    micro_results_list: list[Metrics],
    macro_output_json: str,
    micro_output_jsonl: str,
    silent: bool,
) -> None:
    """Write both outputs."""
    text = json.dumps({"metrics": macro_results}, indent=2)
    make_parent(macro_output_json)
    with open(macro_output_json, "w", encoding="utf-8") as stream:
        stream.write(text)
    if not silent:
        logger.info(text)
    with JsonlWriter(micro_output_jsonl) as out:
        for row in micro_results_list:
            out.write(row)


def add_evaluate_arguments(parser: argparse.ArgumentParser, include_config_arguments: bool) -> None:
    """Add the options of `evaluate`."""
    if include_config_arguments:
        add_config_arguments(parser)
    parser.add_argument(
        "--macro-output-json", required=True, help="JSON file for the system scores"
    )
    parser.add_argument(
        "--micro-output-jsonl", required=True, help="JSON lines for the scores of each summary"
    )
    add_run_arguments(parser)


@RootSubcommand.register("evaluate")
class EvaluateSubcommand(RootSubcommand):
    """The command."""

    def add_subparser(self, parser: Any) -> None:
        """Add its parser."""
        about = "Evaluate a summarization model"
        self.parser = parser.add_parser("evaluate", description=about, help=about)
        add_evaluate_arguments(self.parser, True)
        self.parser.set_defaults(func=self.run)

    def run(self, args: argparse.Namespace) -> None:
        """Run it."""
        start(args)
        macro, micro = evaluate_instances(*read_run(args))
        save_evaluation_results(
            macro, micro, args.macro_output_json, args.micro_output_jsonl, args.silent
        )
