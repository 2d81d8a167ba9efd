"""The four experiments of REALSumm (Bhandari et al., EMNLP 2020), by their published rules or by ours.

I Williams' test between metrics at the system level; II correlation among the k best systems; III
decisions between pairs of systems; IV the mean correlation within documents. The published rules
keep, in IV, only documents whose Kendall has p <= 0.05, and in III give every tie to the second
system; ours keep all documents, count ties as halves, correct I for many tests, and give intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, ParameterError
from rubrica.meta.correlation.coefficients import Coefficient, coefficient_of
from rubrica.meta.correlation.correlation import input_correlations
from rubrica.meta.correlation.intervals import interval
from rubrica.meta.correlation.levels import Level
from rubrica.meta.correlation.significant_inputs import significant_inputs
from rubrica.meta.ranking.decisions import DecisionAgreement, decision_agreement
from rubrica.meta.ranking.pairs import top_systems
from rubrica.statistics.corrections import holm
from rubrica.statistics.intervals import Resampling
from rubrica.statistics.undefined import none_if_nan
from rubrica.statistics.williams import williams_p_value

RulesName: TypeAlias = Literal["all", "realsumm"]
TOP = (15, 14, 12, 10, 8, 6, 4)
SIGNIFICANT = 0.05
_Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WilliamsTest:
    """Whether `better` correlates with human scores more than `worse`; one-sided, `adjusted` by Holm."""

    better: str
    worse: str
    p: float | None
    adjusted: float | None


@dataclass(frozen=True, slots=True)
class SystemLevel:
    """A metric's system-level correlations with human scores."""

    metric: str
    pearson: float | None
    kendall: float | None


@dataclass(frozen=True, slots=True)
class TopK:
    """Kendall's tau among the k best systems; k = 4 leaves only 6 pairs."""

    metric: str
    k: int
    kendall: float | None


@dataclass(frozen=True, slots=True)
class SummaryLevel:
    """The mean over documents of Kendall's tau between metric and human scores.

    `used` documents are in the mean, of `documents`; `undefined` have no correlation. There is no
    interval by the published rule, which selects documents by their result.
    """

    metric: str
    kendall: float | None
    lower: float | None
    upper: float | None
    used: int
    documents: int
    undefined: int


@dataclass(frozen=True, slots=True)
class Experiments:
    """All four experiments, for every metric against one human score."""

    human: str
    rules: RulesName
    systems: int
    documents: int
    system_level: tuple[SystemLevel, ...]
    williams: tuple[WilliamsTest, ...]
    top: tuple[TopK, ...]
    decisions: dict[str, DecisionAgreement]
    summary_level: tuple[SummaryLevel, ...]
    rounds: int
    seed: int


def run_experiments(
    table: ScoreTable,
    metrics: Sequence[str],
    human: str,
    *,
    rules: RulesName = "all",
    top: Sequence[int] | None = None,
    rounds: int = 1000,
    seed: int = 0,
) -> Experiments:
    """Run the experiments on the summaries for which all metrics and the human score exist.

    A system without such a summary is left out everywhere, also in Williams' test. Without `top`,
    experiment II uses the paper's sizes (`TOP`) up to the number of systems.
    """
    if rules not in ("all", "realsumm"):
        raise ParameterError(f"rules are 'all' or 'realsumm', not {rules!r}")
    z = table.matrix(human)
    matrices = {name: table.matrix(name) for name in metrics}
    absent = np.isnan(z) | np.any([np.isnan(matrix) for matrix in matrices.values()], axis=0)
    judged = ~absent.all(axis=1)
    if judged.sum() < 2:
        raise DataError(
            f"{int(judged.sum())} systems have a summary with {human!r} and all of "
            f"{', '.join(map(repr, metrics))}; two or more are needed. Do ids of systems and inputs "
            "agree between the tables?"
        )
    z = np.where(absent, np.nan, z)[judged]
    matrices = {name: np.where(absent, np.nan, matrix)[judged] for name, matrix in matrices.items()}
    means = {name: np.nanmean(matrix, axis=1) for name, matrix in matrices.items()}
    people = np.nanmean(z, axis=1)
    sizes = [k for k in TOP if k <= len(people)] if top is None else list(top)
    if beyond := [k for k in sizes if not 1 <= k <= len(people)]:
        raise ParameterError(
            f"cannot take the {beyond[0]} best systems: {len(people)} have a summary with {human!r} "
            "and all the metrics"
        )
    return Experiments(
        human=human,
        rules=rules,
        systems=z.shape[0],
        documents=int((~np.isnan(z)).any(axis=0).sum()),
        system_level=tuple(
            SystemLevel(
                name,
                none_if_nan(coefficient_of(mean, people, Coefficient.PEARSON)),
                none_if_nan(coefficient_of(mean, people, Coefficient.KENDALL)),
            )
            for name, mean in means.items()
        ),
        williams=_williams(means, people, rules),
        top=tuple(
            TopK(name, best.size, best.value)
            for name, matrix in matrices.items()
            for best in top_systems(matrix, z, sizes=sizes)
        ),
        decisions={
            name: decision_agreement(
                matrix,
                z,
                tied="second" if rules == "realsumm" else "half",
                resampling=Resampling(rounds, 95.0, seed),
            )
            for name, matrix in matrices.items()
        },
        summary_level=tuple(
            _summary_level(name, matrix, z, rules, rounds, seed)
            for name, matrix in matrices.items()
        ),
        rounds=rounds,
        seed=seed,
    )


def _williams(
    means: dict[str, _Matrix], people: _Matrix, rules: RulesName
) -> tuple[WilliamsTest, ...]:
    names = list(means)
    r = {n: coefficient_of(means[n], people, Coefficient.PEARSON) for n in names}
    pairs = [(a, b) for a in names for b in names if a != b]
    p_values = [
        williams_p_value(
            r[a],
            r[b],
            coefficient_of(means[a], means[b], Coefficient.PEARSON),
            len(people),
            signed=True,
        )
        for a, b in pairs
    ]
    # Both directions are one family: it is the data that say which metric may be the better one.
    adjusted = holm(p_values) if rules == "all" else [None] * len(pairs)
    return tuple(
        WilliamsTest(a, b, p, q)
        for (a, b), p, q in zip(pairs, p_values, adjusted, strict=True)
        if r[a] > r[b]
    )


def _summary_level(
    name: str, x: _Matrix, z: _Matrix, rules: RulesName, rounds: int, seed: int
) -> SummaryLevel:
    taus = input_correlations(x, z, Coefficient.KENDALL)
    present = int((~np.isnan(z)).any(axis=0).sum())
    defined = ~np.isnan(taus)
    undefined = present - int(defined.sum())
    if rules == "realsumm":
        chosen = significant_inputs(x, z, Coefficient.KENDALL, max_p=SIGNIFICANT)
        return SummaryLevel(name, chosen.value, None, None, chosen.used, present, undefined)
    estimate = interval(
        x, z, Level.SUMMARY, Coefficient.KENDALL, method="bootstrap-both", rounds=rounds, seed=seed
    )
    mean = float(np.mean(taus[defined])) if defined.any() else None
    return SummaryLevel(
        name, mean, estimate.lower, estimate.upper, int(defined.sum()), present, undefined
    )
