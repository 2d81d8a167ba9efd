"""Attack a judge with prompt injection in summaries, and measure how far its scores move."""

from __future__ import annotations

import argparse

from rubrica.cli.console import console_for
from rubrica.cli.meta.inputs import write_result
from rubrica.cli.meta.method_inputs import add_resampling_arguments
from rubrica.cli.options import add_dry_run, resampling_of
from rubrica.cli.parser import Parser
from rubrica.cli.scoring.metric_spec import add_metrics, metrics_of
from rubrica.cli.signals import stoppable
from rubrica.errors import UsageError
from rubrica.meta.judges.red_team import red_team
from rubrica.metrics.judge.metric import Judge


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica judge-red-team`."""
    parser.example = (
        "rubrica judge-red-team -m judge,provider=openai,model=NAME,prompt=consistency,samples=1"
    )
    add_metrics(parser, required=True)
    parser.add_argument(
        "--attacks", nargs="+", metavar="NAME", help="attacks of the bundled set (default: all)"
    )
    add_dry_run(parser, "requests, tokens and cost")
    add_resampling_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    resampling = resampling_of(arguments, required=True)
    metrics = metrics_of(arguments.metrics)
    judges = [metric for metric in metrics if isinstance(metric, Judge)]
    if len(judges) < len(metrics):
        raise UsageError("judge-red-team attacks the metric judge: -m judge,model=NAME,...")
    with console_for(arguments) as console, stoppable():
        if arguments.dry_run:
            for judge in judges:
                judge.start_dry_run()
                red_team(judge, attacks=arguments.attacks, resampling=resampling)
                console.result(judge.describe())
            return 0
        with console.reporting(judges):
            results = [
                red_team(judge, attacks=arguments.attacks, resampling=resampling)
                for judge in judges
            ]
        text = "\n\n".join(f"{result.verdict()}\n\n{result!r}" for result in results)
        write_result(arguments, console, {"judges": [result.to_dict() for result in results]}, text)
    return 0
