"""What the measures of a metric are; for files that do not say, a guess from signatures and names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import unquote

from rubrica.data.measures import MeasureGroup, MeasureIndex, plain_path
from rubrica.data.metrics import Metrics
from rubrica.metrics.base import METRICS, Metric

# Measures with names of their own, as the original programs print them.
_OWN_NAMES = dict.fromkeys(
    ("KLInputSummary", "KLSummaryInput", "unsmoothedJSD", "smoothedJSD"), "simetrix"
)


def measure_groups(metric: Metric, paths: Iterable[Sequence[str]]) -> list[MeasureGroup]:
    """Return what the values at these paths of a row's `metrics` are, as the metric declares it."""
    groups: dict[MeasureGroup, dict[str, list[str]]] = {}
    tops: dict[str, set[MeasureGroup]] = {}
    for path in dict.fromkeys(map(plain_path, paths)):
        group = _described(metric, metric.label, path[1:] if metric.output_key else path)
        groups.setdefault(group, {}).setdefault(path[0], []).append(".".join(path))
        tops.setdefault(path[0], set()).add(group)
    return [
        MeasureGroup(
            group.metric,
            tuple(
                name
                for top, names in by_top.items()
                # A top-level key whose measures are alike stands for all of them.
                for name in ([top] if len(tops[top]) == 1 else names)
            ),
            group.direction,
            group.range,
            group.sentence_level,
        )
        for group, by_top in groups.items()
    ]


class Measures:
    """What the measures in files of scores are: as the rows say it, and otherwise a guess."""

    def __init__(self, rows: Iterable[Metrics] = ()) -> None:
        self._index = MeasureIndex()
        self._guesses: dict[Any, list[MeasureGroup]] = {}
        for row in rows:
            self.add(row)

    def add(self, row: Metrics) -> None:
        """Take what a row says; where it has only signatures, what these suggest."""
        if row.measures or not row.signatures:
            self._index.add(row.measures)
            return
        key = row.signatures, tuple(row.metrics)
        if key not in self._guesses:
            paths = (".".join(plain_path(path)) for path, _ in row.metrics.leaves())
            self._guesses[key] = [_guess(name, row.signatures) for name in dict.fromkeys(paths)]
        self._index.add(self._guesses[key])

    def group(self, path: Sequence[str]) -> MeasureGroup:
        """Return what the measure at a path of keys is."""
        return self._index.find(path) or _guess(".".join(path))


def metric_for_measure(measure: str) -> type[Metric] | None:
    """Return the registered metric that a measure (dotted name) is named after; None for somebody else's.

    Only for files that do not say it: `js-1-divergence` is of `js`, `rouge-we-1.f1` of `rouge-we`, not of
    `rouge`; the longest name counts.
    """
    parts = plain_path(measure.split("."))
    for part in parts:
        if part in _OWN_NAMES:
            return METRICS.get(_OWN_NAMES[part])
    top = parts[0]
    begins = [
        name for name in METRICS.names() if top == name or top.startswith((f"{name}-", f"{name}_"))
    ]
    return METRICS.get(max(begins, key=len)) if begins else None


def _guess(measure: str, signatures: Iterable[str] = ()) -> MeasureGroup:
    """Return what a measure may be: of the metric it is named after, or of the only one with a signature."""
    names = [unquote(line.strip().partition("|")[0]) for line in signatures]
    # Data must not import anything: `find` takes registered names only, no address `module:Class`.
    signed = [metric for name in names if (metric := METRICS.find(name))]
    metric = metric_for_measure(measure) or (signed[0] if len(signed) == len(names) == 1 else None)
    if metric is None:
        # Of one of several metrics, and perhaps of one whose system scores are not means.
        return MeasureGroup("", (measure,), sentence_level=any(m.corpus_statistics for m in signed))
    group = _described(metric, metric.name, measure.split("."))
    # Under a key of its own a measure has a longer name than its metric declares.
    short = _described(metric, metric.name, measure.split(".")[-1:])
    if group.direction == "higher" and short.direction != "higher":
        group = short
    corpus = group.sentence_level and (metric in signed or not names)
    return MeasureGroup(metric.name, (measure,), group.direction, group.range, corpus)


def _described(metric: Metric | type[Metric], name: str, path: Sequence[str]) -> MeasureGroup:
    """Return a group without names."""
    measure = ".".join(path)
    low, high = (bound if math.isfinite(bound) else None for bound in metric.range_of(measure))
    return MeasureGroup(
        name, (), metric.direction_of(measure), (low, high), metric.corpus_statistics
    )
