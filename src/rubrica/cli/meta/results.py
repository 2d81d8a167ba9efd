"""A result of `rubrica meta-evaluate` read again: the JSON that `object_of` made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from rubrica.errors import DataError
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.levels import Level
from rubrica.meta.join import JoinReport
from rubrica.meta.ranking.pairs import PairsTau, TopSystems
from rubrica.meta.ranking.rankings import MetaEvaluation, Ranking, Standing, SystemCurve
from rubrica.signature import Signature, parse_signature

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Ranking:
    human: str
    level: str
    coefficient: str
    metrics: tuple[Standing, ...]
    p_values: tuple[tuple[float | None, ...], ...]
    adjusted_p_values: tuple[tuple[float | None, ...], ...]
    left_out: int
    signature: str


@dataclass(frozen=True, slots=True)
class _Curve:
    human: str
    metric: str
    top_systems: list[dict[str, Any]]
    close_pairs: list[dict[str, Any]]
    signatures: list[str]


@dataclass(frozen=True, slots=True)
class _Options:
    """Those options of a result that are read again."""

    scores: tuple[str, ...] = ()
    metrics_jsonl_files: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    summarizer_type: str = "all"


@dataclass(frozen=True, slots=True)
class _Result:
    config: dict[str, Any]
    alpha: float
    lower_is_better: tuple[str, ...]
    rankings: list[_Ranking]
    curves: list[_Curve]
    join: JoinReport | None = None


def result_of(values: dict[str, Any], file: str) -> tuple[MetaEvaluation, dict[str, Any]]:
    """The result in a JSON object, and the options it was made with."""
    try:
        read = msgspec.convert(values, _Result)
        options = msgspec.convert(read.config, _Options)
        rankings = tuple(map(_ranking, read.rankings))
        curves = tuple(map(_curve, read.curves))
    except (msgspec.ValidationError, TypeError) as error:
        raise DataError(
            f"not a result of rubrica meta-evaluate: {error}; write one with --output NAME.json",
            file=file,
        ) from error
    if not rankings:
        raise DataError("the result has no rankings", file=file)
    named = {standing.metric for ranking in rankings for standing in ranking.standings}
    # As they were named; the order of standings is that of their values.
    metrics = [name for name in options.measures or options.metrics if name in named]
    metrics += [
        ranking.metric for ranking in rankings[0].standings if ranking.metric not in metrics
    ]
    evaluation = MetaEvaluation(
        tuple(metrics),
        tuple(dict.fromkeys(ranking.human for ranking in rankings)),
        read.lower_is_better,
        read.alpha,
        rankings,
        curves,
        read.join,
    )
    return evaluation, read.config


def _ranking(read: _Ranking) -> Ranking:
    number = len(read.metrics)
    for square in (read.p_values, read.adjusted_p_values):
        if [len(row) for row in square] != [number] * number:
            raise TypeError(f"a matrix of p-values is not {number} x {number}")
    return Ranking(
        read.human,
        Level(read.level),
        Coefficient(read.coefficient),
        read.metrics,
        read.p_values,
        read.adjusted_p_values,
        read.left_out,
        _signature(read.signature),
    )


def _curve(read: _Curve) -> SystemCurve:
    signatures = list(map(_signature, read.signatures))

    def points(kind: type[T], values: list[dict[str, Any]]) -> tuple[T, ...]:
        # A curve without points has no signature.
        own = signatures.pop(0) if values else None
        return tuple(msgspec.convert(point | {"signature": own}, kind) for point in values)

    if len(signatures) != bool(read.top_systems) + bool(read.close_pairs):
        raise TypeError(f"{len(signatures)} signatures of the curves of {read.metric}")
    top = points(TopSystems, read.top_systems)
    return SystemCurve(read.human, read.metric, top, points(PairsTau, read.close_pairs))


def _signature(line: str) -> Signature:
    name, parts = parse_signature(line)
    tail = {key: parts.pop(key, "") for key in ("core", "v", "data")}
    return Signature(name, parts, tail["core"], tail["v"], tail["data"])
