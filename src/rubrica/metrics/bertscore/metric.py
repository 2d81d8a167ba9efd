"""The metric `bertscore`."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Unpack

import numpy as np

from rubrica.data.files import content_name
from rubrica.data.instance import EvalInstance, ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ParameterError
from rubrica.metrics.base.alignment import TokenAlignment
from rubrica.metrics.base.encoder import EncoderMetric, pair_chunks
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.base.pairwise import PairwiseMetric
from rubrica.metrics.bertscore.baseline import Baseline, find_baseline
from rubrica.metrics.bertscore.defaults import default_model, layer_of
from rubrica.metrics.bertscore.matching import (
    Idf,
    Vector,
    greedy_links,
    greedy_match,
    plain_weights,
    unit_vectors,
)
from rubrica.neural.checkpoint import MINILM
from rubrica.neural.encoder import EncodedText, Encoder, LongTexts
from rubrica.neural.pieces import pieces
from rubrica.neural.running import Backend, InferenceOptions


@Metric.register("bertscore")
class BertScore(EncoderMetric, PairwiseMetric):
    """Similarity of summary and reference tokens, as vectors of a language model (Zhang et al. 2020).

    Precision: each token of the summary with the most similar of the reference; recall the other way
    round. Of several references each value takes the best. An empty summary or reference scores 0.
    Without a model or language it uses all-MiniLM-L6-v2, layer 5: not the original's roberta-large.

    Args:
        model_type: transformers encoder: a folder, or a name in the Hugging Face cache; null is
            all-MiniLM-L6-v2, or the original's model for `lang`.
        num_layers: Hidden layer to take vectors from, 0 for the embeddings; null is the original's
            choice for the model.
        lang: Language code that selects the original's default model (en is roberta-large), and baselines.
        idf: Weight tokens by inverse document frequency in the references of the whole input, which
            is read first.
        rescale_with_baseline: Rescale so that unrelated texts score about 0.
        baseline_path: Table LAYER,P,R,F for rescaling; null looks in Rubrica and in the bert-score
            package.
        long_texts: How to handle texts longer than the model's limit: `truncate` with a warning,
            encode overlapping windows (`window`), or raise an `error`.
        backend: Inference backend: torch, onnx (ONNX Runtime, equal scores without torch), or
            onnx-int8 (8-bit: faster, different scores); null is torch if installed.
    """

    value_range: ClassVar[Range] = (float("-inf"), 1.0)
    original_model = "roberta-large"
    like_sacrerouge: ClassVar[Mapping[str, Any]] = {"lang": "en"}
    citation = """@inproceedings{zhang-etal-2020-bertscore,
  title = {{BERTScore}: Evaluating Text Generation with {BERT}},
  author = {Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and Artzi, Yoav},
  booktitle = {International Conference on Learning Representations},
  year = {2020},
  url = {https://openreview.net/forum?id=SkeHuCVFDr}
}"""

    def __init__(
        self,
        model_type: str | None = None,
        num_layers: int | None = None,
        lang: str | None = None,
        idf: bool = False,
        rescale_with_baseline: bool = False,
        baseline_path: str | None = None,
        long_texts: LongTexts = "truncate",
        backend: Backend | None = None,
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(backend=backend, **running)
        self.model_type = model_type or default_model(lang)
        self.layer = num_layers if num_layers is not None else layer_of(self.model_type)
        self.lang = lang or "en"
        self.idf = self.needs_whole_input = idf
        self._run_references: list[str] | None = None
        self._run_idf: Idf | None = None
        self.long_texts: LongTexts = long_texts
        if baseline_path is not None and not rescale_with_baseline:
            raise ParameterError("baseline_path is used with rescale_with_baseline only")
        self._baseline_path = baseline_path
        self.rescale = rescale_with_baseline

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> list[MetricsDict]:
        """Return precision, recall and F1 of each pair."""
        left = [flatten(text).strip() for text in summaries]
        right = [flatten(text).strip() for text in references]
        encoder = self.encoder()
        baseline = self._baseline(encoder.checkpoint.name)
        idf = self._idf(encoder, right)
        rows: list[MetricsDict] = []
        for part in pair_chunks(left, right):
            rows += self._score(left[part], right[part], encoder, idf, baseline)
        return rows

    def align(self, summary: SummaryType, reference: ReferenceType) -> TokenAlignment:
        """Return the tokens of a pair, their cosines, and the token that each is matched with."""
        encoder = self.encoder()
        left, right = flatten(summary).strip(), flatten(reference).strip()
        idf = self._idf(encoder, [right])
        row = self._score([left], [right], encoder, idf, self._baseline(encoder.checkpoint.name))[0]
        values = {f"bertscore.{name}": value for name, value in row["bertscore"].items()}
        if not left or not right:
            return TokenAlignment((), (), "cosine", (), (), values)
        summary_text, reference_text = encoder.encode([left, right])
        cosines = (unit_vectors(summary_text) @ unit_vectors(reference_text).T).astype(np.float64)
        ours, theirs = (
            [piece.token for piece in pieces(encoder.tokenizer, text.ids)]
            for text in (summary_text, reference_text)
        )
        links = greedy_links(cosines, _weights(summary_text, idf), _weights(reference_text, idf))
        return TokenAlignment(ours, theirs, "cosine", cosines.tolist(), links, values)

    def for_input(self, instances: Iterable[EvalInstance]) -> Metric:
        """Return a copy that counts tokens in the references of all these instances, if idf is used."""
        if not self.needs_whole_input:
            return self
        scorer = copy.copy(self)
        scorer._run_references = [
            flatten(text).strip()
            for instance in instances
            for text in instance.fields.get("references", ())
        ]
        scorer.needs_whole_input = False
        return scorer

    def encoder(self) -> Encoder:
        """Return the encoder whose vectors are compared."""
        return self.encoder_with(layer=self.layer, long_texts=self.long_texts)

    def combine_pairs(self, rows: Sequence[MetricsDict]) -> MetricsDict:
        """Return the best value over references, each of the three by itself."""
        best = {key: max(row["bertscore"][key] for row in rows) for key in rows[0]["bertscore"]}
        return MetricsDict({"bertscore": best})

    def signature_parameters(self) -> dict[str, str]:
        """Return model, weights, layer, tokenizer, idf and rescaling."""
        parameters = super().signature_parameters()
        parameters.pop("num_layers", None)
        model = {
            key: parameters.pop(key) for key in list(parameters) if key.startswith("model_type")
        }
        note = {"note": "not-roberta-large"} if self.model_type == MINILM.name else {}
        prefix = {"prefix_space": "yes"} if self.encoder().prefix_space else {}
        if self._baseline_path is not None:
            # Name the content, not the path: a path does not identify the table and may be private.
            parameters["baseline_path"] = content_name(self._baseline_path)
        return {**model, "layer": str(self.layer), **note, **prefix, **parameters}

    def _score(
        self,
        left: Sequence[str],
        right: Sequence[str],
        encoder: Encoder,
        idf: Idf | None,
        baseline: Baseline | None,
    ) -> list[MetricsDict]:
        texts = list(dict.fromkeys([*left, *right]))
        encoded = dict(zip(texts, encoder.encode(texts), strict=True))
        units = {text: unit_vectors(encoding) for text, encoding in encoded.items()}
        weights = {text: _weights(encoding, idf) for text, encoding in encoded.items()}
        rows = []
        for summary, reference in zip(left, right, strict=True):
            scores = (0.0, 0.0, 0.0)
            # Special tokens could have weight under idf, but an empty text must score 0.
            if summary and reference:
                scores = greedy_match(
                    units[summary], units[reference], weights[summary], weights[reference]
                )
            if baseline is not None:
                scores = baseline.rescaled(scores)
            names = ("precision", "recall", "f1")
            rows.append(MetricsDict({"bertscore": dict(zip(names, scores, strict=True))}))
        return rows

    def _idf(self, encoder: Encoder, references: Sequence[str]) -> Idf | None:
        """Return the idf of the whole input's references, computed once; outside a run, of this call's."""
        if not self.idf:
            return None
        if self._run_references is None:
            return Idf(encoder.token_ids(references))
        if self._run_idf is None:
            self._run_idf = Idf(encoder.token_ids(self._run_references))
        return self._run_idf

    def _baseline(self, model: str) -> Baseline | None:
        if not self.rescale:
            return None
        return find_baseline(model, self.layer, lang=self.lang, path=self._baseline_path)


def _weights(text: EncodedText, idf: Idf | None) -> Vector:
    return plain_weights(text) if idf is None else idf.weights(text.ids)
