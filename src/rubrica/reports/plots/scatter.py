"""Scatter plots of a metric against people, one for each level, with the correlations in the title."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rubrica.data.table import ScoreTable
from rubrica.meta.correlation.levels import Level
from rubrica.meta.ranking.rankings import Ranking
from rubrica.meta.scores import Matrix, centred
from rubrica.reports.plots.plots import check_libraries
from rubrica.statistics.intervals import Resampling, bootstrap_means

# More points are thinned out evenly: they would be invisible, and files stay small.
MAX_POINTS = 5_000


def scatter(
    table: ScoreTable,
    metric: str,
    human: str,
    level: Level,
    rankings: Sequence[Ranking],
    lower_is_better: Sequence[str] = (),
) -> Any:
    """Return means of systems with their intervals, scores less their input's mean, or all scores.

    The title has the correlations of the tables, and an arrow behind each measure in `lower_is_better`.
    """
    if level is Level.SYSTEM:
        chart = _systems(table, metric, human)
    else:
        chart = _summaries(table, metric, human, level)
    altair, _ = check_libraries()
    names = [f"{name} ↓" if name in lower_is_better else name for name in (metric, human)]
    note = ["↓ lower is better"] if names != [metric, human] else []
    title = altair.TitleParams(
        f"{names[0]} and {names[1]}, {level.value} level",
        subtitle=_values(metric, rankings) + note,
    )
    return chart.properties(width=420, height=320, title=title)


def _values(metric: str, rankings: Sequence[Ranking]) -> list[str]:
    """Return a line per coefficient with its value and interval, as in the tables."""
    lines = []
    for ranking in rankings:
        standing = next(standing for standing in ranking.standings if standing.metric == metric)
        value = "undefined" if standing.value is None else f"{standing.value:.3f}"
        span = "" if standing.lower is None else f" [{standing.lower:.3f}, {standing.upper:.3f}]"
        lines.append(f"{ranking.coefficient.value} {value}{span}")
    return lines


def _systems(table: ScoreTable, metric: str, human: str) -> Any:
    """Return a chart of systems with 95 % bootstrap intervals of both means over inputs."""
    altair, _ = check_libraries()
    pairs = np.stack([table.matrix(metric), table.matrix(human)], axis=2)
    pairs[np.isnan(pairs).any(axis=2)] = np.nan
    points = []
    for name, scores in zip(table.systems, pairs, strict=True):
        x, z = bootstrap_means(scores, Resampling())
        if np.isnan(x.value):
            continue
        point = {"system": name, "x": x.value, "y": z.value}
        for key, interval in (("x", x), ("y", z)):
            if interval.lower is not None and interval.upper is not None:
                point |= {f"{key}0": interval.lower, f"{key}1": interval.upper}
        points.append(point)
    scale = altair.Scale(zero=False, nice=True)
    base = altair.Chart(altair.Data(values=points)).encode(
        x=altair.X("x:Q", title=metric, scale=scale), y=altair.Y("y:Q", title=human, scale=scale)
    )
    bars = altair.Chart(
        altair.Data(values=[point for point in points if "x0" in point and "y0" in point])
    )
    across = bars.mark_rule(opacity=0.4).encode(
        x=altair.X("x0:Q", title=metric, scale=scale), x2="x1", y=altair.Y("y:Q", scale=scale)
    )
    along = bars.mark_rule(opacity=0.4).encode(
        x=altair.X("x:Q", scale=scale), y=altair.Y("y0:Q", title=human, scale=scale), y2="y1"
    )
    dots = base.mark_point(filled=True, opacity=0.9)
    names = base.mark_text(align="left", dx=6, dy=-6, fontSize=9).encode(text="system:N")
    return across + along + dots + names


def _summaries(table: ScoreTable, metric: str, human: str, level: Level) -> Any:
    """Return a chart of summaries in the colours of their systems."""
    altair, _ = check_libraries()
    x, z = table.matrix(metric), table.matrix(human)
    present = ~(np.isnan(x) | np.isnan(z))
    axis_note = ""
    if level is Level.SUMMARY:
        x, z = _deviations(x, present), _deviations(z, present)
        axis_note = ", less its input's mean"
    cells = np.argwhere(present)
    cells = cells[:: -(-len(cells) // MAX_POINTS) or 1]
    points = [
        {"system": table.systems[i], "x": float(x[i, j]), "y": float(z[i, j])}
        for i, j in cells.tolist()
    ]
    scale = altair.Scale(zero=False, nice=True)
    return (
        altair.Chart(altair.Data(values=points))
        .mark_point(filled=True, opacity=0.5, size=20)
        .encode(
            x=altair.X("x:Q", title=f"{metric}{axis_note}", scale=scale),
            y=altair.Y("y:Q", title=f"{human}{axis_note}", scale=scale),
            color=altair.Color("system:N", title="system"),
        )
    )


def _deviations(matrix: Matrix, present: Any) -> Matrix:
    return centred(np.where(present, matrix, np.nan).T).T
