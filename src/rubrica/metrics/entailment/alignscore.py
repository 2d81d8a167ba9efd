"""AlignScore: how well a summary is aligned with its document, by a model trained on many alignment tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Unpack

from rubrica.data.instance import DocumentType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict, exact_mean
from rubrica.errors import DataError
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.entailment.claims import ClaimMetric
from rubrica.neural.classifier import row_by_row
from rubrica.neural.pair_classifier import PairClassifier, softmax
from rubrica.neural.running import InferenceOptions, import_torch
from rubrica.text.sentences import sentences_of

LONGEST = 512
WORDS_PER_CHUNK = 350
HEADS = {"nli": (3, 0), "bin": (2, 1)}


class AlignmentModel(PairClassifier):
    """An encoder with AlignScore's heads: linear layers on the pooled output.

    A converted checkpoint is an encoder's folder with `alignscore_heads.safetensors` beside the weights.
    """

    auto_class = "AutoModel"
    head = "nli"

    def is_optional_weight(self, name: str) -> bool:
        """Return False: the heads need the pooler, so no weight is optional."""
        return False

    def prepared(self, network: Any) -> Any:
        """Return the encoder, with the heads kept beside it."""
        from safetensors.torch import load_file

        path = self.checkpoint.folder / "alignscore_heads.safetensors"
        if not path.is_file():
            raise DataError(
                "is not a converted AlignScore checkpoint (no alignscore_heads.safetensors); run: "
                "rubrica alignscore convert-checkpoint FILE.ckpt OUT --base FOLDER",
                file=str(self.checkpoint.folder),
            )
        heads = load_file(path)
        torch = import_torch()
        dtype = getattr(torch, self.settings.number_type())
        where = self.settings.resolved_device()
        self._weight = heads[f"{self.head}.weight"].to(where, dtype)
        self._bias = heads[f"{self.head}.bias"].to(where, dtype)
        return network

    def output(self, tensors: dict[str, Any]) -> Any:
        """Return the logits of the chosen head."""
        pooled = self.network(**tensors).pooler_output
        return row_by_row(pooled, self._weight, self._bias)

    def _view(self) -> str:
        return f"alignment:{self.head}"


@Metric.register("alignscore")
class AlignScore(ClaimMetric):
    """Probability that chunks of the document support the sentences of the summary (Zha et al. 2023).

    For each sentence of the summary the best chunk (about 350 words), then the mean. An empty summary
    or document scores 0.

    Args:
        model: Converted AlignScore checkpoint (see convert-checkpoint): a folder.
        mode: `nli_sp` and `bin_sp` split document and summary, `nli` and `bin` use them whole;
            `nli` is the three-class head, `bin` the two-class head.
    """

    value_range: ClassVar[Range] = (0.0, 1.0)
    citation = """@inproceedings{zha-etal-2023-alignscore,
  title = {{A}lign{S}core: Evaluating Factual Consistency with A Unified Alignment Function},
  author = {Zha, Yuheng and Yang, Yichi and Li, Ruichen and Hu, Zhiting},
  booktitle = {Proceedings of ACL 2023},
  year = {2023},
  url = {https://aclanthology.org/2023.acl-long.634}
}"""
    remedy = "rubrica alignscore convert-checkpoint AlignScore-large.ckpt alignscore-large --base roberta-large"

    def __init__(
        self,
        model: str = "alignscore-large",
        mode: Literal["nli_sp", "bin_sp", "nli", "bin"] = "nli_sp",
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        self.model_name, self.mode = model, mode

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoint of the alignment model."""
        return {"model": self.model_name}

    def score_flat(
        self, summaries: Sequence[SummaryType], documents: Sequence[Sequence[DocumentType]]
    ) -> list[MetricsDict]:
        """Return the alignment of each summary."""
        return [
            MetricsDict({"alignscore": exact_mean(support) if support else 0.0})
            for support in self.support(summaries, documents)
        ]

    def split_document(self, document: str) -> list[str]:
        """Return chunks of the document, or the document as one."""
        if self.mode.endswith("_sp"):
            return chunks_of(document)
        return [document] if document else []

    def split_summary(self, summary: SummaryType) -> list[str]:
        """Return the sentences of the summary, or the summary as one claim."""
        if self.mode.endswith("_sp"):
            return sentences_of(summary)
        whole = flatten(summary).strip()
        return [whole] if whole else []

    def pair_support(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return the probability that each chunk is aligned with its claim."""
        head = self.mode.removesuffix("_sp")
        _, place = HEADS[head]
        model = self.model("model", AlignmentModel)
        model.head = head
        logits = model.logits(pairs, longest=LONGEST, truncation="only_first")
        return [float(softmax(row)[place]) for row in logits]


def chunks_of(document: str) -> list[str]:
    """Split the document into runs of sentences of about 350 words each."""
    sentences = sentences_of(document)
    count = len(document.split()) // WORDS_PER_CHUNK + 1
    size = max(len(sentences) // count, 1)
    return [" ".join(sentences[at : at + size]) for at in range(0, len(sentences), size)]
