"""SummaC: inconsistency of a summary, from entailment between chunks of the document and of the summary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from rubrica.data.instance import DocumentType, ReferenceType, SummaryType, Text, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.base.neural import NeuralDocumentMetric
from rubrica.metrics.base.units import CheckedUnit, UnitSource
from rubrica.metrics.entailment.nli import NliLabels, probabilities
from rubrica.metrics.entailment.summac_conv import ConvolutionWeights
from rubrica.neural.pair_classifier import PairClassifier
from rubrica.neural.running import InferenceOptions
from rubrica.text.sentences import sentences_of

LONGEST = 500
SHORTEST_CHUNK = 10
# The short names of the original, with the places of entailment and contradiction.
MODELS = {
    "vitc": ("tals/albert-xlarge-vitaminc-mnli", 0, 1),
    "vitc-base": ("tals/albert-base-vitaminc-mnli", 0, 1),
    "vitc-only": ("tals/albert-xlarge-vitaminc", 0, 1),
    "mnli": ("roberta-large-mnli", 2, 0),
    "mnli-base": ("microsoft/deberta-base-mnli", 2, 0),
    "snli-base": ("boychaboy/SNLI_roberta-base", 0, 2),
    "snli-large": ("boychaboy/SNLI_roberta-large", 0, 2),
    "anli": ("ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli", 0, 2),
}
_GRANULARITIES = ("paragraph", "sentence", "2sents", "document", "mixed")
_REDUCE: dict[str, Callable[..., Any]] = {"max": np.max, "mean": np.mean, "min": np.min}
Operation = Literal["max", "mean", "min"]


@Metric.register("summac")
class SummaC(NeuralDocumentMetric):
    """Whether the document entails the summary, by pairs of sentences or chunks (Laban et al. 2022).

    Zero-shot: for each chunk of the summary its best entailment by a chunk of the document, minus its
    best contradiction; the mean over chunks. Convolution: learned weights on histograms of the
    entailments. A summary or document without chunks scores 0 (zero-shot).

    Args:
        model: Entailment checkpoint: a folder, a name in the Hugging Face cache, or vitc,
            vitc-base, vitc-only, mnli, mnli-base, anli, snli-base, snli-large of the original.
        variant: zs (zero-shot) or conv (convolution, needs conv_weights).
        granularity: How to split texts: paragraph, sentence, 2sents, document, mixed; join two with
            a hyphen to set document and summary separately; null is paragraph for zs and sentence
            for conv, as in the original.
        op1: How to aggregate over document chunks (zs).
        op2: How to aggregate over summary chunks (zs).
        use_ent: Count entailment (zs).
        use_con: Subtract contradiction (zs); alone, the score is 1 minus the contradiction.
        conv_weights: The file summac_conv_vitc_sent_perc_e.bin of the original, or one like it.
        bins: Bins of the histograms (conv): percentile, or evenN.
        entailment_label: Index of the class entailment; null reads it from the checkpoint.
        contradiction_label: Index of the class contradiction; null reads it from the checkpoint.
        max_doc_chunks: Maximum number of document chunks to use.
    """

    value_range: ClassVar[Range] = (-1.0, 1.0)
    citation = """@article{laban-etal-2022-summac,
  title = {{S}umma{C}: Re-Visiting {NLI}-based Models for Inconsistency Detection in Summarization},
  author = {Laban, Philippe and Schnabel, Tobias and Bennett, Paul N. and Hearst, Marti A.},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {10},
  year = {2022},
  url = {https://aclanthology.org/2022.tacl-1.10}
}"""

    def __init__(
        self,
        model: str = "vitc",
        variant: Literal["zs", "conv"] = "zs",
        granularity: str | None = None,
        op1: Operation = "max",
        op2: Operation = "mean",
        use_ent: bool = True,
        use_con: bool = True,
        conv_weights: str | None = None,
        bins: str = "percentile",
        entailment_label: int | None = None,
        contradiction_label: int | None = None,
        max_doc_chunks: int = 100,
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        name, yes, no = MODELS.get(model, (model, entailment_label, contradiction_label))
        self.model_name = name
        self._label_places = (
            entailment_label if entailment_label is not None else yes,
            contradiction_label if contradiction_label is not None else no,
        )
        self.variant, self.op1, self.op2 = variant, op1, op2
        self.use_ent, self.use_con = use_ent, use_con
        self.granularities = _granularities(
            granularity or ("paragraph" if variant == "zs" else "sentence")
        )
        if max_doc_chunks < 1:
            raise ParameterError(f"summac: max_doc_chunks must be at least 1, not {max_doc_chunks}")
        if not use_ent and not use_con:
            raise ParameterError("summac: one of use_ent and use_con must be true")
        self.max_doc_chunks = max_doc_chunks
        self._conv = None
        if variant == "conv":
            if conv_weights is None:
                raise ParameterError(
                    "summac: variant conv needs conv_weights, the original's file "
                    "summac_conv_vitc_sent_perc_e.bin"
                )
            self._conv = ConvolutionWeights(conv_weights, bins)

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoint of the entailment model."""
        return {"model": self.model_name}

    def signature_parameters(self) -> dict[str, str]:
        """Return the choices; the weights of the convolution by their digest."""
        parameters = super().signature_parameters()
        if self._conv is not None:
            parameters["conv_weights"] = self._conv.digest()
        return parameters

    def score_flat(
        self, summaries: Sequence[SummaryType], documents: Sequence[Sequence[DocumentType]]
    ) -> list[MetricsDict]:
        """Return the score of each summary."""
        images = self.images(summaries, documents)
        return [MetricsDict({"summac": self._score(image)}) for image in images]

    def images(
        self, summaries: Sequence[SummaryType], documents: Sequence[Sequence[DocumentType]]
    ) -> list[NDArray[np.float64]]:
        """Return for each summary the entailment and contradiction of [document chunk, summary chunk]."""
        model = self.model("model", PairClassifier)
        labels = NliLabels.of(model.checkpoint, *self._label_places)
        of_document, of_summary = self.granularities
        cut = []
        for summary, texts in zip(summaries, documents, strict=True):
            chunks = [chunk for text in texts for chunk in chunks_of(text, of_document)]
            cut.append((chunks[: self.max_doc_chunks], chunks_of(summary, of_summary)))
        pairs = [(a, b) for ours, theirs in cut for a in ours for b in theirs]
        # The original asks for only_first, but transformers ignores the way it does.
        logits = model.logits(pairs, longest=LONGEST, truncation="longest_first")
        labels.check(logits, model.checkpoint)
        shares = probabilities(logits) if pairs else np.zeros((0, 3))
        images, start = [], 0
        for ours, theirs in cut:
            end = start + len(ours) * len(theirs)
            part = shares[start:end][:, [labels.entailment, labels.contradiction]]
            start = end
            # Without a pair the original has one zero cell.
            images.append(
                part.T.reshape(2, len(ours), len(theirs)) if len(part) else np.zeros((2, 1, 1))
            )
        return images

    def _score(self, image: NDArray[np.float64]) -> float:
        if self._conv is not None:
            return self._conv.score(image[0])
        return float(_REDUCE[self.op2](self._per_chunk(image)))

    def _per_chunk(self, image: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the score of each chunk of the summary."""
        # Without entailment the original subtracts from 1.
        per_chunk = np.zeros(image.shape[2]) if self.use_ent else np.ones(image.shape[2])
        if self.use_ent:
            per_chunk += _REDUCE[self.op1](image[0], axis=0)
        if self.use_con:
            per_chunk -= _REDUCE[self.op1](image[1], axis=0)
        return per_chunk

    @property
    def unit_source(self) -> UnitSource | None:
        """Whose units it checks: chunks of the summary; None for conv, which has one score for all."""
        return None if self._conv is not None else "sentences"

    def check_units(
        self,
        summary: SummaryType,
        *,
        documents: Sequence[DocumentType],
        references: Sequence[ReferenceType] = (),
    ) -> list[CheckedUnit]:
        """Return the chunks of a summary with their scores, at least 0."""
        chunks = chunks_of(summary, self.granularities[1])
        scores = self._per_chunk(self.images([summary], [documents])[0]).tolist()
        # Without a chunk on both sides there is one score of nothing.
        scores = scores if len(scores) == len(chunks) else [0.0] * len(chunks)
        return [
            CheckedUnit(chunk, support=max(0.0, score))
            for chunk, score in zip(chunks, scores, strict=True)
        ]


def chunks_of(text: Text, granularity: str) -> list[str]:
    """Split a text into chunks; drops chunks of ten characters or fewer."""
    if granularity == "document":
        whole = flatten(text)
        return [whole] if whole.strip() else []
    if granularity == "paragraph":
        return _long_enough(_paragraphs(text))
    sentences = _long_enough(sentences_of(text))
    if granularity == "2sents":
        return [" ".join(sentences[at : at + 2]) for at in range(len(sentences))]
    if granularity == "mixed":
        return sentences + _long_enough(_paragraphs(text))
    return sentences


def _paragraphs(text: Text) -> list[str]:
    whole = flatten(text)
    return [part.strip() for part in whole.split("\n\n" if "\n\n" in whole else "\n")]


def _long_enough(chunks: Sequence[str]) -> list[str]:
    return [chunk for chunk in chunks if len(chunk) > SHORTEST_CHUNK]


def _granularities(text: str) -> tuple[str, str]:
    parts = text.split("-")
    if len(parts) > 2 or not set(parts) <= set(_GRANULARITIES):
        raise ParameterError(
            f"summac: no granularity {text!r}; use one of {', '.join(_GRANULARITIES)}, or two joined "
            "by a hyphen"
        )
    return parts[0], parts[-1]
