"""The report of a meta-evaluation: metrics against people, as data; `web/meta/` draws it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rubrica import __version__
from rubrica.data.instance import UNKNOWN_LANGUAGES, EvalInstance, Fields
from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, MismatchError
from rubrica.formatting.words import counted
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import input_correlations
from rubrica.meta.evaluation import compared_scores
from rubrica.meta.ranking.rankings import MetaEvaluation, Ranking, Standing, SystemCurve
from rubrica.meta.signatures import digest
from rubrica.reports.meta_method import method_text
from rubrica.reports.page import page, vega_library
from rubrica.reports.rouge_matches import RougeReport, rouge_report, usual_variant
from rubrica.reports.scored_texts import SummaryTexts
from rubrica.statistics.intervals import Interval, Resampling, bootstrap_means
from rubrica.statistics.undefined import none_if_nan


@dataclass(frozen=True, slots=True)
class RankingShown:
    """A ranking, reduced to the fields that the page shows."""

    human: str
    level: str
    coefficient: str
    standings: Sequence[Standing]
    p_values: Sequence[Sequence[float | None]]
    adjusted: Sequence[Sequence[float | None]]
    left_out: int
    signature: str


@dataclass(frozen=True, slots=True)
class CurveShown:
    """Points (k, tau) of the best k systems, and (share of pairs, tau) of the closest pairs."""

    human: str
    metric: str
    top: Sequence[tuple[int, float | None]]
    close: Sequence[tuple[float, float | None]]


@dataclass(frozen=True, slots=True)
class MetaReport:
    """Everything the page shows. Systems, inputs and measures are numbers into their lists.

    Measures are the metrics, then the human scores. `values[measure][system][input]` is None where
    absent. `agreement[human][metric][input]` is Kendall's tau-b across systems within an input, a plain
    coefficient.
    `texts` and `languages` are indexed [system][input]; `matches` has the first inputs only. `date` is the day
    of the scores.
    """

    title: str
    version: str
    metrics: Sequence[str]
    humans: Sequence[str]
    lower_is_better: Sequence[str]
    alpha: float
    rankings: Sequence[RankingShown]
    curves: Sequence[CurveShown]
    systems: Sequence[str]
    inputs: Sequence[str]
    values: Sequence[Sequence[Sequence[float | None]]]
    means: Sequence[Sequence[Interval]]
    agreement: Sequence[Sequence[Sequence[float | None]]]
    audit: Sequence[str]
    method: Sequence[str]
    resampling: Resampling
    config: Mapping[str, Any]
    texts: Sequence[Sequence[str | None]] | None = None
    languages: Sequence[Sequence[str]] | None = None
    matches: RougeReport | None = None
    date: str = ""

    def page(self) -> bytes:
        """Return the report as an HTML page; its charts need vl-convert-python."""
        return page(
            self.title,
            self,
            script="meta",
            styles=("systems", "rouge", "meta"),
            libraries=(vega_library(),),
        )


def meta_report(
    evaluation: MetaEvaluation,
    table: ScoreTable,
    texts: SummaryTexts | None = None,
    *,
    title: str = "Meta-evaluation",
    config: Mapping[str, Any] | None = None,
    max_instances: int = 20,
    date: str = "",
) -> MetaReport:
    """Return the report of a result and the scores that it was computed from.

    Other scores raise a MismatchError. With texts, the page also shows the ROUGE matches of the
    first `max_instances` inputs (0: all).
    """
    _check_same_scores(evaluation, table)
    names = (*evaluation.metrics, *evaluation.humans)
    matrices = [table.matrix(name) for name in names]
    resampling = Resampling()
    per_system = [
        bootstrap_means(np.column_stack([matrix[s] for matrix in matrices]), resampling)
        for s in range(len(table.systems))
    ]
    return MetaReport(
        title,
        __version__,
        evaluation.metrics,
        evaluation.humans,
        evaluation.lower_is_better,
        evaluation.alpha,
        [_ranking(ranking) for ranking in evaluation.rankings],
        [_curve(curve) for curve in evaluation.curves],
        table.systems,
        table.inputs,
        [[[none_if_nan(x) for x in row] for row in matrix.tolist()] for matrix in matrices],
        [[per_system[s][m] for s in range(len(table.systems))] for m in range(len(names))],
        _agreement(evaluation, table),
        _audit(evaluation),
        method_text(evaluation),
        resampling,
        config or {},
        None if texts is None else _texts(texts, table),
        None if texts is None else texts.languages_of(table.systems, table.inputs),
        None if texts is None else _matches(texts, table, max_instances),
        date,
    )


def _check_same_scores(result: MetaEvaluation, table: ScoreTable) -> None:
    """Raise a MismatchError unless the scores have the digest in the result's signatures."""
    for human in result.humans:
        stack, z, _ = compared_scores(table, result.metrics, human)
        expected = next(
            ranking.signature.data for ranking in result.rankings if ranking.human == human
        )
        if digest(*stack, z) != expected:
            raise MismatchError(
                f"the scores for {human!r} differ from those of the result (digest "
                f"{digest(*stack, z)} instead of {expected}): run rubrica meta-evaluate again, or pass "
                "the right files with --scores"
            )


def _ranking(ranking: Ranking) -> RankingShown:
    return RankingShown(
        ranking.human,
        ranking.level.value,
        ranking.coefficient.value,
        ranking.standings,
        ranking.p_values,
        ranking.adjusted,
        ranking.left_out,
        str(ranking.signature),
    )


def _curve(curve: SystemCurve) -> CurveShown:
    return CurveShown(
        curve.human,
        curve.metric,
        [(point.size, point.value) for point in curve.top],
        [(point.share, point.tau) for point in curve.close],
    )


def _agreement(result: MetaEvaluation, table: ScoreTable) -> list[list[list[float | None]]]:
    return [
        [
            [
                none_if_nan(value)
                for value in input_correlations(
                    table.matrix(metric), table.matrix(human), Coefficient.KENDALL
                ).tolist()
            ]
            for metric in result.metrics
        ]
        for human in result.humans
    ]


def _audit(result: MetaEvaluation) -> list[str]:
    """Return lines on what was read, joined, dropped and left out of the correlations."""
    lines = [] if result.join is None else result.join.lines()
    for human in result.humans:
        rankings = [ranking for ranking in result.rankings if ranking.human == human]
        if left_out := rankings[0].left_out:
            cells = counted(left_out, "cell")
            lines.append(f"{human}: {cells} left out because not all measures have them")
        # A note that applies to several levels and coefficients appears once.
        places_by_note: dict[str, list[str]] = {}
        for ranking in rankings:
            for line in _undefined(ranking):
                places_by_note.setdefault(line, []).append(
                    f"{ranking.level.value} {ranking.coefficient.value}"
                )
        lines += [
            f"{human}: {line} ({', '.join(places)})" for line, places in places_by_note.items()
        ]
    return lines


def _undefined(ranking: Ranking) -> Iterator[str]:
    """Yield a line for each number of undefined inputs or rounds, with all metrics that share it."""
    inputs: dict[str, list[str]] = {}
    rounds: dict[str, list[str]] = {}
    for standing in ranking.standings:
        if standing.undefined:
            note = f"{standing.undefined:,} undefined of {standing.undefined + standing.defined:,}"
            inputs.setdefault(note, []).append(standing.metric)
        if standing.undefined_rounds:
            count = (
                "1 round"
                if standing.undefined_rounds == 1
                else f"{standing.undefined_rounds:,} rounds"
            )
            rounds.setdefault(f"undefined in {count} of the bootstrap", []).append(standing.metric)
    for note, metrics in (*inputs.items(), *rounds.items()):
        all_metrics = len(metrics) == len(ranking.standings)
        yield f"{'all metrics' if all_metrics else ', '.join(sorted(metrics))}: {note}"


def _texts(texts: SummaryTexts, table: ScoreTable) -> list[list[str | None]]:
    summaries = texts.summaries
    rows = [
        [
            None
            if (text := summaries.get((i, s))) is None
            else text
            if isinstance(text, str)
            else "\n".join(text)
            for i in table.inputs
        ]
        for s in table.systems
    ]
    if all(text is None for row in rows for text in row):
        raise DataError(
            f"none of the {len(summaries):,} texts belongs to a compared system and input: check "
            "instance_id and summarizer_id"
        )
    return rows


def _matches(texts: SummaryTexts, table: ScoreTable, max_instances: int) -> RougeReport | None:
    instances = [
        EvalInstance(
            instance,
            system,
            "peer",
            Fields({"summary": texts.summaries[instance, system], "references": references}),
            languages=texts.languages.get((instance, system), UNKNOWN_LANGUAGES),
        )
        for instance in table.inputs
        for system in table.systems
        if (instance, system) in texts.summaries
        and (references := texts.references.get((instance, system)))
    ]
    if not instances:
        return None
    return rouge_report(instances, (usual_variant(instances),), max_instances=max_instances)
