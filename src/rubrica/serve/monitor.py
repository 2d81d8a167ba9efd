"""What the owner of a study watches: progress, agreement, times, suspicious annotators, disagreements."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rubrica.serve.exchange import judgments_of, ratings_of
from rubrica.serve.people import Annotator
from rubrica.serve.study_database import StudyDatabase
from rubrica.study.clean import Rules, Worker, clean, parse_rules, worker_fault, worker_records
from rubrica.study.forms.agreement import (
    Disagreement,
    QuestionAgreement,
    disagreements,
    form_workers,
    question_agreement,
)
from rubrica.study.forms.base import Judgment
from rubrica.study.sheets import pseudonym

MAX_DISAGREEMENTS = 25


@dataclass(frozen=True, slots=True)
class AnnotatorStatus:
    """One annotator: progress, median seconds per task and per question, agreement, and why to look."""

    name: str
    external: str
    state: str
    submitted: int
    tasks: int
    minutes: float
    seconds: float | None
    seconds_per_question: float | None
    agreement: float | None
    attention: float | None
    suspicion: str
    payment: float
    bonus: float


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a study."""

    title: str
    kind: str
    paused: bool
    submitted: int
    assigned: int
    tasks: int
    judged: int
    flags: tuple[tuple[str, str, str], ...]
    annotators: tuple[AnnotatorStatus, ...]
    agreement: tuple[QuestionAgreement, ...]
    disagreements: tuple[Disagreement, ...]


def study_rules(database: StudyDatabase) -> Rules:
    """Return the cleaning rules of the study; those of LitePyramids if it has none."""
    return parse_rules(database.settings()["rules"].encode(), database.path)


def naming(database: StudyDatabase, pseudonyms: bool) -> Callable[[str], str]:
    """Return the function that names annotators in output: as they are, or by pseudonyms."""
    secret = (database.fact("secret") or "").encode()
    return (lambda name: pseudonym(name, secret)) if pseudonyms else (lambda name: name)


def study_status(database: StudyDatabase, *, pseudonyms: bool = False) -> Status:
    """Return the state of a study as of now."""
    name = naming(database, pseudonyms)
    judgments = judgments_of(database)
    records = _records(database, judgments)
    people = tuple(
        _annotator(database, annotator, judgments, records.get(annotator.name), name)
        for annotator in database.annotators()
    )
    assigned = [task for _, task in database.all_assigned() if not task.item.qualification]
    flags = tuple(
        (judgment.item.event, name(judgment.annotator), judgment.remarks.get("comment", ""))
        for judgment in judgments
        if judgment.remarks
    )
    differing = tuple(
        Disagreement(d.unit, {name(who): label for who, label in d.labels.items()}, d.spread)
        for d in disagreements(database.form, judgments)[:MAX_DISAGREEMENTS]
    )
    settings = database.settings()
    return Status(
        settings["title"], database.form.kind, bool(settings["paused"]), len(judgments),
        len(assigned), len({task.task for task in assigned}),
        len({(j.item.event, j.item.source) for j in judgments}), flags, people,
        tuple(question_agreement(database.form, judgments)), differing,
    )  # fmt: skip


def _records(
    database: StudyDatabase, judgments: Sequence[Judgment]
) -> dict[str, tuple[Worker, str]]:
    """Return each worker's record and the rule that it breaks, or ""."""
    rules = study_rules(database)
    if database.form.kind != "rate":
        workers = form_workers(database.form, judgments)
        faults = {worker.worker: worker_fault(worker, rules) for worker in workers}
        texts = {who: f"{fault[0]}: {fault[1]}" for who, fault in faults.items() if fault}
    else:
        ratings = ratings_of(database)
        workers = worker_records(ratings, rules)
        texts = {r.worker: f"{r.rule}: {r.reason}" for r in clean(ratings, rules).removed}
    return {worker.worker: (worker, texts.get(worker.worker, "")) for worker in workers}


def _annotator(
    database: StudyDatabase, annotator: Annotator, judgments: Sequence[Judgment],
    known: tuple[Worker, str] | None, name: Callable[[str], str],
) -> AnnotatorStatus:  # fmt: skip
    own = [j for j in judgments if j.annotator == annotator.name]
    seconds = [j.seconds for j in own if j.seconds is not None]
    done, total = database.progress(annotator.id)
    state = "done" if done == total else "open"
    if annotator.failed or annotator.removed:
        state = "removed" if annotator.removed else "not qualified"
    worker, suspicion = known or (None, "")
    settings = database.settings()
    agreement = worker.agreement if worker else None
    earned = agreement is not None and agreement >= float(settings["bonus_agreement"])
    return AnnotatorStatus(
        name(annotator.name), annotator.external, state, done, total, sum(seconds) / 60,
        statistics.median(seconds) if seconds else None,
        worker.seconds_per_statement if worker else None, agreement,
        worker.attention if worker else None, suspicion,
        round(len(own) * float(settings["pay_per_task"]), 2),
        float(settings["bonus"]) if earned and not suspicion else 0.0,
    )  # fmt: skip
