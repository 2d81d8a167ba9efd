"""Why two ROUGE numbers of the same texts differ: one implementation turned into the other, choice by choice.

After each step everything is scored again. The changes add up to the whole difference; how it is shared
out depends on the order, which is that of the work: sentences, tokens, stems, counting, references, numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from rubrica.core import kernels
from rubrica.core.python.rouge import count_texts
from rubrica.core.python.rouge_text import Text as Tokens
from rubrica.core.rouge_options import RougeOptions
from rubrica.data.instance import Text
from rubrica.errors import ParameterError
from rubrica.formatting.result import Result
from rubrica.formatting.table import Cell, Table
from rubrica.formatting.text_table import text_table
from rubrica.metrics.rouge.bootstrap import (
    official_order,
    official_scores,
    printed_units,
    rouge_score_intervals,
)
from rubrica.metrics.rouge.non_ascii import ASCII_ONLY, unread
from rubrica.metrics.rouge.pltrdy import pltrdy_counts
from rubrica.metrics.rouge.preset_tokens import fallback_reader, reader_of
from rubrica.metrics.rouge.presets import MEANINGS, Choices, check, choices_of
from rubrica.metrics.rouge.profiles import Profile
from rubrica.metrics.rouge.scorer import HITS, Floats, RougeScorer
from rubrica.parameters import SEED

Part: TypeAlias = Literal["recall", "precision", "f1"]
PARTS: tuple[Part, ...] = ("recall", "precision", "f1")
_TEXT_CHOICES = (
    "sentences", "limit", "words", "bytes", "tokens", "fallback", "stopwords", "stemmer", "exceptions",
)  # fmt: skip
_SKIP = re.compile(r"(su?)(\d+|\*)")
_WEIGHTED = re.compile(r"w-(\d+(?:\.\d+)?)")
SHOWN = 6


@dataclass(frozen=True, slots=True)
class Scored:
    """Texts under one row of choices: their tokens, scores [summary, (recall, precision, f1)] and hits."""

    choices: Choices
    summaries: Sequence[Tokens]
    references: Sequence[Sequence[Tokens]]
    scores: Floats
    hits: float

    def system(self) -> dict[Part, float]:
        """Return the system's scores, from 0 to 1."""
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


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Result):
    """The way from one score to the other; scores are from 0 to 1. `a` and `b` name the two implementations."""

    measure: str
    part: Part
    summaries: int
    score_a: float
    score_b: float
    hits: float
    steps: Sequence[Step]
    a: str = "a"
    b: str = "b"

    @property
    def difference(self) -> float:
        """Score b - score a."""
        return self.score_b - self.score_a

    def to_table(self) -> Table:
        """Return a row for each choice that changes something; notes say how, and which choices do not."""
        rows = [[self.a, "", f"{self.hits:g}", f"{100 * self.score_a:.3f}", ""]]
        effective, ineffective = self._effects()
        for step in effective:
            change = f"{step.before} -> {step.after}"
            score = f"{100 * step.score:.3f}"
            rows.append([step.choice, change, f"{step.hits:g}", score, f"{100 * step.change:+.3f}"])
        notes = [f"{step.choice}: {line}" for step in effective for line in step.examples]
        if ineffective:
            notes.append(f"without effect here: {'; '.join(ineffective)}")
        if self.summaries > 1:
            notes.append(_OVER_ALL.format(self.summaries))
        cells = [list(map(Cell, row)) for row in rows]
        return Table(list(HEADERS), cells, self.title(), notes, labels=2)

    def __repr__(self) -> str:
        """Return what `rubrica explain` prints."""
        effective, ineffective = self._effects()
        table = self.to_table()
        rows = [[cell.text for cell in row] for row in table.rows]
        lines = [self.title(), "", text_table(table.headers, rows, right=2)]
        for step in effective:
            if step.examples:
                lines += ["", f"{step.choice}:", *(f"  {line}" for line in step.examples)]
        if ineffective:
            lines += ["", f"without effect here: {'; '.join(ineffective)}"]
        if self.summaries > 1:
            lines += ["", _OVER_ALL.format(self.summaries)]
        return "\n".join(lines)

    def title(self) -> str:
        """Return the measure and both scores, in percent."""
        scores = f"{self.a} {100 * self.score_a:.3f}, {self.b} {100 * self.score_b:.3f}"
        return f"{self.measure} {self.part}: {scores}"

    def _effects(self) -> tuple[list[Step], list[str]]:
        """Return the steps that change something, and the others in words."""
        effective, ineffective, hits = [], [], self.hits
        for step in self.steps:
            if step.changed or abs(step.change) >= 1e-12 or step.hits != hits:
                effective.append(step)
            else:
                ineffective.append(f"{step.choice} ({step.before} -> {step.after})")
            hits = step.hits
        return effective, ineffective

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each step."""
        return [{**asdict(step), "examples": "; ".join(step.examples)} for step in self.steps]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self)


HEADERS = ("choice", "a -> b", "hits", "score", "change")
_OVER_ALL = "over {:,} summaries; each change is that of the system's score"


def explain(
    summaries: Text | Sequence[Text],
    references: Text | Sequence[Text | Sequence[Text]],
    a: Choices | str = "rouge-1.5.5",
    b: Choices | str = "rouge-score",
    measure: str = "rouge-1",
    part: Part = "f1",
) -> Explanation:
    """Explain why two ROUGE implementations score the same texts differently, one choice at a time.

    Args:
        summaries: The summaries, or a single one as a string.
        references: For each summary its reference or references; a string with a single summary.
        a: An implementation: the name of a preset, with changes after commas
            (`rouge-score,stemmer=porter-nltk`), or its choices.
        b: The other implementation.
        measure: rouge-1, rouge-2, rouge-l, rouge-w-1.2, rouge-s4, rouge-su4, ...
        part: f1, precision or recall.

    Returns:
        Both scores, and for each choice in which the implementations differ how it changes the score.

    Raises:
        ParameterError: The numbers of summaries and references differ.

    Example:
        >>> import rubrica as rb
        >>> way = rb.explain("Cats were sleeping.", "A cat sleeps.", "rouge-score", "rouge-score,stemmer=porter-nltk")
        >>> [(step.choice, step.after) for step in way.steps]
        [('stemmer', 'Porter of NLTK')]
        >>> round(way.difference, 3)
        0.667
    """
    texts, groups = _text_lists(summaries, references)
    first_choices, last_choices = (
        choices_of(choice) if isinstance(choice, str) else choice for choice in (a, b)
    )
    names = [choice if isinstance(choice, str) else label for choice, label in ((a, "a"), (b, "b"))]
    now = first = scored(texts, groups, first_choices, measure)
    score = score_a = first.system()[part]
    steps = []
    for name in _order(first_choices, last_choices):
        before, after = getattr(first_choices, name), getattr(last_choices, name)
        if before == after or not _matters(name, measure):
            continue
        then = scored(texts, groups, replace(now.choices, **{name: after}), measure)
        became = then.system()[part]
        steps.append(
            Step(
                name,
                _value_text(name, before),
                _value_text(name, after),
                became,
                became - score,
                then.hits,
                int((np.abs(then.scores - now.scores).max(axis=1) > 1e-12).sum()),
                _examples(name, now, then),
            )
        )
        now, score = then, became
    return Explanation(measure, part, len(texts), score_a, score, first.hits, steps, *names)


def _text_lists(
    summaries: Text | Sequence[Text], references: Text | Sequence[Text | Sequence[Text]]
) -> tuple[list[Text], list[list[Text]]]:
    """Return the summaries, and a list of references for each."""
    if isinstance(summaries, str):
        own = [references] if isinstance(references, str) else list(references)
        return [summaries], [cast(list[Text], own)]
    groups: list[list[Text]] = [[own] if isinstance(own, str) else list(own) for own in references]
    if len(summaries) != len(groups):
        raise ParameterError(f"{len(summaries)} summaries and references of {len(groups)}")
    return list(summaries), groups


def scored(
    summaries: Sequence[Text],
    references: Sequence[Sequence[Text]],
    choices: Choices,
    measure: str,
) -> Scored:
    """Score summaries by these choices: `rouge-1`, `rouge-l`, `rouge-w-1.2`, `rouge-su4`, ..."""
    check(choices, references)
    read = reader_of(choices)
    sizes = np.array([len(group) for group in references])
    owners = np.repeat(np.arange(len(summaries)), sizes)
    pairs = np.stack([owners, np.arange(len(owners))], axis=1).astype(np.int64)
    texts = [read(text) for text in summaries]
    reference_tokens = [read(text) for group in references for text in group]
    summary_tokens = list(texts)
    if choices.fallback != "none" and choices.tokens in ASCII_ONLY:
        # Both texts of a pair use the same tokenizer, so a summary may be needed in both forms.
        other, places = fallback_reader(choices), dict[int, int]()
        all_references = [text for group in references for text in group]
        for at in np.flatnonzero(unread(summaries)[owners] | unread(all_references)).tolist():
            owner = int(owners[at])
            if owner not in places:
                places[owner] = len(texts)
                summary_tokens[owner] = other(summaries[owner])
                texts.append(summary_tokens[owner])
            pairs[at, 0], reference_tokens[at] = places[owner], other(all_references[at])
    options = _options(choices, measure)
    counts = _counts(choices, options, texts, reference_tokens, pairs)
    starts = np.cumsum(sizes) - sizes
    scores = _engine(choices, options).score(counts, starts)[:, 0]
    groups = [
        reference_tokens[start : start + size] for start, size in zip(starts, sizes, strict=True)
    ]
    return Scored(choices, summary_tokens, groups, scores, float(counts[:, 0, HITS].sum()))


def _order(a: Choices, b: Choices) -> list[str]:
    """Return the choices in processing order; a table of exceptions is removed before its stemmer."""
    names = [field.name for field in fields(Choices)]
    if a.exceptions != "none" and b.exceptions == "none":
        names.remove("exceptions")
        names.insert(names.index("stemmer"), "exceptions")
    return names


def _matters(name: str, measure: str) -> bool:
    if name == "level":
        return measure == "rouge-l"
    if name == "weighing":
        return measure.startswith("rouge-w")
    return name != "counting" or measure.removeprefix("rouge-").isdecimal()


def _options(choices: Choices, measure: str) -> RougeOptions:
    kind = measure.removeprefix("rouge-")
    if kind == "l":
        union = choices.level == "sentences"
        return RougeOptions(tokenizer="given", lcs=not union, lcs_union=union)
    if kind.isdecimal() and int(kind) >= 1:
        return RougeOptions(tokenizer="given", ngrams=(int(kind),))
    if (match := _WEIGHTED.fullmatch(kind)) and float(match[1]) > 0:
        return RougeOptions(tokenizer="given", wlcs_weight=float(match[1]))
    if match := _SKIP.fullmatch(kind):
        gaps = (None if match[2] == "*" else int(match[2]),)
        if match[1] == "s":
            return RougeOptions(tokenizer="given", skip_gaps=gaps)
        return RougeOptions(tokenizer="given", skip_unigram_gaps=gaps)
    raise ParameterError(
        f"{measure!r} cannot be explained; rouge-1, rouge-2, ..., rouge-l, rouge-w-1.2, rouge-s4, "
        "rouge-su4 and rouge-su* can"
    )


def _counts(
    choices: Choices,
    options: RougeOptions,
    summaries: Sequence[Tokens],
    references: Sequence[Tokens],
    pairs: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
) -> Floats:
    if choices.bytes and (options.lcs_union or options.wlcs_weight is not None):
        # The limit keeps different words in the sentences than in the text; only texts have both.
        return count_texts(options, summaries, references, pairs)
    peers, models = ([text.units for text in texts] for texts in (summaries, references))
    if choices.bytes:
        peers, models = ([[text.whole] for text in texts] for texts in (summaries, references))
    if (options.lcs and choices.level in ("words", "pairs")) or (
        options.ngrams and choices.counting == "sets"
    ):
        distinct = choices.level == "words" if options.lcs else True
        return pltrdy_counts(options, peers, models, pairs, distinct=distinct)
    counts = kernels.rouge_counts(options, peers, models, pairs)
    if choices.counting == "negative" and options.ngrams:
        for side, texts in ((2, summaries), (1, references)):
            sizes = np.array([len(text.whole) for text in texts], dtype=float)
            counts[:, 0, side] = sizes[pairs[:, 0 if side == 2 else 1]] - (options.ngrams[0] - 1)
    return counts


def _engine(choices: Choices, options: RougeOptions) -> RougeScorer:
    profile = Profile(
        name="",
        origin="",
        tokens="whitespace",
        combine={"average": choices.references},
        best_w=choices.weighing,
        printed=choices.rounding == "5-digits",
        single_precision=choices.rounding == "single",
        epsilon=choices.epsilon,
    )
    return RougeScorer(profile=profile, options=options, combination=choices.references)


def _system(choices: Choices, scores: Floats) -> Floats:
    """Return the system's recall, precision and F."""
    if choices.system == "resamples":
        return official_scores(printed_units(scores, order=official_order(len(scores))))[0]
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


def _value_text(name: str, value: object) -> str:
    unit = {"limit": "characters"}.get(name, name)
    return MEANINGS[name].get(value, f"the first {value} {unit}")


def _examples(name: str, before: Scored, after: Scored) -> list[str]:
    """Return what a choice changed in the texts: forms, tokens, numbers of sentences."""
    if name not in _TEXT_CHOICES:
        return []
    pairs = [*zip(before.summaries, after.summaries, strict=True)]
    for group, changed_group in zip(before.references, after.references, strict=True):
        pairs += zip(group, changed_group, strict=True)
    examples = []
    sentences = [sum(len(text.units) for text in side) for side in zip(*pairs, strict=True)]
    if sentences[0] != sentences[1]:
        examples.append(f"{sentences[0]:,} sentences become {sentences[1]:,}")
    forms: Counter[tuple[str, str]] = Counter()
    lost: Counter[str] = Counter()
    new: Counter[str] = Counter()
    for here, there in pairs:
        left, right = here.whole, there.whole
        if len(left) == len(right):
            forms.update((x, y) for x, y in zip(left, right, strict=True) if x != y)
        else:
            lost += Counter(left) - Counter(right)
            new += Counter(right) - Counter(left)
    examples += [f"{x!r} becomes {y!r} ({count})" for (x, y), count in forms.most_common(SHOWN)]
    for word, counter in (("gone", lost), ("new", new)):
        if counter:
            frequent = ", ".join(f"{x!r} ({count})" for x, count in counter.most_common(SHOWN))
            examples.append(f"{word}: {frequent}")
    return examples
