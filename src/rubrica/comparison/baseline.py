"""Stored scores of a system, to compare later outputs with: the rows of `evaluate`, and a little more.

A row also holds the corpus statistics of metrics such as BLEU, which a paired test resamples, and a
digest of the references, so that a changed test set is noticed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from rubrica.aliases import find_measure
from rubrica.comparison.systems import scored_by_input
from rubrica.data.instance import EvalInstance
from rubrica.data.metrics import Metrics
from rubrica.data.scores.columns import TableColumns
from rubrica.data.scores.rows import read_score_rows
from rubrica.errors import ComparabilityWarning, DataError, MismatchError, UnknownNameError
from rubrica.metrics.base.measures import Measures
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.sample import Floats
from rubrica.scoring.duplicates import check_duplicates
from rubrica.scoring.plan import Plan
from rubrica.scoring.worker import Worker, instance_facts
from rubrica.signature import parse_signature

# Parts of a signature that name versions: a difference is told, not refused.
_VERSIONS = ("v", "sacrebleu", "regex", "nltk", "jieba", "fugashi", "PyStemmer", "package")


class StoredRow(Metrics, kw_only=True):
    """A row of scores, with a digest of the references and documents, and with corpus statistics.

    `statistics` has those of each metric by the key of its values.
    """

    context: str = ""
    statistics: dict[str, list[float]] = msgspec.field(default_factory=dict)


def score_system(
    instances: Iterable[EvalInstance],
    metrics: Sequence[Metric],
    workers: int | None = None,
) -> list[StoredRow]:
    """Score the summaries of one system; references among them are left out."""
    peers = [
        instance
        for instance in check_duplicates(instances)
        if instance.summarizer_type != "reference"
    ]
    if len({instance.summarizer_id for instance in peers}) > 1:
        systems = ", ".join(sorted({instance.summarizer_id for instance in peers}))
        raise MismatchError(
            f"one system can pass the gate, not several ({systems}); pass a file of one system, or name its column: "
            "--systems NAME=COLUMN"
        )
    plan = Plan(metrics)
    names = [name for metric in metrics for name in metric.required_context_fields]
    rows = scored_by_input(peers, metrics, workers)
    facts = [instance_facts(metrics, peer)[1] for peer in peers]
    records = Worker(plan, None, plan.signatures()).records(rows, facts)
    return [
        StoredRow(
            *msgspec.structs.astuple(record),
            context=peer.fields.digest(dict.fromkeys(names)),
            statistics={_key(metrics[number]): values for number, values in row.statistics.items()},
        )
        for peer, row, record in zip(peers, rows, records, strict=True)
    ]


def _key(metric: Metric) -> str:
    return metric.output_key or metric.label


def read_baseline(
    path: str, mapping: TableColumns | None = None, notes: list[str] | None = None
) -> list[StoredRow]:
    """The rows of one system; those of references are left out.

    `mapping` names columns of a table, and `notes` receives what was recognised.
    """
    rows = [row for _, row in read_score_rows(path, StoredRow, mapping, notes)]
    rows = [row for row in rows if row.summarizer_type != "reference"]
    if not rows:
        raise DataError("no scores of summaries", file=path)
    systems = sorted({row.summarizer_id for row in rows})
    if len(systems) > 1:
        raise DataError(
            f"scores of several systems ({', '.join(systems)}); a gate takes a file of one system",
            file=path,
        )
    return rows


def check_comparable(baseline: Sequence[StoredRow], new: Sequence[StoredRow]) -> None:
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
            own, other = here.pop(key, ""), there.pop(key, "")
            if own != other:
                warnings.warn(
                    f"{name}: the baseline was scored with {key}:{other}, the new outputs with "
                    f"{key}:{own}",
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


def measure_rows(
    measure: str, metric: Metric | None, *systems: Sequence[StoredRow]
) -> tuple[tuple[str, ...], Floats]:
    """What a measure's system score is made of: its columns' names, and [system, input, column].

    Inputs stand in the order of the first system's. All measures of a metric are taken together where
    the metric is given, for its rule may need them all.
    """
    order = [row.instance_id for row in systems[0]]
    by_id = [{row.instance_id: row for row in rows} for rows in systems]
    aligned = [[rows[name] for name in order] for rows in by_id]
    if metric is not None and metric.corpus_statistics:
        key = _key(metric)
        for row in (row for rows in aligned for row in rows if key not in row.statistics):
            raise DataError(
                f"{measure} of a system is not a mean, and the rows of {row.summarizer_id} hold no "
                "statistics of it; make them with rubrica gate --save"
            )
        statistics = [[row.statistics[key] for row in rows] for rows in aligned]
        return (measure,), np.array(statistics, dtype=np.float64)
    path, known = path_of(measure, aligned[0][0]), aligned[0][0].metrics.measure_names()
    group = Measures(aligned[0][:1]).group(path)
    if metric is None and group.sentence_level:
        raise DataError(
            f"{measure} is a value of single summaries by {group.metric or 'a corpus metric'}, whose system "
            "score is not their mean; name the metric with -m"
        )
    names = tuple(known) if metric else (".".join(path),)
    values = [[_numbers(row, names) for row in rows] for rows in aligned]
    return names, np.array(values, dtype=np.float64)


def path_of(measure: str, row: StoredRow) -> tuple[str, ...]:
    """The keys that lead to a measure of a row."""
    path, known = row.metrics.find(measure), row.metrics.measure_names()
    if path is not None and ".".join(path) in known:
        return path
    # A key that holds several measures, as `rouge-1`, means its F1.
    alias = find_measure(measure, known)
    path = row.metrics.find(alias) if alias is not None else None
    if path is None:
        raise UnknownNameError("measure", measure, known)
    return path


def _numbers(row: StoredRow, names: Sequence[str]) -> list[float]:
    """The values of measures (dotted names); NaN where the row has none."""
    values = row.values()
    return [values.get(name, float("nan")) for name in names]
