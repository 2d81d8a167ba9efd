"""Builds an `Evaluation`: gathers the values of scored rows, then summarizes each system."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from rubrica.data.clusters import ClusterRule, labels_of, warn_of_clusters
from rubrica.data.measures import MeasureGroup
from rubrica.data.value_table import ValueTable
from rubrica.errors import DataError, MismatchError
from rubrica.metrics.base.measures import measure_groups
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.sample import resampling_facts, summarize
from rubrica.scoring.digest import DataDigest
from rubrica.scoring.evaluation import Evaluation, SystemScores
from rubrica.statistics.intervals import FloatMatrix, Interval, Resampling

# Inputs whose ids are looked at for signs of clusters.
_FIRST_IDS = 2000


class _Columns:
    """Values of one system, a column per measure, with 8 bytes per value."""

    def __init__(self) -> None:
        self.rows = 0
        self.instance_ids: list[str] = []
        self._values: dict[str, array[float]] = {}
        self._statistics: dict[int, array[float]] = {}

    def add(
        self,
        names: Sequence[str],
        values: FloatMatrix,
        statistics: Mapping[int, FloatMatrix],
        instance_ids: Sequence[str] = (),
    ) -> None:
        """Add summaries; a measure they lack is undefined for them."""
        count = len(values)
        self.instance_ids += instance_ids
        for name, column in zip(names, values.T, strict=True):
            if name not in self._values:
                self._values[name] = array("d", [math.nan]) * self.rows
            self._values[name].frombytes(column.tobytes())
        if len(names) < len(self._values):
            for name in self._values.keys() - set(names):
                self._values[name].extend([math.nan] * count)
        for metric, rows in statistics.items():
            self._statistics.setdefault(metric, array("d")).frombytes(rows.tobytes())
        self.rows += count

    def move_values(self, names: Sequence[str], into: FloatMatrix) -> None:
        """Move the values into a matrix [summary, measure]; this object no longer has them."""
        for number, name in enumerate(names):
            column = self._values.pop(name, None)
            into[:, number] = np.nan if column is None else np.frombuffer(column)

    def statistics_width(self, metric: int) -> int:
        """Return the number of corpus statistics of a summary."""
        return len(self._statistics[metric]) // self.rows

    def move_statistics(self, metric: int, into: FloatMatrix) -> None:
        """Move the corpus statistics into a matrix with a row per summary."""
        into[:] = np.frombuffer(self._statistics.pop(metric)).reshape(into.shape)


@dataclass(frozen=True, slots=True)
class _Gathered:
    """The values of one metric for all summaries, system by system."""

    names: list[str]
    values: FloatMatrix
    # What system scores are computed from: the values, or rows of corpus statistics.
    summed: FloatMatrix


class EvaluationBuilder:
    """Collects scored rows and builds an `Evaluation`."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        include_references: bool,
        resampling: Resampling,
        clusters: ClusterRule | None = None,
    ) -> None:
        self.digest = DataDigest()
        self._clusters = clusters
        self._first_ids: dict[str, None] = {}
        self._metrics, self._resampling = metrics, resampling
        self._include_references = include_references
        self._systems: dict[str, _Columns] = {}
        self._paths: list[dict[str, tuple[str, ...]]] = [{} for _ in metrics]
        self._left_out: Counter[str] = Counter()
        self._references: tuple[int, int] | None = None
        self._facts: list[Mapping[str, str]] = [{} for _ in metrics]
        self._all: list[_Gathered] | None = None

    def add(self, table: ValueTable) -> None:
        """Add rows: the values of each metric, and its corpus statistics if any."""
        is_counted = np.full(len(table), True) if self._include_references else ~table.is_reference
        left_out = len(table) - int(is_counted.sum())
        if left_out:
            self._left_out["reference"] += left_out
        if left_out == len(table):
            return
        names = self._measures(table)
        # Facts of the counted rows for signatures: those of metrics, and the number of references.
        for number, of_peers in enumerate(table.peer_facts):
            of_references = table.reference_facts[number] if self._include_references else {}
            # One row with facts is enough.
            self._facts[number] = self._facts[number] or of_peers or of_references
        reference_counts = table.references[is_counted & (table.references >= 0)]
        if len(reference_counts):
            low, high = self._references or (int(reference_counts[0]), int(reference_counts[0]))
            self._references = (
                min(low, int(reference_counts.min())),
                max(high, int(reference_counts.max())),
            )
        if len(self._first_ids) < _FIRST_IDS:
            self._first_ids.update(dict.fromkeys(table.instance_ids))
        for number, system in enumerate(table.systems):
            rows = np.flatnonzero(is_counted & (table.system == number))
            if len(rows):
                self._systems.setdefault(system, _Columns()).add(
                    names,
                    table.values[rows],
                    {metric: values[rows] for metric, values in table.statistics.items()},
                    [table.instance_ids[row] for row in rows.tolist()] if self._clusters else (),
                )

    def add_batch(self, table: ValueTable | None, identities: bytes) -> None:
        """Add a scored batch and the identities of its rows."""
        if table is not None:
            self.add(table)
            self.digest.add(identities)

    def _measures(self, table: ValueTable) -> list[str]:
        """Return the names of a table's columns and remember new ones."""
        names = []
        for metric, paths in enumerate(table.paths):
            for path in paths:
                name = ".".join(path)
                if self._paths[metric].get(name) != path:
                    if any(name in metric_paths for metric_paths in self._paths):
                        raise MismatchError(f"two measures are both called {name!r}; rename one")
                    self._paths[metric][name] = path
                names.append(name)
        return names

    def build(self) -> Evaluation:
        """Return the scores of everything added."""
        if not self._systems:
            note = f" (only {self._left_out['reference']} references)" if self._left_out else ""
            raise DataError(
                f"nothing to evaluate: the input has no peer summaries{note}; "
                "`include_references=True` counts reference rows too"
            )
        gathered, spans = self._gathered(), self._spans()
        labels = self._labels()
        clusters = len(set(labels)) if labels else None
        systems = {
            name: self._scores(gathered, span, labels and labels[span])
            for name, span in zip(self._systems, spans, strict=True)
        }
        # With one system, the overall scores are those of the system.
        if len(systems) == 1:
            [overall] = systems.values()
        else:
            overall = self._scores(gathered, slice(0, spans[-1].stop), labels)
        return Evaluation(
            overall,
            systems,
            dict(self._left_out),
            self._described(),
            self._signatures(clusters),
            self._resampling,
            clusters=clusters,
        )

    def matrices(self, orders: Sequence[Sequence[int]]) -> list[tuple[list[str], FloatMatrix]]:
        """Return for each metric its measures and the matrix that its system scores are computed from.

        An array [system, summary, column]: values of the measures, or rows of corpus statistics. The
        orders say, system by system, in which order its summaries stand.
        """
        result = []
        for metric_values in self._gathered():
            parts = zip(self._spans(), orders, strict=True)
            stacked = [metric_values.summed[span][list(order)] for span, order in parts]
            result.append((metric_values.names, np.stack(stacked)))
        return result

    def _spans(self) -> list[slice]:
        """Return the span of each system's summaries among all."""
        ends = list(accumulate(system.rows for system in self._systems.values()))
        return [slice(start, end) for start, end in pairwise([0, *ends])]

    def _gathered(self) -> list[_Gathered]:
        """Return the values of all systems, gathered once."""
        if self._all is None:
            self._all = [self._gather(number) for number in range(len(self._metrics))]
        return self._all

    def _gather(self, number: int) -> _Gathered:
        names, systems, spans = list(self._paths[number]), self._systems.values(), self._spans()
        values = np.empty((spans[-1].stop, len(names)))
        for system, span in zip(systems, spans, strict=True):
            system.move_values(names, values[span])
        if not self._metrics[number].corpus_statistics:
            return _Gathered(names, values, values)
        width = next(system.statistics_width(number) for system in systems)
        statistics = np.empty((spans[-1].stop, width))
        for system, span in zip(systems, spans, strict=True):
            system.move_statistics(number, statistics[span])
        return _Gathered(names, values, statistics)

    def _described(self) -> dict[str, MeasureGroup]:
        """Return the description of each measure by its metric."""
        return {
            name: group
            for metric, paths in zip(self._metrics, self._paths, strict=True)
            for name, path in paths.items()
            for group in measure_groups(metric, [path])
        }

    def _labels(self) -> list[str] | None:
        """Return the cluster of every summary, in the order of all; warns if there may be some and none are used."""
        if self._clusters is None:
            if self._resampling.rounds:
                warn_of_clusters(list(self._first_ids))
            return None
        instance_ids = [name for system in self._systems.values() for name in system.instance_ids]
        labels = labels_of(instance_ids, self._clusters)
        return None if labels is None else [labels[name] for name in instance_ids]

    def _scores(
        self, gathered: Sequence[_Gathered], span: slice, labels: Sequence[str] | None
    ) -> SystemScores:
        scores: dict[str, Interval] = {}
        undefined: dict[str, int] = {}
        for metric, metric_values in zip(self._metrics, gathered, strict=True):
            missing = np.isnan(metric_values.values[span]).sum(axis=0).tolist()
            undefined |= {
                name: count
                for name, count in zip(metric_values.names, missing, strict=True)
                if count
            }
            measures = metric_values.names
            if metric.corpus_statistics:
                measures = [_own_name(metric, name) for name in metric_values.names]
            intervals = summarize(
                metric, measures, metric_values.summed[span], self._resampling, labels
            )
            scores |= dict(zip(metric_values.names, intervals, strict=True))
        paths_of = {name: path for paths in self._paths for name, path in paths.items()}
        return SystemScores(span.stop - span.start, scores, undefined, paths_of)

    def _signatures(self, clusters: int | None) -> list[str]:
        facts: dict[str, Any] = {}
        if self._references is not None:
            low, high = self._references
            facts["refs"] = low if low == high else f"{low}-{high}"
        if self._include_references:
            facts["with"] = "references"
        return [
            str(
                metric.signature().applied(
                    str(self.digest),
                    **facts,
                    **metric_facts,
                    **resampling_facts(metric, self._resampling, clusters),
                )
            )
            for metric, metric_facts in zip(self._metrics, self._facts, strict=True)
        ]


def _own_name(metric: Metric, name: str) -> str:
    """Return a measure's name without the output key of its metric."""
    return name.removeprefix(f"{metric.output_key}.")
