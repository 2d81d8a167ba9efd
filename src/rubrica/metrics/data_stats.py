"""Statistics of a summary and its document: what is copied, how long it is, what is new or repeated."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from rubrica.data.instance import DocumentType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ParameterError
from rubrica.metrics.base.bases import DocumentBasedMetric
from rubrica.metrics.base.metric import Metric, Range
from rubrica.text.english_tokens import english_tokens

# Each length is two measures.
_LONGEST_NGRAM = 1000
_TOKENIZERS: Mapping[str, Callable[[str], list[str]]] = {
    "english": english_tokens,
    "whitespace": str.split,
}


class Fragment(NamedTuple):
    """A run of tokens that the summary shares with the document."""

    summary_start: int
    document_start: int
    length: int


@Metric.register("data-stats")
class DataStats(DocumentBasedMetric):
    """Coverage, density and compression of extractive fragments; length, novelty and repetition.

    They describe data and systems; none is better higher or lower. Without tokens in the summary
    they are 0, the shares of n-grams undefined.

    Args:
        n_gram: Longest n-grams for novelty and repetition.
        case: Make fragments case-sensitive too.
        tokenizer: `english` tokenizes like spaCy's English tokenizer, without spaCy; `whitespace`
            splits at whitespace.
    """

    direction = "none"
    value_range = (0.0, math.inf)
    citation = """@inproceedings{grusky-etal-2018-newsroom,
    title = "Newsroom: A Dataset of 1.3 Million Summaries with Diverse Extractive Strategies",
    author = "Grusky, Max and Naaman, Mor and Artzi, Yoav",
    booktitle = "Proceedings of {NAACL}-{HLT} 2018", year = "2018", pages = "708--719",
    url = "https://aclanthology.org/N18-1065"}
@article{fabbri-etal-2021-summeval,
    title = "{S}umm{E}val: Re-evaluating Summarization Evaluation",
    author = "Fabbri, Alexander R. and Kry{\\'s}ci{\\'n}ski, Wojciech and McCann, Bryan and
      Xiong, Caiming and Socher, Richard and Radev, Dragomir",
    journal = "Transactions of the Association for Computational Linguistics", volume = "9",
    year = "2021", pages = "391--409", url = "https://aclanthology.org/2021.tacl-1.24"}"""

    def __init__(
        self,
        n_gram: int = 3,
        case: bool = False,
        tokenizer: Literal["english", "whitespace"] = "english",
    ) -> None:
        super().__init__()
        if not 1 <= n_gram <= _LONGEST_NGRAM:
            raise ParameterError(
                f"data-stats: n_gram must lie between 1 and {_LONGEST_NGRAM:,}, not {n_gram}"
            )
        self.n_gram, self.case, self.tokenizer = n_gram, case, tokenizer

    def score_multi_all(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        documents_list: Sequence[Sequence[DocumentType]],
    ) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list against its own documents."""
        tokens = _TOKENIZERS[self.tokenizer]
        output = []
        for summaries, documents in self._rows((summaries_list, documents_list)):
            # Join several documents into one.
            source = [token for text in documents for token in tokens(flatten(text))]
            output.append(
                [
                    MetricsDict(self.statistics(tokens(flatten(summary)), source))
                    for summary in summaries
                ]
            )
        return output

    def statistics(
        self, summary: Sequence[str], document: Sequence[str]
    ) -> dict[str, float | None]:
        """Return the statistics of texts that are tokens already."""
        if self.case:
            runs = fragments(summary, document)
        else:
            runs = fragments([t.lower() for t in summary], [t.lower() for t in document])
        length = len(summary)
        values: dict[str, float | None] = {
            "coverage": sum(run.length for run in runs) / length if length else 0.0,
            "density": sum(run.length**2 for run in runs) / length if length else 0.0,
            "compression": len(document) / length if length else 0.0,
            "summary_length": float(length),
        }
        for n in range(1, self.n_gram + 1):
            grams, known = Counter(_grams(summary, n)), set(_grams(document, n))
            new = sum(gram not in known for gram in grams)
            repeated = sum(count > 1 for count in grams.values())
            values[f"percentage_novel_{n}-gram"] = new / len(grams) if grams else None
            values[f"percentage_repeated_{n}-gram_in_summ"] = (
                repeated / len(grams) if grams else None
            )
        return values

    @classmethod
    def range_of(cls, measure: str) -> Range:
        """Return 0 to 1 for shares, in spite of the name percentage."""
        share = measure.startswith(("coverage", "percentage"))
        return (0.0, 1.0) if share else super().range_of(measure)


def fragments(summary: Sequence[str], document: Sequence[str]) -> list[Fragment]:
    """Return the shared runs of tokens, found greedily: at each place of the summary the longest.

    Of equally long ones the first of the document counts. As in the original, a run that begins
    inside another run from the same place is not tried.
    """
    places: dict[str, list[int]] = {}
    for at, token in enumerate(document):
        places.setdefault(token, []).append(at)
    runs: list[Fragment] = []
    start = 0
    while start < len(summary):
        best, free = Fragment(start, 0, 0), 0
        for at in places.get(summary[start], ()):
            if at < free:
                continue
            length = 1
            while (
                start + length < len(summary)
                and at + length < len(document)
                and summary[start + length] == document[at + length]
            ):
                length += 1
            if length > best.length:
                best = Fragment(start, at, length)
            free = at + length
        if best.length:
            runs.append(best)
        start += max(1, best.length)
    return runs


def _grams(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return list(zip(*(tokens[k:] for k in range(n)), strict=False))
