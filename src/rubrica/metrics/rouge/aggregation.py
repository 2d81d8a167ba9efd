"""A system's ROUGE from that of its summaries: official averages, means, or F of means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rubrica.core.rouge_options import scale_printed
from rubrica.data.metrics import MetricsDict
from rubrica.metrics.base.aggregation import MeanAggregation
from rubrica.metrics.rouge.batch import RougeMetric
from rubrica.metrics.rouge.bootstrap import official_order, official_scores, printed_units
from rubrica.statistics.intervals import (
    FloatMatrix,
    Interval,
    Resampling,
    bootstrap_means,
    bootstrap_statistics,
)


class RougeAggregation(RougeMetric, abstract=True):
    """A ROUGE whose system scores follow the rule of its profile."""

    @classmethod
    def score_aggregation(cls, signature: Mapping[str, str]) -> MeanAggregation:
        """Return the rule of the profile that the signature names."""
        parameters: dict[str, Any] = {
            name: signature[name] for name in ("profile",) if name in signature
        }
        if "full_precision" in signature:
            parameters["full_precision"] = signature["full_precision"] == "yes"
        if "alpha" in signature:
            parameters["alpha"] = float(signature["alpha"])
        return cls(**parameters)

    @property
    def averages(self) -> bool:
        """Return whether system scores are means: false if the profile has its own rule."""
        return self.engine.profile.system == "mean" or self.engine.full_precision

    def aggregate(self, rows: Sequence[MetricsDict]) -> MetricsDict:
        """Return a system's scores: official averages, means, or F of means, as the profile has it."""
        system = self.engine.profile.system
        if self.averages or not rows:
            return super().aggregate(rows)
        values = np.array([[row[k][p] for k in self.keys for p in self.shown] for row in rows])
        if system == "rouge155":
            averages = [interval.value for interval in self._official(values, Resampling())]
            return self._dicts(np.array(averages).reshape(1, -1, 3))[0]
        return self._f_of_means(super().aggregate(rows))

    def summarize(
        self, measures: Sequence[str], values: FloatMatrix, resampling: Resampling
    ) -> list[Interval]:
        """Return a system's scores with intervals; officially by ROUGE-1.5.5's own seeds and rule.

        The official average depends on the number of rounds, as with the program's option -r.
        """
        if self.engine.full_precision or self.engine.profile.system == "mean":
            return bootstrap_means(values, resampling)
        if self.engine.profile.system == "f-of-means":
            return self._resample_f_of_means(measures, values, resampling)
        return self._official(values, resampling)

    def resampling_facts(self, resampling: Resampling) -> dict[str, Any]:
        """Return rounds and seed; official scores use ROUGE-1.5.5's own seeds for the average too."""
        if self.engine.profile.system != "rouge155" or self.engine.full_precision:
            return super().resampling_facts(resampling)
        rounds = resampling.rounds or Resampling().rounds
        return {"bs": rounds, "seed": "rouge-1.5.5", **resampling.shown_confidence()}

    def _official(self, values: FloatMatrix, resampling: Resampling) -> list[Interval]:
        scale = self.engine.profile.scale
        units = printed_units(values, scale, official_order(len(values)))
        rounds = resampling.rounds or Resampling().rounds
        scores = official_scores(units, rounds, resampling.confidence)
        columns = zip(*(scale_printed(part, scale).tolist() for part in scores), strict=True)
        if not resampling.rounds or len(values) < 2:
            return [Interval(average) for average, _, _ in columns]
        return [Interval(average, lower, upper) for average, lower, upper in columns]

    def _f_of_means(self, means: MetricsDict) -> MetricsDict:
        for key in self.keys:
            means[key]["f1"] = self._f(means[key]["recall"], means[key]["precision"])
        return means

    def _f(self, recall: float, precision: float) -> float:
        below = self.engine.alpha * recall + (1 - self.engine.alpha) * precision
        return recall * precision / below if recall and precision else 0.0

    def score_sums(
        self, measures: Sequence[str], sums: FloatMatrix, counts: FloatMatrix
    ) -> FloatMatrix:
        """Return means, or F of mean recall and precision where the profile has that.

        Official profiles use the means too: the official average, a mean of resamples, is close to them.
        """
        means = super().score_sums(measures, sums, counts)
        if self.engine.profile.system != "f-of-means" or self.engine.full_precision:
            return means
        column = {name: number for number, name in enumerate(measures)}
        for name, number in column.items():
            key, _, part = name.rpartition(".")
            if part == "f1":
                recall, precision = (
                    means[:, column[f"{key}.{rate}"]] for rate in ("recall", "precision")
                )
                below = self.engine.alpha * recall + (1 - self.engine.alpha) * precision
                means[:, number] = recall * precision / np.where(below > 0, below, 1.0)
        return means

    def _resample_f_of_means(
        self, measures: Sequence[str], values: FloatMatrix, resampling: Resampling
    ) -> list[Interval]:
        def score(totals: FloatMatrix) -> FloatMatrix:
            return self.score_sums(measures, totals, np.full_like(totals, len(values)))

        means = score(values.sum(axis=0, keepdims=True))[0].tolist()
        return bootstrap_statistics(means, values, score, resampling)
