"""BLEURT: a learned regression of people's ratings from a pair of reference and summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Unpack

from rubrica.data.instance import ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import DataError
from rubrica.metrics.base import Metric, Range
from rubrica.metrics.neural import NeuralMetric
from rubrica.metrics.pairwise import PairwiseMetric
from rubrica.text.pair_classifier import PairClassifier
from rubrica.text.running import Running


@Metric.register("bleurt")
class Bleurt(NeuralMetric, PairwiseMetric):
    """A BERT (or RemBERT) fine-tuned to predict ratings of a text given a reference (Sellam et al. 2020).

    `average` and `max` over references. The checkpoint is a sequence classifier with one output, such as
    `rubrica bleurt convert-checkpoint` makes from the original's. Empty texts are scored as the model does.

    Args:
        checkpoint: A converted checkpoint: a folder, or a name in the Hugging Face cache.
        max_length: Longest pair in tokens, those that frame it included; null is the checkpoint's own (128 for bleurt-base-128, 512 for BLEURT-20).
    """

    value_range: ClassVar[Range] = (float("-inf"), float("inf"))
    citation = """@inproceedings{sellam-etal-2020-bleurt,
  title = {{BLEURT}: Learning Robust Metrics for Text Generation},
  author = {Sellam, Thibault and Das, Dipanjan and Parikh, Ankur},
  booktitle = {Proceedings of ACL 2020},
  year = {2020},
  url = {https://aclanthology.org/2020.acl-main.704}
}"""
    remedy = "rubrica bleurt convert-checkpoint FOLDER OUT"
    commands: ClassVar[Mapping[str, tuple[str, str]]] = {
        "convert-checkpoint": (
            "rubrica.cli.convert_bleurt",
            "make a folder that can be used from the original's TensorFlow checkpoint",
        )
    }

    def __init__(
        self,
        checkpoint: str = "bleurt-base-128",
        max_length: int | None = None,
        **running: Unpack[Running],
    ) -> None:
        super().__init__(**running)
        self.checkpoint_name, self.max_length = checkpoint, max_length

    def checkpoint_names(self) -> Mapping[str, str]:
        """The regression model."""
        return {"checkpoint": self.checkpoint_name}

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> list[MetricsDict]:
        """The predicted rating of each pair."""
        model = self.model("checkpoint", PairClassifier)
        pairs: list[tuple[str, str | None]] = [
            (flatten(reference), flatten(summary))
            for summary, reference in zip(summaries, references, strict=True)
        ]
        # The longer side loses its last token until both fit, as transformers' longest_first does.
        rows = model.logits(pairs, longest=self.max_length)
        if rows and len(rows[0]) != 1:
            raise DataError(
                f"has {len(rows[0])} outputs; a BLEURT checkpoint has one",
                file=str(model.checkpoint.folder),
            )
        return [
            MetricsDict({"bleurt": {"average": float(row[0]), "max": float(row[0])}})
            for row in rows
        ]

    def combine_pairs(self, rows: Sequence[MetricsDict]) -> MetricsDict:
        """Mean and maximum over references."""
        values = [row["bleurt"]["average"] for row in rows]
        return MetricsDict({"bleurt": {"average": sum(values) / len(values), "max": max(values)}})
