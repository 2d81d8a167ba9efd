"""Stored scores of a system, to compare later outputs with: the rows of `evaluate`, and a little more.

A row also holds the corpus statistics of metrics such as BLEU, which a paired test resamples, and a
digest of the references, so that a changed test set is noticed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from rubrica.comparison.samples import Floats
from rubrica.comparison.systems import Progress, scored_by_input
from rubrica.data.instance import EvalInstance
from rubrica.data.jsonl import convert, read_jsonl, write_jsonl
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ComparabilityWarning, DataError, MismatchError, UnknownNameError
from rubrica.metrics.base import METRICS, Metric
from rubrica.scoring.duplicates import check_duplicates
from rubrica.scoring.plan import Plan
from rubrica.scoring.worker import instance_facts
from rubrica.signature import parse_signature

# Parts of a signature that name versions: a difference is told, not refused.
_VERSIONS = ("v", "sacrebleu", "regex", "nltk", "jieba", "fugashi", "PyStemmer", "package")


class StoredRow(msgspec.Struct, frozen=True):
    """The scores of one summary; `statistics` by the name under which the metric's values stand."""

    instance_id: str
    summarizer_id: str
    summarizer_type: str
    metrics: dict[str, Any]
    signatures: list[str] = msgspec.field(default_factory=list)
    digest: str = ""
    context: str = ""
    statistics: dict[str, list[float]] = msgspec.field(default_factory=dict)


def scored(
    instances: Iterable[EvalInstance],
    metrics: Sequence[Metric],
    workers: int | None = None,
    progress: Progress = iter,
) -> list[StoredRow]:
    """Score the summaries of one system; references among them are left out."""
    peers = [one for one in check_duplicates(instances) if one.summarizer_type != "reference"]
    if len({one.summarizer_id for one in peers}) > 1:
        systems = ", ".join(sorted({one.summarizer_id for one in peers}))
        raise MismatchError(f"one system can pass the gate, not several ({systems})")
    plan = Plan(metrics)
    names = [name for metric in metrics for name in metric.required_context_fields]
    rows = scored_by_input(peers, metrics, workers, progress)
    usual, facts = plan.signatures(), [instance_facts(metrics, peer)[1] for peer in peers]
    return [
        StoredRow(
            row.instance_id,
            row.summarizer_id,
            row.summarizer_type,
            row.to_metrics().metrics,
            plan.signatures(told) if any(told) else usual,
            row.digest,
            peer.fields.digest(dict.fromkeys(names)),
            {_key(metrics[number]): values for number, values in row.statistics.items()},
        )
        for peer, row, told in zip(peers, rows, facts, strict=True)
    ]


def _key(metric: Metric) -> str:
    return metric.output_key or metric.label


def write_store(path: str, rows: Sequence[StoredRow]) -> None:
    """Write them, atomically."""
    write_jsonl(path, rows)


def is_store(path: str) -> bool:
    """Whether a file's first row is one of scores."""
    try:
        for _, row in read_jsonl(path):
            return "metrics" in row
    except DataError:
        return False
    return False


def read_store(path: str) -> list[StoredRow]:
    """The rows of one system; those of references are left out."""
    rows = [convert(row, StoredRow, path, number) for number, row in read_jsonl(path)]
    rows = [row for row in rows if row.summarizer_type != "reference"]
    if not rows:
        raise DataError("no scores of summaries", file=path)
    systems = sorted({row.summarizer_id for row in rows})
    if len(systems) > 1:
        raise DataError(f"scores of several systems ({', '.join(systems)})", file=path)
    return rows


def refuse_unlike(baseline: Sequence[StoredRow], new: Sequence[StoredRow]) -> None:
    """Raise where the two were not made of the same inputs in the same way."""
    if not new:
        raise MismatchError("there are no new summaries")
    stored = {row.instance_id: row for row in baseline}
    ids = {row.instance_id for row in new}
    if len(stored) != len(baseline) or len(ids) != len(new):
        raise MismatchError("two rows of one input; a gate needs one summary of each")
    if stored.keys() != ids:
        differ = sorted(stored.keys() ^ ids)
        raise MismatchError(
            f"the baseline has {len(stored)} inputs and the new scores {len(ids)}; they differ in "
            f"{', '.join(differ[:3])}{', ...' if len(differ) > 3 else ''}"
        )
    for row in new:
        before = stored[row.instance_id]
        if row.context and before.context and row.context != before.context:
            raise MismatchError(
                f"input {row.instance_id}: the references or documents are not those of the "
                "baseline; save a new baseline of the old outputs with them"
            )
    _refuse_signatures(baseline[0].signatures, new[0].signatures)


def _refuse_signatures(baseline: Sequence[str], new: Sequence[str]) -> None:
    before = dict(map(_parsed, baseline))
    for name, parts in map(_parsed, new):
        if name not in before:
            continue
        here, there = dict(parts), dict(before[name])
        for key in _VERSIONS:
            one, other = here.pop(key, ""), there.pop(key, "")
            if one != other:
                warnings.warn(
                    f"{name}: the baseline was scored with {key}:{other}, the new outputs with "
                    f"{key}:{one}",
                    ComparabilityWarning,
                    stacklevel=2,
                )
        if here != there:
            raise MismatchError(
                f"{name}: the baseline was scored in another way\n  {dict(map(_lines, baseline))[name]}"
                f"\n  {dict(map(_lines, new))[name]}"
            )


def _parsed(line: str) -> tuple[str, dict[str, str]]:
    name, parts = parse_signature(line)
    # What follows the version belongs to a run, or to the texts of a row; kernels give equal numbers.
    method = list(parts)[: list(parts).index("v") + 1] if "v" in parts else list(parts)
    return name, {key: parts[key] for key in method if key != "core"}


def _lines(line: str) -> tuple[str, str]:
    return parse_signature(line)[0], line


def rows_of(
    measure: str, metric: Metric | None, *systems: Sequence[StoredRow]
) -> tuple[tuple[str, ...], Floats]:
    """What a measure's system score is made of: its columns' names, and [system, input, column].

    Inputs stand in the order of the first system's. All measures of a metric are taken together where
    the metric is given, for its rule may need them all.
    """
    order = [row.instance_id for row in systems[0]]
    by_id = [{row.instance_id: row for row in rows} for rows in systems]
    aligned = [[rows[name] for name in order] for rows in by_id]
    if metric is None:
        _refuse_corpus(measure, systems[0][0])
    elif metric.corpus_statistics:
        key = _key(metric)
        for row in (row for rows in aligned for row in rows if key not in row.statistics):
            raise DataError(
                f"{measure} of a system is not a mean, and the rows of {row.summarizer_id} hold no "
                "statistics of it; make them with rubrica gate --save"
            )
        found = [[row.statistics[key] for row in rows] for rows in aligned]
        return (measure,), np.array(found, dtype=np.float64)
    first = MetricsDict(aligned[0][0].metrics)
    path, known = first.find(measure), first.measure_names()
    if path is None or ".".join(path) not in known:
        raise UnknownNameError("measure", measure, known)
    names = tuple(known) if metric else (".".join(path),)
    values = [[_numbers(row, names) for row in rows] for rows in aligned]
    return names, np.array(values, dtype=np.float64)


def _refuse_corpus(measure: str, row: StoredRow) -> None:
    """Raise where rows may be of a metric whose system score is not their mean."""
    names = {parse_signature(line)[0] for line in row.signatures}
    corpus = {n for n in names if n in METRICS and METRICS.get(n).corpus_statistics}
    top = measure.partition(".")[0]
    if top in corpus or (corpus and not any(top.startswith(name) for name in names)):
        raise DataError(
            f"{measure} may be of {', '.join(sorted(corpus))}, whose system score is not a mean of "
            "rows; name the metric with -m"
        )


def _numbers(row: StoredRow, names: Sequence[str]) -> list[float]:
    """The values of measures (dotted names); NaN where the row has none."""
    values = {".".join(path): value for path, value in MetricsDict(row.metrics).leaves()}
    found = (values.get(name) for name in names)
    return [float("nan") if value is None else float(value) for value in found]
