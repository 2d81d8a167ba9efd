"""Why two ROUGE numbers of the same texts differ: one implementation turned into the other, choice by choice.

After each step everything is scored again. The changes add up to the whole difference; how it is shared
out depends on the order, which is that of the work: sentences, tokens, stems, counting, references, numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, cast

import numpy as np

from rubrica.data.instance import Text
from rubrica.errors import ParameterError
from rubrica.formatting.result import Result
from rubrica.formatting.table import Cell, Table
from rubrica.formatting.text_table import text_table
from rubrica.metrics.rouge.presets import Choices, choices_of, meaning
from rubrica.metrics.rouge.scored_choices import Part, Scored, scored

_TEXT_CHOICES = (
    "sentences", "limit", "words", "bytes", "tokens", "fallback", "stopwords", "stemmer", "exceptions",
)  # fmt: skip
SHOWN = 6


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
                meaning(name, before),
                meaning(name, after),
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
