"""Plots of a meta-evaluation: correlations with intervals, tests of all pairs, scatter, curves."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rubrica.data.table import ScoreTable
from rubrica.formatting.charts import interval_chart
from rubrica.meta.ranking.rankings import MetaEvaluation, Ranking
from rubrica.meta.ranking.tables import tables
from rubrica.reports.plots.curves import close_curve, top_curve
from rubrica.reports.plots.plots import check_libraries, save_all, tint
from rubrica.reports.plots.scatter import scatter

# The shares of the accent in cells of p-values (reports/web/meta/ranking.js).
_STEPS = {"≤ 0.001": 0.35, "≤ 0.01": 0.25, "≤ 0.05": 0.15, "≤ 0.1": 0.07, "> 0.1": 0.0}


def draw_all(
    folder: str,
    evaluation: MetaEvaluation,
    table: ScoreTable,
    formats: Sequence[str],
    style: str | None = None,
) -> list[str]:
    """Write every plot in every format and return the paths; `style` is the name of a paper's template."""
    paths = []
    for name, chart in _charts(evaluation, table):
        files = [os.path.join(folder, f"{name}.{ending}") for ending in dict.fromkeys(formats)]
        save_all(files, chart, style)
        paths.extend(files)
    return paths


def _charts(result: MetaEvaluation, table: ScoreTable) -> Iterator[tuple[str, Any]]:
    for title, rankings in tables(result):
        first = rankings[0]
        yield _file_name("forest", first.human, first.level), forest(title, rankings)
        for ranking in rankings:
            name = _file_name("tests", ranking.human, ranking.level, ranking.coefficient)
            yield name, heat_map(f"{title}, {ranking.coefficient.value}", ranking, result.alpha)
        for metric in result.metrics:
            name = _file_name("scatter", first.human, metric, first.level)
            yield (
                name,
                scatter(table, metric, first.human, first.level, rankings, result.lower_is_better),
            )
    for human in result.humans:
        curves = [curve for curve in result.curves if curve.human == human]
        if curves:
            yield _file_name("top-systems", human), top_curve(human, curves)
            yield _file_name("close-pairs", human), close_curve(human, curves)


def forest(title: str, rankings: Sequence[Ranking]) -> Any:
    """Return a chart of each metric's correlation and interval, coefficients side by side."""
    check_libraries()
    panels = [replace(ranking.panel(), title=ranking.coefficient.value) for ranking in rankings]
    clusters = {point.group for panel in panels for point in panel.points}
    return interval_chart(panels, group="cluster" if len(clusters) > 1 else "", title=title)


def heat_map(title: str, ranking: Ranking, alpha: float) -> Any:
    """Return a chart of the adjusted p-values of "the row correlates better than the column"."""
    altair, _ = check_libraries()
    order = [standing.metric for standing in ranking.standings]
    points = [
        {
            "better": a,
            "worse": b,
            "step": _step(p),
            "label": f"{p:.3f}",
            "significant": p <= alpha,
        }
        for a, row in zip(order, ranking.adjusted, strict=True)
        for b, p in zip(order, row, strict=True)
        if p is not None
    ]
    domain = altair.Scale(domain=order)
    base = altair.Chart(altair.Data(values=points)).encode(
        x=altair.X("worse:N", sort=order, title="than", scale=domain),
        y=altair.Y("better:N", sort=order, title="better", scale=domain),
    )
    # Steps rather than a range of colours, so that plots can be compared and numbers be read on each.
    scale = altair.Scale(domain=list(_STEPS), range=[tint(share) for share in _STEPS.values()])
    colour = altair.Color(
        "step:N",
        title="adjusted p",
        scale=scale,
        legend=altair.Legend(
            columns=5, symbolType="square", symbolStrokeColor="#888", symbolStrokeWidth=0.5
        ),
    )
    cells = base.mark_rect(stroke="white").encode(color=colour)
    texts = [
        base.transform_filter(f"datum.significant === {json.dumps(is_bold)}")
        .mark_text(fontSize=9, fontWeight="bold" if is_bold else "normal")
        .encode(text="label:N")
        for is_bold in (False, True)
    ]
    chart = altair.layer(cells, *texts)
    return chart.properties(width=altair.Step(38), height=altair.Step(22), title=title)


def _step(p: float) -> str:
    """Return the name of the colour that a p-value has, as in the pages."""
    return next((name for name in _STEPS if name[0] == "≤" and p <= float(name[2:])), "> 0.1")


def _file_name(*parts: str) -> str:
    """Return the parts joined by `-`, without characters that file names should not have."""
    return "-".join(re.sub(r"[^\w.]+", "-", str(part)).strip("-.") for part in parts)
