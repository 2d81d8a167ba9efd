"""From answers to rows: the mean over annotators of each summary's scores, with its uncertainty."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator
from typing import Any

from rubrica.data.metrics import MetricsDict
from rubrica.study.forms.base import UNSURE, Form, Judgment
from rubrica.study.preprocess import text_digest
from rubrica.study.rows import StudyRow, spread, standardizer


def score_rows(
    form: Form, judgments: Iterable[Judgment], *, standardize: bool = False
) -> list[StudyRow]:
    """Return a row for each judged summary, as `meta-evaluate` reads it.

    An annotator's scores of a summary (several, if it was compared several times) are averaged
    first. `standardize` scales each annotator's scores to mean 0 and deviation 1.
    """
    values: dict[tuple[str, str], dict[str, dict[str, list[float]]]] = {}
    digests: dict[tuple[str, str], str] = {}
    for judgment in judgments:
        texts = {s["id"]: s["text"] for s in judgment.item.statements}
        for system, scores in form.scores(judgment.item, judgment.answers).items():
            key = judgment.item.event, system
            digests[key] = text_digest(judgment.item.shown or texts[system])
            for name, value in scores.items():
                by_annotator = values.setdefault(key, {}).setdefault(name, {})
                by_annotator.setdefault(judgment.annotator, []).append(value)
    means = {
        key: {
            name: {who: statistics.fmean(v) for who, v in by_annotator.items()}
            for name, by_annotator in measures.items()
        }
        for key, measures in values.items()
    }
    if standardize:
        scale = standardizer(
            ((name, who), value)
            for measures in means.values()
            for name, by_annotator in measures.items()
            for who, value in by_annotator.items()
        )
        for row in means.values():
            for name, given in row.items():
                row[name] = {who: scale((name, who), value) for who, value in given.items()}
    return [
        StudyRow(
            instance_id=event,
            summarizer_id=system,
            summarizer_type="peer",
            metrics=MetricsDict(
                {name: statistics.fmean(v.values()) for name, v in measures.items()}
            ),
            summary_digest=digests[event, system],
            uncertainty={name: spread(list(v.values())) for name, v in measures.items()},
        )
        for (event, system), measures in means.items()
    ]


def rating_rows(form: Form, judgments: Iterable[Judgment]) -> Iterator[dict[str, Any]]:
    """Yield a flat row for each summary and annotator: what `study judgments` and `agreement` read."""
    for judgment in judgments:
        for system, scores in form.scores(judgment.item, judgment.answers).items():
            yield {
                "instance_id": judgment.item.event,
                "summarizer_id": system,
                "rater": judgment.annotator,
                "seconds": judgment.seconds,
                **scores,
            }


def answer_rows(form: Form, judgments: Iterable[Judgment]) -> Iterator[dict[str, Any]]:
    """Yield every submitted task with its answers by the name of their question, and remarks."""
    for judgment in judgments:
        item = judgment.item
        questions = form.questions(item)
        answers: dict[str, Any] = {}
        for place, value in sorted(judgment.answers.items()):
            if place < len(questions):
                answers[questions[place].name] = None if value == UNSURE else value
            else:
                answers.setdefault("answers", []).append(value)
        yield {
            "instance_id": item.event,
            "summarizer_id": item.source,
            "rater": judgment.annotator,
            "seconds": judgment.seconds,
            "order": [statement["id"] for statement in item.statements] if form.shuffles else None,
            "answers": answers,
            **judgment.remarks,
        }
