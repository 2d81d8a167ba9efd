"""Scoring a study: every system against its own references, into rows with hashes and signatures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.metrics import Metrics
from rubrica.errors import DataError, ParameterError
from rubrica.metrics.base.metric import Metric
from rubrica.scoring import score_rows
from rubrica.scoring.plan import Plan
from rubrica.scoring.worker import Worker, instance_facts
from rubrica.study.layout import SystemFiles, equal_counts, file_digest, lines_of, read_ids
from rubrica.study.preprocess import text_digest
from rubrica.study.rows import StudyRow
from rubrica.text.tags import TagRule, is_stand_in, sentences_of


@dataclass(slots=True)
class SkippedLines:
    """Numbers of lines by system: stand-in lines (left out) and empty lines (scored)."""

    missing: dict[str, int] = field(default_factory=dict)
    empty: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class References:
    """How a line of references is read: `number` texts joined by `separator`."""

    number: int = 1
    separator: str = "||sep||"

    def split(self, line: str, rule: TagRule, file: str, line_number: int) -> list[list[str]]:
        """Return the references of a line, each as a list of sentences."""
        parts = line.split(self.separator) if self.number > 1 or self.separator in line else [line]
        if len(parts) != self.number:
            raise DataError(
                f"{len(parts)} references, expected {self.number}; pass -num_ref and -ref_sep",
                file=file,
                line=line_number,
            )
        return [sentences_of(part, rule, file=file, number=line_number) for part in parts]


def describe_run(systems: Sequence[SystemFiles], metrics: Sequence[Metric], **choices: Any) -> str:
    """Return what identifies a run (metrics, files, options), so that only its own rows are resumed."""
    files = {
        str(file): file_digest(file)
        for system in systems
        for file in (system.out, system.ref, system.src)
        if file is not None
    }
    return repr([Plan(metrics).signatures(), files, sorted(choices.items())])


def study_instances(
    systems: Sequence[SystemFiles],
    *,
    references: References | None = None,
    tags: TagRule = "strict",
    ids_file: str | None = None,
    common: Path | None = None,
    skipped: SkippedLines | None = None,
) -> Iterator[EvalInstance]:
    """Yield every summary with its own system's references, system by system, in the order of lines.

    `common` is a file of references to score all systems against instead. That penalizes systems
    with another spelling: on REALSumm's documents one in ten ROUGE-1 values changes.

    A stand-in line (`### ... ###`), in the output or in its references, is left out. An empty line
    is an empty summary and is scored.
    """
    rule, skipped = references or References(), SkippedLines() if skipped is None else skipped
    ids = read_ids(ids_file, equal_counts(list(systems)))
    for system in systems:
        rows = zip(ids, lines_of(system.out), lines_of(common or system.ref), strict=True)
        sources = lines_of(system.src) if system.src is not None else None
        for number, (instance, out, ref) in enumerate(rows, 1):
            if is_stand_in(out) or is_stand_in(ref):
                skipped.missing[system.summarizer_id] = (
                    skipped.missing.get(system.summarizer_id, 0) + 1
                )
                continue
            summary = sentences_of(out, tags, file=str(system.out), number=number)
            if not summary:
                skipped.empty[system.summarizer_id] = skipped.empty.get(system.summarizer_id, 0) + 1
            fields = Fields(
                summary=summary,
                references=rule.split(ref, tags, str(common or system.ref), number),
            )
            if sources is not None and number <= len(sources):
                fields["documents"] = [sentences_of(sources[number - 1], "repair")]
            where = f"{system.out}:{number}"
            yield EvalInstance(instance, system.summarizer_id, "peer", fields, where)


def score_study(
    instances: Sequence[EvalInstance] | Iterator[EvalInstance],
    metrics: Sequence[Metric],
    *,
    workers: int | None = None,
    texts: bool = True,
) -> Iterator[StudyRow]:
    """Score all instances and yield their rows, in order."""
    if not metrics:
        raise ParameterError("name at least one metric")
    plan = Plan(metrics)
    worker = Worker(plan, None, plan.signatures())
    pending: list[EvalInstance] = []

    def watched() -> Iterator[EvalInstance]:
        for instance in instances:
            pending.append(instance)
            yield instance

    for number, row in enumerate(score_rows(watched(), plan, workers=workers)):
        instance, pending[number] = pending[number], None  # type: ignore[call-overload]
        [record] = worker.records([row], [instance_facts(metrics, instance)[1]])
        yield _row(instance, record, texts)


def _row(instance: EvalInstance, record: Metrics, texts: bool) -> StudyRow:
    summary, references = instance.fields["summary"], instance.fields["references"]
    return StudyRow(
        *msgspec.structs.astuple(record),
        summary_digest=text_digest(" ".join(summary)),
        reference_digest=text_digest(" ||| ".join(" ".join(reference) for reference in references)),
        origin=instance.origin.rpartition("/")[2],
        summary=summary if texts else None,
        references=references if texts else None,
    )
