"""The result of `evaluate`: scores of each system and of all summaries, with intervals and counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rubrica.data.instance import EvalInstance
from rubrica.data.measures import MeasureGroup, shown_measures
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.formatting.charts import Panel, Point
from rubrica.formatting.result import Result
from rubrica.formatting.table import Cell, Table
from rubrica.metrics.base.precision import digits_of
from rubrica.parameters import SEED
from rubrica.scoring.examples import Examples, measure_name, sampled_examples, worst_examples
from rubrica.statistics.intervals import Interval, Resampling
from rubrica.statistics.undefined import none_if_nan


@dataclass(frozen=True, slots=True)
class SystemScores:
    """The scores of one system, or of all summaries together: dotted measure name to interval."""

    num_summaries: int
    scores: Mapping[str, Interval]
    undefined: Mapping[str, int]
    paths: Mapping[str, tuple[str, ...]]

    def metrics(self) -> MetricsDict:
        """The values without intervals, nested as the metrics returned them."""
        return self._nested(lambda interval: interval.value)

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the macro file."""
        scores: dict[str, Any] = {
            "num_summaries": self.num_summaries,
            "metrics": self.metrics(),
            "intervals": self._nested(
                lambda i: None if i.lower is None else {"lower": i.lower, "upper": i.upper}
            ),
        }
        if self.undefined:
            scores["undefined"] = dict(self.undefined)
        return scores

    def _nested(self, read: Any) -> MetricsDict:
        nested = MetricsDict()
        for name, interval in self.scores.items():
            value = read(interval)
            for key in reversed(self.paths[name]):
                value = {key: value}
            nested.update(value)
        return nested


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Result):
    """Scores overall and per system, what was left out, and how the numbers were computed.

    It prints as the table of the command line; `to_pandas`, `to_latex` and the like give its other forms.
    """

    overall: SystemScores
    systems: Mapping[str, SystemScores]
    left_out: Mapping[str, int]
    measures: Mapping[str, MeasureGroup]
    signatures: Sequence[str]
    resampling: Resampling
    # The scores of each summary, and where their texts can be read again; nothing where they were not kept.
    rows: Sequence[Metrics] = field(default=(), compare=False)
    data: Iterable[EvalInstance] | None = field(default=None, compare=False)
    # What the scores took: tokens, cost and time of metrics that ask models.
    usage: Sequence[str] = field(default=(), compare=False)
    # How many clusters of inputs the intervals resample; None for single summaries.
    clusters: int | None = None

    @property
    def resampled_units(self) -> str:
        """Return what the intervals resample, in words."""
        return "summaries" if self.clusters is None else f"{self.clusters:,} clusters of inputs"

    def worst(
        self, n: int = 5, *, measure: str | None = None, system: str | None = None
    ) -> Examples:
        """Return the summaries with the worst scores, with their texts where these are known.

        Args:
            n: How many.
            measure: Measure to order by (default: the first of the table).
            system: Only summaries of this system.
        """
        name = self._measure(measure)
        lower = name in self.lower_is_better
        return worst_examples(self.rows, self.data, name, n, lower_is_better=lower, system=system)

    def sample(
        self, n: int = 5, *, measure: str | None = None, system: str | None = None, seed: int = SEED
    ) -> Examples:
        """Return summaries drawn at random; arguments are those of `worst`."""
        return sampled_examples(
            self.rows, self.data, self._measure(measure), n, seed=seed, system=system
        )

    def _measure(self, name: str | None) -> str:
        known = list(self.overall.scores)
        return measure_name(name or shown_measures(known)[0], known)

    def panels(self) -> list[Panel]:
        """Return a panel per measure of the table, with a point per system."""
        return [
            Panel(name, [_point(system, own.scores[name]) for system, own in self.systems.items()])
            for name in shown_measures(list(self.overall.scores))
        ]

    def to_table(self) -> Table:
        """Return systems by measures, the best by the first measure first."""
        names = shown_measures(list(self.overall.scores))
        systems = sorted(self.systems.items(), key=lambda item: self._rank(names[0], item[1]))
        everything = [("(all)", self.overall)] if len(systems) > 1 else []
        values = {
            name: [scores.scores[name].value for _, scores in [*systems, *everything]]
            for name in names
        }
        digits = digits_of(values, self.measures)
        best = {name: self._best(name) for name in names} if everything else {}
        rows = []
        for system, scores in [*systems, *everything]:
            cells = [Cell(system), Cell(f"{scores.num_summaries:,}")]
            for name in names:
                text = interval_text(scores.scores[name], digits[name])
                cells.append(Cell(text, system in self.systems and system in best.get(name, ())))
            rows.append(cells)
        return Table(
            ["system", "n", *(f"{n} ↓" if n in self.lower_is_better else n for n in names)],
            rows,
            caption="Scores of systems.",
            notes=_notes(self, names),
            signatures=self.signatures,
        )

    def records(self) -> list[dict[str, Any]]:
        """Return a row per system and measure: value, bounds, direction and number of summaries."""
        return [
            {
                "system": system,
                "measure": name,
                "value": none_if_nan(interval.value),
                "lower": interval.lower,
                "upper": interval.upper,
                "direction": self.measures[name].direction,
                "summaries": scores.num_summaries,
                "undefined": scores.undefined.get(name, 0),
            }
            for system, scores in self.systems.items()
            for name, interval in scores.scores.items()
        ]

    def _rank(self, name: str, scores: SystemScores) -> float:
        value = scores.scores[name].value
        if math.isnan(value):
            return math.inf
        return value if name in self.lower_is_better else -value

    def _best(self, name: str) -> set[str]:
        """Return the systems with the best value."""
        ranks = {system: self._rank(name, scores) for system, scores in self.systems.items()}
        return {system for system, rank in ranks.items() if rank == min(ranks.values())}

    @property
    def lower_is_better(self) -> frozenset[str]:
        """The measures whose lower values are better."""
        return frozenset(
            name for name, group in self.measures.items() if group.direction == "lower"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the macro file; `metrics` has the overall values, as in SacreROUGE."""
        overall = self.overall.to_dict()
        return {
            "metrics": overall.pop("metrics"),
            **overall,
            "confidence": self.resampling.confidence,
            "systems": {name: system.to_dict() for name, system in self.systems.items()},
            "left_out": dict(self.left_out),
            "signatures": list(self.signatures),
            **({"usage": list(self.usage)} if self.usage else {}),
        }


def _point(name: str, interval: Interval) -> Point:
    return Point(name, none_if_nan(interval.value), interval.lower, interval.upper)


def interval_text(interval: Interval, digits: int) -> str:
    """Return a score and half the width of its interval, as tables show them."""
    if math.isnan(interval.value):
        return "undefined"
    if interval.lower is None or interval.upper is None:
        return f"{interval.value:.{digits}f}"
    half = (interval.upper - interval.lower) / 2
    return f"{interval.value:.{digits}f} ±{half:.{digits}f}"


def _notes(evaluation: Evaluation, names: Sequence[str]) -> list[str]:
    notes = []
    resampling = evaluation.resampling
    if resampling.rounds:
        notes.append(
            f"± half the width of the {resampling.confidence:g} % bootstrap interval over {evaluation.resampled_units}"
        )
    if evaluation.lower_is_better & set(names):
        notes.append("↓ lower is better")
    if len(names) < len(evaluation.overall.scores):
        notes.append("f1 is shown, without precision and recall")
    for kind, count in evaluation.left_out.items():
        notes.append(f"{count:,} {kind} rows scored, but left out of the system scores")
    for name, count in evaluation.overall.undefined.items():
        notes.append(f"{name}: undefined for {count:,} summaries, left out of the mean")
    return [*notes, *evaluation.usage]
