"""Agreement of annotators on tasks of any kind: alpha with its interval, records of workers, disagreements."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from rubrica.errors import DataError
from rubrica.meta.judges.agreement import krippendorff_alpha
from rubrica.statistics.intervals import Resampling
from rubrica.study.clean import Worker
from rubrica.study.forms.base import Form, Judgment

# A unit is what one label is about: input, system (or systems compared), question.
Unit: TypeAlias = tuple[str, str, str]
LabelsByUnit: TypeAlias = dict[Unit, dict[str, Any]]
ROUNDS = 300


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """Krippendorff's alpha of a question; None without units that two annotators labelled."""

    question: str
    scale: str
    alpha: float | None
    lower: float | None
    upper: float | None
    units: int


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A unit whose labels differ, and by how much: 0 (all equal) to 1."""

    unit: Unit
    labels: dict[str, Any]
    spread: float


def labels_by_unit(form: Form, judgments: Sequence[Judgment]) -> LabelsByUnit:
    """Return the labels of each unit, by annotator."""
    units: LabelsByUnit = {}
    for judgment in judgments:
        item = judgment.item
        for name, label in form.labels(item, judgment.answers).items():
            units.setdefault((item.event, item.source, name), {})[judgment.annotator] = label
    return units


def question_agreement(form: Form, judgments: Sequence[Judgment]) -> list[QuestionAgreement]:
    """Return alpha for each question; statements, sentences and ranked summaries count as one question."""
    by_question: dict[str, LabelsByUnit] = {}
    for unit, labels in labels_by_unit(form, judgments).items():
        question = form.pooled or unit[2]
        by_question.setdefault(question, {})[unit] = labels
    return [_alpha(question, form.scale, units) for question, units in by_question.items()]


def _alpha(question: str, scale: Any, units: LabelsByUnit) -> QuestionAgreement:
    names = sorted({name for labels in units.values() for name in labels})
    table = [[labels.get(name) for labels in units.values()] for name in names]
    try:
        alpha = krippendorff_alpha(table, scale=scale, resampling=Resampling(rounds=ROUNDS))
    except DataError:
        return QuestionAgreement(question, scale, None, None, None, 0)
    return QuestionAgreement(question, scale, alpha.value, alpha.lower, alpha.upper, alpha.units)


def label_ranges(form: Form, units: Mapping[Unit, Mapping[str, Any]]) -> dict[str, float]:
    """Return the range of the numbers given to each question; nothing for nominal labels."""
    if form.scale == "nominal":
        return {}
    values: dict[str, list[float]] = {}
    for unit, labels in units.items():
        values.setdefault(form.pooled or unit[2], []).extend(labels.values())
    return {question: max(numbers) - min(numbers) for question, numbers in values.items()}


def closeness(label: Any, others: Sequence[Any], width: float | None) -> float | None:
    """Return how well a label agrees with others, 0 to 1.

    Without `width`: whether it is their majority, None if they tie. With it: 1 minus the distance
    to their mean, in shares of the width.
    """
    if width is not None:
        return 1.0 if not width else 1 - abs(label - statistics.fmean(others)) / width
    modes = statistics.multimode(others)
    return float(label == modes[0]) if len(modes) == 1 else None


def form_workers(form: Form, judgments: Sequence[Judgment]) -> list[Worker]:
    """Return the record of each annotator, for the rules of `clean`."""
    units = labels_by_unit(form, judgments)
    widths = label_ranges(form, units)
    shares: dict[str, list[float]] = {}
    for unit, labels in units.items():
        for name, label in labels.items():
            others = [value for other, value in labels.items() if other != name]
            width = widths.get(form.pooled or unit[2]) if widths else None
            share = closeness(label, others, width) if others else None
            if share is not None:
                shares.setdefault(name, []).append(share)
    by_name: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        by_name.setdefault(judgment.annotator, []).append(judgment)
    return [_record(form, name, own, shares.get(name)) for name, own in sorted(by_name.items())]


def _record(
    form: Form, name: str, judgments: Sequence[Judgment], shares: Sequence[float] | None
) -> Worker:
    agreement = round(statistics.fmean(shares), 3) if shares else None
    straight = sum(
        len(judgment.answers) > 1 and len(set(judgment.answers.values())) == 1
        for judgment in judgments
    )
    paces = [
        judgment.seconds / max(1, len(form.questions(judgment.item)))
        for judgment in judgments
        if judgment.seconds is not None
    ]
    return Worker(
        worker=name,
        rows=len(judgments),
        agreement=agreement,
        leave_one_out=agreement,
        straight_lines=straight / len(judgments),
        attention=None,
        blanks_present=0,
        unanswered=0,
        seconds_per_statement=statistics.median(paces) if paces else None,
    )


def disagreements(form: Form, judgments: Sequence[Judgment]) -> list[Disagreement]:
    """Return the units whose labels differ, the largest difference first."""
    units = labels_by_unit(form, judgments)
    widths = label_ranges(form, units)
    differing = []
    for unit, labels in units.items():
        values = list(labels.values())
        if len(set(values)) < 2:
            continue
        if widths:
            spread = (max(values) - min(values)) / widths[form.pooled or unit[2]]
        else:
            spread = 1 - max(map(values.count, values)) / len(values)
        differing.append(Disagreement(unit, labels, spread))
    return sorted(differing, key=lambda difference: (-difference.spread, difference.unit))
