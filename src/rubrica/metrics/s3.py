"""S3: a regression, learned from human scores, over ROUGE, ROUGE-WE and Jensen-Shannon divergence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.data.instance import ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import MissingResourceError
from rubrica.metrics.base.metric import UNBOUNDED, Metric
from rubrica.metrics.base.word_vectors import WordVectorMetric
from rubrica.metrics.js import JensenShannon
from rubrica.metrics.rouge_we import soft_counts
from rubrica.text.stem import stem_words
from rubrica.text.words import words_of

# The n of n-grams, and the original's threshold for those that match by their vectors.
_ORDERS = (1, 2)
_THRESHOLD = 0.8


@Metric.register("s3")
class S3(WordVectorMetric):
    """S3: human scores predicted by a regression over six scores against the references.

    `pyr` predicts the pyramid score, `resp` the responsiveness. The regression was learned with the
    vectors deps.words, which must be given: other vectors give numbers that are not S3's. An empty
    text has the value that the regression gives to no overlap.

    Args:
        environment_name: Unused; accepted for compatibility with SacreROUGE (no Python 2 is needed).
        s3_root: Unused; accepted for compatibility with SacreROUGE.
        embeddings_file: `deps.words` (compressed or not), any other file of word vectors, or
            `glove-6b-50d`; required.
        model_dir: Unused; accepted for compatibility with SacreROUGE (the English models are built in).
        verbose: Unused; accepted for compatibility with SacreROUGE.
    """

    value_range = UNBOUNDED
    packages = {}
    citation = """@inproceedings{peyrard-etal-2017-learning,
    title = "Learning to Score System Summaries for Better Content Selection Evaluation.",
    author = "Peyrard, Maxime and Botschen, Teresa and Gurevych, Iryna", year = "2017",
    booktitle = "Proceedings of the Workshop on New Frontiers in Summarization", pages = "74--84",
    url = "https://aclanthology.org/W17-4510"}"""

    def __init__(
        self,
        environment_name: str | None = None,
        s3_root: str | None = None,
        embeddings_file: str | None = None,
        model_dir: str | None = None,
        verbose: bool = False,
    ) -> None:
        if embeddings_file is None:
            raise MissingResourceError(
                "s3 needs the word vectors it was learned with, deps.words of Levy and Goldberg: give "
                "embeddings_file=PATH (glove-6b-50d works too, and gives numbers that are not S3's)"
            )
        super().__init__(embeddings_file)
        self._divergence = JensenShannon([1, 2], divergence=True)

    def signature_parameters(self) -> dict[str, str]:
        """Return the embeddings by name, not by path; there are no other parameters."""
        return {"embeddings": self.embeddings.name}

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> Sequence[Mapping[str, Any]]:
        """Return divergences, matches and n-gram counts of each pair."""
        divergences = self._divergence.score_pairs(summaries, references)
        soft = soft_counts(summaries, references, _ORDERS, self.embeddings, _THRESHOLD).tolist()
        stems: dict[str, list[Counter[tuple[str, ...]]]] = {}
        for text in map(flatten, (*summaries, *references)):
            if text not in stems:
                stems[text] = _stemmed_ngrams(text)
        rows: list[dict[str, float]] = []
        texts = zip(map(flatten, summaries), map(flatten, references), strict=True)
        for divergence, (summary, reference), counts in zip(divergences, texts, soft, strict=True):
            row = dict(divergence)
            for at, n in enumerate(_ORDERS):
                row[f"rouge-{n}"] = (stems[summary][at] & stems[reference][at]).total()
                row[f"we-{n}"], row[f"total-{n}"] = counts[at][:2]
            rows.append(row)
        return rows

    def combine_pairs(self, rows: Sequence[MetricsDict]) -> MetricsDict:
        """Return the regressions' values for divergences (mean) and recalls (pooled) over the references."""
        features = []
        # In the order the regressions were learned with: JS 1, 2, then ROUGE and ROUGE-WE of each n.
        for n in _ORDERS:
            features.append(sum(row[f"js-{n}-divergence"] for row in rows) / len(rows))
        for n in _ORDERS:
            total = sum(row[f"total-{n}"] for row in rows)
            for kind in ("rouge", "we"):
                features.append(sum(row[f"{kind}-{n}"] for row in rows) / total if total else 0.0)
        point = np.array(features)
        return MetricsDict({"s3": {name: regress(name, point) for name in ("pyr", "resp")}})


def _stemmed_ngrams(text: str) -> list[Counter[tuple[str, ...]]]:
    """Return the counts of stem n-grams of a text, for each n."""
    stems = stem_words(words_of(text), "porter2-nltk")
    return [Counter(zip(*(stems[k:] for k in range(n)), strict=False)) for n in _ORDERS]


@cache
def models() -> dict[str, NDArray[Any]]:
    """Return the arrays of both regressions: support vectors, coefficients, intercepts, the kernel's width."""
    with (
        as_file(files("rubrica.metrics").joinpath("data", "s3_svr_en.npz")) as path,
        np.load(path, allow_pickle=False) as arrays,
    ):
        return dict(arrays)


def regress(name: str, point: NDArray[np.float64]) -> float:
    """Return the value of the regression `pyr` or `resp` (support vectors, radial kernel) at six features."""
    arrays = models()
    squares = ((arrays[f"{name}_sv"] - point) ** 2).sum(axis=1)
    kernel = np.exp(-float(arrays["gamma"]) * squares)
    return float(arrays[f"{name}_b"][0] + arrays[f"{name}_coef"] @ kernel)
