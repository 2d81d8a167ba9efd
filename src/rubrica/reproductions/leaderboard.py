"""The leaderboard: how well metrics agree with people on the benchmarks of the recipes.

Benchmarks and metrics are listed in `leaderboard.toml`. Every number comes with its interval, its
cluster and the signatures that reproduce it. The same data and version give the same bytes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import msgspec

from rubrica import __version__
from rubrica.data.table import ScoreTable
from rubrica.datasets.released import JudgedTexts
from rubrica.errors import DataError
from rubrica.meta.correlation.levels import Level
from rubrica.meta.evaluation import meta_evaluate
from rubrica.metrics.base.metric_like import resolve_metrics
from rubrica.reproductions.inputs import READERS, score_texts
from rubrica.reproductions.recipe import load_recipe
from rubrica.reproductions.run import check_files

LEVELS = (Level.SYSTEM, Level.SUMMARY)


class BoardBenchmark(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Texts with human scores: an input of a recipe, with some of its options replaced."""

    name: str
    recipe: str
    input: str
    humans: list[str]
    language: str
    options: dict[str, Any] = {}


class BoardMetric(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A metric, the measures of it that take part, and what it needs."""

    config: dict[str, Any]
    measures: list[str]
    needs: str
    cost: Literal["lexical", "word vectors", "neural"]


class BoardSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the leaderboard compares, and how."""

    coefficient: Literal["pearson", "spearman", "kendall"]
    rounds: int
    seed: int
    benchmarks: list[BoardBenchmark]
    metrics: list[BoardMetric]


class BoardEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One number: a measure's correlation with a human score at a level, its interval and cluster.

    A cluster ends where a measure is significantly worse than one of the cluster; cluster 1 is the best.
    """

    benchmark: str
    human: str
    language: str
    level: str
    measure: str
    needs: str
    cost: str
    value: float | None
    lower: float | None
    upper: float | None
    cluster: int | None
    signature: str


class Leaderboard(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All entries; `signatures` are those of the comparisons, by benchmark, human score and level."""

    title: str
    version: str
    coefficient: str
    entries: list[BoardEntry]
    signatures: dict[str, str]


def load_board(text: str | None = None) -> BoardSpec:
    """Return what the leaderboard compares: the list that comes with Rubrica, or another in TOML."""
    if text is None:
        text = files("rubrica.reproductions").joinpath("leaderboard.toml").read_text("utf-8")
    try:
        return msgspec.convert(tomllib.loads(text), BoardSpec)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise DataError(f"not a list of benchmarks and metrics: {error}") from error


def build_leaderboard(
    spec: BoardSpec, data: Path, *, say: Callable[[str], None] = lambda _: None
) -> Leaderboard:
    """Compute every metric on every benchmark and compare them; the files are those of the recipes."""
    entries: list[BoardEntry] = []
    signatures: dict[str, str] = {}
    for benchmark in spec.benchmarks:
        say(f"{benchmark.name}: metrics")
        table = _scores(benchmark, spec, data)
        say(f"{benchmark.name}: comparisons")
        found_entries, compared = benchmark_entries(benchmark, spec, table)
        entries += found_entries
        signatures |= compared
    return Leaderboard(
        title="Leaderboard of metrics",
        version=__version__,
        coefficient=spec.coefficient,
        entries=entries,
        signatures=signatures,
    )


def benchmark_entries(
    benchmark: BoardBenchmark, spec: BoardSpec, table: ScoreTable
) -> tuple[list[BoardEntry], dict[str, str]]:
    """Return the entries of one benchmark, the best measure of each comparison first, and the signatures."""
    owners = {measure: metric for metric in spec.metrics for measure in metric.measures}
    own = {
        measure: str(resolve_metrics([metric.config])[0].signature())
        for measure, metric in owners.items()
    }
    evaluation = meta_evaluate(
        table, humans=benchmark.humans, metrics=list(owners), levels=LEVELS,
        coefficients=[spec.coefficient], rounds=spec.rounds, seed=spec.seed,
    )  # fmt: skip
    entries, signatures = [], {}
    for ranking in evaluation.rankings:
        level = ranking.level.value
        signatures[f"{benchmark.name}, {ranking.human}, {level}"] = str(ranking.signature)
        entries += [
            BoardEntry(
                benchmark=benchmark.name,
                human=ranking.human,
                language=benchmark.language,
                level=level,
                measure=standing.metric,
                needs=owners[standing.metric].needs,
                cost=owners[standing.metric].cost,
                value=_rounded(standing.value),
                lower=_rounded(standing.lower),
                upper=_rounded(standing.upper),
                cluster=standing.cluster,
                signature=own[standing.metric],
            )
            for standing in ranking.standings
        ]
    return entries, signatures


def _scores(benchmark: BoardBenchmark, spec: BoardSpec, data: Path) -> ScoreTable:
    recipe = load_recipe(benchmark.recipe)
    paths = check_files(recipe, data)
    source = recipe.inputs[benchmark.input]
    texts = READERS[source.reader](
        [paths[path] for path in source.files], **(source.options | benchmark.options)
    )
    if not isinstance(texts, JudgedTexts):
        raise DataError(f"benchmark {benchmark.name!r}: {source.reader} reads no texts")
    return score_texts(texts, [metric.config for metric in spec.metrics])


def _rounded(value: float | None) -> float | None:
    """Return six digits: the last bits differ between machines."""
    return None if value is None else round(value, 6)
