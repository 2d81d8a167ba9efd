"""Scatter plots of two measures, as SVG, PNG or PDF, without a browser."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from rubrica.data.files import atomic_output
from rubrica.data.table import ScoreTable
from rubrica.errors import MissingResourceError, UsageError
from rubrica.meta.correlation.levels import Level
from rubrica.meta.scores import system_means


def check_path(path: str) -> None:
    """Refuse, before anything is computed, what cannot be drawn."""
    if _ending(path) not in (".svg", ".png", ".pdf"):
        raise UsageError(f"a plot is written as .svg, .png or .pdf, not as {path!r}")
    check_libraries()


def scatter(path: str, table: ScoreTable, level: Level) -> None:
    """The first two measures of a table: a point per system, or per summary."""
    altair, _ = check_libraries()
    x_name, y_name = table.measures[:2]
    if level is Level.SYSTEM:
        x, y = (system_means(table.values[:, :, at]).tolist() for at in range(2))
        points = [
            {"system": name, "x": a, "y": b} for name, a, b in zip(table.systems, x, y, strict=True)
        ]
    else:
        points = [
            {"system": table.systems[i], "x": x, "y": y}
            for i, j in np.argwhere(~np.isnan(table.values[:, :, :2]).any(axis=2)).tolist()
            for x, y in [table.values[i, j, :2].tolist()]
        ]
    axes = {"scale": altair.Scale(zero=False)}
    chart = (
        altair.Chart(altair.Data(values=points))
        .mark_point(filled=True, opacity=0.7)
        .encode(
            x=altair.X("x:Q", title=x_name, **axes),
            y=altair.Y("y:Q", title=y_name, **axes),
            color=altair.Color("system:N", title="system"),
        )
        .properties(width=420, height=320, title=f"{level.value} level")
    )
    save(path, chart)


def save(path: str, chart: Any) -> None:
    """Write a chart as its file's ending says."""
    convert = check_libraries()[1]
    made = chart.to_dict()
    if _ending(path) == ".svg":
        drawn = convert.vegalite_to_svg(made).encode()
    elif _ending(path) == ".pdf":
        drawn = convert.vegalite_to_pdf(made)
    else:
        drawn = convert.vegalite_to_png(made, scale=2)
    with atomic_output(path) as stream:
        stream.write(drawn)


def _ending(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def check_libraries() -> tuple[Any, Any]:
    """altair and vl_convert, or the remedy."""
    try:
        import altair
        import vl_convert
    except ImportError as error:
        raise MissingResourceError(
            f"plots need altair and vl-convert-python ({error}); pip install 'rubrica[plots]'"
        ) from error
    return altair, vl_convert
