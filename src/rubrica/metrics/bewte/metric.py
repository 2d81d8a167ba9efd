"""The metric `bewte-ud`: overlap of basic elements with transformations, from parses you supply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from rubrica.data.instance import ReferenceType, SummaryType, hashable
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.pairwise import PairwiseMetric
from rubrica.metrics.bewte.elements import Element, elements_of
from rubrica.metrics.bewte.transform import Key, References, transformed
from rubrica.text.conllu import parse_conllu

Elements = Mapping[Key, Element]

CITATION = """@inproceedings{tratz-hovy-2008-bewte,
    title = "Summarization Evaluation Using Transformed Basic Elements",
    author = "Tratz, Stephen and Hovy, Eduard",
    booktitle = "Proceedings of the Text Analysis Conference (TAC 2008)", year = "2008"}"""


@Metric.register("bewte-ud")
class BEwTEUD(PairwiseMetric):
    """Overlap of basic elements (words and syntactic relations) with a reference, including some paraphrases.

    A text is its dependency parse in CoNLL-U (Universal Dependencies), or a list of such parses of its
    sentences. Values are means over references. A text without elements scores 0.

    Args:
        transformations: Also match elements that are worded differently: inflected, synonymous,
            abbreviated, reordered.
    """

    value_range = (0.0, 100.0)
    citation = CITATION

    def __init__(self, transformations: bool = True) -> None:
        super().__init__()
        self.transformations = transformations

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> list[dict[str, Any]]:
        """Return precision, recall and F1 of each pair, times 100."""
        # A text occurs in several pairs.
        of = lru_cache(maxsize=None)(lambda text: elements_of(parse_conllu(text)))
        return [
            self._score(of(hashable(summary)), of(hashable(reference)))
            for summary, reference in zip(summaries, references, strict=True)
        ]

    def _score(self, summary: Elements, reference: Elements) -> dict[str, Any]:
        matched = self._count_matches(summary, reference)
        precision = 100 * matched / len(summary) if summary else 0.0
        recall = 100 * matched / len(reference) if reference else 0.0
        f1 = 2 * precision * recall / (precision + recall) if matched else 0.0
        return {"bewte-ud": {"precision": precision, "recall": recall, "f1": f1}}

    def _count_matches(self, summary: Elements, reference: Elements) -> int:
        """Return how many elements can be paired one to one with elements of the other text."""
        if not self.transformations:
            return len(summary.keys() & reference.keys())
        known = References(reference.values())
        numbers = {key: number for number, key in enumerate(reference)}
        links = [
            sorted(numbers[key] for key in transformed(element, known) if key in numbers)
            for element in summary.values()
        ]
        if not any(links):
            return 0
        import numpy as np
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_bipartite_matching

        ends = np.cumsum([0, *map(len, links)])
        columns = np.array([column for row in links for column in row], dtype=np.int64)
        graph = csr_array(
            (np.ones(len(columns)), columns, ends), shape=(len(summary), len(reference))
        )
        return int((maximum_bipartite_matching(graph) >= 0).sum())
