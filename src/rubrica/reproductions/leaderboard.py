"""The leaderboard: how well metrics agree with people on the benchmarks of the recipes.

Benchmarks and metrics are listed in `leaderboard.toml`. Every number comes with its interval, its
cluster and the signatures that reproduce it. The same data and version give the same bytes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from rubrica import __version__
from rubrica.data.table import ScoreTable
from rubrica.datasets.released import JudgedTexts
from rubrica.errors import DataError
from rubrica.meta.correlation.levels import Level
from rubrica.meta.evaluation import meta_evaluate
from rubrica.meta.ranking.rankings import Standing
from rubrica.metrics.base.metric_like import resolve_metrics
from rubrica.reproductions.inputs import READERS, score_texts
from rubrica.reproductions.recipe import load_recipe
from rubrica.reproductions.run import check_files

LEVELS = (Level.SYSTEM, Level.SUMMARY)
Needs: TypeAlias = Literal["references", "documents"]
Cost: TypeAlias = Literal["lexical", "word vectors", "neural"]


class BoardBenchmark(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Texts with human scores: an input of a recipe, with some of its options replaced."""

    name: str
    recipe: str
    input: str
    humans: list[str]
    language: str
    options: dict[str, Any] = {}


class BoardMetric(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A metric, the measures of it that take part, and what it needs.

    It takes part in the benchmarks that have what it `needs`, in all languages or in some. `model` is shown
    beside its measures.
    """

    config: dict[str, Any]
    measures: list[str]
    needs: Needs
    cost: Cost
    languages: list[str] = []
    model: str = ""
    lower_is_better: bool = False


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
    needs: Needs
    cost: Cost
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
        texts = _texts(benchmark, data)
        suitable = [metric for metric in spec.metrics if is_suitable(metric, benchmark, texts)]
        table = score_texts(texts, [metric.config for metric in suitable])
        say(f"{benchmark.name}: comparisons")
        compared = msgspec.structs.replace(spec, metrics=suitable)
        new_entries, new_signatures = benchmark_entries(benchmark, compared, table)
        entries += new_entries
        signatures |= new_signatures
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
    evaluation = meta_evaluate(
        table, humans=benchmark.humans, metrics=list(owners), levels=LEVELS,
        coefficients=[spec.coefficient], rounds=spec.rounds, seed=spec.seed,
        lower_is_better=[measure for measure, metric in owners.items() if metric.lower_is_better],
    )  # fmt: skip
    entries, signatures = [], {}
    for ranking in evaluation.rankings:
        level = ranking.level.value
        signatures[f"{benchmark.name}, {ranking.human}, {level}"] = str(ranking.signature)
        entries += [
            _entry(benchmark, ranking.human, level, standing, owners[standing.metric])
            for standing in ranking.standings
        ]
    return entries, signatures


def _entry(
    benchmark: BoardBenchmark, human: str, level: str, standing: Standing, metric: BoardMetric
) -> BoardEntry:
    """Return the entry of a measure; of one whose lower values are better, the sign is reversed."""
    interval = standing.lower, standing.upper
    sign = 1.0
    if metric.lower_is_better:
        sign, interval = -1.0, interval[::-1]
    return BoardEntry(
        benchmark=benchmark.name,
        human=human,
        language=benchmark.language,
        level=level,
        measure=f"{standing.metric} ({metric.model})" if metric.model else standing.metric,
        needs=metric.needs,
        cost=metric.cost,
        value=_rounded(standing.value, sign),
        lower=_rounded(interval[0], sign),
        upper=_rounded(interval[1], sign),
        cluster=standing.cluster,
        signature=str(resolve_metrics([metric.config])[0].signature()),
    )


def is_suitable(metric: BoardMetric, benchmark: BoardBenchmark, texts: JudgedTexts) -> bool:
    """Return whether a metric can be computed on the texts of a benchmark."""
    speaks = not metric.languages or benchmark.language in metric.languages
    return speaks and all(metric.needs in instance.fields for instance in texts.instances)


def _texts(benchmark: BoardBenchmark, data: Path) -> JudgedTexts:
    recipe = load_recipe(benchmark.recipe)
    names = recipe.input_files(benchmark.input)
    paths = check_files(recipe, data, names)
    source = recipe.inputs[benchmark.input]
    texts = READERS[source.reader](
        [paths[path] for path in names], **(source.options | benchmark.options)
    )
    if not isinstance(texts, JudgedTexts):
        raise DataError(f"benchmark {benchmark.name!r}: {source.reader} reads no texts")
    return texts


def _rounded(value: float | None, sign: float) -> float | None:
    """Return six digits: the last bits differ between machines."""
    return None if value is None else round(sign * value, 6)
