"""Curves of a meta-evaluation: how well metrics order the best systems, and close ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from rubrica.formatting.words import counted
from rubrica.meta.ranking.rankings import SystemCurve
from rubrica.reports.plots.plots import CATEGORIES, check_libraries

Curve = list[tuple[float, float]]
_SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "cross",
    "diamond",
    "triangle-right",
    "triangle-down",
    "triangle-left",
)
# The radius of a point and the width of a line, and what each covering one adds to those below, up to some number.
_RADIUS, _WIDER_RADIUS = 2.8, 1.8
_LINE, _WIDER_LINE = 1.5, 2.5
_MAX_DEPTH = 5
# Of more curves, so many are highlighted: as many as there are colours.
_MAX_CURVES = len(CATEGORIES)
_GREY, _SMALL_RADIUS, _THIN = "#b9b2aa", 1.2, 0.75
# Names of equal curves stand below each other in the legend.
_JOINT = " = "
_NAMES_IN_LINES = rf"split(replace(datum.label, regexp('{_JOINT}', 'g'), '\n= '), '\n')"


def top_curve(human: str, curves: Sequence[SystemCurve]) -> Any:
    """Return a chart of Kendall's tau among the k best systems by people, for falling k."""
    points = {
        curve.metric: [(float(p.size), p.value) for p in curve.top if p.value is not None]
        for curve in curves
    }
    return _lines(points, f"Among the best systems by {human}", "systems, the best k", "descending")


def close_curve(human: str, curves: Sequence[SystemCurve]) -> Any:
    """Return a chart of Kendall's tau over growing shares of the closest pairs of systems."""
    points = {
        curve.metric: [(100 * p.share, p.tau) for p in curve.close if p.tau is not None]
        for curve in curves
    }
    title = f"Over the closest pairs of systems, {human}"
    return _lines(points, title, "pairs by the metric's difference, closest percent", "ascending")


def shared_curves(points: dict[str, Curve]) -> dict[str, Curve]:
    """Return the curves by name; equal ones are one curve with all their names, `a = b`."""
    names: dict[tuple[tuple[float, float], ...], list[str]] = {}
    for metric, curve in points.items():
        if curve:
            names.setdefault(tuple(curve), []).append(metric)
    return {_JOINT.join(metrics): list(curve) for curve, metrics in names.items()}


def _best(curves: dict[str, Curve]) -> list[str]:
    """Return the curves with the highest values over all systems or pairs."""
    return sorted(curves, key=lambda name: max(curves[name])[1], reverse=True)[:_MAX_CURVES]


def _marks(curves: dict[str, Curve]) -> list[dict[str, Any]]:
    """Return points and the lines between them; what later curves cover is larger, so that a rim of it is seen."""
    above = Counter(place for curve in curves.values() for place in curve)
    above_lines = Counter(ends for curve in curves.values() for ends in pairwise(curve))
    marks: list[dict[str, Any]] = []
    for name, curve in curves.items():
        for place in curve:
            above[place] -= 1
            radius = _RADIUS + _WIDER_RADIUS * min(above[place], _MAX_DEPTH)
            area = math.pi * radius**2
            marks.append({"metric": name, "x": place[0], "y": place[1], "size": area})
        for start, end in pairwise(curve):
            above_lines[start, end] -= 1
            width = _LINE + _WIDER_LINE * min(above_lines[start, end], _MAX_DEPTH)
            line = {"x": start[0], "y": start[1], "x2": end[0], "y2": end[1], "width": width}
            marks.append({"metric": name, **line})
    return marks


def _faint_marks(curves: Sequence[Curve], name: str) -> list[dict[str, Any]]:
    """Return points and lines of the curves behind the highlighted ones."""
    area = math.pi * _SMALL_RADIUS**2
    marks: list[dict[str, Any]] = []
    for curve in curves:
        marks.extend({"metric": name, "x": x, "y": y, "size": area} for x, y in curve)
        for start, end in pairwise(curve):
            line = {"x": start[0], "y": start[1], "x2": end[0], "y2": end[1], "width": _THIN}
            marks.append({"metric": name, **line})
    return marks


def _lines(points: dict[str, Curve], title: str, below: str, sort: str) -> Any:
    altair, _ = check_libraries()
    curves = shared_curves(points)
    sizes = sorted({x for curve in curves.values() for x, _ in curve})
    ticks = {"values": sizes} if sort == "descending" and len(sizes) <= 30 else {}
    best = _best(curves)
    shown = {name: curve for name, curve in curves.items() if name in best}
    others = [curve for name, curve in curves.items() if name not in best]
    others_name = counted(len(others), "other")
    marks = [*_faint_marks(others, others_name), *_marks(shown)]
    base = altair.Chart(altair.Data(values=marks)).encode(
        x=altair.X(
            "x:Q",
            title=below,
            sort=sort,
            scale=altair.Scale(zero=False),
            axis=altair.Axis(grid=False, format="d", labelOverlap=True, **ticks),
        ),
        y=altair.Y("y:Q", title="Kendall's tau-b", scale=altair.Scale(zero=False)),
    )
    names = [*shown, others_name] if others else list(shown)
    colours = altair.Scale(domain=names, range=[*CATEGORIES[: len(shown)], _GREY][: len(names)])
    shapes = altair.Scale(domain=names, range=[*_SHAPES[: len(shown)], "circle"][: len(names)])
    # Both layers share one legend.
    legend = altair.Legend(labelExpr=_NAMES_IN_LINES, labelLimit=0)
    colour = altair.Color("metric:N", title="metric", scale=colours, legend=legend)
    lines = (
        base.transform_filter("isValid(datum.width)")
        .mark_rule()
        .encode(
            x2="x2:Q",
            y2="y2:Q",
            color=colour,
            strokeWidth=altair.StrokeWidth("width:Q", legend=None, scale=None),
        )
    )
    dots = (
        base.transform_filter("isValid(datum.size)")
        .mark_point(filled=True, opacity=1)
        .encode(
            color=colour,
            shape=altair.Shape("metric:N", title="metric", scale=shapes),
            size=altair.Size("size:Q", legend=None, scale=None),
        )
    )
    return (lines + dots).properties(width=460, height=320, title=title)
