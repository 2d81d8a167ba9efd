"""`METRIC evaluate` and `METRIC score`: one metric, its parameters as options."""

from __future__ import annotations

import argparse
from typing import Any

from rubrica.compat.sacrerouge.commands import Subcommand
from rubrica.compat.sacrerouge.commands.evaluate import (
    add_evaluate_arguments,
    evaluate_instances,
    save_evaluation_results,
)
from rubrica.compat.sacrerouge.commands.options import start
from rubrica.compat.sacrerouge.commands.score import (
    add_score_arguments,
    save_score_results,
    score_instances,
)
from rubrica.compat.sacrerouge.common import Registrable
from rubrica.compat.sacrerouge.common.arguments import (
    add_metric_arguments,
    get_dataset_reader_from_argument,
    get_metric_from_arguments,
)
from rubrica.compat.sacrerouge.data import EvalInstance
from rubrica.compat.sacrerouge.metrics import Metric


def add_metric_subcommands(subparsers: Any) -> None:
    """Add a command for each registered metric."""
    for name, (metric, _) in Registrable._registry[Metric].items():
        MetricSubcommand(name, metric).add_subparser(subparsers)


class MetricSubcommand(Subcommand):
    """The commands of one metric."""

    def __init__(self, name: str, metric_type: type) -> None:
        self.name, self.metric_type = name, metric_type

    def add_subparser(self, parser: Any) -> None:
        """Add the parsers of `evaluate` and `score`."""
        about = f'Run "evaluate" or "score" with the "{self.name}" metric.'
        self.parser = parser.add_parser(self.name, description=about, help=about)
        subparsers = self.parser.add_subparsers()
        evaluate = subparsers.add_parser("evaluate", help=f"system scores of {self.name}")
        add_evaluate_arguments(evaluate, False)
        self._add_inputs(evaluate)
        evaluate.set_defaults(func=self.run_evaluate)
        score = subparsers.add_parser("score", help=f"jackknifed scores of {self.name}")
        add_score_arguments(score, False)
        self._add_inputs(score)
        score.set_defaults(func=self.run_score)

    def run_evaluate(self, args: argparse.Namespace) -> None:
        """Run `evaluate`."""
        macro, micro = evaluate_instances(*self._read(args))
        save_evaluation_results(
            macro, micro, args.macro_output_json, args.micro_output_jsonl, args.silent
        )

    def run_score(self, args: argparse.Namespace) -> None:
        """Run `score`."""
        scores = score_instances(*self._read(args), args.disable_peer_jackknifing)
        save_score_results(scores, args.output_jsonl, args.silent)

    def _add_inputs(self, parser: argparse.ArgumentParser) -> None:
        add_metric_arguments(parser, self.metric_type)
        parser.add_argument(
            "--dataset-reader", required=True, help="name of a reader, or its parameters as JSON"
        )
        parser.add_argument("--input-files", nargs="+", required=True, help="files of the reader")

    def _read(self, args: argparse.Namespace) -> tuple[list[EvalInstance], list[Metric]]:
        start(args)
        reader = get_dataset_reader_from_argument(args.dataset_reader)
        metric = get_metric_from_arguments(self.metric_type, args)
        return reader.read(*args.input_files), [metric]
