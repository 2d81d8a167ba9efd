"""Comparing systems: score all, then test pairs on the statistics of the inputs they share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from rubrica.comparison.measures import with_usual_measures
from rubrica.comparison.paired import (
    bootstrap_p,
    bootstrap_scores,
    exchanged_scores,
    randomization_p,
)
from rubrica.comparison.records import ROUNDS, Comparison, PairedTest, Plan
from rubrica.comparison.samples import Floats, Sample
from rubrica.data.instance import EvalInstance, Fields, Text
from rubrica.errors import MismatchError, ParameterError, UnknownNameError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.metric_like import MetricLike, resolve_metrics
from rubrica.scoring import score_rows
from rubrica.scoring.batch import ScoredRow
from rubrica.scoring.duplicates import check_duplicates
from rubrica.scoring.evaluation import shown_measures
from rubrica.scoring.evaluation_builder import EvaluationBuilder
from rubrica.scoring.plan import Plan as ScoringPlan
from rubrica.scoring.worker import instance_facts, row_identities, value_table
from rubrica.statistics.corrections import CORRECTIONS
from rubrica.statistics.intervals import Resampling

Progress: TypeAlias = Callable[[Iterator[ScoredRow]], Iterator[ScoredRow]]


def compare(
    systems: Mapping[str, Sequence[Text]],
    references: Sequence[Text | Sequence[Text]] | None = None,
    metrics: Sequence[MetricLike] = ("rouge",),
    *,
    documents: Sequence[Text | Sequence[Text]] | None = None,
    plan: Plan | None = None,
    measures: Sequence[str] | None = None,
    resampling: Resampling | None = None,
    workers: int | None = None,
) -> Comparison:
    """Compare systems' summaries of the same inputs; the first system is the baseline.

    References and documents have an entry per input: a text, or a list of texts. Metrics are given by
    name (`rouge` is ROUGE-1, 2 and L), as configurations, or made.
    """
    made = resolve_metrics(metrics, named=with_usual_measures)
    instances = instances_of(systems, references, documents)
    return compare_instances(
        instances, made, plan=plan, measures=measures, resampling=resampling, workers=workers
    )


def instances_of(
    systems: Mapping[str, Sequence[Text]],
    references: Sequence[Text | Sequence[Text]] | None,
    documents: Sequence[Text | Sequence[Text]] | None = None,
) -> Iterator[EvalInstance]:
    """Summaries by system, with the references and documents of their inputs."""
    contexts = {"references": references, "documents": documents}
    known = {
        name: [[one] if isinstance(one, str) else list(one) for one in texts]
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
    plan: Plan | None = None,
    measures: Sequence[str] | None = None,
    resampling: Resampling | None = None,
    workers: int | None = None,
    progress: Progress = iter,
) -> Comparison:
    """As `compare`, of instances; those of references are scored and then left out.

    All systems must have summaries of the same inputs. Without `measures` those of a short table are
    tested: of precision, recall and F only F. `progress` passes scored rows on and may show how many.
    """
    plan = plan or Plan(methods={"ar": ROUNDS["ar"]})
    resampling = resampling or Resampling()
    builder = EvaluationBuilder(metrics, False, resampling)
    held = list(check_duplicates(instances))
    if not any(one.summarizer_type == "peer" for one in held):
        raise MismatchError("nothing to compare: there are no summaries of systems")
    rows = scored_by_input(held, metrics, workers, progress)
    order_of = _baseline_first(plan, rows)
    order = sorted(range(len(rows)), key=lambda at: order_of(rows[at]))
    facts = [instance_facts(metrics, held[at]) for at in order]
    rows = [rows[at] for at in order]
    if rows:
        builder.add(value_table(rows, facts))
        builder.digest.add(row_identities(rows))
    peers: dict[str, list[str]] = {}
    for row in rows:
        if row.summarizer_type != "reference":
            peers.setdefault(row.summarizer_id, []).append(row.instance_id)
    evaluation = builder.build()
    shared = shared_order(peers)
    known = list(evaluation.overall.scores)
    chosen = shown_measures(known) if measures is None else list(measures)
    for name in chosen:
        if name not in known:
            raise UnknownNameError("measure", name, known)
    tests = []
    if plan.methods and len(peers) > 1:
        for metric, (names, matrix) in zip(metrics, builder.matrices(shared), strict=True):
            if set(names) & set(chosen):
                sample = Sample.of(metric, names, matrix)
                tests += paired_tests(sample, list(peers), plan, chosen)
    signatures = [f"{one}{plan.facts() if tests else ''}" for one in evaluation.signatures]
    return Comparison(evaluation, chosen, tests, plan, signatures)


def _baseline_first(plan: Plan, rows: Sequence[ScoredRow]) -> Any:
    """Sorts rows so that the baseline's come first, and otherwise as they are."""
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
    progress: Progress = iter,
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
    for at, row in zip(order, progress(scored), strict=True):
        rows[at] = row
    return rows


def shared_order(peers: Mapping[str, Sequence[str]]) -> list[list[int]]:
    """For each system the places of its rows, in the order of the first system's inputs."""
    first, *_ = peers
    orders = []
    for name, inputs in peers.items():
        places = {one: at for at, one in enumerate(inputs)}
        missing = [one for one in peers[first] if one not in places]
        if missing or len(inputs) != len(peers[first]):
            lacking, having = (name, first) if missing else (first, name)
            lost = missing or [one for one in inputs if one not in set(peers[first])]
            raise MismatchError(
                f"{having} has {len(peers[having])} inputs and {lacking} {len(peers[lacking])}; a "
                f"paired comparison needs the same ones ({lacking} lacks {', '.join(lost[:3])}"
                f"{', ...' if len(lost) > 3 else ''})"
            )
        orders.append([places[one] for one in peers[first]])
    return orders


def paired_tests(
    sample: Sample, systems: Sequence[str], plan: Plan, chosen: Sequence[str]
) -> list[PairedTest]:
    """All tests of the chosen measures of one metric, corrected over the pairs of each measure."""
    if sample.rows.shape[1] < 2:
        raise ParameterError(
            "a paired test needs two inputs at least; without tests (--no-tests) there are scores"
        )
    pairs = list(combinations(range(len(systems)), 2))
    if not plan.all_pairs:
        pairs = [pair for pair in pairs if pair[0] == 0]
    observed = sample.observed()
    differences = np.stack([observed[other] - observed[one] for one, other in pairs])
    tests = []
    for method, rounds in plan.methods.items():
        p_values, extra = _p_values(sample, pairs, differences, method, rounds, plan)
        for m, measure in enumerate(sample.measures):
            if measure not in chosen:
                continue
            found = [None if math.isnan(p) else float(p) for p in p_values[:, m]]
            adjusted = CORRECTIONS[plan.correction](found)
            for number, (one, other) in enumerate(pairs):
                mean, half = extra[other][m] if extra else (None, None)
                tests.append(
                    PairedTest(
                        method,
                        measure,
                        systems[other],
                        systems[one],
                        float(differences[number, m]),
                        found[number],
                        adjusted[number],
                        mean,
                        half,
                    )
                )
    return tests


_Extra = list[list[tuple[float, float]]]


def _p_values(
    sample: Sample,
    pairs: Sequence[tuple[int, int]],
    differences: Floats,
    method: str,
    rounds: int,
    plan: Plan,
) -> tuple[Floats, _Extra]:
    """p-values [pair, measure]; of a bootstrap also mean and half width [system][measure]."""
    if method == "ar":
        first, second = exchanged_scores(sample, pairs, rounds, plan.seed)
        rule = plan.p_rule or "two-sided"
        apart = second - first
        found = [randomization_p(apart[p], differences[p], rule) for p in range(len(pairs))]
        return np.stack(found), []
    scores = bootstrap_scores(sample, rounds, plan.seed)
    rule = plan.p_rule or "sacrebleu"
    found = [
        bootstrap_p(scores[other] - scores[one], differences[p], rule)
        for p, (one, other) in enumerate(pairs)
    ]
    return np.stack(found), [_mean_and_half_width(one) for one in scores]


def _mean_and_half_width(scores: Floats) -> list[tuple[float, float]]:
    """Of resampled scores [round, measure], as sacrebleu takes them: 1/40 of the rounds off each end."""
    ordered = np.sort(scores, axis=0)
    cut = len(ordered) // 40
    half = 0.5 * (ordered[len(ordered) - cut - 1] - ordered[cut])
    return list(zip(scores.mean(axis=0).tolist(), half.tolist(), strict=True))
