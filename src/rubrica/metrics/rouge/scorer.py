"""From counts of pairs to scores: pooled or best references, then recall, precision and F."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.core.python.rouge_text import Text, reader
from rubrica.core.rouge_options import RougeFinish, RougeOptions, power
from rubrica.metrics.rouge.profiles import Combination, Profile
from rubrica.metrics.rouge.tokens import Splitter

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
# Readers remember stems.
_reader = cache(reader)
HITS, REFERENCE, SUMMARY = 0, 1, 2
RECALL, PRECISION, F1 = 0, 1, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RougeScorer:
    """One way to count and to score. Measures are those of `options`, in its order.

    An empty summary, an empty reference, or a text too short for a measure scores 0.
    """

    profile: Profile
    options: RougeOptions
    combination: Combination
    splitter: Splitter | None = None
    alpha: float = 0.5
    full_precision: bool = False
    _finish: RougeFinish = field(init=False)
    _exponents: Floats = field(init=False)

    def __post_init__(self) -> None:
        # Computed once: it would take longer than a single score() call.
        finish = RougeFinish(
            alpha=self.alpha,
            epsilon=self.profile.epsilon,
            printed=self.profile.printed and not self.full_precision,
            scale=self.profile.scale,
            scale_first=self.profile.scale_first,
        )
        weighted = ("w", "lsum") if self.profile.l_inverse_weight else ("w",)
        inverse = 1 / (self.options.wlcs_weight or 1)
        exponents = [inverse if name in weighted else 1.0 for name in self.options.measures]
        object.__setattr__(self, "_finish", finish)
        object.__setattr__(self, "_exponents", np.array(exponents))

    def tokens_of(self, prepared: object) -> Text:
        """Return the tokens that are compared, of a text as the metric's `prepare` gives it."""
        if self.splitter is None:
            return _reader(self.options)(prepared)
        units = self.splitter(prepared)  # type: ignore[arg-type]
        return Text([token for unit in units for token in unit], units)

    def count(
        self,
        summaries: Sequence[object],
        references: Sequence[object],
        pairs: Indices,
        threads: int = 1,
    ) -> Floats:
        """Return counts: array [pair, measure, (hits, reference's count, summary's count)]."""
        if self.splitter is not None:
            summaries = [self.splitter(units) for units in summaries]  # type: ignore[arg-type]
            references = [self.splitter(units) for units in references]  # type: ignore[arg-type]
        if self.profile.pltrdy_l:
            from rubrica.metrics.rouge.pltrdy import pltrdy_counts

            return pltrdy_counts(
                self.options,
                summaries,  # type: ignore[arg-type]
                references,  # type: ignore[arg-type]
                pairs,
                distinct=self.profile.distinct,
            )
        counts = kernels.rouge_counts(self.options, summaries, references, pairs, threads)
        if self.profile.negative_counts:
            for k, n in enumerate(self.options.ngrams[1:], 1):
                counts[:, k, 1:] = counts[:, 0, 1:] - (n - 1)
        if self.profile.l_for_w1 and self.options.wlcs_weight == 1:
            plain = replace(self.options, ngrams=(), lcs_union=True, wlcs_weight=None)
            w = self.options.measures.index("w")
            counts[:, [w]] = kernels.rouge_counts(plain, summaries, references, pairs, threads)
        return counts

    def score(self, counts: Floats, starts: Indices) -> Floats:
        """Return scores from the counts of pairs: array [summary, measure, (recall, precision, f1)].

        The pairs of summary i begin at `starts[i]`; every summary has at least one.
        """
        if self.combination == "mean":
            kind = np.float32 if self.profile.single_precision else np.float64
            totals = _sums(self._ratios(self._weigh_again(counts)).astype(kind), starts)
            totals /= np.diff(starts, append=len(counts))[:, None, None].astype(kind)
            return totals.astype(np.float64)
        return self._ratios(self.combine(counts, starts))

    def combine(self, counts: Floats, starts: Indices) -> Floats:
        """Return counts of each summary: those of all its references together, or of its best one."""
        weighted = self._weigh_again(counts)
        if len(starts) == len(counts):  # one reference each: nothing to combine
            return weighted
        if self.combination == "pooled":
            return _sums(weighted, starts)
        if self.combination == "best-f":
            preference = self._ratios(weighted)[:, :, F1]
        else:
            preference = self._recalls(counts, weighted)
        best: Floats = weighted[_first_best(preference, starts), np.arange(counts.shape[1])]
        return best

    def _weigh_again(self, counts: Floats) -> Floats:
        """Raise ROUGE-W's reference count to the weight once more, as in ROUGE-1.5.5."""
        if self.options.wlcs_weight is None:
            return counts
        weighted = counts.copy()
        w = self.options.measures.index("w")
        weighted[:, w, REFERENCE] = power(counts[:, w, REFERENCE], self.options.wlcs_weight)
        return weighted

    def _recalls(self, counts: Floats, weighted: Floats) -> Floats:
        """Return the recall that decides which reference is the best: array [pair, measure]."""
        recall = counts[:, :, HITS] / np.maximum(counts[:, :, REFERENCE], 1)
        if self.options.wlcs_weight is not None:
            w = self.options.measures.index("w")
            inverse = 1 / self.options.wlcs_weight
            bases = {
                "once": counts[:, w, REFERENCE],
                "twice": weighted[:, w, REFERENCE],
                "back": power(weighted[:, w, REFERENCE], inverse),
            }
            ratio = counts[:, w, HITS] / np.maximum(bases[self.profile.best_w], 1)
            recall[:, w] = ratio if self.profile.best_w == "twice" else power(ratio, inverse)
        if self.profile.printed:
            # ROUGE-1.5.5 compares the printed recall, except for L and W.
            exact = [k for k, name in enumerate(self.options.measures) if name in ("lsum", "w")]
            printed = kernels.round5(recall)
            printed[:, exact] = recall[:, exact]
            recall = printed
        return recall

    def _ratios(self, counts: Floats) -> Floats:
        """Return recall, precision and F of counts, rounded and scaled like the profile."""
        scores = kernels.rouge_scores(counts, self._exponents, self._finish)
        if self.profile.negative_counts:
            self._divide_by_negative_counts(counts, scores)
        if self.profile.single_precision:
            return scores.astype(np.float32).astype(np.float64)
        return scores

    def _divide_by_negative_counts(self, counts: Floats, scores: Floats) -> None:
        """Write the scores of hits in references whose counts add up to 0 or less: a recall of 0 or below."""
        at = (counts[:, :, HITS] > 0) & (counts[:, :, REFERENCE] <= 0)
        hits, reference = counts[at, HITS], counts[at, REFERENCE]
        recall = np.divide(hits, reference, out=np.zeros_like(hits), where=reference < 0)
        precision = scores[at, PRECISION]
        below = (1 - self.alpha) * precision + self.alpha * recall
        scores[at, RECALL] = recall
        scores[at, F1] = np.divide(
            precision * recall, below, out=np.zeros_like(hits), where=below != 0
        )


def _sums(values: Floats, starts: Indices) -> Floats:
    """Return each summary's sum over its pairs, added sequentially (unlike `reduceat`)."""
    sizes = np.diff(starts, append=len(values))
    totals = values[starts]
    for k in range(1, int(sizes.max(initial=0))):
        longer = sizes > k
        totals[longer] += values[starts[longer] + k]
    return totals


def _first_best(preference: Floats, starts: Indices) -> Indices:
    """Return the index of the best pair of each summary and measure; the first if equal."""
    rows = len(preference)
    sizes = np.diff(starts, append=rows)
    highest = np.repeat(np.maximum.reduceat(preference, starts, axis=0), sizes, axis=0)
    numbers = np.where(preference == highest, np.arange(rows)[:, None], rows)
    best: Indices = np.minimum.reduceat(numbers, starts, axis=0)
    return best
