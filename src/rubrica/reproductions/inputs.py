"""The inputs that recipes name: registered readers, and the scores of metrics on the texts they read."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.metrics import Metrics, MetricsDict, exact_mean
from rubrica.data.table import ScoreTable
from rubrica.datasets import released
from rubrica.datasets.released import JudgedTexts
from rubrica.errors import DataError
from rubrica.meta.judges.annotations import Annotations, read_annotations
from rubrica.meta.judges.pair_audit import JudgedPair, read_pairs
from rubrica.scoring import evaluate
from rubrica.study.pickles import read_score_dict

Reader: TypeAlias = Callable[..., Any]


def read_judge_pairs(paths: Sequence[Path]) -> list[JudgedPair]:
    """Read verdicts in both orders (LLMBar's `result.json`)."""
    return [pair for path in paths for pair in read_pairs(path)]


def read_label_objects(paths: Sequence[Path]) -> Annotations:
    """Read people's and judges' labels: two JSON files, annotator -> item -> label."""
    humans, judges = paths
    return read_annotations([humans], [judges])


def read_score_dicts(
    paths: Sequence[Path], *, splits: Sequence[str], without: Sequence[str] = ()
) -> ScoreTable:
    """Read REALSumm's pickles of scores, `without` some systems; systems are named `SPLIT/NAME`."""
    if len(splits) != len(paths):
        raise DataError(f"{len(splits)} splits for {len(paths)} files", file=str(paths[0]))
    rows = [
        row
        for path, split in zip(paths, splits, strict=True)
        for row in read_score_dict(str(path), split)
        if row.summarizer_id not in without
    ]
    return ScoreTable.from_metrics(rows)


READERS: dict[str, Reader] = {
    "annotations": read_label_objects,
    "dataset": released.read_dataset,
    "judge-pairs": read_judge_pairs,
    "ranked-pickle": released.read_ranked_pickle,
    "rated-systems": released.read_rated_systems,
    "records": released.read_records,
    "score-dicts": read_score_dicts,
    "system-table": released.read_system_table,
    "text-pickle": released.read_text_pickle,
    "topics": released.read_topics,
    "unit-labels": released.read_unit_labels,
}


def output_kind(name: str) -> type:
    """Return what operations get from a reader: a table of scores, annotations, or a list of pairs."""
    kinds: dict[Reader, type] = {read_judge_pairs: list, read_label_objects: Annotations}
    return kinds.get(READERS[name], ScoreTable)


def check_reader_options(name: str, options: Mapping[str, Any]) -> str:
    """Return what is wrong with the options of a reader, or nothing."""
    parameters = dict(list(inspect.signature(READERS[name]).parameters.items())[1:])
    for option in options:
        if option not in parameters:
            return f"{name} has no option {option!r} (known: {', '.join(parameters) or 'none'})"
    for option, parameter in parameters.items():
        if option not in options and parameter.default is inspect.Parameter.empty:
            return f"{name} needs the option {option!r}"
    return ""


def score_texts(texts: JudgedTexts, metrics: Sequence[Mapping[str, Any]]) -> ScoreTable:
    """Return people's scores and those of the metrics as one table."""
    if not metrics:
        return ScoreTable.from_metrics(texts.scores)
    instances = list(texts.instances)
    keys = [(instance.instance_id, instance.summarizer_id) for instance in instances]
    if texts.pooling != "jointly":
        instances, keys = _one_reference_each(instances)
    _, rows = evaluate(instances, [dict(config) for config in metrics], workers=1)
    by_key: dict[tuple[str, str], list[dict[str, float]]] = {}
    for key, row in zip(keys, rows, strict=True):
        by_key.setdefault(key, []).append(row.values())
    pool = max if texts.pooling == "max" else exact_mean
    joined = []
    for human in texts.scores:
        computed = by_key.get(human.key, [])
        names = computed[0] if computed else {}
        values = {name: pool([scores[name] for scores in computed]) for name in names}
        joined.append(Metrics(*human.key, "peer", MetricsDict(values | human.values())))
    return ScoreTable.from_metrics(joined)


def _one_reference_each(
    instances: Sequence[EvalInstance],
) -> tuple[list[EvalInstance], list[tuple[str, str]]]:
    """Return an instance per reference, and the ids of the summary that each belongs to."""
    single, keys = [], []
    for instance in instances:
        for number, reference in enumerate(instance.fields["references"], 1):
            fields = Fields(instance.fields | {"references": [reference]})
            name = f"{instance.instance_id} reference {number}"
            single.append(EvalInstance(name, instance.summarizer_id, "peer", fields))
            keys.append((instance.instance_id, instance.summarizer_id))
    return single, keys
