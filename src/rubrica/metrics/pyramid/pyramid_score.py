"""The pyramid scores of human annotations: modified, and original."""

from __future__ import annotations

import math
from typing import Any

from rubrica.data.pyramid import Pyramid, PyramidAnnotation
from rubrica.errors import ParameterError
from rubrica.metrics.base.bases import PyramidBasedMetric
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.units import Unit, heaviest_weight, supported_weight


@Metric.register("pyramid-score")
class PyramidScore(PyramidBasedMetric):
    """Weight of the content units in a summary, relative to an ideal summary of average size.

    The ideal summary expresses as many units as a reference does on average (rounded up), the heaviest
    first. Annotated units that the pyramid lacks count nothing. A pyramid without units: 0.

    The original score (`pyramid_score`) has an ideal summary of the annotated summary's own number of
    units instead, units that the pyramid lacks included. An annotation without units: 0.

    Args:
        name_override: Output key, instead of `modified_pyramid_score`.
        compute_original: Also compute the original score, as `pyramid_score`.
    """

    value_range = (0.0, float("inf"))
    citation = """@article{nenkova-etal-2007-pyramid,
    title = "The Pyramid Method: Incorporating human content selection variation in
      summarization evaluation",
    author = "Nenkova, Ani and Passonneau, Rebecca and McKeown, Kathleen",
    journal = "ACM Transactions on Speech and Language Processing", volume = "4", number = "2",
    year = "2007"}"""

    def __init__(self, name_override: str | None = None, compute_original: bool = False) -> None:
        super().__init__()
        self.key = name_override or "modified_pyramid_score"
        self.compute_original = compute_original
        if compute_original and self.key == "pyramid_score":
            raise ParameterError(
                "pyramid-score: name_override='pyramid_score' is the key of the original score"
            )

    def score_one(self, *fields: Any) -> dict[str, float]:
        """Return the scores of one annotation."""
        annotation: PyramidAnnotation
        pyramid: Pyramid
        annotation, pyramid = fields
        expressed = annotation.get_scu_id_set()
        units = [
            Unit(scu.label, scu.get_weight(), float(scu.scu_id in expressed))
            for scu in pyramid.scus
        ]
        weight = supported_weight(units)

        def of_ideal(size: int) -> float:
            ideal = heaviest_weight(units, size)
            return weight / ideal if ideal else 0.0

        counts = pyramid.scu_counts()
        scores = {self.key: of_ideal(math.ceil(sum(counts) / len(counts)) if counts else 0)}
        if self.compute_original:
            scores["pyramid_score"] = of_ideal(len(expressed))
        return scores
