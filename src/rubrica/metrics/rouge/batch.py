"""What the ROUGE metrics share: batches of texts in, columns or dicts out, jackknifing from counts."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rubrica.core import kernels
from rubrica.data.columns import ColumnScores, Texts, list_lengths
from rubrica.data.instance import EvalInstance, ReferenceType, SummaryType, flatten, hashable
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ComparabilityWarning, UndefinedScoreWarning
from rubrica.metrics.base.bases import ReferenceBasedMetric
from rubrica.metrics.base.metric import Range, WithJackknife
from rubrica.metrics.base.validation import check_texts
from rubrica.metrics.rouge.non_ascii import (
    ASCII_ONLY,
    Fallback,
    all_ascii,
    count_with_fallback,
    mostly_dropped,
    unread,
)
from rubrica.metrics.rouge.scorer import (
    F1,
    PRECISION,
    RECALL,
    REFERENCE,
    Floats,
    Indices,
    RougeScorer,
)
from rubrica.metrics.rouge.tokens import split_lines
from rubrica.text.scripts import hint
from rubrica.text.tokenize import tokenizer_version


class RougeMetric(ReferenceBasedMetric, abstract=True):
    """A ROUGE with an `engine` and the names of its measures (`keys`), both set by the constructor."""

    value_range = (0.0, 100.0)
    parallel = "threads"
    # The order in which a measure's three values are shown; the engine's is recall, precision, f1.
    shown: ClassVar[tuple[str, ...]] = ("recall", "precision", "f1")

    engine: RougeScorer
    keys: tuple[str, ...]
    # A tokenizer that replaces the profile's own.
    tokenizer: str | Callable[[str], Any] | None = None
    # The fallback for pairs of texts of which the profile drops most letters, and its engine; none by default.
    fallback: Fallback = "none"
    fallback_engine: RougeScorer | None = None
    # Whether summaries and references are split into sentences first.
    split_summaries: bool = False

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        # The engine holds functions; another process rebuilds the metric from its parameters.
        return _rebuild, (type(self), self._parameters, self.output_key, self.name)

    def own_range(self, measure: str) -> Range:
        """Return the range of the profile's scores, from 0 to 1 or from 0 to 100."""
        return (0.0, self.engine.profile.scale)

    def prepare(self, texts: Sequence[SummaryType]) -> Sequence[object]:
        """Return texts as the engine takes them: strings for the kernel to split, or lists of units."""
        if not self.engine.profile.newline_units:
            return [[text] if isinstance(text, str) else list(text) for text in texts]
        if self.engine.splitter is not None:
            return [split_lines(text) for text in texts]
        if _all_strings(texts):
            return texts
        return [text if isinstance(text, str) else split_lines(text) for text in texts]

    def score(self, summary: SummaryType, references: Sequence[ReferenceType]) -> MetricsDict:
        """Score one summary against its references, without the overhead of a batch."""
        if not references or isinstance(references, str):
            self._rows(([[summary]], [references]))  # tells what is wrong
        check_texts([summary, *references], self.label)
        pairs = _ONE_PAIR
        if len(references) > 1:
            pairs = np.zeros((len(references), 2), dtype=np.int64)
            pairs[:, 1] = np.arange(len(references))
        counts = self._count_pairs([summary], references, pairs)
        return self._dicts(self.engine.score(counts, _FIRST))[0]

    def score_columns(
        self,
        summaries: Sequence[SummaryType],
        references_list: Sequence[Sequence[ReferenceType]],
        *,
        threads: int = 1,
    ) -> dict[str, Floats]:
        """Score each summary against its own references, as columns: `rouge-1.recall` -> array.

        The arrays are views of one array and in the order of `summaries`.
        """
        scores = self._score([[summary] for summary in summaries], references_list, threads)
        return {
            f"{key}.{part}": scores[:, k, _PARTS[part]]
            for k, key in enumerate(self.keys)
            for part in self.shown
        }

    def score_as_columns(self, fields: Mapping[str, Any]) -> ColumnScores:
        """Return all measures as columns, with the facts of rows that use the fallback."""
        summaries, references = fields["summary"], fields["references"]
        facts: list[Mapping[str, str]] = []
        if self._kernel_reads(summaries, references.texts):
            texts, places = references.texts.unique()
            sizes = list_lengths(references)
            starts = references.ends - sizes
            pairs = np.stack([np.repeat(np.arange(len(summaries)), sizes), places], axis=1)
            counts = self.engine.count(summaries, texts, pairs)
            self._warn_of_undefined_w(counts)
        else:
            lists = list(references)
            counts, starts = self._count([[summary] for summary in summaries], lists, 1)
            if self.fallback_engine is not None:
                pairs_of_texts = zip(summaries, lists, strict=True)
                facts = [self._text_facts((summary, *group)) for summary, group in pairs_of_texts]
        scores = self.engine.score(counts, starts)
        columns = [_PARTS[part] for part in self.shown]
        values = scores[:, :, columns].reshape(len(summaries), -1)
        paths: list[tuple[str, ...]] = [(key, part) for key in self.keys for part in self.shown]
        return ColumnScores(paths, values, lambda: self._dicts(scores), facts if any(facts) else ())

    def _kernel_reads(self, *columns: Texts) -> bool:
        """Return whether the kernel can take texts as they are, and drops no letters."""
        if self.engine.splitter is not None or self.split_summaries or self.engine.profile.pltrdy_l:
            return False
        if self.engine.profile.tokens not in ASCII_ONLY:
            return True
        return not any(mostly_dropped(text) for column in columns for text in column.non_ascii())

    def score_multi_all(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list against its own references."""
        rows = iter(self._dicts(self._score(summaries_list, references_list, 1)))
        return [[next(rows) for _ in group] for group in summaries_list]

    def score_with_jackknife(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[WithJackknife]]:
        """Return each score with its jackknifed value; both come from the same counts of pairs."""
        counts, starts = self._count(summaries_list, references_list, 1)
        plain = iter(self._dicts(self.engine.score(counts, starts)))
        left_out = iter(self._left_out(counts, starts))
        return [[(next(plain), next(left_out)) for _ in group] for group in summaries_list]

    def _left_out(self, counts: Floats, starts: Indices) -> list[MetricsDict | None]:
        """Return the mean over all leave-one-out reference sets, for summaries with two or more references."""
        sizes = np.diff(starts, append=len(counts)).tolist()
        sets = [
            [start + k for k in range(size) if k != left]
            for start, size in zip(starts.tolist(), sizes, strict=True)
            for left in range(size if size > 1 else 0)
        ]
        if not sets:
            return [None] * len(sizes)
        offsets = np.cumsum([0, *map(len, sets)])[:-1]
        scores = self.engine.score(counts[np.concatenate(sets)], offsets)
        means, at = [], 0
        for size in sizes:
            if size > 1:
                means.append(_exact_mean(scores[at : at + size]))
                at += size
        jackknifed = iter(self._dicts(np.array(means)))
        return [next(jackknifed) if size > 1 else None for size in sizes]

    def _score(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
        threads: int,
    ) -> Floats:
        counts, starts = self._count(summaries_list, references_list, threads)
        return self.engine.score(counts, starts)

    def _count(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
        threads: int,
    ) -> tuple[Floats, Indices]:
        """Return the counts of all pairs, grouped by summary, and where each summary's pairs start."""
        in_group = np.fromiter(map(len, references_list), np.int64, len(references_list))
        if len(summaries_list) != len(references_list) or not in_group.all():
            self._rows((summaries_list, references_list))  # tells what is wrong
        if str in set(map(type, references_list)):
            self._rows((summaries_list, references_list))
        summaries = list(chain.from_iterable(summaries_list))
        references = list(chain.from_iterable(references_list))
        keys: list[ReferenceType] = references
        if not _all_strings(references):
            check_texts(references, self.label)
            keys = [*map(hashable, references)]
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        known = np.fromiter(map(numbers.__getitem__, keys), np.int64, len(keys))

        sizes = np.repeat(in_group, [len(group) for group in summaries_list])
        ends = np.cumsum(sizes)
        starts = ends - sizes
        # A pair's reference index: its offset within its summary, from the group's first reference.
        group_first = np.repeat(
            np.cumsum(in_group) - in_group, [len(group) for group in summaries_list]
        )
        places = np.arange(len(sizes) and ends[-1]) - np.repeat(starts - group_first, sizes)
        pairs = np.stack([np.repeat(np.arange(len(sizes)), sizes), known[places]], axis=1)

        texts = [*numbers] if len(numbers) < len(keys) else references
        return self._count_pairs(summaries, texts, pairs, threads), starts

    def _count_pairs(
        self,
        summaries: Sequence[SummaryType],
        references: Sequence[ReferenceType],
        pairs: Indices,
        threads: int = 1,
    ) -> Floats:
        lost = self._unread(summaries, references)
        if lost is not None:
            self._warn_of_dropped_letters(lost, summaries, references)
        if lost is not None and self.fallback_engine is not None:
            counts = count_with_fallback(
                self.engine,
                self.fallback_engine,
                self.prepare,
                (summaries, references),
                lost,
                pairs,
                threads,
            )
        else:
            counts = self.engine.count(
                self.prepare(summaries), self.prepare(references), pairs, threads
            )
        self._warn_of_undefined_w(counts)
        return counts

    def _dicts(self, scores: Floats) -> list[MetricsDict]:
        """Return rows as nested dicts."""
        if self.shown != tuple(_PARTS):
            scores = scores[:, :, [_PARTS[part] for part in self.shown]]
        ordered = np.ascontiguousarray(scores)
        return kernels.nested_dicts(MetricsDict, list(self.keys), list(self.shown), ordered)

    def _unread(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        """Return for each text whether the profile would drop most letters; None if for none."""
        if self.tokenizer is not None or self.engine.profile.tokens not in ASCII_ONLY:
            return None
        texts = [*summaries, *references]
        if all_ascii(texts):
            return None
        lost = unread(texts)
        return (lost[: len(summaries)], lost[len(summaries) :]) if lost.any() else None

    def input_facts(self, instance: EvalInstance) -> Mapping[str, str]:
        """Return the fallback and its tokenizer version, if it is used for this summary or a reference."""
        if self.fallback_engine is None:
            return {}
        fields = instance.fields
        return self._text_facts((fields.get("summary") or "", *(fields.get("references") or ())))

    def _text_facts(self, texts: Sequence[SummaryType]) -> Mapping[str, str]:
        if all_ascii(texts) or not any(map(mostly_dropped, texts)):
            return {}
        return {"fallback": self.fallback, **tokenizer_version(self.fallback)}

    def _warn_of_dropped_letters(
        self,
        lost: tuple[NDArray[np.bool_], NDArray[np.bool_]],
        summaries: Sequence[SummaryType],
        references: Sequence[ReferenceType],
    ) -> None:
        texts = [*summaries, *references]
        dropped = [texts[at] for at in np.flatnonzero(np.concatenate(lost)).tolist()]
        flat = [text if isinstance(text, str) else flatten(text) for text in dropped]
        message = (
            f"{self.label}: profile {self.engine.profile.name!r} reads only a-z and 0-9 and drops "
            f"most letters of {len(dropped)} of {len(texts)} texts"
        )
        if self.fallback_engine is None:
            message += f", whose scores mean little; {hint(flat)}"
        else:
            message += (
                f"; these, and what they are compared with, are split into {self.fallback} of every "
                f"script instead (fallback={self.fallback!r}); {hint(flat)}"
            )
        warnings.warn(message, ComparabilityWarning, stacklevel=4)

    def _warn_of_undefined_w(self, counts: Floats) -> None:
        if self.engine.options.wlcs_weight is None or not self.engine.profile.printed:
            return
        names = self.engine.options.measures
        empty = int(np.sum(counts[:, names.index("w"), REFERENCE] == 0))
        if empty:
            warnings.warn(
                f"{self.label}: a reference without words in {empty} of {len(counts)} pairs; "
                "ROUGE-1.5.5 fails on those when it computes ROUGE-W; here they count as 0",
                UndefinedScoreWarning,
                stacklevel=4,
            )


def _rebuild(
    cls: type[RougeMetric], parameters: dict[str, Any], output_key: str | None, name: str
) -> RougeMetric:
    metric = cls(**parameters)
    metric.output_key, metric.name = output_key, name  # type: ignore[misc]
    return metric


_FIRST = np.zeros(1, dtype=np.int64)
_ONE_PAIR = np.zeros((1, 2), dtype=np.int64)
_PARTS = {"recall": RECALL, "precision": PRECISION, "f1": F1}


def _all_strings(texts: Sequence[object]) -> bool:
    return set(map(type, texts)) <= {str}


def _exact_mean(scores: Floats) -> Floats:
    """Return means over the first axis that do not depend on its order."""
    count, *shape = scores.shape
    columns = scores.reshape(count, -1).T.tolist()
    return np.array([math.fsum(column) / count for column in columns]).reshape(shape)
