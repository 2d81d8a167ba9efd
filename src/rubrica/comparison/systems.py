"""Comparing systems: score all, then test pairs on the statistics of the inputs they share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rubrica.aliases import find_measure
from rubrica.comparison.measures import rename_lsum
from rubrica.comparison.pairs import build_comparison, paired_tests, tested_pairs
from rubrica.comparison.records import Comparison, PairedTest, TestPlan
from rubrica.comparison.scores import compare_scores
from rubrica.data.clusters import ClusterRule, labels_of
from rubrica.data.instance import EvalInstance, Fields, Text
from rubrica.data.measures import shown_measures
from rubrica.data.metrics import Metrics
from rubrica.data.scores.rows import holds_scores
from rubrica.datasets.open import read
from rubrica.datasets.readers.fields import has_contexts
from rubrica.datasets.readers.memory import check_columns
from rubrica.errors import MismatchError, ParameterError, UnknownNameError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.metric_like import (
    MetricLike,
    required_fields,
    resolve_metrics,
    usage_notes,
)
from rubrica.metrics.base.sample import Sample
from rubrica.neural.progress import report, steps
from rubrica.scoring import score_rows
from rubrica.scoring.batch import ScoredRow
from rubrica.scoring.duplicates import check_duplicates
from rubrica.scoring.evaluation_builder import EvaluationBuilder
from rubrica.scoring.plan import Plan as ScoringPlan
from rubrica.scoring.worker import instance_facts, row_identities, value_table
from rubrica.statistics.intervals import Resampling


def compare(
    data: Mapping[str, Sequence[Text]] | Any = None,
    references: Sequence[Text | Sequence[Text]] | None = None,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    documents: Sequence[Text | Sequence[Text]] | None = None,
    fields: Mapping[str, str | list[str]] | None = None,
    systems: Mapping[str, Any] | None = None,
    baseline: str | None = None,
    plan: TestPlan | None = None,
    measures: Sequence[str] | None = None,
    resampling: Resampling | None = None,
    workers: int | None = None,
    clusters: ClusterRule | None = None,
) -> Comparison:
    """Compare systems' summaries of the same inputs: scores with intervals, and paired tests.

    Args:
        data: Summaries by system, or what `rubrica.read` takes: files, a data frame, a list of dicts. The first
            system is the baseline.
        references: For each input a text, or a list of texts. Files and tables have a column for them.
        metrics: Names (`rouge`, the default, is ROUGE-1, 2 and L), configurations, or metrics. Without metrics, files
            of scores are compared as they are, as by `compare_scores`.
        documents: For each input the text that was summarized, or several.
        fields: Columns of a table by field, such as `{"summary": "pred"}`; others are recognised by their names.
        systems: Columns of summaries by system, for tables with a column per system.
        baseline: The system to compare with.
        plan: Tests, baseline, correction and level of significance.
        measures: Measures to show and test (default: F of each).
        resampling: Rounds, seed and confidence of the bootstrap.
        workers: Number of cores to use (default: all).
        clusters: What inputs have in common, such as a topic: a mapping from their names, which are "1", "2", ... for
            summaries by system.

    Returns:
        The comparison, which prints as the table of `rubrica compare`.

    Raises:
        MismatchError: Systems have different inputs.

    Example:
        >>> import rubrica as rb
        >>> systems = {"lead": ["the cat sat", "it rained"], "long": ["a cat sat there", "rain fell"]}
        >>> comparison = rb.compare(systems, ["the cat sat", "rain fell"], ["rouge"], measures=["rouge-1"])
        >>> comparison.systems
        ['lead', 'long']
        >>> round(comparison.tests[0].difference, 2)
        3.57
    """
    if baseline is not None:
        plan = replace(plan or TestPlan(), baseline=baseline)
    if (
        metrics is None
        and not (references or documents or fields or systems)
        and _hold_scores(data)
    ):
        return compare_scores(
            data, plan=plan, measures=measures, resampling=resampling, clusters=clusters
        )
    resolved = resolve_metrics(metrics or ["rouge"])
    if data is None:
        # Summaries by system were once the parameter `systems`.
        data, systems = systems, None
    if data is None:
        raise ParameterError("nothing to compare: pass summaries by system, files or a table")
    contexts = references is not None or documents is not None
    instances: Iterable[EvalInstance]
    if isinstance(data, Mapping) and (contexts or not (fields or systems or has_contexts(data))):
        check_columns(data)
        instances = instances_of(data, references, documents)
    elif contexts:
        raise ParameterError(
            "references and documents are columns of a table (`fields={...}` maps them), not arguments; "
            "metrics are the third argument, or metrics=[...]"
        )
    else:
        instances = read(data, required_fields(resolved), fields=fields, systems=systems)
    return compare_instances(
        instances,
        resolved,
        plan=plan,
        measures=measures,
        resampling=resampling,
        workers=workers,
        clusters=clusters,
    )


def _hold_scores(data: Any) -> bool:
    """Return whether data are files, and all hold scores."""
    files = data if isinstance(data, (list, tuple)) else [data]
    return bool(files) and all(isinstance(f, (str, os.PathLike)) and holds_scores(f) for f in files)


def instances_of(
    systems: Mapping[str, Sequence[Text]],
    references: Sequence[Text | Sequence[Text]] | None,
    documents: Sequence[Text | Sequence[Text]] | None = None,
) -> Iterator[EvalInstance]:
    """Summaries by system, with the references and documents of their inputs."""
    contexts = {"references": references, "documents": documents}
    known = {
        name: [[text] if isinstance(text, str) else list(text) for text in texts]
        for name, texts in contexts.items()
        if texts is not None
    }
    for system, summaries in systems.items():
        if isinstance(summaries, str):
            raise ParameterError(f"the summaries of {system} must be a list, found one string")
        for name, texts in known.items():
            if len(texts) != len(summaries):
                raise MismatchError(
                    f"{system} has {len(summaries)} summaries and there are {name} of "
                    f"{len(texts)} inputs"
                )
        for number, summary in enumerate(summaries):
            fields = Fields(summary=summary, **{name: known[name][number] for name in known})
            yield EvalInstance(str(number + 1), system, "peer", fields)


def compare_instances(
    instances: Iterable[EvalInstance],
    metrics: Sequence[Metric],
    *,
    plan: TestPlan | None = None,
    measures: Sequence[str] | None = None,
    resampling: Resampling | None = None,
    workers: int | None = None,
    clusters: ClusterRule | None = None,
) -> Comparison:
    """Compare systems as `compare` does, from instances; those of references are scored and then left out.

    All systems must have summaries of the same inputs. By default the measures of a short table are tested: of
    precision, recall and F only F. `clusters` says which inputs belong together (see `rubrica.data.clusters`).
    """
    plan = plan or TestPlan()
    resampling = resampling or Resampling()
    held = list(check_duplicates(instances))
    if not any(instance.summarizer_type == "peer" for instance in held):
        raise MismatchError("nothing to compare: there are no summaries of systems")
    rows = scored_by_input(held, metrics, workers)
    # Whichever system is the baseline, inputs keep their order, and with it the draws and p-values.
    input_order = list(
        dict.fromkeys(row.instance_id for row in rows if row.summarizer_type != "reference")
    )
    # So does the digest of the data.
    identities = row_identities(rows)
    place = _baseline_first(plan, rows)
    order = sorted(range(len(rows)), key=lambda at: place(rows[at]))
    facts = [instance_facts(metrics, held[at]) for at in order]
    rows = [rows[at] for at in order]
    labels = labels_of(input_order, clusters)
    builder = EvaluationBuilder(metrics, False, resampling, labels)
    builder.add(replace(value_table(rows, facts), instance_ids=[row.instance_id for row in rows]))
    builder.digest.add(identities)
    evaluation = replace(builder.build(), usage=usage_notes(metrics))
    if measures is not None:
        measures = [rename_lsum(measure, metrics) for measure in measures]
    chosen = _chosen_measures(list(evaluation.overall.scores), measures)
    peers: dict[str, list[str]] = {}
    for row in rows:
        if row.summarizer_type != "reference":
            peers.setdefault(row.summarizer_id, []).append(row.instance_id)
    shared = shared_order(peers, input_order)
    if plan.methods and len(peers) > 1 and len(input_order) < 2:
        raise ParameterError(
            "a paired test needs at least two inputs; `plan=TestPlan(methods={})` shows scores without tests"
        )

    def test(every_pair: bool) -> list[PairedTest]:
        tests: list[PairedTest] = []
        if not plan.methods or len(peers) < 2:
            return tests
        pairs = tested_pairs(len(peers), plan, every_pair)
        groups = None if labels is None else [labels[name] for name in input_order]
        matrices = list(zip(metrics, builder.matrices(shared), strict=True))
        for metric, (names, matrix) in steps("metrics tested", matrices):
            tested = names if every_pair else [name for name in names if name in chosen]
            if tested:
                sample = Sample.of(metric, names, matrix, groups)
                tests += paired_tests(sample, list(peers), pairs, plan, tested)
        return tests

    return build_comparison(
        evaluation,
        chosen,
        test,
        plan,
        lambda: _records(rows),
        clusters=None if labels is None else len(set(labels.values())),
        data=held,
    )


def _records(rows: Sequence[ScoredRow]) -> list[Metrics]:
    return [
        Metrics(row.instance_id, row.summarizer_id, row.summarizer_type, row.merged_metrics())
        for row in rows
        if row.summarizer_type != "reference"
    ]


def _chosen_measures(known: Sequence[str], measures: Sequence[str] | None) -> list[str]:
    chosen = shown_measures(known) if measures is None else list(measures)
    resolved = {name: find_measure(name, known) for name in chosen}
    for name, measure in resolved.items():
        if measure is None:
            raise UnknownNameError("measure", name, known)
    return [measure for measure in dict.fromkeys(resolved.values()) if measure is not None]


def _baseline_first(plan: TestPlan, rows: Sequence[ScoredRow]) -> Any:
    """Return a key that sorts the baseline's rows first."""
    if plan.baseline is None:
        return lambda row: 0
    names = {row.summarizer_id for row in rows if row.summarizer_type != "reference"}
    if plan.baseline not in names:
        raise UnknownNameError("system", plan.baseline, names)
    return lambda row: row.summarizer_id != plan.baseline


def scored_by_input(
    instances: Sequence[EvalInstance],
    metrics: Sequence[Metric],
    workers: int | None = None,
) -> list[ScoredRow]:
    """Scores in the order of the instances.

    They are made input by input: what a metric finds out about references serves all systems.
    """
    places: dict[str, int] = {}
    for instance in instances:
        places.setdefault(instance.instance_id, len(places))
    order = sorted(range(len(instances)), key=lambda at: places[instances[at].instance_id])
    together = (instances[at] for at in order)
    scored = score_rows(together, ScoringPlan(metrics), workers=workers)
    rows: list[Any] = [None] * len(instances)
    for done, (at, row) in enumerate(zip(order, scored, strict=True), start=1):
        rows[at] = row
        report("summaries scored", done, len(rows))
    return rows


def shared_order(peers: Mapping[str, Sequence[str]], inputs: Sequence[str]) -> list[list[int]]:
    """Return for each system the places of its rows, in the order of the inputs."""
    orders = []
    for name, own in peers.items():
        places = {instance_id: at for at, instance_id in enumerate(own)}
        missing = [instance_id for instance_id in inputs if instance_id not in places]
        if missing:
            other = next(other for other in peers if missing[0] in set(peers[other]))
            message = (
                f"{other} has {len(peers[other])} inputs and {name} {len(own)}; a paired comparison needs "
                f"the same ones ({name} lacks {', '.join(missing[:3])}"
                f"{', ...' if len(missing) > 3 else ''})"
            )
            if set(own) & set(peers[other]):
                message += (
                    "; add an empty summary where a system wrote none, or compare the rows of evaluate "
                    "--rows-output, whose tests use the inputs that both systems have"
                )
            elif all(i.isdecimal() for i in inputs):
                # Rows of a table without ids are numbered from the first to the last.
                message += (
                    '; if these are numbers of rows, name the column of ids with `fields={"instance_id": '
                    '"COLUMN"}`'
                )
            raise MismatchError(message)
        orders.append([places[instance_id] for instance_id in inputs])
    return orders
