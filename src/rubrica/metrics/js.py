"""JS: Jensen-Shannon divergence between the n-grams of a summary and of its references or documents."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from operator import or_
from typing import Any, Literal

from rubrica.data.instance import DocumentType, SummaryType
from rubrica.data.measures import Direction
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import Metric, Range, WithJackknife
from rubrica.metrics.base.pairwise import PairwiseMetric
from rubrica.text.stem import stem_function
from rubrica.text.stopwords import stopwords
from rubrica.text.words import words_of

_LN_2 = math.log(2)
_DIVERGENCE = "-divergence"

Counts = Counter[tuple[str, ...]]


@Metric.register("js")
class JensenShannon(PairwiseMetric):
    """Jensen-Shannon divergence of stemmed n-grams, with a minus sign so that higher is better.

    Of several references the mean counts. A text without n-grams: -0.346574 (half of ln 2) against
    one that has some, 0 against one that has none either.

    Args:
        ngram_orders: The n of each JS-n; null: 1 and 2.
        against: What the summary is compared with: `references` or `documents`; several documents
            count as one text.
        divergence: Return the divergence itself (lower is better), under separate names
            (js-1-divergence, ...).
        stemmer: Name of a stemmer, or null for none.
        stop_list: Name of a stop list, `nltk` or `smart`, or null for none; n-grams that consist of
            stop words are dropped.
    """

    value_range = (-_LN_2, 0.0)
    citation = """@article{lin-1991-divergence,
    title = "Divergence measures based on the {S}hannon entropy", author = "Lin, Jianhua",
    journal = "IEEE Transactions on Information Theory", volume = "37", number = "1",
    pages = "145--151", year = "1991", doi = "10.1109/18.61115"}
@inproceedings{lin-etal-2006-information,
    title = "An Information-Theoretic Approach to Automatic Evaluation of Summaries",
    author = "Lin, Chin-Yew and Cao, Guihong and Gao, Jianfeng and Nie, Jian-Yun",
    booktitle = "Proceedings of {HLT}-{NAACL}", year = "2006", pages = "463--470",
    url = "https://aclanthology.org/N06-1059"}"""

    def __init__(
        self,
        ngram_orders: list[int] | None = None,
        against: Literal["references", "documents"] = "references",
        divergence: bool = False,
        stemmer: str | None = "porter2-nltk",
        stop_list: str | None = "nltk",
    ) -> None:
        if against == "documents":
            super().__init__(required_context_fields=("documents",), jackknifer=None)
        else:
            super().__init__()
        self.orders = (1, 2) if ngram_orders is None else tuple(ngram_orders)
        if not self.orders or any(not 1 <= n <= 1000 for n in self.orders):
            raise ParameterError(
                f"js: ngram_orders must be numbers from 1 to 1000: {list(self.orders)}"
            )
        self.against: str = against
        self.divergence, self.stemmer, self.stop_list = divergence, stemmer, stop_list
        # Report a mistyped name now, not after reading the input.
        stem_function(stemmer) if stemmer else None
        stopwords(stop_list) if stop_list else None

    def score_multi_all(self, *fields: Any) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list against its own references or documents."""
        return super().score_multi_all(*self._against_texts(*fields))

    def score_with_jackknife(self, *fields: Any) -> list[list[WithJackknife]]:
        """Return each score with its jackknifed value; against documents there is none."""
        return super().score_with_jackknife(*self._against_texts(*fields))

    def _against_texts(self, summaries_list: Any, context_list: Any) -> tuple[Any, Any]:
        if self.against == "documents":
            context_list = [[_pool(documents)] for documents in context_list]
        return summaries_list, context_list

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[SummaryType]
    ) -> list[Mapping[str, float]]:
        """Score each summary against the text at the same index."""
        # Count each text once: it is the same object in all its pairs.
        read: dict[int, list[Counts]] = {}
        for text in (*summaries, *references):
            if id(text) not in read:
                read[id(text)] = self._ngrams(text)
        sign, end = (1, _DIVERGENCE) if self.divergence else (-1, "")
        return [
            {
                f"js-{n}{end}": sign * _divergence(other, counts)
                for n, other, counts in zip(
                    self.orders, read[id(reference)], read[id(summary)], strict=True
                )
            }
            for summary, reference in zip(summaries, references, strict=True)
        ]

    def _ngrams(self, text: SummaryType) -> list[Counts]:
        """Return the counts of n-grams with a content word, for every n."""
        words = words_of(text)
        if self.stemmer:
            words = list(map(stem_function(self.stemmer), words))
        # The stop list holds words, but stems are looked up: "very" (veri) is not found.
        stop = stopwords(self.stop_list) if self.stop_list else frozenset()
        content = [word not in stop for word in words]
        counts = []
        for n in self.orders:
            selected: Iterable[bool] = content
            for k in range(1, n):
                selected = map(or_, selected, content[k:])
            grams = zip(*(words[k:] for k in range(n)), strict=False)
            counts.append(Counter(compress(grams, selected)))
        return counts

    @classmethod
    def direction_of(cls, measure: str) -> Direction:
        """Return "lower" for the divergence, "higher" for its negative."""
        return "lower" if _DIVERGENCE in measure else "higher"

    @classmethod
    def range_of(cls, measure: str) -> Range:
        """Return 0 to ln 2 for the divergence."""
        return (0.0, _LN_2) if _DIVERGENCE in measure else super().range_of(measure)


def _divergence(p: Counts, q: Counts) -> float:
    """Return the divergence in nats. A text without n-grams contributes 0."""
    in_p, in_q = p.total(), q.total()
    # Most n-grams are rare, so few distinct pairs of counts occur: compute each once.
    pairs = Counter(zip(p.values(), (q.get(gram, 0) for gram in p), strict=True))
    total = 0.0
    for (count, other), times in pairs.items():
        share, theirs = count / in_p, other / in_q if other else 0.0
        mean = (share + theirs) / 2
        total += times * share * math.log(share / mean)
        if other:
            total += times * theirs * math.log(theirs / mean)
    if in_q:
        only_q = in_q - sum(other * times for (_, other), times in pairs.items())
        total += only_q / in_q * _LN_2
    # Rounding can make the divergence of equal texts slightly negative.
    return max(0.0, 0.5 * total)


def _pool(documents: Sequence[DocumentType]) -> list[str]:
    """Return several documents as one text."""
    return [
        sentence
        for document in documents
        for sentence in ([document] if isinstance(document, str) else document)
    ]
