"""SUPERT: how well a summary matches pseudo references, the first sentences of its documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from rubrica.data.instance import DocumentType, SummaryType, Text
from rubrica.data.metrics import MetricsDict, exact_mean
from rubrica.errors import ParameterError
from rubrica.metrics.base.encoder import EncoderMetric
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.base.neural import NeuralDocumentMetric
from rubrica.metrics.base.originals import sentence_note
from rubrica.metrics.bertscore.matching import greedy_match
from rubrica.neural.checkpoint import MINILM
from rubrica.neural.encoder import EncodedText, Encoder
from rubrica.neural.pieces import pieces
from rubrica.neural.running import Backend, InferenceOptions
from rubrica.text.sentences import SentenceSplitter, sentences_by
from rubrica.text.stopwords import stopwords

LONGEST = 128
Vectors = NDArray[np.float32]


@Metric.register("supert")
class Supert(EncoderMetric, NeuralDocumentMetric):
    """Similarity of token vectors of a summary and the first sentences of its documents (Gao et al. 2020).

    Each sentence is encoded alone; stop words are left out. The F1 of cosines, as a mean over pseudo
    references. An empty summary or document scores 0. Without a model it uses all-MiniLM-L6-v2: the
    original uses bert-large-nli-stsb-mean-tokens.

    Args:
        model_type: transformers encoder: a folder, or a name in the Hugging Face cache; null is
            all-MiniLM-L6-v2.
        first_sentences: Sentences of each document in its pseudo reference.
        sentence_splitter: How to split texts into sentences: `rule` (a list as it is, a string by
            rule), or `punkt` (every text as one string, by NLTK's Punkt, as the original and
            SacreROUGE do; needs `rubrica[punkt]`).
        backend: Inference backend: torch, onnx (ONNX Runtime, equal scores without torch), or
            onnx-int8 (8-bit: faster, different scores); null is torch if installed.
    """

    value_range: ClassVar[Range] = (-1.0, 1.0)
    original_model = "sentence-transformers/bert-large-nli-stsb-mean-tokens"
    always_signed = ("sentence_splitter",)
    like_sacrerouge: ClassVar[Mapping[str, Any]] = {
        "model_type": original_model,
        "sentence_splitter": "punkt",
    }
    citation = """@inproceedings{gao-etal-2020-supert,
  title = {{SUPERT}: Towards New Frontiers in Unsupervised Evaluation Metrics for Multi-Document Summarization},
  author = {Gao, Yang and Zhao, Wei and Eger, Steffen},
  booktitle = {Proceedings of ACL 2020},
  year = {2020},
  url = {https://aclanthology.org/2020.acl-main.124}
}"""

    def __init__(
        self,
        model_type: str | None = None,
        first_sentences: int = 15,
        sentence_splitter: SentenceSplitter = "rule",
        backend: Backend | None = None,
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(backend=backend, **running)
        if first_sentences < 1:
            raise ParameterError(f"first_sentences must be at least 1, not {first_sentences}")
        self.model_type, self.first_sentences = model_type or MINILM.name, first_sentences
        self.sentence_splitter: SentenceSplitter = sentence_splitter
        self._stop_words = stopwords("nltk")

    def substitution(self, *, systems: bool = True) -> str:
        """Say that the model or the sentences are not the original's."""
        sentences = sentence_note(self.label, self._parameters)
        return "; ".join(filter(None, [super().substitution(systems=systems), sentences]))

    def score_flat(
        self, summaries: Sequence[SummaryType], documents: Sequence[Sequence[DocumentType]]
    ) -> list[MetricsDict]:
        """Return the score of each summary."""
        work = [
            (sentences_by(self.sentence_splitter, summary), self.pseudo_references(texts))
            for summary, texts in zip(summaries, documents, strict=True)
        ]
        vectors = self._vectors(
            [
                s
                for ours, theirs in work
                for s in [*ours, *(s for reference in theirs for s in reference)]
            ]
        )

        def together(sentences: Sequence[str]) -> Vectors:
            parts = [vectors[sentence] for sentence in sentences]
            return np.concatenate(parts) if parts else np.zeros((0, 1), dtype=np.float32)

        rows = []
        for ours, theirs in work:
            summary = together(ours)
            scores = [_f1(summary, together(reference)) for reference in theirs]
            rows.append(MetricsDict({"supert": exact_mean(scores) if scores else 0.0}))
        return rows

    def pseudo_references(self, documents: Sequence[Text]) -> list[list[str]]:
        """Return the first sentences: one list per document, or one list for all if they are few."""
        first = [
            sentences_by(self.sentence_splitter, text)[: self.first_sentences] for text in documents
        ]
        first = [sentences for sentences in first if sentences]
        if sum(map(len, first)) >= self.first_sentences:
            return first
        return [[sentence for sentences in first for sentence in sentences]] if first else []

    def _vectors(self, sentences: Sequence[str]) -> dict[str, Vectors]:
        encoder = self.encoder_with(longest=LONGEST)
        distinct = list(dict.fromkeys(sentences))
        encoded = encoder.encode(distinct)
        return {
            text: self._content_vectors(encoder, encoding)
            for text, encoding in zip(distinct, encoded, strict=True)
        }

    def _content_vectors(self, encoder: Encoder, text: EncodedText) -> Vectors:
        mask = [
            not special and piece.token.lower() not in self._stop_words
            for special, piece in zip(
                text.special, pieces(encoder.tokenizer, text.ids), strict=True
            )
        ]
        vectors = text.vectors[mask]
        norms: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
        norms[norms == 0] = 1
        units: Vectors = vectors / norms
        return units


def _f1(summary: Vectors, reference: Vectors) -> float:
    if not len(summary) or not len(reference):
        return 0.0
    return greedy_match(summary, reference, np.ones(len(summary)), np.ones(len(reference)))[2]
