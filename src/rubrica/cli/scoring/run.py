"""Running `evaluate` and `score`: the words of the command line become a call, its result is printed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rubrica.cli.console import Console, console_for, has_style
from rubrica.cli.scoring.inputs import check_fields
from rubrica.cli.scoring.run_options import resampling_of
from rubrica.cli.signals import stoppable
from rubrica.data.jsonl import encoded_json
from rubrica.datasets.clusters import read_clusters
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.source import Source
from rubrica.errors import UsageError, printable
from rubrica.metrics.base.metric import Metric
from rubrica.scoring.api import evaluate, score
from rubrica.scoring.evaluation import Evaluation
from rubrica.statistics.intervals import Resampling

OPTIONS = (
    "engine",
    "workers",
    "address",
    "batch_size",
    "store",
    "resume",
    "overwrite",
    "parts_format",
)


@dataclass(frozen=True, slots=True)
class Run:
    """One run: metrics, reader, files, and the words of the command line."""

    arguments: argparse.Namespace
    metrics: Sequence[Metric]
    reader: DatasetReader
    files: Sequence[str]

    def evaluate(self, macro: str | None, micro: str | None) -> int:
        """Score all rows, then print the systems' scores."""
        resampling = resampling_of(self.arguments)
        if self.arguments.dry_run:
            return self._estimate(evaluate, {"keep_rows": False, "resampling": Resampling(0)})
        if self.arguments.format == "rouge155" and all(m.name != "rouge" for m in self.metrics):
            raise UsageError("--format rouge155 needs the metric 'rouge'")
        with self._console() as console:
            evaluation, _ = evaluate(
                Source(self.reader, self.files),
                self.metrics,
                output=micro,
                summary_output=macro,
                include_references=self.arguments.include_references,
                resampling=resampling,
                clusters=read_clusters(self.arguments.cluster, self.files),
                keep_rows=False,
                **self._options(console),
            )
            if macro == "-":
                print(self._shown(evaluation, "json"), flush=True)
            elif micro != "-":
                saved = macro is not None or micro is not None
                console.result(self._shown(evaluation, self.arguments.format), saved=saved)
        return 0

    def score(self, output: str) -> int:
        """Score all rows, peers and references, with jackknifing."""
        if self.arguments.dry_run:
            without = self.arguments.disable_peer_jackknifing
            return self._estimate(score, {"disable_peer_jackknifing": without})
        with self._console(systems=False) as console:
            score(
                Source(self.reader, self.files),
                self.metrics,
                output=output,
                disable_peer_jackknifing=self.arguments.disable_peer_jackknifing,
                **self._options(console),
            )
        return 0

    def _estimate(self, run: Callable[..., Any], options: Mapping[str, Any]) -> int:
        """Print what the metrics would request, without a request or an output."""
        asking = [metric for metric in self.metrics if metric.start_dry_run()]
        if not asking:
            raise UsageError("--dry-run: none of the metrics asks a model, so there is no cost")
        with console_for(self.arguments) as console, stoppable():
            check_fields(self.reader, asking)
            running = {name: getattr(self.arguments, name) for name in ("workers", "batch_size")}
            run(Source(self.reader, self.files), asking, reporter=console, **running, **options)
            for metric in asking:
                console.result(metric.describe())
                metric.release()
        return 0

    def _options(self, console: Console) -> dict[str, Any]:
        return {name: getattr(self.arguments, name) for name in OPTIONS} | {"reporter": console}

    def _shown(self, evaluation: Evaluation, layout: str) -> str:
        if layout == "json":
            return encoded_json(evaluation.to_dict()).decode().rstrip()
        if layout == "rouge155":
            from rubrica.cli.rouge155.layout import rouge155_layout

            return printable(rouge155_layout(evaluation, list(self.metrics)))
        return evaluation.to_table().to_text(bold=has_style(sys.stdout))

    @contextmanager
    def _console(self, *, systems: bool = True) -> Iterator[Console]:
        with console_for(self.arguments) as console, stoppable():
            check_fields(self.reader, self.metrics)
            with console.reporting(self.metrics, systems=systems):
                yield console
                if description := self.reader.describe():
                    console.say(description)
