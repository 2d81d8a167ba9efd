"""AlignScore: how well a summary is aligned with its document, by a model trained on many alignment tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Unpack

from rubrica.data.instance import DocumentType, ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict, exact_mean
from rubrica.errors import DataError
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.base.neural import NeuralDocumentMetric, document_text
from rubrica.metrics.base.units import CheckedUnit, UnitSource
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
class AlignScore(NeuralDocumentMetric):
    """Probability that chunks of the document support the sentences of the summary (Zha et al. 2023).

    For each sentence of the summary the best chunk (about 350 words), then the mean. An empty summary
    or document scores 0.

    Args:
        model: A converted AlignScore checkpoint (see convert-checkpoint): a folder.
        mode: nli_sp and bin_sp split document and summary, nli and bin take them whole; nli is the head with three classes, bin that with two.
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
        rows = []
        for claims in self._claims(summaries, documents):
            best = [unit.support or 0.0 for unit in claims]
            rows.append(MetricsDict({"alignscore": exact_mean(best) if best else 0.0}))
        return rows

    @property
    def unit_source(self) -> UnitSource:
        """Whose units it checks: the summary's sentences, or the summary as one claim."""
        return "sentences"

    def check_units(
        self,
        summary: SummaryType,
        *,
        documents: Sequence[DocumentType],
        references: Sequence[ReferenceType] = (),
    ) -> list[CheckedUnit]:
        """Return the sentences of a summary with their support."""
        return self._claims([summary], [documents])[0]

    def _claims(
        self, summaries: Sequence[SummaryType], documents: Sequence[Sequence[DocumentType]]
    ) -> list[list[CheckedUnit]]:
        """Return the claims of each summary, each with the support of the best chunk."""
        work = []
        for summary, texts in zip(summaries, documents, strict=True):
            text = document_text(texts)
            if self.mode.endswith("_sp"):
                work.append((chunks_of(text), sentences_of(summary)))
            else:
                whole = flatten(summary).strip()
                work.append(([text] if text else [], [whole] if whole else []))
        head, (_, place) = self.mode.removesuffix("_sp"), HEADS[self.mode.removesuffix("_sp")]
        model = self.model("model", AlignmentModel)
        model.head = head
        pairs = [(chunk, claim) for chunks, claims in work for claim in claims for chunk in chunks]
        logits = model.logits(pairs, longest=LONGEST, truncation="only_first")
        shares = iter([float(softmax(row)[place]) for row in logits])
        return [
            [
                CheckedUnit(claim, support=max((next(shares) for _ in chunks), default=0.0))
                for claim in claims
            ]
            for chunks, claims in work
        ]


def chunks_of(document: str) -> list[str]:
    """Split the document into runs of sentences of about 350 words each."""
    sentences = sentences_of(document)
    count = len(document.split()) // WORDS_PER_CHUNK + 1
    size = max(len(sentences) // count, 1)
    return [" ".join(sentences[at : at + size]) for at in range(0, len(sentences), size)]
