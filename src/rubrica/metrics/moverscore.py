"""MoverScore: the work of moving the words of a summary onto those of its reference, as vectors."""

from __future__ import annotations

import copy
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from rubrica.data.instance import EvalInstance, ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ParameterError
from rubrica.metrics.base.alignment import Link, TokenAlignment
from rubrica.metrics.base.encoder import EncoderMetric, pair_chunks
from rubrica.metrics.base.metric import Metric, Range
from rubrica.metrics.base.pairwise import PairwiseMetric
from rubrica.metrics.bertscore.matching import Idf, Vector
from rubrica.neural.checkpoint import MINILM
from rubrica.neural.encoder import EncodedText, Encoder, LongTexts
from rubrica.neural.pieces import pieces
from rubrica.neural.running import Backend, InferenceOptions
from rubrica.text.emd import earth_movers_distance, earth_movers_plan, solver
from rubrica.text.stopwords import stopwords

_PUNCTUATION = frozenset(string.punctuation)
_LAYERS_V1 = 5


@dataclass(frozen=True, slots=True)
class _Bag:
    """Weighted vectors to move, and their tokens; empty if the text has no weight."""

    tokens: list[str]
    vectors: NDArray[np.float64]
    weights: Vector


@Metric.register("moverscore")
class MoverScore(EncoderMetric, PairwiseMetric):
    """1 minus the earth mover's distance between the words of summary and reference (Zhao et al. 2019).

    The mean over references. An empty text, or one without a word that counts, scores 0. Without a
    model it uses all-MiniLM-L6-v2: the original uses distilbert-base-uncased (v2) or a BERT
    fine-tuned on MNLI (v1).

    Args:
        model_type: transformers encoder: a folder, or a name in the Hugging Face cache; null is
            all-MiniLM-L6-v2.
        version: `v2` uses the last layer, words and Euclidean distances; `v1` uses power means of
            the last five layers, n-grams and squared distances.
        scale: difference is 1 - d (PyPI, REALSumm, SacreROUGE), inverse is 1 / (1 + d) (the repository's head).
        n_gram: Words to move together; v1 only.
        remove_subwords: Ignore the pieces that continue a word; v2 always does.
        stop_words: Ignore common English words (`english`, the original's list of 153), or `none`.
        idf: `run` weights tokens by inverse document frequency in the distinct summaries and
            references of the whole input, which is read first; `none` weights all equally.
        long_texts: How to handle texts longer than the model's limit: `truncate` with a warning,
            encode overlapping windows (`window`), or raise an `error`.
        backend: Inference backend: torch, onnx (ONNX Runtime, equal scores without torch), or
            onnx-int8 (8-bit: faster, different scores); null is torch if installed.
    """

    value_range: ClassVar[Range] = (-3.0, 1.0)
    original_model = "distilbert-base-uncased"
    like_sacrerouge: ClassVar[Mapping[str, Any]] = {"model_type": original_model}
    packages: ClassVar[Mapping[str, str]] = {**EncoderMetric.packages, "ot": "emd"}
    citation = """@inproceedings{zhao-etal-2019-moverscore,
  title = {{M}over{S}core: Text Generation Evaluating with Contextualized Embeddings and Earth Mover Distance},
  author = {Zhao, Wei and Peyrard, Maxime and Liu, Fei and Gao, Yang and Meyer, Christian M. and Eger, Steffen},
  booktitle = {Proceedings of EMNLP-IJCNLP 2019},
  year = {2019},
  url = {https://aclanthology.org/D19-1053}
}"""

    def __init__(
        self,
        model_type: str | None = None,
        version: Literal["v1", "v2"] = "v2",
        scale: Literal["difference", "inverse"] = "difference",
        n_gram: int = 1,
        remove_subwords: bool = True,
        stop_words: Literal["english", "none"] = "english",
        idf: Literal["run", "none"] = "run",
        long_texts: LongTexts = "truncate",
        backend: Backend | None = None,
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(backend=backend, **running)
        if n_gram < 1:
            raise ParameterError(f"n_gram must be at least 1, not {n_gram}")
        if version == "v2" and (n_gram != 1 or not remove_subwords):
            # The original takes these arguments and ignores them.
            raise ParameterError("n_gram and remove_subwords need version v1")
        self.model_type = model_type or MINILM.name
        self.version, self.scale, self.n_gram = version, scale, n_gram
        self.remove_subwords, self.long_texts = remove_subwords, long_texts
        stop_list = stopwords("nltk") if stop_words == "english" else ()
        self._stop_words = frozenset(word for word in stop_list if "'" not in word)
        self._idf_over_run = self.needs_whole_input = idf == "run"
        self._run_texts: tuple[list[str], list[str]] | None = None
        self._run_idfs: list[Idf | None] | None = None

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> list[MetricsDict]:
        """Return the score of each pair."""
        left = [flatten(text).strip() for text in summaries]
        right = [flatten(text).strip() for text in references]
        encoder = self._encoder()
        idfs = self._idfs(encoder, left, right)
        rows: list[MetricsDict] = []
        for part in pair_chunks(left, right):
            bags = [
                self._bags(encoder, side[part], idf)
                for side, idf in zip((left, right), idfs, strict=True)
            ]
            rows += [
                MetricsDict({"MoverScore": self._score(bags[0][summary], bags[1][reference])})
                for summary, reference in zip(left[part], right[part], strict=True)
            ]
        return rows

    def align(self, summary: SummaryType, reference: ReferenceType) -> TokenAlignment:
        """Return the words (v1: n-grams) of a pair that count, their distances, and what moves where.

        v1 uses squared distances and leaves a little mass of one side unmatched: its amounts
        sum to a little less than 1.
        """
        texts = [[flatten(text).strip()] for text in (summary, reference)]
        encoder = self._encoder()
        idfs = self._idfs(encoder, *texts)
        summary_bag, reference_bag = (
            self._bags(encoder, side, idf)[side[0]] for side, idf in zip(texts, idfs, strict=True)
        )
        values = {"MoverScore": self._score(summary_bag, reference_bag)}
        ours, theirs = (
            bag.tokens if bag is not None else [] for bag in (summary_bag, reference_bag)
        )
        if summary_bag is None or reference_bag is None:
            return TokenAlignment(
                ours, theirs, "distance", [[0.0] * len(theirs)] * len(ours), (), values
            )
        left, right, cost = self._transport(summary_bag, reference_bag)
        plan = earth_movers_plan(left, right, cost)[: len(ours), : len(theirs)]
        links = [
            Link(s, r, float(plan[s, r]), "moved") for s, r in np.argwhere(plan > 1e-12).tolist()
        ]
        distances = cost[: len(ours), : len(theirs)]
        return TokenAlignment(ours, theirs, "distance", distances.tolist(), links, values)

    def for_input(self, instances: Iterable[EvalInstance]) -> Metric:
        """Return a copy that counts tokens in the summaries and references of all these instances, if idf is used."""
        if not self.needs_whole_input:
            return self
        scorer = copy.copy(self)
        scorer._run_texts = (
            [flatten(instance.fields["summary"]).strip() for instance in instances],
            [
                flatten(t).strip()
                for instance in instances
                for t in instance.fields.get("references", ())
            ],
        )
        scorer.needs_whole_input = False
        return scorer

    def _idfs(
        self, encoder: Encoder, left: Sequence[str], right: Sequence[str]
    ) -> list[Idf | None]:
        """Return the idf of distinct summaries and of distinct references: from the whole input, or else from this call."""
        if not self._idf_over_run:
            return [None, None]
        if self._run_idfs is not None:
            return self._run_idfs
        sides = self._run_texts or (left, right)
        idfs: list[Idf | None] = [
            Idf(encoder.token_ids(list(dict.fromkeys(side)))) for side in sides
        ]
        if self._run_texts is not None:
            self._run_idfs = idfs
        return idfs

    def signature_parameters(self) -> dict[str, str]:
        """Return the choices, the model, and what solved the transport."""
        return {**super().signature_parameters(), "emd": solver()}

    def _encoder(self) -> Encoder:
        if self.version == "v2":
            return self.encoder_with(long_texts=self.long_texts)
        return self.encoder_with(layer=_LAYERS_V1, pooling="pmeans", long_texts=self.long_texts)

    def _bags(
        self, encoder: Encoder, texts: Sequence[str], idf: Idf | None
    ) -> dict[str, _Bag | None]:
        distinct = list(dict.fromkeys(texts))
        encoded = zip(distinct, encoder.encode(distinct), strict=True)
        return {
            text: self._bag(encoder, encoding, idf) if text else None for text, encoding in encoded
        }

    def _bag(self, encoder: Encoder, text: EncodedText, idf: Idf | None) -> _Bag | None:
        weights = np.ones(len(text.ids)) if idf is None else idf.weights(text.ids)
        spelled = pieces(encoder.tokenizer, text.ids)
        mask = np.array(
            [
                not (
                    piece.token in _PUNCTUATION
                    or piece.text in self._stop_words
                    or (piece.continues and self.remove_subwords)
                )
                for piece in spelled
            ]
        )
        vectors, weights = text.vectors[mask].astype(np.float64), weights[mask]
        tokens = [piece.token for piece, good in zip(spelled, mask, strict=True) if good]
        if self.version == "v1":
            vectors, weights = _ngrams(vectors, weights, self.n_gram)
            tokens = [" ".join(tokens[at : at + self.n_gram]) for at in range(len(weights))]
        if not weights.sum() > 0:
            return None
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        # v1 adds 1e-6 to every norm; v2 divides by the norm itself.
        vectors = vectors / (
            norms + 1e-6 if self.version == "v1" else np.where(norms > 0, norms, 1.0)
        )
        counts = weights > 0
        weighted_tokens = [token for token, counted in zip(tokens, counts, strict=True) if counted]
        return _Bag(weighted_tokens, vectors[counts], weights[counts])

    def _score(self, summary: _Bag | None, reference: _Bag | None) -> float:
        if summary is None or reference is None:
            return 0.0
        left, right, cost = self._transport(summary, reference)
        distance = earth_movers_distance(left, right, cost)
        if self.version == "v1":
            # The masses sum to less than 1; the distance scales them up.
            distance *= float(left.sum())
        return 1 / (1 + distance) if self.scale == "inverse" else 1 - distance

    def _transport(
        self, summary: _Bag, reference: _Bag
    ) -> tuple[Vector, Vector, NDArray[np.float64]]:
        """Return the masses of both sides, and the cost of each path."""
        squared = _squared_distances(summary.vectors, reference.vectors)
        if self.version == "v1":
            return _unbalanced(summary, reference, squared)
        return summary.weights, reference.weights, np.sqrt(squared)


def _squared_distances(
    left: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.float64]:
    lengths = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1)[None, :]
    squared: NDArray[np.float64] = np.maximum(lengths - 2 * left @ right.T, 0.0)
    return squared


def _unbalanced(
    summary: _Bag, reference: _Bag, cost: NDArray[np.float64]
) -> tuple[Vector, Vector, NDArray[np.float64]]:
    """Return v1's transport problem: its masses are w / (sum + 1e-5), so one side has slightly less.

    The missing mass costs as much as the longest path of all, including those between
    words of one text, as in pyemd, which the original calls.
    """
    masses = [bag.weights / (bag.weights.sum() + 1e-5) for bag in (summary, reference)]
    totals = [float(mass.sum()) for mass in masses]
    both = np.concatenate([summary.vectors, reference.vectors])
    longest = _squared_distances(both, both).max()
    missing = abs(totals[0] - totals[1])
    if missing > 0:
        side = 0 if totals[0] < totals[1] else 1
        masses[side] = np.append(masses[side], missing)
        extra = np.full((1, cost.shape[1]) if side == 0 else (cost.shape[0], 1), longest)
        cost = np.concatenate([cost, extra], axis=side)
    return masses[0], masses[1], cost


def _ngrams(
    vectors: NDArray[np.float64], weights: Vector, n: int
) -> tuple[NDArray[np.float64], Vector]:
    """Return n-grams of the remaining tokens: summed weights, and vectors weighted by idf. At least one n-gram."""
    if not len(weights):
        return vectors, weights
    count = max(1, len(weights) - n + 1)
    means, summed = [], []
    for start in range(count):
        w = weights[start : start + n]
        summed.append(w.sum())
        means.append((w / (w.sum() + 1e-5)) @ vectors[start : start + n])
    return np.array(means), np.array(summed)
