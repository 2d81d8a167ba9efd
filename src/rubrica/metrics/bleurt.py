"""BLEURT: a learned regression of people's ratings from a pair of reference and summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Unpack

from rubrica.data.instance import ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import DataError, ParameterError
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.base.neural import NeuralMetric
from rubrica.metrics.base.pairwise import PairwiseMetric
from rubrica.neural.classifier import SequenceClassifier
from rubrica.neural.running import InferenceOptions

# Special tokens of a pair: [CLS], and [SEP] after each text.
FRAME = 3


class RatingModel(SequenceClassifier):
    """BLEURT's regression of `[CLS] reference [SEP] candidate [SEP]`."""

    def ratings(self, pairs: Sequence[tuple[str, str]], longest: int | None) -> list[float]:
        """Return the predicted rating of each (reference, candidate)."""
        limit = min(self.limit, longest) if longest is not None else self.limit
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        ids = dict(zip(texts, self.bare_ids(texts), strict=True))
        sides = {(a, b): _truncate(ids[a], ids[b], limit - FRAME) for a, b in pairs}
        cut = sum(len(ids[a]) + len(ids[b]) + FRAME > limit for a, b in sides)
        self.warn_of_cut(cut, len(sides), limit)
        rows = self.logits_of([self.framed(*sides[pair]) for pair in pairs])
        if rows and len(rows[0]) != 1:
            raise DataError(
                f"has {len(rows[0])} outputs; a BLEURT checkpoint has one",
                file=str(self.checkpoint.folder),
            )
        return [float(row[0]) for row in rows]


def _truncate(
    reference: Sequence[int], candidate: Sequence[int], room: int
) -> tuple[Sequence[int], Sequence[int]]:
    """Cut both to `room` tokens together: the longer one loses its last token, the candidate if equal.

    (Not transformers' longest_first, which leaves the longer one a token more.)
    """
    a, b = len(reference), len(candidate)
    while a + b > max(room, 0):
        if a > b:
            a -= 1
        else:
            b -= 1
    return reference[:a], candidate[:b]


@Metric.register("bleurt")
class Bleurt(NeuralMetric, PairwiseMetric):
    """Rating predicted by a BERT or RemBERT model fine-tuned on human ratings (Sellam et al. 2020).

    `average` and `max` over references. The checkpoint is a sequence classifier with one output, such as
    `rubrica bleurt convert-checkpoint` makes from the original's. Empty texts are scored as the model does.

    Args:
        checkpoint: Converted checkpoint: a folder, or a name in the Hugging Face cache.
        max_length: Maximum length of a pair in tokens, special tokens included; null is the
            checkpoint's own (128 for bleurt-base-128, 512 for BLEURT-20).
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

    def __init__(
        self,
        checkpoint: str = "bleurt-base-128",
        max_length: int | None = None,
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        if max_length is not None and max_length <= FRAME:
            raise ParameterError(f"bleurt: max_length must be more than {FRAME}, not {max_length}")
        self.checkpoint_name, self.max_length = checkpoint, max_length

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoint of the regression model."""
        return {"checkpoint": self.checkpoint_name}

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> list[MetricsDict]:
        """Return the predicted rating of each pair."""
        pairs = [
            (flatten(reference), flatten(summary))
            for summary, reference in zip(summaries, references, strict=True)
        ]
        rated = self.model("checkpoint", RatingModel).ratings(pairs, self.max_length)
        return [MetricsDict({"bleurt": {"average": rating, "max": rating}}) for rating in rated]

    def combine_pairs(self, rows: Sequence[MetricsDict]) -> MetricsDict:
        """Return mean and maximum over references."""
        values = [row["bleurt"]["average"] for row in rows]
        return MetricsDict({"bleurt": {"average": sum(values) / len(values), "max": max(values)}})
