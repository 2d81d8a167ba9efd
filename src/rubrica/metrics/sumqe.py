"""SumQE: five kinds of linguistic quality, predicted from the summary alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Unpack

from rubrica.data.instance import SummaryType, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import DataError
from rubrica.metrics.base import Metric, Range
from rubrica.metrics.kinds import SummaryOnlyMetric
from rubrica.metrics.neural import NeuralMetric
from rubrica.text.pair_classifier import PairClassifier
from rubrica.text.running import Running, import_torch

LONGEST = 512
QUALITIES = ("Q1", "Q2", "Q3", "Q4", "Q5")
HEAD = "sumqe_head.safetensors"


class QualityModel(PairClassifier):
    """An encoder with a linear layer on the vector of its first token (no pooler).

    A converted checkpoint is an encoder's folder with `sumqe_head.safetensors` beside the weights.
    """

    auto_class = "AutoModel"

    def prepared(self, network: Any) -> Any:
        """The encoder, with the head kept beside it."""
        from safetensors.torch import load_file

        path = self.checkpoint.folder / HEAD
        if not path.is_file():
            raise DataError(
                f"is no converted SumQE checkpoint (no {HEAD}); run: "
                "rubrica sum-qe convert-checkpoint FILE OUT --base FOLDER",
                file=str(self.checkpoint.folder),
            )
        head = load_file(path)
        torch = import_torch()
        dtype, where = getattr(torch, self.settings.number_type()), self.settings.where()
        self._weight, self._bias = head["weight"].to(where, dtype), head["bias"].to(where, dtype)
        return network

    def output(self, tensors: dict[str, Any]) -> Any:
        """A row of five values."""
        first = self.network(**tensors).last_hidden_state[:, 0]
        return first @ self._weight.T + self._bias

    def _view(self) -> str:
        return "sumqe"


@Metric.register("sum-qe")
class SumQE(NeuralMetric, SummaryOnlyMetric):
    """Grammaticality, non-redundancy, referential clarity, focus and structure (Q1 to Q5; Xenouleas et al. 2019).

    Linear heads on BERT's vector of [CLS]. An empty summary scores 0 in all of them.

    Args:
        model: A converted SumQE checkpoint (see convert-checkpoint): a folder.
    """

    value_range: ClassVar[Range] = (float("-inf"), float("inf"))
    citation = """@inproceedings{xenouleas-etal-2019-sum,
  title = {{SUM}-{QE}: a {BERT}-based Summary Quality Estimation Model},
  author = {Xenouleas, Stratos and Malakasiotis, Prodromos and Apidianaki, Marianna and Androutsopoulos, Ion},
  booktitle = {Proceedings of EMNLP-IJCNLP 2019},
  year = {2019},
  url = {https://aclanthology.org/D19-1618}
}"""
    remedy = "rubrica sum-qe convert-checkpoint WEIGHTS OUT --base bert-base-uncased"
    commands: ClassVar[Mapping[str, tuple[str, str]]] = {
        "convert-checkpoint": (
            "rubrica.cli.convert_sumqe",
            "make a folder that can be used from the original's Keras weights",
        )
    }

    def __init__(self, model: str = "sumqe-duc2006-duc2007", **running: Unpack[Running]) -> None:
        super().__init__(**running)
        self.model_name = model

    def checkpoint_names(self) -> Mapping[str, str]:
        """The quality model."""
        return {"model": self.model_name}

    def score_multi_all(
        self, summaries_list: Sequence[Sequence[SummaryType]]
    ) -> list[list[MetricsDict]]:
        """Five values of each summary."""
        groups = self._rows((summaries_list,))
        texts = [flatten(one).strip() for (group,) in groups for one in group]
        asked: list[tuple[str, str | None]] = [(text, None) for text in texts if text]
        rows = iter(self.model("model", QualityModel).logits(asked, longest=LONGEST))
        scored = iter(
            [
                dict(zip(QUALITIES, next(rows).tolist() if text else [0.0] * 5, strict=True))
                for text in texts
            ]
        )
        return [[MetricsDict({"SumQE": next(scored)}) for _ in group] for (group,) in groups]
