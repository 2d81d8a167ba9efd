"""Scatter plots of a metric against people, one for each level, with the correlations in the title."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rubrica.data.table import ScoreTable
from rubrica.meta.correlation.levels import Level
from rubrica.meta.ranking.rankings import Ranking
from rubrica.meta.scores import Matrix, centred
from rubrica.reports.plots.names import PLACES, place_names, spread
from rubrica.reports.plots.plots import check_libraries
from rubrica.statistics.intervals import Resampling, bootstrap_means

# Width and height of the drawing, and the size of names in it.
SIZE, NAME_SIZE = (420, 320), 9
# More systems have no colours: nobody could tell them apart.
_MAX_COLOURS = 8
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
    return chart.properties(width=SIZE[0], height=SIZE[1], title=title)


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
    x_axis, y_axis = (
        {"title": name, "scale": altair.Scale(domain=spread(points, key), nice=False)}
        for key, name in (("x", metric), ("y", human))
    )
    data = altair.Data(values=place_names(points, *SIZE, NAME_SIZE))
    base = altair.Chart(data)
    bars = base.transform_filter("isValid(datum.x0) && isValid(datum.y0)")
    across = bars.mark_rule(opacity=0.4).encode(
        x=altair.X("x0:Q", **x_axis), x2="x1", y=altair.Y("y:Q", **y_axis)
    )
    along = bars.mark_rule(opacity=0.4).encode(
        x=altair.X("x:Q", **x_axis), y=altair.Y("y0:Q", **y_axis), y2="y1"
    )
    base = base.encode(x=altair.X("x:Q", **x_axis), y=altair.Y("y:Q", **y_axis))
    dots = base.mark_point(filled=True, opacity=0.9)
    names = [
        base.transform_filter(f"datum.place === '{place}'")
        .mark_text(
            align="left" if side > 0 else "right",
            baseline="top" if half > 0 else "bottom",
            dx=6 * side,
            dy=half,
            fontSize=NAME_SIZE,
        )
        .encode(text="label:N")
        for place, (side, half) in PLACES.items()
    ]
    return altair.layer(across, along, dots, *names)


def _summaries(table: ScoreTable, metric: str, human: str, level: Level) -> Any:
    """Return a chart of summaries, in the colours of their systems unless there are too many."""
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
    chart = (
        altair.Chart(altair.Data(values=points))
        .mark_point(filled=True, opacity=0.5, size=20)
        .encode(
            x=altair.X("x:Q", title=f"{metric}{axis_note}", scale=scale),
            y=altair.Y("y:Q", title=f"{human}{axis_note}", scale=scale),
        )
    )
    if len(table.systems) > _MAX_COLOURS:
        return chart
    return chart.encode(
        color=altair.Color("system:N", title="system"),
        shape=altair.Shape("system:N", title="system"),
    )


def _deviations(matrix: Matrix, present: Any) -> Matrix:
    return centred(np.where(present, matrix, np.nan).T).T
