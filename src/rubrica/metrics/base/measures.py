"""Facts about a metric's measures; guessed from signatures and names for files without them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from urllib.parse import unquote

from msgspec.structs import replace

from rubrica.data.measures import MeasureGroup, plain_path
from rubrica.data.metrics import Metrics
from rubrica.errors import MismatchError
from rubrica.metrics.base.metric import METRICS, Metric

# Measures with names of their own, as the original programs print them.
_OWN_NAMES = dict.fromkeys(
    ("KLInputSummary", "KLSummaryInput", "unsmoothedJSD", "smoothedJSD"), "simetrix"
)


def measure_groups(metric: Metric, paths: Iterable[Sequence[str]]) -> list[MeasureGroup]:
    """Return what the values at these paths of a row's `metrics` are, as the metric declares it."""
    groups: dict[MeasureGroup, list[tuple[str, ...]]] = {}
    for path in dict.fromkeys(map(plain_path, paths)):
        inner = path[1:] if metric.output_key else path
        groups.setdefault(_describe(metric, metric.label, inner), []).append(path)
    # A top-level key represents all its measures if they are of one kind.
    kinds = Counter(top for inside in groups.values() for top in {path[0] for path in inside})
    names = [
        [p[0] if kinds[p[0]] == 1 else ".".join(p) for p in group_paths]
        for group_paths in groups.values()
    ]
    return [
        replace(group, names=tuple(dict.fromkeys(measures)))
        for group, measures in zip(groups, names, strict=True)
    ]


class Measures:
    """What the measures in files of scores are: as the rows say it, and otherwise a guess."""

    def __init__(self, rows: Iterable[Metrics] = ()) -> None:
        self._by_name: dict[str, MeasureGroup] = {}
        self._last: Sequence[MeasureGroup] = ()
        for row in rows:
            self.add(row)

    def add(self, row: Metrics) -> None:
        """Add what a row says. That lower and higher values of one measure are better is an error."""
        groups = row.measures
        if not groups and row.signatures:
            groups = _guesses(row.signatures, tuple(row.metrics.measure_names()))
        if groups is self._last:
            return
        self._last = groups
        for group in groups:
            for name in group.names:
                known = self._by_name.setdefault(name, group)
                if {known.direction, group.direction} == {"higher", "lower"}:
                    raise MismatchError(
                        f"{name!r}: {known.direction} is better by metric {known.metric!r}, "
                        f"{group.direction} by {group.metric!r}; put one under another name"
                    )

    def group(self, path: Sequence[str]) -> MeasureGroup:
        """Return what the measure at a path of keys is."""
        known, path = self._by_name, plain_path(path)
        name = ".".join(path)
        return known.get(name) or known.get(path[0]) or _guess(name, ())


def metric_for_measure(measure: str) -> type[Metric] | None:
    """Return the registered metric that a measure (dotted name) is named after; None for somebody else's.

    Only for files that do not say it: `js-1-divergence` is of `js`, `rouge-we-1.f1` of `rouge-we`, not of
    `rouge`; the longest name counts.
    """
    parts = plain_path(measure.split("."))
    for part in parts:
        if part in _OWN_NAMES:
            return METRICS.get(_OWN_NAMES[part])
    # Others write TER, METEOR or BERTScore.
    for top in (parts[0], parts[0].lower()):
        begins = [
            name
            for name in METRICS.names()
            if top == name or top.startswith((f"{name}-", f"{name}_"))
        ]
        if begins:
            return METRICS.get(max(begins, key=len))
    return None


@lru_cache
def _guesses(signatures: Sequence[str], measures: Sequence[str]) -> tuple[MeasureGroup, ...]:
    names = dict.fromkeys(".".join(plain_path(measure.split("."))) for measure in measures)
    return tuple(_guess(name, signatures) for name in names)


def _guess(measure: str, signatures: Sequence[str]) -> MeasureGroup:
    """Return what a measure may be: of the metric it is named after, or of the only one with a signature."""
    # Data must not import anything: `find` takes registered names only, no address `module:Class`.
    signed_metrics = [METRICS.find(unquote(line.strip().partition("|")[0])) for line in signatures]
    metric = metric_for_measure(measure) or (
        signed_metrics[0] if len(signed_metrics) == 1 else None
    )
    if metric is None:
        # It may belong to any of several metrics, perhaps to one whose system scores are not means.
        corpus = any(metric is not None and metric.corpus_statistics for metric in signed_metrics)
        return MeasureGroup("", (measure,), sentence_level=corpus)
    # Under its own output key, a measure has a longer name than its metric declares; others write TER.
    paths = [name.split(".") for name in (measure, measure.lower())]
    groups = [_describe(metric, metric.name, p) for path in paths for p in (path, path[-1:])]
    group = next((group for group in groups if group.direction != "higher"), groups[0])
    corpus = group.sentence_level and (metric in signed_metrics or not signed_metrics)
    return replace(group, names=(measure,), sentence_level=corpus)


def _describe(metric: Metric | type[Metric], name: str, path: Sequence[str]) -> MeasureGroup:
    """Return a group without names."""
    measure = ".".join(path)
    bounds = metric.own_range(measure) if isinstance(metric, Metric) else metric.range_of(measure)
    low, high = (bound if math.isfinite(bound) else None for bound in bounds)
    return MeasureGroup(
        name, (), metric.direction_of(measure), (low, high), metric.corpus_statistics
    )
