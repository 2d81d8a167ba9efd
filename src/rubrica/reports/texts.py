"""Facts of texts without a metric: lengths, repetition, copying from the document, equal outputs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rubrica.data.instance import Text, flatten

_WORD = re.compile(r"\w+")
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TextFacts:
    """Means over a system's summaries; None where the texts they need are missing.

    Words are runs of letters and digits. `repeated`: share of 3-word sequences that occurred before in
    the summary. `novel`: share of 2-word sequences that the document lacks. `copied`: length of the
    longest word sequence taken from the document. `relative_length`: words over those of the mean
    reference.
    """

    summaries: int
    empty: int
    words: float | None
    sentences: float | None
    repeated: float | None
    novel: float | None
    copied: float | None
    relative_length: float | None


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Summaries with equal text (blanks and case aside), each as (instance_id, summarizer_id)."""

    text: str
    summaries: tuple[Key, ...]


def words(text: Text) -> list[str]:
    """Return the lower-cased words of a text."""
    return _WORD.findall(flatten(text).lower())


def text_facts(
    summaries: Iterable[tuple[Text, Sequence[Text] | None, Text | None]],
) -> TextFacts:
    """Return the facts of one system's (summary, references, document) triples."""
    lengths: list[float] = []
    sentences: list[float] = []
    repeated: list[float] = []
    novel: list[float] = []
    copied: list[float] = []
    relative: list[float] = []
    for summary, references, document in summaries:
        summary_words = words(summary)
        lengths.append(len(summary_words))
        if not isinstance(summary, str):
            sentences.append(len(summary))
        if len(summary_words) >= 3:
            grams = Counter(zip(summary_words, summary_words[1:], summary_words[2:], strict=False))
            repeated.append(1 - len(grams) / grams.total())
        if references and (mean := _mean([len(words(reference)) for reference in references])):
            relative.append(len(summary_words) / mean)
        if document is not None and len(summary_words) >= 2:
            source = words(document)
            source_pairs = set(pairwise(source))
            pairs = list(pairwise(summary_words))
            novel.append(sum(pair not in source_pairs for pair in pairs) / len(pairs))
            copied.append(_longest_copy(summary_words, source))
    return TextFacts(
        len(lengths),
        sum(length == 0 for length in lengths),
        *map(_mean, (lengths, sentences, repeated, novel, copied, relative)),
    )


def duplicates(texts: Mapping[Key, Text]) -> list[Duplicate]:
    """Return the texts that several summaries share, the most frequent first."""
    groups: dict[str, list[Key]] = defaultdict(list)
    for key, text in texts.items():
        groups[" ".join(flatten(text).lower().split())].append(key)
    repeated = [
        Duplicate(flatten(texts[keys[0]]), tuple(keys)) for keys in groups.values() if len(keys) > 1
    ]
    return sorted(repeated, key=lambda duplicate: -len(duplicate.summaries))


def _longest_copy(summary: Sequence[str], source: Sequence[str]) -> int:
    """Return the length of the longest run of words that both have."""
    places: dict[str, list[int]] = defaultdict(list)
    for at, word in enumerate(source):
        places[word].append(at)
    longest = 0
    ending: dict[int, int] = {}
    for word in summary:
        ending = {at: ending.get(at - 1, 0) + 1 for at in places.get(word, ())}
        longest = max(longest, *ending.values()) if ending else longest
    return longest


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
