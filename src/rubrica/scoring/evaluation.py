"""What `evaluate` finds out: scores of each system and of all summaries, with intervals and counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rubrica.data.measures import MeasureGroup
from rubrica.data.metrics import MetricsDict
from rubrica.formatting.text_table import text_table
from rubrica.metrics.base.precision import digits_of
from rubrica.statistics.intervals import Interval, Resampling


@dataclass(frozen=True, slots=True)
class SystemScores:
    """The scores of one system, or of all summaries together: dotted measure name to interval."""

    num_summaries: int
    scores: Mapping[str, Interval]
    undefined: Mapping[str, int]
    paths: Mapping[str, tuple[str, ...]]

    def metrics(self) -> MetricsDict:
        """The values alone, nested as the metrics gave them."""
        return self._nested(lambda interval: interval.value)

    def to_dict(self) -> dict[str, Any]:
        """As written to the macro file."""
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
class Evaluation:
    """Scores overall and per system, what was left out, and how the numbers were computed.

    Printed it is the table of the command line.
    """

    overall: SystemScores
    systems: Mapping[str, SystemScores]
    left_out: Mapping[str, int]
    measures: Mapping[str, MeasureGroup]
    signatures: Sequence[str]
    resampling: Resampling

    def __repr__(self) -> str:
        """Systems by measures, and the signatures."""
        return _table(self)

    @property
    def lower_is_better(self) -> frozenset[str]:
        """The measures whose lower values are better."""
        return frozenset(
            name for name, group in self.measures.items() if group.direction == "lower"
        )

    def to_dict(self) -> dict[str, Any]:
        """As written to the macro file; `metrics` holds the overall values, as SacreROUGE's does."""
        overall = self.overall.to_dict()
        return {
            "metrics": overall.pop("metrics"),
            **overall,
            "confidence": self.resampling.confidence,
            "systems": {name: system.to_dict() for name, system in self.systems.items()},
            "left_out": dict(self.left_out),
            "signatures": list(self.signatures),
        }


def shown_measures(names: Sequence[str]) -> list[str]:
    """Of precision, recall and F only F: the table stays readable, the file has all."""
    groups = {name.removesuffix(".f1") for name in names if name.endswith(".f1")}
    parts = {f"{group}.{part}" for group in groups for part in ("precision", "recall")}
    return [name for name in names if name not in parts]


def _table(evaluation: Evaluation) -> str:
    """Systems by measures; the best system by the first measure stands first."""
    names = shown_measures(list(evaluation.overall.scores))
    sign = 1 if names[0] in evaluation.lower_is_better else -1

    def rank(scores: SystemScores) -> float:
        value = scores.scores[names[0]].value
        return math.inf if math.isnan(value) else sign * value

    rows = sorted(evaluation.systems.items(), key=lambda item: rank(item[1]))
    if len(rows) > 1:
        rows.append(("(all)", evaluation.overall))
    columns = [[name for name, _ in rows], [f"{scores.num_summaries:,}" for _, scores in rows]]
    values = {name: [scores.scores[name].value for _, scores in rows] for name in names}
    digits = digits_of(values, evaluation.measures)
    columns += [
        _column([scores.scores[name] for _, scores in rows], digits[name]) for name in names
    ]
    cells = [list(row) for row in zip(*columns, strict=True)]
    lines = [text_table(["system", "n", *names], cells), "", *_notes(evaluation, names)]
    return "\n".join([*lines, *evaluation.signatures])


def _column(intervals: Sequence[Interval], digits: int) -> list[str]:
    cells = []
    for interval in intervals:
        if math.isnan(interval.value):
            cells.append("undefined")
        elif interval.lower is None or interval.upper is None:
            cells.append(f"{interval.value:.{digits}f}")
        else:
            half = (interval.upper - interval.lower) / 2
            cells.append(f"{interval.value:.{digits}f} ±{half:.{digits}f}")
    return cells


def _notes(evaluation: Evaluation, names: Sequence[str]) -> list[str]:
    notes = []
    resampling = evaluation.resampling
    if resampling.rounds:
        notes.append(
            f"± half the width of the {resampling.confidence:g} % bootstrap interval over summaries"
        )
    if len(names) < len(evaluation.overall.scores):
        notes.append("f1 is shown; precision and recall are in the JSON output")
    for kind, count in evaluation.left_out.items():
        notes.append(f"{count:,} {kind} rows scored, but left out of the system scores")
    for name, count in evaluation.overall.undefined.items():
        notes.append(f"{name}: undefined for {count:,} summaries, left out of the mean")
    return [*notes, ""] if notes else []
