"""Why two ROUGE numbers of the same texts differ: one implementation turned into the other, choice by choice.

After each step everything is scored again. The changes add up to the whole difference; how it is shared
out depends on the order, which is that of the work: sentences, tokens, stems, counting, references, numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, TypeAlias

import numpy as np

from rubrica.core import kernels
from rubrica.core.rouge_options import RougeOptions
from rubrica.data.instance import Text
from rubrica.errors import ParameterError
from rubrica.metrics.rouge.bootstrap import (
    official_intervals,
    official_order,
    official_resamples,
    rouge_score_intervals,
)
from rubrica.metrics.rouge.choices import MEANINGS, Choices, check, units_of
from rubrica.metrics.rouge.engine import HITS, Engine, Floats
from rubrica.metrics.rouge.pltrdy import pltrdy_counts
from rubrica.metrics.rouge.profiles import Profile
from rubrica.metrics.rouge.tokens import Units
from rubrica.parameters import SEED

Part: TypeAlias = Literal["recall", "precision", "f1"]
PARTS: tuple[Part, ...] = ("recall", "precision", "f1")
_TEXT_CHOICES = ("sentences", "limit", "tokens", "stopwords", "stemmer", "exceptions")
SHOWN = 6


@dataclass(frozen=True, slots=True)
class Scored:
    """Texts under one row of choices: their units, scores [summary, (recall, precision, f1)] and hits."""

    choices: Choices
    summaries: Sequence[Units]
    references: Sequence[Sequence[Units]]
    scores: Floats
    hits: float

    def system(self) -> dict[Part, float]:
        """The system's scores, from 0 to 1."""
        return dict(zip(PARTS, _system(self.choices, self.scores).tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Step:
    """One choice changed: what it was and became, the score afterwards, and examples of what changed."""

    choice: str
    before: str
    after: str
    score: float
    change: float
    hits: float
    changed: int
    examples: Sequence[str]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The way from one score to the other; scores are from 0 to 1."""

    measure: str
    part: Part
    summaries: int
    score_a: float
    score_b: float
    hits: float
    steps: Sequence[Step]

    @property
    def difference(self) -> float:
        """Score b - score a."""
        return self.score_b - self.score_a


def explain(
    summaries: Sequence[Text],
    references: Sequence[Sequence[Text]],
    a: Choices,
    b: Choices,
    measure: str = "rouge-1",
    part: Part = "f1",
) -> Explanation:
    """Turn `a` into `b`, a choice at a time."""
    if len(summaries) != len(references):
        raise ParameterError(f"{len(summaries)} summaries and references of {len(references)}")
    now = first = scored(summaries, references, a, measure)
    score = score_a = first.system()[part]
    steps = []
    for name in _order(a, b):
        before, after = getattr(a, name), getattr(b, name)
        if before == after or not _matters(name, measure):
            continue
        then = scored(summaries, references, replace(now.choices, **{name: after}), measure)
        became = then.system()[part]
        steps.append(
            Step(
                name,
                _told(name, before),
                _told(name, after),
                became,
                became - score,
                then.hits,
                int((np.abs(then.scores - now.scores).max(axis=1) > 1e-12).sum()),
                _examples(name, now, then),
            )
        )
        now, score = then, became
    return Explanation(measure, part, len(summaries), score_a, score, first.hits, steps)


def scored(
    summaries: Sequence[Text],
    references: Sequence[Sequence[Text]],
    choices: Choices,
    measure: str,
) -> Scored:
    """Score summaries by these choices: `rouge-1`, `rouge-2`, ... or `rouge-l`."""
    check(choices, references)
    cut = units_of(choices)
    texts = [cut(text) for text in summaries]
    groups = [[cut(text) for text in group] for group in references]
    flat = [text for group in groups for text in group]
    sizes = np.array([len(group) for group in groups])
    owners = np.repeat(np.arange(len(texts)), sizes)
    pairs = np.stack([owners, np.arange(len(flat))], axis=1).astype(np.int64)
    options = _options(choices, measure)
    counts = _counts(choices, options, texts, flat, pairs)
    starts = np.cumsum(sizes) - sizes
    scores = _engine(choices, options).score(counts, starts)[:, 0]
    return Scored(choices, texts, groups, scores, float(counts[:, 0, HITS].sum()))


def _order(a: Choices, b: Choices) -> list[str]:
    """The choices in the order of the work; a table of irregular forms goes before its stemmer goes."""
    names = [field.name for field in fields(Choices)]
    if a.exceptions != "none" and b.exceptions == "none":
        names.remove("exceptions")
        names.insert(names.index("stemmer"), "exceptions")
    return names


def _matters(name: str, measure: str) -> bool:
    if name == "level":
        return measure == "rouge-l"
    return name != "counting" or measure != "rouge-l"


def _options(choices: Choices, measure: str) -> RougeOptions:
    kind = measure.removeprefix("rouge-")
    if kind == "l":
        union = choices.level == "sentences"
        return RougeOptions(tokenizer="given", lcs=not union, lcs_union=union)
    if not kind.isdecimal() or int(kind) < 1:
        raise ParameterError(
            f"{measure!r} cannot be explained; rouge-1, rouge-2, ... and rouge-l can"
        )
    return RougeOptions(tokenizer="given", ngrams=(int(kind),))


def _counts(
    choices: Choices,
    options: RougeOptions,
    summaries: Sequence[Units],
    references: Sequence[Units],
    pairs: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
) -> Floats:
    if (options.lcs and choices.level in ("words", "pairs")) or (
        options.ngrams and choices.counting == "sets"
    ):
        distinct = choices.level == "words" if options.lcs else True
        return pltrdy_counts(options, summaries, references, pairs, distinct=distinct)
    counts = kernels.rouge_counts(options, summaries, references, pairs)
    if choices.counting == "negative" and options.ngrams:
        for side, texts in ((2, summaries), (1, references)):
            sizes = np.array([sum(map(len, units)) for units in texts], dtype=float)
            counts[:, 0, side] = sizes[pairs[:, 0 if side == 2 else 1]] - (options.ngrams[0] - 1)
    return counts


def _engine(choices: Choices, options: RougeOptions) -> Engine:
    profile = Profile(
        name="",
        origin="",
        tokens="whitespace",
        combine={"average": choices.references},
        printed=choices.rounding == "5-digits",
        single_precision=choices.rounding == "single",
        epsilon=choices.epsilon,
    )
    return Engine(profile=profile, options=options, combination=choices.references)


def _system(choices: Choices, scores: Floats) -> Floats:
    """The system's recall, precision and F."""
    if choices.system == "resamples":
        ordered = kernels.round5(scores[official_order(len(scores))])
        return official_intervals(official_resamples(ordered, 1000))[0]
    if choices.system == "median":
        # rouge-score's columns are precision, recall, F; of an unseeded generator any seed is as good.
        swapped = scores[:, [1, 0, 2]]
        middle = rouge_score_intervals(swapped, random=np.random.RandomState(SEED))[1]
        ordered = middle[[1, 0, 2]]
        return np.asarray(ordered)
    means: Floats = scores.mean(axis=0)
    if choices.system == "f-of-means":
        below = means[0] + means[1]
        means[2] = 2 * means[0] * means[1] / below if below > 0 else 0.0
    return means


def _told(name: str, value: object) -> str:
    return MEANINGS[name].get(value, str(value))


def _examples(name: str, before: Scored, after: Scored) -> list[str]:
    """What a choice changed in the texts: forms, tokens, numbers of sentences."""
    if name not in _TEXT_CHOICES:
        return []
    pairs = [*zip(before.summaries, after.summaries, strict=True)]
    for one, other in zip(before.references, after.references, strict=True):
        pairs += zip(one, other, strict=True)
    told = []
    sentences = [sum(len(units) for units in side) for side in zip(*pairs, strict=True)]
    if sentences[0] != sentences[1]:
        told.append(f"{sentences[0]:,} sentences become {sentences[1]:,}")
    forms: Counter[tuple[str, str]] = Counter()
    lost: Counter[str] = Counter()
    new: Counter[str] = Counter()
    for here, there in pairs:
        left, right = ([token for unit in units for token in unit] for units in (here, there))
        if len(left) == len(right):
            forms.update((x, y) for x, y in zip(left, right, strict=True) if x != y)
        else:
            lost += Counter(left) - Counter(right)
            new += Counter(right) - Counter(left)
    told += [f"{x!r} becomes {y!r} ({count})" for (x, y), count in forms.most_common(SHOWN)]
    for word, counter in (("gone", lost), ("new", new)):
        if counter:
            listed = ", ".join(f"{x!r} ({count})" for x, count in counter.most_common(SHOWN))
            told.append(f"{word}: {listed}")
    return told
