"""The readers that recipes name: released files become scores, judged texts, pairs or annotations.

Every reader takes paths and options and checks both; released files are untrusted. A reader never
executes what it reads: pickles go through `rubrica.data.safe_pickle`.
"""

from __future__ import annotations

import inspect
import json
import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.jsonl import read_jsonl
from rubrica.data.metrics import Metrics, MetricsDict, exact_mean
from rubrica.data.safe_pickle import read_pickle
from rubrica.data.score_rows import read_metrics
from rubrica.data.table import ScoreTable
from rubrica.datasets.base import setup_dataset
from rubrica.datasets.open import read
from rubrica.errors import DataError
from rubrica.meta.judges.annotations import Annotations, read_annotations
from rubrica.meta.judges.pair_audit import JudgedPair, read_pairs
from rubrica.scoring import evaluate
from rubrica.study.pickles import read_score_dict

Reader: TypeAlias = Callable[..., Any]


Pooling: TypeAlias = Literal["jointly", "max", "mean"]


@dataclass(frozen=True, slots=True)
class JudgedTexts:
    """Texts with the scores that people gave them; metrics are computed on the texts.

    Several references are scored `jointly`, as the metric does it, or one by one and pooled by `max` or `mean`.
    """

    instances: Sequence[EvalInstance]
    scores: Sequence[Metrics]
    pooling: Pooling = "jointly"

    def table(self, metrics: Sequence[Mapping[str, Any]]) -> ScoreTable:
        """Return people's scores and those of the metrics as one table."""
        if not metrics:
            return ScoreTable.from_metrics(self.scores)
        instances, keys = (
            list(self.instances),
            [(i.instance_id, i.summarizer_id) for i in self.instances],
        )
        if self.pooling != "jointly":
            instances, keys = _one_reference_each(instances)
        _, rows = evaluate(instances, [dict(config) for config in metrics], workers=1)
        by_key: dict[tuple[str, str], list[dict[str, float]]] = {}
        for key, row in zip(keys, rows, strict=True):
            by_key.setdefault(key, []).append(row.values())
        pool = max if self.pooling == "max" else exact_mean
        joined = []
        for row in self.scores:
            computed = by_key.get(row.key, [])
            values = (
                {name: pool([scores[name] for scores in computed]) for name in computed[0]}
                if computed
                else {}
            )
            joined.append(Metrics(*row.key, "peer", MetricsDict(values | row.values())))
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


def read_records(
    paths: Sequence[Path],
    *,
    measures: Mapping[str, str],
    instance: str = "",
    system: str = "",
    where: Mapping[str, Any] | None = None,
) -> ScoreTable:
    """Read scores from lists of JSON objects; names are keys, with dots for keys inside.

    Without `instance` every record is an input of its own; without `system` there is one system. Several
    files are joined by both.
    """
    found: dict[tuple[str, str], dict[str, float]] = {}
    for path in paths:
        for number, record in enumerate(_records(path), 1):
            if any(_value(record, key) != value for key, value in (where or {}).items()):
                continue
            name = str(_required(record, instance, path, number)) if instance else str(number)
            by = str(_required(record, system, path, number)) if system else "all"
            scores = found.setdefault((name, by), {})
            for measure, key in measures.items():
                if (value := _value(record, key)) is not None:
                    scores[measure] = _number(value, key, path, number)
    rows = [Metrics(name, by, "peer", MetricsDict(scores)) for (name, by), scores in found.items()]
    if not rows:
        raise DataError("no record has the values that 'where' asks for", file=str(paths[0]))
    return ScoreTable.from_metrics(rows, list(measures))


def read_score_dicts(
    paths: Sequence[Path],
    *,
    splits: Sequence[str],
    without: Sequence[str] = (),
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


def read_text_pickle(
    paths: Sequence[Path],
    *,
    reference: str = "ref_summ",
    stop: str = "",
    pooling: Pooling = "jointly",
) -> JudgedTexts:
    """Read texts in BARTScore's layout: a document holds `sys_summs`, or one `sys_summ` and `scores`.

    `stop` splits texts into sentences, as the released code does.
    """
    instances, scores = [], []
    for path in paths:
        for name, document in _mapping(read_pickle(path.read_bytes(), str(path)), path).items():
            entry = _mapping(document, path)
            systems = entry.get("sys_summs", {"all": entry})
            references = entry.get(reference)
            texts = references if isinstance(references, list) else [references]
            for system, output in _mapping(systems, path).items():
                fields = {
                    "summary": _sentences(output.get("sys_summ"), stop, path),
                    "references": [_sentences(text, stop, path) for text in texts],
                }
                ids = (str(name), str(system), "peer")
                instances.append(EvalInstance(*ids, Fields(fields)))
                scores.append(Metrics(*ids, MetricsDict(_mapping(output.get("scores"), path))))
    return JudgedTexts(instances, scores, pooling)


def read_ranked_pickle(paths: Sequence[Path]) -> JudgedTexts:
    """Read pairs in BARTScore's layout of WMT: a reference, the better and the worse translation."""
    instances, scores = [], []
    for path in paths:
        for name, document in _mapping(read_pickle(path.read_bytes(), str(path)), path).items():
            for system, score in (("better", 1.0), ("worse", 0.0)):
                entry = _mapping(_mapping(document, path).get(system), path)
                fields = {
                    "summary": _sentences(entry.get("sys"), "", path),
                    "references": [_sentences(document.get("ref"), "", path)],
                }
                ids = (str(name), system, "peer")
                instances.append(EvalInstance(*ids, Fields(fields)))
                scores.append(Metrics(*ids, MetricsDict({"better": score})))
    return JudgedTexts(instances, scores)


def read_topics(
    paths: Sequence[Path],
    *,
    annotations: Mapping[str, str],
    min_sentences: int = 1,
    without: Sequence[str] = (),
) -> JudgedTexts:
    """Read topics in the layout of MoverScore's TAC files: topic -> references, annotations of summaries.

    Summaries with fewer than `min_sentences` are left out, as the released code does, and so are the
    systems in `without`.
    """
    instances, scores = [], []
    for path in paths:
        for topic, content in _mapping(_json(path), path).items():
            references = [_joined(r.get("text"), path) for r in content["references"]]
            for entry in content["annotations"]:
                summary = _joined(entry.get("text"), path)
                if len(summary) < min_sentences or str(entry["summ_id"]) in without:
                    continue
                fields = {"summary": summary, "references": references}
                ids = (str(topic), str(entry["summ_id"]), "peer")
                instances.append(EvalInstance(*ids, Fields(fields)))
                values = {
                    measure: _number(entry[key], key, path, 0)
                    for measure, key in annotations.items()
                }
                scores.append(Metrics(*ids, MetricsDict(values)))
    return JudgedTexts(instances, scores)


def read_unit_labels(paths: Sequence[Path]) -> ScoreTable:
    """Read content unit labels: a file per system, a line per document, 0 or 1 per unit."""
    rows = []
    for path in paths:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            labels = line.split()
            if not labels or not set(labels) <= {"0", "1"}:
                raise DataError("expected labels 0 or 1", file=str(path), line=number)
            recall = labels.count("1") / len(labels)
            scores = MetricsDict({"recall": recall})
            rows.append(Metrics(str(number), path.stem, "peer", scores))
    return ScoreTable.from_metrics(rows)


def read_dataset(
    paths: Sequence[Path], *, name: str, part: str, without: Sequence[str] = ()
) -> JudgedTexts:
    """Convert a benchmark with its registered reader; return a part's texts and scores, `without` systems."""
    with tempfile.TemporaryDirectory() as folder:
        root = _common_folder(paths)
        setup_dataset(name, root, folder, offline=True)
        summaries = Path(folder) / f"{part}.summaries.jsonl"
        judgments = Path(folder) / f"{part}.metrics.jsonl"
        for file in (summaries, judgments):
            if not file.exists():
                raise DataError(f"data set {name!r} has no part {part!r}", file=str(root))
        instances = [
            instance
            for instance in read(str(summaries), {"summary", "references"})
            if instance.summarizer_id not in without
        ]
        scores = [row for row in read_metrics(judgments) if row.summarizer_id not in without]
        return JudgedTexts(instances, scores)


def read_judge_pairs(paths: Sequence[Path]) -> list[JudgedPair]:
    """Read verdicts in both orders (LLMBar's `result.json`)."""
    return [pair for path in paths for pair in read_pairs(path)]


def read_label_objects(paths: Sequence[Path]) -> Annotations:
    """Read people's and judges' labels: two JSON files, annotator -> item -> label."""
    humans, judges = paths
    return read_annotations([humans], [judges])


READERS: dict[str, Reader] = {
    "annotations": read_label_objects,
    "dataset": read_dataset,
    "judge-pairs": read_judge_pairs,
    "ranked-pickle": read_ranked_pickle,
    "records": read_records,
    "score-dicts": read_score_dicts,
    "text-pickle": read_text_pickle,
    "topics": read_topics,
    "unit-labels": read_unit_labels,
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


def _common_folder(paths: Sequence[Path]) -> Path:
    """Return the deepest folder that holds all files."""
    parents = [set(path.parents) for path in paths]
    return max(set.intersection(*parents), key=lambda path: len(path.parts))


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON: {error}", file=str(path)) from error


def _records(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".jsonl":
        return [row for _, row in read_jsonl(str(path))]
    content = _json(path)
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        raise DataError("expected a list of JSON objects", file=str(path))
    return content


def _value(record: Mapping[str, Any], key: str) -> Any:
    """Return the value at a key, or at a dotted path; None where there is none."""
    if key in record:
        return record[key]
    value: Any = record
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _required(record: Mapping[str, Any], key: str, path: Path, number: int) -> Any:
    value = _value(record, key)
    if value is None:
        raise DataError(f"record {number} has no {key!r}", file=str(path))
    return value


def _number(value: Any, key: str, path: Path, number: int) -> float:
    try:
        score = float(value)
    except (TypeError, ValueError):
        score = math.inf
    if isinstance(value, bool) or math.isinf(score):
        raise DataError(f"record {number}: {key!r} is not a number: {value!r}", file=str(path))
    return score


def _mapping(value: Any, path: Path) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise DataError(f"expected an object, found {type(value).__name__}", file=str(path))
    return value


def _sentences(text: Any, stop: str, path: Path) -> str | list[str]:
    if not isinstance(text, str):
        raise DataError(f"expected a text, found {type(text).__name__}", file=str(path))
    return text.split(f" {stop} ") if stop else text


def _joined(text: Any, path: Path) -> list[str]:
    if not isinstance(text, list) or not all(isinstance(line, str) for line in text):
        raise DataError("expected a list of sentences", file=str(path))
    return text
