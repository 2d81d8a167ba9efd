"""Lite3Pyramid: the share of content units that a summary entails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from rubrica.data.instance import ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import DataError
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.base.neural import NeuralMetric
from rubrica.metrics.base.pairwise import PairwiseMetric
from rubrica.metrics.base.units import Unit, find_units, read_units, supported_share
from rubrica.metrics.entailment.nli import probabilities
from rubrica.neural.pair_classifier import PairClassifier
from rubrica.neural.running import InferenceOptions
from rubrica.text.sentences import sentences_of

LONGEST = 400
CLASSES = 3
KEYS = ("p2c", "l2c", "p3c", "l3c")


@Metric.register("lite3pyramid")
class Lite3Pyramid(NeuralMetric, PairwiseMetric):
    """Lite3Pyramid's scoring step: whether the summary entails the reference's content units (Zhang and Bansal 2021).

    Units come from a file (SCUs, or STUs by a semantic role labeller); without one every sentence of
    the reference is a unit. p2c and p3c are probabilities, l2c and l3c decisions, with two or three
    classes; the mean over references. An empty summary, or a reference without units, scores 0.

    Args:
        model: Entailment checkpoint whose first class is entailment: a folder, or a name in the
            Hugging Face cache.
        units: JSON lines with "reference" (its text) and "units" (texts, or objects with "unit" and
            "weight"); null uses sentences.
    """

    value_range: ClassVar[Range] = (0.0, 1.0)
    citation = """@inproceedings{zhang-bansal-2021-finding,
  title = {Finding a Balanced Degree of Automation for Summary Evaluation},
  author = {Zhang, Shiyue and Bansal, Mohit},
  booktitle = {Proceedings of EMNLP 2021},
  year = {2021},
  url = {https://aclanthology.org/2021.emnlp-main.531}
}"""

    def __init__(
        self,
        model: str = "shiyue/roberta-large-tac08",
        units: str | None = None,
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        self.model_name, self._units_file = model, units
        self._units: dict[str, list[Unit]] | None = None

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoint of the entailment model."""
        return {"model": self.model_name}

    def signature_parameters(self) -> dict[str, str]:
        """Return the parameters; units by kind, not by path."""
        parameters = super().signature_parameters()
        parameters["units"] = "given" if self._units_file else "sentences"
        return parameters

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> list[MetricsDict]:
        """Return the four values of each pair."""
        work = [
            (flatten(summary).strip(), self._units_of(reference))
            for summary, reference in zip(summaries, references, strict=True)
        ]
        pairs: list[tuple[str, str | None]] = [
            (summary, unit.text) for summary, units in work if summary for unit in units
        ]
        model = self.model("model", PairClassifier)
        outputs = model.logits(pairs, longest=LONGEST)
        if outputs and len(outputs[0]) != CLASSES:
            raise DataError(
                f"has {len(outputs[0])} classes; an entailment model has {CLASSES}, the first of them entailment",
                file=str(model.checkpoint.folder),
            )
        logits = iter(outputs)
        rows = []
        for summary, units in work:
            if not summary or not units:
                rows.append(MetricsDict(dict.fromkeys(KEYS, 0.0)))
                continue
            values = entailments([next(logits) for _ in units])
            shares = [
                supported_share(
                    [
                        Unit(unit.text, unit.weight, support)
                        for unit, support in zip(units, row, strict=True)
                    ]
                )
                for row in values.tolist()
            ]
            rows.append(MetricsDict(dict(zip(KEYS, shares, strict=True))))
        return rows

    def _units_of(self, reference: ReferenceType) -> list[Unit]:
        if self._units_file is None:
            return [Unit(sentence) for sentence in sentences_of(reference)]
        if self._units is None:
            self._units = read_units(self._units_file)
        return find_units(self._units, flatten(reference), self._units_file)


def entailments(logits: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return p2c, l2c, p3c, l3c (rows) of logits whose first class is entailment."""
    rows = np.array(logits)
    margin = rows[:, 0] - rows[:, 1] - rows[:, 2]
    values: NDArray[np.float64] = np.stack(
        [
            1 / (1 + np.exp(-margin)),
            (margin >= 0).astype(np.float64),
            probabilities(logits)[:, 0],
            (rows.argmax(axis=1) == 0).astype(np.float64),
        ]
    )
    return values
