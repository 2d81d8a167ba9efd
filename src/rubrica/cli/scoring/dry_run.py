"""`--dry-run` of `evaluate` and `score`: what metrics would ask a model, and what that would cost."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from rubrica.cli.console import console_for
from rubrica.cli.scoring.inputs import check_fields
from rubrica.cli.signals import stoppable
from rubrica.datasets.source import Source
from rubrica.errors import UsageError
from rubrica.metrics.base.metric import Metric

# `evaluate` or `score`, whose result is not needed.
ScoreRows: TypeAlias = Callable[..., Any]


def estimate_cost(
    arguments: argparse.Namespace,
    metrics: Sequence[Metric],
    source: Source,
    score_rows: ScoreRows,
) -> None:
    """Print what the metrics would request, without a request or an output."""
    asking = [metric for metric in metrics if metric.start_dry_run()]
    if not asking:
        raise UsageError("--dry-run: none of the metrics asks a model, so there is no cost")
    with console_for(arguments) as console, stoppable():
        check_fields(source.reader, asking)
        score_rows(
            source,
            asking,
            reporter=console,
            workers=arguments.workers,
            batch_size=arguments.batch_size,
        )
        for metric in asking:
            console.result(metric.describe())
            metric.release()
