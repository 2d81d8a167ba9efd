"""What the ROUGE metrics share: batches of texts in, columns or dicts out, jackknifing from counts."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from rubrica.data.instance import ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ComparabilityWarning, UndefinedScoreWarning
from rubrica.metrics.base import WithJackknife
from rubrica.metrics.kinds import ReferenceBasedMetric
from rubrica.metrics.rouge.engine import REFERENCE, Engine, Floats, Indices
from rubrica.metrics.rouge.tokens import split_lines

_OTHER_LETTERS = re.compile(r"[^\x00-\x7f\W_]")
_ASCII_LETTERS = re.compile(r"[A-Za-z0-9]")


class RougeMetric(ReferenceBasedMetric, abstract=True):
    """A ROUGE with an `engine` and the names of its measures (`keys`), both set by the constructor."""

    value_range = (0.0, 100.0)
    parallel = "threads"
    # The order in which a measure's three values are shown; the engine's is recall, precision, f1.
    shown: ClassVar[tuple[str, ...]] = ("recall", "precision", "f1")

    engine: Engine
    keys: tuple[str, ...]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        # The engine holds functions; another process makes the metric again from its parameters.
        return _remake, (type(self), self._parameters)

    def prepare(self, text: SummaryType) -> object:
        """A text as the engine takes it: a string for the kernel to split, or a list of units."""
        if not self.engine.profile.newline_units:
            return [text] if isinstance(text, str) else list(text)
        if self.engine.splitter is not None:
            return split_lines(text)
        if isinstance(text, str) or not any("\n" in unit for unit in text):
            return text
        return split_lines(text)

    def score_columns(
        self,
        summaries: Sequence[SummaryType],
        references_list: Sequence[Sequence[ReferenceType]],
        *,
        threads: int = 1,
    ) -> dict[str, Floats]:
        """Each summary against its own references, as columns: `rouge-1.recall` -> array.

        The arrays are views of one array and in the order of `summaries`.
        """
        scores = self._score([[one] for one in summaries], references_list, threads)
        return {
            f"{key}.{part}": scores[:, k, _PARTS[part]]
            for k, key in enumerate(self.keys)
            for part in self.shown
        }

    def score_multi_all(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[MetricsDict]]:
        """Lists of summaries, each list with references of its own."""
        rows = iter(self._dicts(self._score(summaries_list, references_list, 1)))
        return [[next(rows) for _ in group] for group in summaries_list]

    def score_with_jackknife(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[WithJackknife]]:
        """Each score with its jackknifed value; both come from the same counts of pairs."""
        counts, starts = self._count(summaries_list, references_list, 1)
        plain = iter(self._dicts(self.engine.score(counts, starts)))
        left_out = iter(self._left_out(counts, starts))
        return [[(next(plain), next(left_out)) for _ in group] for group in summaries_list]

    def _left_out(self, counts: Floats, starts: Indices) -> list[MetricsDict | None]:
        """The mean over the sets of all references but one, for summaries with two or more."""
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
        """Counts of all pairs, a summary's pairs together, and where each summary's begin."""
        groups = self._rows((summaries_list, references_list))
        summaries: list[object] = []
        numbers: dict[object, int] = {}  # equal references are read once
        pairs: list[tuple[int, int]] = []
        starts = []
        for group, references in groups:
            wanted = [
                numbers.setdefault(r if isinstance(r, str) else tuple(r), len(numbers))
                for r in references
            ]
            for summary in group:
                starts.append(len(pairs))
                pairs += [(len(summaries), number) for number in wanted]
                summaries.append(summary)
        self._warn_of_dropped_letters([*summaries, *numbers])  # type: ignore[list-item]
        counts = self.engine.count(
            [self.prepare(text) for text in summaries],  # type: ignore[arg-type]
            [self.prepare(text) for text in numbers],  # type: ignore[arg-type]
            np.array(pairs, dtype=np.int64).reshape(-1, 2),
            threads,
        )
        self._warn_of_undefined_w(counts)
        return counts, np.array(starts, dtype=np.int64)

    def _dicts(self, scores: Floats) -> list[MetricsDict]:
        """Rows as nested dicts. The values are known to be floats, so no check is made of each."""
        order = [_PARTS[part] for part in self.shown]
        new, fill, keys, parts = MetricsDict.__new__, dict.update, self.keys, self.shown
        out = []
        for row in scores[:, :, order].tolist():
            outer = new(MetricsDict)
            for key, values in zip(keys, row, strict=True):
                inner = new(MetricsDict)
                fill(inner, zip(parts, values, strict=True))
                dict.__setitem__(outer, key, inner)
            out.append(outer)
        return out

    def _warn_of_dropped_letters(self, texts: Iterable[SummaryType]) -> None:
        if self.engine.profile.tokens not in ("ascii", "lower", "ascii-given", "py-rouge"):
            return
        count = dropped = 0
        for text in texts:
            count += 1
            dropped += _mostly_dropped(text)
        if dropped:
            warnings.warn(
                f"{self.label}: profile {self.engine.profile.name!r} reads only a-z and 0-9; it "
                f"drops most letters of {dropped} of {count} texts, whose scores mean little; "
                "profile 'unicode' or 'character' reads every script",
                ComparabilityWarning,
                stacklevel=4,
            )

    def _warn_of_undefined_w(self, counts: Floats) -> None:
        names = self.engine.options.measures
        if "w" not in names or not self.engine.profile.printed:
            return
        empty = int(np.sum(counts[:, names.index("w"), REFERENCE] == 0))
        if empty:
            warnings.warn(
                f"{self.label}: a reference without words in {empty} of {len(counts)} pairs; "
                "ROUGE-1.5.5 stops there when it computes ROUGE-W, here such a reference counts as 0",
                UndefinedScoreWarning,
                stacklevel=4,
            )


def _remake(cls: type[RougeMetric], parameters: dict[str, Any]) -> RougeMetric:
    return cls(**parameters)


_PARTS = {"recall": 0, "precision": 1, "f1": 2}


def _mostly_dropped(text: SummaryType) -> bool:
    """Whether more than half of the letters and digits are outside ASCII."""
    whole = flatten(text)
    if whole.isascii():
        return False
    others = len(_OTHER_LETTERS.findall(whole))
    return others > len(_ASCII_LETTERS.findall(whole))


def _exact_mean(scores: Floats) -> Floats:
    """Means over the first axis that do not depend on its order."""
    count, *shape = scores.shape
    columns = scores.reshape(count, -1).T.tolist()
    return np.array([math.fsum(column) / count for column in columns]).reshape(shape)
