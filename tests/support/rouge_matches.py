"""Which tokens a ROUGE measure counts: every hit with its places, equal in sum to the kernel's count.

The plain definition of what the pages list in the browser (`reports/web/rouge/match-rules.js`): the kernels only
count. It also lists what was equal but used up before (clipped).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.core.python.lcs import lcs_path
from rubrica.core.python.rouge_text import Text
from rubrica.metrics.rouge.scorer import RougeScorer

Places = tuple[int, ...]
Occurrences = dict[tuple[str, ...], list[Places]]
Path = Callable[[Sequence[str], Sequence[str]], Iterator[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Match:
    """Tokens that count together, by their numbers in the summary and in the reference.

    An n-gram has n places on each side. A hit of ROUGE-L has one place in the reference, and in the
    summary every place that some sentence's subsequence pairs with it. A hit of ROUGE-W is a run.
    """

    summary: Places
    reference: Places
    value: float = 1.0


@dataclass(frozen=True, slots=True)
class Matches:
    """What one measure counted of one pair of texts, and what was equal but clipped on each side."""

    counted: tuple[Match, ...]
    clipped_summary: tuple[Places, ...] = ()
    clipped_reference: tuple[Places, ...] = ()

    @property
    def hits(self) -> float:
        """The measure's count: equal to the kernel's to the last bit."""
        total = 0.0
        for match in self.counted:
            total += match.value
        return total


def matches(engine: RougeScorer, summary: Text, reference: Text) -> list[Matches]:
    """Return what each measure of the engine counts in this pair, in the engine's order.

    Numbers of tokens are those of `whole` for n-grams, skip-bigrams and the LCS of whole texts; for
    the measures of units they run through all units (without a limit of bytes that is the same).
    """
    options, distinct = engine.options, engine.profile.distinct
    measures = [_ngrams(summary, reference, n, distinct) for n in options.ngrams]
    if options.lcs:
        if engine.profile.pltrdy_l:
            measures.append(_pltrdy_lcs(summary, reference, distinct))
        else:
            measures.append(_lcs(summary, reference))
    if options.lcs_union:
        measures.append(_union_lcs(summary, reference))
    if options.wlcs_weight is not None:
        measures.append(_weighted_lcs(summary, reference, options.wlcs_weight))
    measures += [_skips(summary, reference, gap, False) for gap in options.skip_gaps]
    measures += [_skips(summary, reference, gap, True) for gap in options.skip_unigram_gaps]
    return measures


def _ngrams(summary: Text, reference: Text, n: int, distinct: bool) -> Matches:
    return _pair(_ngram_places(summary, n), _ngram_places(reference, n), distinct)


def _skips(summary: Text, reference: Text, gap: int | None, unigrams: bool) -> Matches:
    return _pair(_skip_places(summary, gap, unigrams), _skip_places(reference, gap, unigrams))


# A text is compared with many others; the cache identifies texts by identity.
@lru_cache(maxsize=512)
def _ngram_places(text: Text, n: int) -> Occurrences:
    places: Occurrences = defaultdict(list)
    for i, gram in enumerate(zip(*(text.whole[k:] for k in range(n)), strict=False)):
        places[gram].append(tuple(range(i, i + n)))
    return places


@lru_cache(maxsize=512)
def _skip_places(text: Text, gap: int | None, unigrams: bool) -> Occurrences:
    places: Occurrences = defaultdict(list)
    tokens, size = text.whole, len(text.whole)
    for i, first in enumerate(tokens):
        for j in range(i + 1, size if gap is None else min(size, i + gap + 2)):
            places[first, tokens[j]].append((i, j))
        # ROUGE-1.5.5 never counts the last token as a unigram.
        if unigrams and i < size - 1:
            places[first,].append((i,))
    return places


def _pair(ours: Occurrences, theirs: Occurrences, distinct: bool = False) -> Matches:
    """Pair the k-th occurrence in the summary with the k-th in the reference; clip the surplus.

    Which of several equal occurrences match is our choice; the count only says how many.
    """
    counted: list[Match] = []
    clipped_ours: list[Places] = []
    clipped_theirs: list[Places] = []
    for gram in ours.keys() & theirs.keys():
        here, there = ours[gram], theirs[gram]
        used = 1 if distinct else min(len(here), len(there))
        counted += map(Match, here[:used], there[:used])
        clipped_ours += here[used:]
        clipped_theirs += there[used:]
    counted.sort(key=lambda match: _by_size(match.summary))
    return Matches(
        tuple(counted),
        tuple(sorted(clipped_ours, key=_by_size)),
        tuple(sorted(clipped_theirs, key=_by_size)),
    )


def _by_size(places: Places) -> tuple[int, Places]:
    return len(places), places


def _lcs(summary: Text, reference: Text) -> Matches:
    path = lcs_path(reference.whole, summary.whole)
    return Matches(tuple(Match((j,), (i,)) for i, j in path)[::-1])


def _unit_starts(text: Text) -> list[int]:
    return [0, *accumulate(map(len, text.units))]


def _partners(summary: Text, unit: Sequence[str], path: Path) -> dict[int, list[int]]:
    """Return for each token of a reference unit the summary tokens that some unit's path pairs with it."""
    partners: dict[int, list[int]] = defaultdict(list)
    for start, other in zip(_unit_starts(summary), summary.units, strict=False):
        for i, j in path(unit, other):
            partners[i].append(start + j)
    return partners


class _Budget:
    """How often each token may still be used: as often as both texts have it."""

    def __init__(self, summary: Text, reference: Text) -> None:
        self._left = Counter(summary.unigrams) & Counter(reference.unigrams)

    def use(self, token: str) -> bool:
        """Use the token once, if any are left."""
        if self._left[token] <= 0:
            return False
        self._left[token] -= 1
        return True


def _union_lcs(summary: Text, reference: Text) -> Matches:
    budget = _Budget(summary, reference)
    counted: list[Match] = []
    clipped: list[Places] = []
    for start, unit in zip(_unit_starts(reference), reference.units, strict=False):
        partners = _partners(summary, unit, lcs_path)
        for i in sorted(partners):
            if budget.use(unit[i]):
                counted.append(Match(tuple(partners[i]), (start + i,)))
            else:
                clipped.append((start + i,))
    return Matches(tuple(counted), (), tuple(clipped))


def _weighted_lcs(summary: Text, reference: Text, weight: float) -> Matches:
    longest = max((len(unit) for unit in reference.units), default=0)
    power = [float(k) ** weight for k in range(longest + 2)]
    budget = _Budget(summary, reference)
    counted: list[Match] = []
    clipped: list[Places] = []

    powers = np.array(power)
    numbers: dict[str, int] = {}

    def numbered(unit: Sequence[str]) -> NDArray[np.int64]:
        ids = [numbers.setdefault(token, len(numbers) + 1) for token in unit]
        return np.array(ids, dtype=np.int64)

    def path(unit: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int]]:
        return iter(kernels.weighted_lcs_path(numbered(unit), numbered(other), powers).tolist())

    for start, unit in zip(_unit_starts(reference), reference.units, strict=False):
        partners = _partners(summary, unit, path)
        run: list[int] = []
        for i in sorted(partners):
            # As the kernel: a token used up before neither lengthens nor ends the run, and a run
            # that never ends is lost.
            if not budget.use(unit[i]):
                clipped.append((start + i,))
                continue
            run.append(i)
            if i + 1 not in partners:
                places = tuple(sorted(j for k in run for j in partners[k]))
                counted.append(Match(places, tuple(start + k for k in run), power[len(run)]))
                run = []
        clipped += [(start + k,) for k in run]
    return Matches(tuple(counted), (), tuple(clipped))


def _pltrdy_lcs(summary: Text, reference: Text, distinct: bool) -> Matches:
    """Return words on a subsequence of any two sentences: each word once, or every pair's whole length."""
    counted: list[Match] = []
    clipped_summary: list[Places] = []
    seen: set[str] = set()
    for start, unit in zip(_unit_starts(reference), reference.units, strict=False):
        for other_start, other in zip(_unit_starts(summary), summary.units, strict=False):
            # The package's tie rule is ours in the transposed table.
            for j, i in sorted(lcs_path(other, unit)):
                if distinct and other[j] in seen:
                    clipped_summary.append((other_start + j,))
                    continue
                seen.add(other[j])
                counted.append(Match((other_start + j,), (start + i,)))
    return Matches(tuple(counted), tuple(clipped_summary))
