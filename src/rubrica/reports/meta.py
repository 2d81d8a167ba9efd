"""The report of a meta-evaluation: metrics against people, as data; `web/meta.js` draws it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rubrica import __version__
from rubrica.data.instance import UNKNOWN_LANGUAGES, EvalInstance, Fields
from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, MismatchError
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import input_correlations, none_if_nan
from rubrica.meta.evaluation import compared_scores
from rubrica.meta.ranking.rankings import MetaEvaluation, Ranking, Standing, SystemCurve
from rubrica.meta.signatures import digest
from rubrica.reports.charts import vega_library
from rubrica.reports.meta_method import method_text
from rubrica.reports.page import page
from rubrica.reports.rouge_matches import RougeReport, rouge_report, usual_variant
from rubrica.reports.systems import SummaryTexts
from rubrica.statistics.intervals import Interval, Resampling, bootstrap_means

# What the page's matches are counted by; `report rouge` compares implementations.


@dataclass(frozen=True, slots=True)
class RankingShown:
    """A ranking as the page knows it."""

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
    """All that the page shows. Systems, inputs and measures are numbered by their lists.

    `measures` are the metrics, then the human scores. `values[measure][system][input]` is None where
    absent. `agreement[human][metric][input]` is Kendall's tau-b across systems within an input, a plain
    coefficient.
    `texts[system][input]`, as `languages`; `matches` has the first inputs only.
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

    def page(self) -> bytes:
        """As an HTML page; its charts need vl-convert-python."""
        return page(
            self.title,
            self,
            script="meta",
            styles=("systems", "rouge", "meta"),
            libraries=(vega_library(),),
        )


def meta_report(
    made: MetaEvaluation,
    table: ScoreTable,
    texts: SummaryTexts | None = None,
    *,
    title: str = "Meta-evaluation",
    config: Mapping[str, Any] | None = None,
    max_instances: int = 20,
) -> MetaReport:
    """The report of a result and of the scores that it was made from.

    Scores that are not those of the result are refused. With texts, the ROUGE matches of the first
    `max_instances` inputs (0: all) can be read.
    """
    _check_same_scores(made, table)
    names = (*made.metrics, *made.humans)
    matrices = [table.matrix(name) for name in names]
    resampling = Resampling()
    per_system = [
        bootstrap_means(np.column_stack([matrix[s] for matrix in matrices]), resampling)
        for s in range(len(table.systems))
    ]
    return MetaReport(
        title,
        __version__,
        made.metrics,
        made.humans,
        made.lower_is_better,
        made.alpha,
        [_ranking(one) for one in made.rankings],
        [_curve(one) for one in made.curves],
        table.systems,
        table.inputs,
        [[[none_if_nan(x) for x in row] for row in matrix.tolist()] for matrix in matrices],
        [[per_system[s][m] for s in range(len(table.systems))] for m in range(len(names))],
        _agreement(made, table),
        _audit(made),
        method_text(made),
        resampling,
        config or {},
        None if texts is None else _texts(texts, table),
        None if texts is None else texts.languages_of(table.systems, table.inputs),
        None if texts is None else _matches(texts, table, max_instances),
    )


def _check_same_scores(made: MetaEvaluation, table: ScoreTable) -> None:
    """The digest in the signatures is that of the scores compared."""
    for human in made.humans:
        stack, z, _ = compared_scores(table, made.metrics, human)
        expected = next(one.signature.data for one in made.rankings if one.human == human)
        if digest(*stack, z) != expected:
            raise MismatchError(
                f"the scores for {human!r} are not those of the result (their digest is "
                f"{digest(*stack, z)}, not {expected}): run rubrica meta-evaluate again, or name the "
                "right files with --scores"
            )


def _ranking(one: Ranking) -> RankingShown:
    return RankingShown(
        one.human,
        one.level.value,
        one.coefficient.value,
        one.standings,
        one.p_values,
        one.adjusted,
        one.left_out,
        str(one.signature),
    )


def _curve(one: SystemCurve) -> CurveShown:
    return CurveShown(
        one.human,
        one.metric,
        [(point.size, point.value) for point in one.top],
        [(point.share, point.tau) for point in one.close],
    )


def _agreement(made: MetaEvaluation, table: ScoreTable) -> list[list[list[float | None]]]:
    return [
        [
            [
                none_if_nan(value)
                for value in input_correlations(
                    table.matrix(metric), table.matrix(human), Coefficient.KENDALL
                ).tolist()
            ]
            for metric in made.metrics
        ]
        for human in made.humans
    ]


def _audit(made: MetaEvaluation) -> list[str]:
    """What was read, joined and dropped, and what the correlations had to leave out."""
    told = [] if made.join is None else made.join.lines()
    for human in made.humans:
        own = [one for one in made.rankings if one.human == human]
        if own[0].left_out:
            told.append(f"{human}: {own[0].left_out:,} cells left out, which not all measures have")
        # What is the same at several levels and with several coefficients is said once.
        where: dict[str, list[str]] = {}
        for one in own:
            for line in _undefined(one):
                where.setdefault(line, []).append(f"{one.level.value} {one.coefficient.value}")
        told += [f"{human}: {line} ({', '.join(places)})" for line, places in where.items()]
    return told


def _undefined(ranking: Ranking) -> Iterator[str]:
    """Inputs and bootstrap rounds that have no value, metrics with equal numbers together."""
    inputs: dict[str, list[str]] = {}
    rounds: dict[str, list[str]] = {}
    for one in ranking.standings:
        if one.undefined:
            of = f"{one.undefined:,} undefined of {one.undefined + one.defined:,}"
            inputs.setdefault(of, []).append(one.metric)
        if one.undefined_rounds:
            told = "1 round" if one.undefined_rounds == 1 else f"{one.undefined_rounds:,} rounds"
            rounds.setdefault(f"undefined in {told} of the bootstrap", []).append(one.metric)
    for what, metrics in (*inputs.items(), *rounds.items()):
        every = len(metrics) == len(ranking.standings)
        yield f"{'all metrics' if every else ', '.join(sorted(metrics))}: {what}"


def _texts(texts: SummaryTexts, table: ScoreTable) -> list[list[str | None]]:
    found = texts.summaries
    made = [
        [
            None
            if (text := found.get((i, s))) is None
            else text
            if isinstance(text, str)
            else "\n".join(text)
            for i in table.inputs
        ]
        for s in table.systems
    ]
    if all(text is None for row in made for text in row):
        raise DataError(f"none of the {len(found):,} texts is of a system and input compared")
    return made


def _matches(texts: SummaryTexts, table: ScoreTable, most: int) -> RougeReport | None:
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
    return rouge_report(instances, (usual_variant(instances),), max_instances=most)
