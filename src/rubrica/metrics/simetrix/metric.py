"""SIMetrix: how the words of a summary are distributed, compared with those of its documents."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rubrica.data.files import content_name
from rubrica.data.instance import DocumentType, SummaryType
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ParameterError
from rubrica.metrics.base.bases import DocumentBasedMetric
from rubrica.metrics.base.metric import UNBOUNDED, Metric
from rubrica.metrics.simetrix.background import (
    Frequencies,
    InverseFrequencies,
    find_in,
    read_frequencies,
    read_inverse_frequencies,
)
from rubrica.text.stem import stem_words
from rubrica.text.stopwords import stopwords

_LINE = re.compile(r"\r\n|\r|\n")
_OTHER = re.compile(r"[^A-Za-z0-9 ]")
_BLANKS = re.compile(r" +")
_BLANK = "".join(map(chr, range(0x21)))
# Lidstone smoothing: the count added to every word, and the assumed vocabulary size per known word.
_GAMMA, _BINS = 0.005, 1.5
_TOPIC_CUTOFF = 10.0

Features = dict[str, float | None]
_DIVERGENCES = ("KLInputSummary", "KLSummaryInput", "unsmoothedJSD", "smoothedJSD")
_PROBABILITIES = ("unigramProb", "multinomialProb")
_TOPIC_WORDS = ("percentTopicTokens", "fractionTopicWords", "topicWordOverlap")


@Metric.register("simetrix")
class SIMetrix(DocumentBasedMetric):
    """SIMetrix: divergence and likelihood of word distributions of summary and documents; needs no references.

    The features on topic words and the cosines need SIMetrix's background files and are left out
    without them. Documents without words: all features are undefined.

    Args:
        use_stemmer: Stem words.
        remove_stopwords: Drop common words, before stemming.
        simetrix_root: Checkout of SIMetrix that contains both background files.
        background_idf: File with the number of documents, then lines `word idf`; its words must be
            stemmed if `use_stemmer` is on.
        background_counts: File of lines `word count`, unstemmed; Rubrica stems them if
            `use_stemmer` is on.
        full_precision: Do not round to the five digits of the original program.
    """

    value_range = {
        "unsmoothedJSD": (0.0, math.log(2)),
        "smoothedJSD": (0.0, math.inf),
        "unigramProb": (-math.inf, 0.0),
        "cosineAllWords": (0.0, 1.0),
        **dict.fromkeys(_TOPIC_WORDS, (0.0, 1.0)),
        "*": UNBOUNDED,
    }
    direction = {**dict.fromkeys(_DIVERGENCES, "lower"), "*": "higher"}
    citation = """@article{louis-nenkova-2013-automatically,
    title = "Automatically Assessing Machine Summary Content Without a Gold Standard",
    author = "Louis, Annie and Nenkova, Ani", journal = "Computational Linguistics",
    volume = "39", number = "2", year = "2013", pages = "267--300",
    url = "https://aclanthology.org/J13-2002", doi = "10.1162/COLI_a_00123"}"""

    def __init__(
        self,
        use_stemmer: bool = True,
        remove_stopwords: bool = True,
        simetrix_root: str | None = None,
        background_idf: str | None = None,
        background_counts: str | None = None,
        full_precision: bool = False,
    ) -> None:
        super().__init__()
        self.stemmer = "porter" if use_stemmer else None
        self.remove_stopwords, self.full_precision = remove_stopwords, full_precision
        if simetrix_root is not None:
            kind = "stemmed" if use_stemmer else "unstemmed"
            background_idf = background_idf or find_in(simetrix_root, f"bgIdfValues.{kind}.txt")
            background_counts = background_counts or find_in(
                simetrix_root, "bgFreqCounts.unstemmed.txt"
            )
        if background_counts is not None and background_idf is None:
            raise ParameterError(
                "simetrix: topic words also need background_idf, since their overlap is a cosine"
            )
        self.idf_file, self.counts_file = background_idf, background_counts
        # Report unreadable files now, not after reading the input.
        self._idf()
        self._frequencies()

    def _idf(self) -> InverseFrequencies | None:
        return read_inverse_frequencies(self.idf_file) if self.idf_file else None

    def _frequencies(self) -> Frequencies | None:
        return read_frequencies(self.counts_file, self.stemmer) if self.counts_file else None

    def signature_parameters(self) -> dict[str, str]:
        """Return the parameters, with background files by name and content, not by path."""
        shown = super().signature_parameters()
        for name in ("simetrix_root", "background_idf", "background_counts"):
            shown.pop(name, None)
        if self.idf_file:
            shown["background_idf"] = content_name(self.idf_file)
        if self.counts_file:
            shown["background_counts"] = content_name(self.counts_file)
        return shown

    def score_multi_all(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        documents_list: Sequence[Sequence[DocumentType]],
    ) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list against its own documents."""
        output = []
        for summaries, documents in self._rows((summaries_list, documents_list)):
            source = self._words(documents)
            topics = self._topics(source)
            scored = (
                self._features(source, self._words([summary]), topics) for summary in summaries
            )
            output.append([MetricsDict(self._printed(features)) for features in scored])
        return output

    def _words(self, texts: Iterable[SummaryType]) -> Words:
        tokens = [token for text in texts for token in _tokens(text)]
        if self.remove_stopwords:
            stop = stopwords("smart")
            tokens = [token for token in tokens if token not in stop]
        if self.stemmer:
            tokens = stem_words(tokens, self.stemmer)
        return Words(Counter(tokens))

    def _topics(self, source: Words) -> set[str] | None:
        background = self._frequencies()
        if background is None:
            return None
        return {
            word
            for word, count in source.counts.items()
            if _likelihood_ratio(count, source.total, background, word) > _TOPIC_CUTOFF
        }

    def _features(self, source: Words, summary: Words, topics: set[str] | None) -> Features:
        idf = self._idf()
        names = [*_DIVERGENCES, *(["cosineAllWords"] if idf else [])]
        names += [*(_TOPIC_WORDS if topics is not None else ()), *_PROBABILITIES]
        if not source.total:
            return dict.fromkeys(names)
        values: Features = dict(zip(_DIVERGENCES, _divergences(source, summary), strict=True))
        values |= zip(_PROBABILITIES, _probabilities(source, summary), strict=True)
        if idf:
            values["cosineAllWords"] = _cosine(source.counts, summary.counts, idf.of)
        if idf and topics is not None:
            tokens = sum(summary.counts[word] for word in topics)
            present = sum(word in summary.counts for word in topics)
            values["percentTopicTokens"] = tokens / summary.total if tokens else 0.0
            values["fractionTopicWords"] = present / len(topics) if topics else 0.0
            about = {word: source.counts[word] for word in topics}
            values["topicWordOverlap"] = _cosine(about, summary.counts, idf.of)
        return {name: values[name] for name in names}

    def _printed(self, features: Features) -> Features:
        if self.full_precision:
            return features
        return {k: None if v is None else round(v, 5) for k, v in features.items()}


@dataclass(frozen=True)
class Words:
    """The words of a text with their counts."""

    counts: Counter[str]

    @cached_property
    def total(self) -> int:
        """Number of words."""
        return self.counts.total()


def _tokens(text: SummaryType | DocumentType) -> list[str]:
    """Return runs of ASCII letters and digits, lower-cased; a line of only punctuation is one empty word."""
    joined = text if isinstance(text, str) else "\n".join(text)
    return [
        token.lower()
        for line in _LINE.split(joined)
        if line.strip(_BLANK)
        for token in _BLANKS.split(_OTHER.sub(" ", line).strip(" "))
    ]


def _divergences(source: Words, summary: Words) -> tuple[float, float, float, float]:
    """Return the divergences in the order of their names, in nats."""
    bins = _BINS * len(source.counts)
    a, b = source.counts, summary.counts
    # Most words are rare, so few distinct pairs of counts occur: compute each once.
    pairs = Counter((count, b.get(word, 0)) for word, count in a.items())
    pairs.update((0, count) for word, count in b.items() if word not in a)
    forth = back = plain = smoothed = 0.0
    for (in_source, in_summary), words in pairs.items():
        p = (in_source + _GAMMA) / (source.total + _GAMMA * bins)
        q = (in_summary + _GAMMA) / (summary.total + _GAMMA * bins)
        forth += words * p * math.log(p / q)
        back += words * q * math.log(q / p)
        smoothed += words * _js_term(p, q)
        share = in_summary / summary.total if in_summary else 0.0
        plain += words * _js_term(in_source / source.total, share)
    return forth, back, plain, smoothed


def _js_term(p: float, q: float) -> float:
    mean = (p + q) / 2
    return sum(share * math.log(share / mean) for share in (p, q) if share) / 2


def _probabilities(source: Words, summary: Words) -> tuple[float, float]:
    """Return log10 probabilities of the summary's words under the documents' distribution; skips unknown words."""
    unigram = sum(
        count * math.log10(source.counts[word] / source.total)
        for word, count in summary.counts.items()
        if word in source.counts
    )
    orders = _log10_factorial(summary.total) - sum(map(_log10_factorial, summary.counts.values()))
    return unigram, unigram + orders


def _log10_factorial(n: int) -> float:
    return math.fsum(map(math.log10, range(2, n + 1)))


def _cosine(a: Mapping[str, int], b: Mapping[str, int], idf: Callable[[str], float]) -> float:
    dot = sum(count * b[word] * idf(word) ** 2 for word, count in a.items() if word in b)
    if not dot:
        return 0.0
    norms = (sum((n * idf(word)) ** 2 for word, n in counts.items()) for counts in (a, b))
    return dot / math.prod(map(math.sqrt, norms))


def _likelihood_ratio(count: int, total: int, background: Frequencies, word: str) -> float:
    """Return the likelihood ratio of two shares against one, in input and background: -2 log10 of the ratio."""
    other = background.counts.get(word, 0)

    def log_likelihood(k: int, n: int, share: float) -> float:
        # A share of 0 or 1 contributes nothing.
        met = k * math.log10(share) if share > 0 else 0.0
        return met + ((n - k) * math.log10(1 - share) if share < 1 else 0.0)

    both, n = count + other, total + background.total
    together = log_likelihood(both, n, both / n)
    apart = log_likelihood(count, total, count / total)
    apart += log_likelihood(other, background.total, other / background.total)
    return -2 * (together - apart)
