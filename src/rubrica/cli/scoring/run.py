"""Running `evaluate` and `score`: the words of the command line become a call, its result is printed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from rubrica.cli.console import Console, console_for
from rubrica.cli.options import resampling_of
from rubrica.cli.scoring.dry_run import ScoreRows, estimate_cost
from rubrica.cli.scoring.inputs import check_fields
from rubrica.cli.scoring.outputs import evaluation_text
from rubrica.cli.signals import stoppable
from rubrica.datasets.clusters import read_clusters
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.source import Source
from rubrica.errors import UsageError
from rubrica.metrics.base.metric import Metric
from rubrica.scoring.api import evaluate, score
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
            return self._dry_run(partial(evaluate, keep_rows=False, resampling=Resampling(0)))
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
                clusters=read_clusters(self.arguments.cluster, self.files, reader=self.reader)
                if resampling.rounds
                else None,
                keep_rows=False,
                **self._options(console),
            )
            if macro == "-":
                print(evaluation_text(evaluation, "json", self.metrics), flush=True)
            elif micro != "-":
                saved = macro is not None or micro is not None
                text = evaluation_text(evaluation, self.arguments.format, self.metrics)
                console.result(text, saved=saved)
        return 0

    def score(self, output: str) -> int:
        """Score all rows, peers and references, with jackknifing."""
        without_jackknifing = self.arguments.disable_peer_jackknifing
        score_rows = partial(score, disable_peer_jackknifing=without_jackknifing)
        if self.arguments.dry_run:
            return self._dry_run(score_rows)
        with self._console(systems=False) as console:
            source = Source(self.reader, self.files)
            score_rows(source, self.metrics, output=output, **self._options(console))
        return 0

    def _dry_run(self, score_rows: ScoreRows) -> int:
        estimate_cost(self.arguments, self.metrics, Source(self.reader, self.files), score_rows)
        return 0

    def _options(self, console: Console) -> dict[str, Any]:
        return {name: getattr(self.arguments, name) for name in OPTIONS} | {"reporter": console}

    @contextmanager
    def _console(self, *, systems: bool = True) -> Iterator[Console]:
        with console_for(self.arguments) as console, stoppable():
            check_fields(self.reader, self.metrics)
            with console.reporting(self.metrics, systems=systems):
                yield console
                if description := self.reader.describe():
                    console.say(description)
