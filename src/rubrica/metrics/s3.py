"""S3: a regression, learned from human scores, over ROUGE, ROUGE-WE and Jensen-Shannon divergence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import as_file, files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rubrica.data.instance import ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import MissingResourceError
from rubrica.metrics.base import UNBOUNDED, Metric
from rubrica.metrics.js import JensenShannon
from rubrica.metrics.rouge_we import SoftGrams, soft_grams, soft_overlap, words_of
from rubrica.metrics.word_vectors import WordVectorMetric
from rubrica.text.stem import stem_words

# The original's threshold for n-grams that match by their vectors.
_THRESHOLD = 0.8


@Metric.register("s3")
class S3(WordVectorMetric):
    """S3: what people would say, by a regression over six scores against the references.

    `pyr` predicts the pyramid score, `resp` the responsiveness. The regression was learned with the
    vectors deps.words, which must be given: other vectors give numbers that are not S3's. An empty
    text has the value that the regression gives to no overlap.

    Args:
        environment_name: Accepted for SacreROUGE's sake and not used: no Python 2 is needed.
        s3_root: Accepted for SacreROUGE's sake and not used.
        embeddings_file: deps.words (as it is or compressed), or any other file of word vectors, or
            glove-6b-50d; there is no default.
        model_dir: Accepted for SacreROUGE's sake and not used: the English models are built in.
        verbose: Accepted for SacreROUGE's sake and not used.
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
        """The vectors, by what they are and not by where they lie; nothing else can be chosen."""
        return {"embeddings": self.embeddings.name}

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> Sequence[Mapping[str, Any]]:
        """Divergences, matches and n-gram counts of each pair."""
        read = lru_cache(maxsize=256)(self._read)
        divergences = self._divergence.score_pairs(summaries, references)
        return [
            {**divergence, **_matches(read(flatten(one)), read(flatten(two)))}
            for divergence, one, two in zip(divergences, summaries, references, strict=True)
        ]

    def _read(self, text: str) -> _Read:
        stems = stem_words(words_of(text), "porter2-nltk")
        return _Read(
            [Counter(zip(*(stems[i:] for i in range(n)), strict=False)) for n in (1, 2)],
            soft_grams(text, (1, 2), self.embeddings),
        )

    def combine_pairs(self, rows: Sequence[MetricsDict]) -> MetricsDict:
        """The regressions' values for divergences (mean) and recalls (pooled) over the references."""
        features = []
        # In the order the regressions were learned with: JS 1, 2, then ROUGE and ROUGE-WE of each n.
        for n in (1, 2):
            features.append(sum(row[f"js-{n}-divergence"] for row in rows) / len(rows))
        for n in (1, 2):
            total = sum(row[f"total-{n}"] for row in rows)
            for kind in ("rouge", "we"):
                features.append(sum(row[f"{kind}-{n}"] for row in rows) / total if total else 0.0)
        point = np.array(features)
        return MetricsDict({"s3": {name: regress(name, point) for name in ("pyr", "resp")}})


class _Read(NamedTuple):
    """A text's n-grams of stems and of words with vectors, for n = 1 and 2."""

    stems: list[Counter[tuple[str, ...]]]
    soft: list[SoftGrams]


def _matches(summary: _Read, reference: _Read) -> dict[str, float]:
    made: dict[str, float] = {}
    for at, n in enumerate((1, 2)):
        made[f"rouge-{n}"] = (summary.stems[at] & reference.stems[at]).total()
        made[f"we-{n}"] = soft_overlap(summary.soft[at], reference.soft[at], _THRESHOLD)
        made[f"total-{n}"] = reference.stems[at].total()
    return made


@cache
def models() -> dict[str, NDArray[Any]]:
    """The arrays of both regressions: support vectors, coefficients, intercepts, the kernel's width."""
    with (
        as_file(files("rubrica.metrics").joinpath("data", "s3_svr_en.npz")) as path,
        np.load(path, allow_pickle=False) as arrays,
    ):
        return dict(arrays)


def regress(name: str, point: NDArray[np.float64]) -> float:
    """The value of the regression `pyr` or `resp` (support vectors, radial kernel) at six features."""
    arrays = models()
    squares = ((arrays[f"{name}_sv"] - point) ** 2).sum(axis=1)
    kernel = np.exp(-float(arrays["gamma"]) * squares)
    return float(arrays[f"{name}_b"][0] + arrays[f"{name}_coef"] @ kernel)
