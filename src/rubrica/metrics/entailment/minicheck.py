"""MiniCheck: whether a document supports a summary, sentence by sentence, by a small fact-checking model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Unpack

from rubrica.data.instance import DocumentType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict, exact_mean
from rubrica.errors import DataError, ParameterError
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.entailment.claims import ClaimMetric
from rubrica.neural.pair_classifier import PairClassifier, softmax
from rubrica.neural.running import InferenceOptions
from rubrica.neural.seq2seq import Seq2Seq
from rubrica.text.sentences import sentences_of

# Flan-T5's tokens for "unsupported" and "supported", the 0 and 1 of its training.
T5_TOKENS = (3, 209)
# RoBERTa's own limit is lower; DeBERTa and T5 have relative positions and none.
LONGEST = 2048
WORDS_T5 = 500
TOKENS_ENCODER = 400


@Metric.register("minicheck")
class MiniCheck(ClaimMetric):
    """Probability that the document supports each sentence of the summary (Tang et al. 2024).

    The document is read in chunks of whole sentences, the best chunk counts; `minicheck.mean` and
    `minicheck.min` are over the sentences of the summary. An empty summary or document scores 0.

    Args:
        model: MiniCheck checkpoint (Flan-T5, RoBERTa or DeBERTa): a folder, or a name in the
            Hugging Face cache.
        chunk_size: Maximum size of a document chunk, in words for Flan-T5 and tokens for the
            others; null is 500 or 400, as in the original.
        claims: Check the summary sentence by sentence, or as one claim.
    """

    value_range: ClassVar[Range] = (0.0, 1.0)
    citation = """@inproceedings{tang-etal-2024-minicheck,
  title = {{M}ini{C}heck: Efficient Fact-Checking of {LLM}s on Grounding Documents},
  author = {Tang, Liyan and Laban, Philippe and Durrett, Greg},
  booktitle = {Proceedings of EMNLP 2024},
  year = {2024},
  url = {https://aclanthology.org/2024.emnlp-main.499}
}"""

    def __init__(
        self,
        model: str = "lytang/MiniCheck-Flan-T5-Large",
        chunk_size: int | None = None,
        claims: Literal["sentence", "summary"] = "sentence",
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        if chunk_size is not None and chunk_size < 1:
            raise ParameterError(f"minicheck: chunk_size must be at least 1, not {chunk_size}")
        self.model_name, self.chunk_size, self.claims = model, chunk_size, claims

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoint of the fact-checking model."""
        return {"model": self.model_name}

    def score_flat(
        self, summaries: Sequence[SummaryType], documents: Sequence[Sequence[DocumentType]]
    ) -> list[MetricsDict]:
        """Return mean and least support of each summary."""
        rows = []
        for support in self.support(summaries, documents):
            mean = exact_mean(support) if support else 0.0
            values = {"mean": mean, "min": min(support, default=0.0)}
            rows.append(MetricsDict({"minicheck": values}))
        return rows

    def split_summary(self, summary: SummaryType) -> list[str]:
        """Return the sentences of the summary, or the summary as one claim."""
        whole = flatten(summary).strip()
        claims = sentences_of(summary) if self.claims == "sentence" else [whole]
        return [claim for claim in claims if claim]

    def split_document(self, document: str) -> list[str]:
        """Split the document into runs of whole sentences, no longer than the chunk size if possible."""
        # Line ends are separate items, as in the original; the last line has none.
        items = [item for line in document.split("\n") for item in (*sentences_of(line), "\n")][:-1]
        limit = self.chunk_size or (WORDS_T5 if self._is_t5() else TOKENS_ENCODER)
        chunks: list[list[str]] = [[]]
        size = 0
        for item, length in zip(items, self._lengths(items), strict=True):
            if size + length > limit:
                chunks.append([])
                size = 0
            chunks[-1].append(item)
            size += length
        joined = (" ".join(chunk).replace(" \n ", "\n").strip() for chunk in chunks)
        return [chunk for chunk in joined if chunk]

    def _lengths(self, items: Sequence[str]) -> list[int]:
        if not items or self._is_t5():
            return [len(item.split()) for item in items]
        tokenizer = self.model("model", PairClassifier).tokenizer
        tokenized = tokenizer(list(items), add_special_tokens=False, verbose=False)["input_ids"]
        return [len(ids) for ids in tokenized]

    def _is_t5(self) -> bool:
        return bool(self.checkpoint("model").config().get("is_encoder_decoder"))

    def pair_support(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return the probability that each chunk supports its claim."""
        if self._is_t5():
            model = self.model("model", Seq2Seq)
            end = model.tokenizer.eos_token
            texts = [f"predict: {chunk}{end}{claim}" for chunk, claim in pairs]
            logits = model.first_step(texts, T5_TOKENS, longest=LONGEST)
            return [1 / (1 + math.exp(no - yes)) for no, yes, _ in logits]
        classifier = self.model("model", PairClassifier)
        end = classifier.tokenizer.eos_token or classifier.tokenizer.sep_token
        rows = classifier.logits(
            [(f"{chunk}{end}{claim}", None) for chunk, claim in pairs], longest=LONGEST
        )
        if len(rows[0]) != len(T5_TOKENS):
            raise DataError(
                f"has {len(rows[0])} classes; a MiniCheck model has {len(T5_TOKENS)}",
                file=str(classifier.checkpoint.folder),
            )
        return [float(softmax(row)[1]) for row in rows]
