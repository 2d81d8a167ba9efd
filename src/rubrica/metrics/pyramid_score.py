"""The modified pyramid score of human annotations."""

from __future__ import annotations

import math
from typing import Any

from rubrica.data.pyramid import Pyramid, PyramidAnnotation
from rubrica.metrics.base import Metric
from rubrica.metrics.kinds import PyramidBasedMetric


@Metric.register("pyramid-score")
class PyramidScore(PyramidBasedMetric):
    """Weight of the content units a summary expresses, over that of an ideal summary of average size.

    The ideal summary expresses as many units as a reference does on average (rounded up), the heaviest
    first. Annotated units that the pyramid lacks count nothing. A pyramid without units: 0.

    Args:
        name_override: The output key, in place of `modified_pyramid_score`.
    """

    value_range = (0.0, float("inf"))
    citation = """@article{nenkova-etal-2007-pyramid,
    title = "The Pyramid Method: Incorporating human content selection variation in
      summarization evaluation",
    author = "Nenkova, Ani and Passonneau, Rebecca and McKeown, Kathleen",
    journal = "ACM Transactions on Speech and Language Processing", volume = "4", number = "2",
    year = "2007"}"""

    def __init__(self, name_override: str | None = None) -> None:
        super().__init__()
        self.key = name_override or "modified_pyramid_score"

    def score_one(self, *fields: Any) -> dict[str, float]:
        """The score of one annotation."""
        annotation: PyramidAnnotation
        pyramid: Pyramid
        annotation, pyramid = fields
        weights = {scu.scu_id: scu.get_weight() for scu in pyramid.scus}
        counts = pyramid.scu_counts()
        size = math.ceil(sum(counts) / len(counts)) if counts else 0
        ideal = sum(sorted(weights.values(), reverse=True)[:size])
        found = sum(weights.get(scu_id, 0) for scu_id in annotation.get_scu_id_set())
        return {self.key: found / ideal if ideal else 0.0}
