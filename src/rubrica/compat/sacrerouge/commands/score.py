"""`score`: the scores of peers and references, jackknifed by SacreROUGE's rules.

These are not `rubrica.score`'s: equal contexts are one call, whatever inputs they belong to, a reference is scored
against its own row's references as they are, and of two rows of one summary the plain value of the last counts.
"""

from __future__ import annotations

import argparse
from typing import Any

from rubrica.compat.sacrerouge.commands import RootSubcommand
from rubrica.compat.sacrerouge.commands.options import (
    add_config_arguments,
    add_run_arguments,
    read_run,
    start,
)
from rubrica.compat.sacrerouge.data import EvalInstance, Metrics, MetricsDict
from rubrica.compat.sacrerouge.data.fields import Fields
from rubrica.compat.sacrerouge.data.metrics import average
from rubrica.compat.sacrerouge.io import JsonlWriter
from rubrica.compat.sacrerouge.metrics import Metric
from rubrica.data.measures import JACKKNIFE_SUFFIX


def score_instances(
    instances: list[EvalInstance], metrics: list[Metric], disable_peer_jackknifing: bool = False
) -> dict[str, dict[str, Metrics]]:
    """Return scores by input and system: plain values, and jackknifed ones under names with `_jk`."""
    scores: dict[str, dict[str, Metrics]] = {}
    for instance in instances:
        row = Metrics(instance.instance_id, instance.summarizer_id, instance.summarizer_type)
        scores.setdefault(instance.instance_id, {})[instance.summarizer_id] = row
    for metric in metrics:
        _score(metric, instances, scores, disable_peer_jackknifing)
    return scores


def _score(
    metric: Metric,
    instances: list[EvalInstance],
    scores: dict[str, dict[str, Metrics]],
    disable_peer_jackknifing: bool,
) -> None:
    # Context -> the instances that are scored in it, and whether that is for their `_jk` value.
    contexts: dict[Fields, list[tuple[EvalInstance, bool]]] = {}
    for instance in instances:
        context = instance.fields.select_fields(metric.required_context_fields)
        is_reference = instance.summarizer_type == "reference"
        left_out = metric.requires_jackknifing() and is_reference
        contexts.setdefault(context, []).append((instance, left_out))
        if (
            metric.jackknifer
            and instance.summarizer_type == "peer"
            and not disable_peer_jackknifing
        ):
            for reduced in metric.jackknifer.get_jackknifing_fields_list(context) or ():
                contexts.setdefault(reduced, []).append((instance, True))
    columns: list[list[Any]] = [
        [[instance.fields[name].to_input() for instance, _ in group] for group in contexts.values()]
        for name in metric.required_summary_fields
    ]
    columns += [
        [context[name].to_input() for context in contexts]
        for name in metric.required_context_fields
    ]
    jackknifed: dict[tuple[str, str], list[MetricsDict]] = {}
    results = metric.score_multi_all(*columns)
    for group, rows in zip(contexts.values(), results, strict=True):
        for (instance, left_out), values in zip(group, rows, strict=True):
            if left_out:
                jackknifed.setdefault((instance.instance_id, instance.summarizer_id), []).append(
                    values
                )
            else:
                scores[instance.instance_id][instance.summarizer_id].metrics.update(values)
    for (instance_id, summarizer_id), sets in jackknifed.items():
        for name, value in average(sets).items():
            scores[instance_id][summarizer_id].metrics[name + JACKKNIFE_SUFFIX] = value


def save_score_results(
    metrics_dicts: dict[str, dict[str, Metrics]], output_file: str, silent: bool
) -> None:
    """Write the rows in the order of their ids."""
    with JsonlWriter(output_file) as out:
        for _, systems in sorted(metrics_dicts.items()):
            for _, row in sorted(systems.items()):
                out.write(row)


def add_score_arguments(parser: argparse.ArgumentParser, include_config_arguments: bool) -> None:
    """Add the options of `score`."""
    if include_config_arguments:
        add_config_arguments(parser)
    parser.add_argument(
        "--output-jsonl", required=True, help="JSON lines for the scores of each summary"
    )
    add_run_arguments(parser)
    parser.add_argument(
        "--disable-peer-jackknifing", action="store_true", help="no jackknifed values for peers"
    )


@RootSubcommand.register("score")
class ScoreSubcommand(RootSubcommand):
    """The command."""

    def add_subparser(self, parser: Any) -> None:
        """Add its parser."""
        about = "Score all of the inputs to evaluate a metric"
        self.parser = parser.add_parser("score", description=about, help=about)
        add_score_arguments(self.parser, True)
        self.parser.set_defaults(func=self.run)

    def run(self, args: argparse.Namespace) -> None:
        """Run it."""
        start(args)
        scores = score_instances(*read_run(args), args.disable_peer_jackknifing)
        save_score_results(scores, args.output_jsonl, args.silent)
