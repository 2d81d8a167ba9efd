"""Metrics of SacreROUGE on content units: human pyramids, and the programs that find units by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rubrica.compat.sacrerouge.common import DATA_ROOT
from rubrica.compat.sacrerouge.data.jackknifers import PyramidJackknifer
from rubrica.compat.sacrerouge.metrics.metric import Metric, ReferenceBasedMetric, RubricaMetric


@Metric.register("pyramid-score")
class PyramidScore(RubricaMetric):
    """The modified pyramid score of human annotations."""

    def __init__(self, name_override: str | None = None) -> None:
        super().__init__(["annotation"], ["pyramid"], PyramidJackknifer())
        self.name = name_override or "modified_pyramid_score"
        self.use("pyramid-score", name_override=name_override)

    def score(self, annotation: Any, pyramid: Any) -> Any:
        """Score one annotated summary."""
        return super().score(annotation, pyramid)

    def score_multi(self, annotations: Sequence[Any], pyramid: Any) -> list[Any]:
        """Score annotated summaries of one input."""
        return super().score_multi(annotations, pyramid)


@Metric.register("bewte")
class BEwTE(RubricaMetric, ReferenceBasedMetric):
    """BEwT-E, run in Java from `bewte_root`."""

    def __init__(
        self, bewte_root: str = f"{DATA_ROOT}/metrics/ROUGE-BEwTE", verbose: bool = False
    ) -> None:
        super().__init__()
        self.use("bewte", bewte_root=bewte_root, verbose=verbose)


@Metric.register("pyreval")
class PyrEval(RubricaMetric, ReferenceBasedMetric):
    """PyrEval, run from `pyreval_root`; it needs at least two references."""

    def __init__(
        self,
        environment_name: str | None = None,
        pyreval_root: str = f"{DATA_ROOT}/metrics/PyrEval",
        verbose: bool = False,
    ) -> None:
        super().__init__()
        options = {"environment_name": environment_name, "verbose": verbose}
        self.use("pyreval", pyreval_root=pyreval_root, **options)


@Metric.register("apes")
class APES(RubricaMetric, ReferenceBasedMetric):
    """APES, run from `apes_root`."""

    def __init__(
        self,
        environment_name: str | None = "apes",
        apes_root: str = f"{DATA_ROOT}/metrics/apes",
        verbose: bool = False,
    ) -> None:
        super().__init__()
        options = {"environment_name": environment_name, "verbose": verbose}
        self.use("apes", apes_root=apes_root, **options)
