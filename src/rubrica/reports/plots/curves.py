"""Curves of a meta-evaluation: how well metrics order the best systems, and close ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rubrica.meta.ranking.rankings import SystemCurve
from rubrica.reports.plots.plots import check_libraries


def top_curve(human: str, curves: Sequence[SystemCurve]) -> Any:
    """Return a chart of Kendall's tau among the k best systems by people, for falling k."""
    points = [
        {"metric": curve.metric, "x": point.size, "y": point.value}
        for curve in curves
        for point in curve.top
        if point.value is not None
    ]
    return _lines(points, f"Among the best systems by {human}", "systems, the best k", "descending")


def close_curve(human: str, curves: Sequence[SystemCurve]) -> Any:
    """Return a chart of Kendall's tau over growing shares of the closest pairs of systems."""
    points = [
        {"metric": curve.metric, "x": 100 * point.share, "y": point.tau}
        for curve in curves
        for point in curve.close
        if point.tau is not None
    ]
    title = f"Over the closest pairs of systems, {human}"
    return _lines(points, title, "pairs by the metric's difference, closest percent", "ascending")


def _lines(points: Sequence[dict[str, Any]], title: str, below: str, sort: str) -> Any:
    altair, _ = check_libraries()
    data = altair.Data(values=list(points))
    sizes = sorted({point["x"] for point in points})
    ticks = {"values": sizes} if sort == "descending" and len(sizes) <= 30 else {}
    base = altair.Chart(data).encode(
        x=altair.X(
            "x:Q",
            title=below,
            sort=sort,
            scale=altair.Scale(zero=False),
            axis=altair.Axis(grid=False, format="d", **ticks),
        ),
        y=altair.Y("y:Q", title="Kendall's tau-b", scale=altair.Scale(zero=False)),
    )
    lines = base.mark_line(opacity=0.8).encode(stroke=altair.Stroke("metric:N", legend=None))
    # Colour alone cannot distinguish twenty metrics; in one layer both share one legend.
    shapes = base.mark_point(filled=True, size=50, opacity=1).encode(
        color=altair.Color("metric:N", title="metric"),
        shape=altair.Shape("metric:N", title="metric"),
    )
    return (lines + shapes).properties(width=460, height=320, title=title)
