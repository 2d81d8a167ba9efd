"""Scatter plots of two measures, as SVG, PNG or PDF, without a browser."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from rubrica.data.files import atomic_output
from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, MissingResourceError, UsageError, printable
from rubrica.meta.correlation.levels import Level
from rubrica.meta.scores import system_means
from rubrica.reports.plots.paper import STYLES, in_points, paper_spec

# Pixels per point of a printed image: 300 per inch.
_PRINTED = 300 / 72
_LONGEST_NAME = 1000
# The colours of the pages (reports/web/charts.js), told apart by people with every kind of colour vision.
CATEGORIES = (
    "#a04b0a",
    "#00776c",
    "#481152",
    "#7591ab",
    "#b38711",
    "#253f95",
    "#79080d",
    "#8559ba",
)
_ACCENT, _INK = "#9c3d22", "#211c18"
_COLOURS = {
    "range": {"category": list(CATEGORIES)},
    "mark": {"color": _ACCENT},
    "rule": {"color": _ACCENT},
    "text": {"color": _INK},
}


def tint(share: float) -> str:
    """Return white with a share of the pages' accent in it, as a colour."""
    parts = (int(_ACCENT[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 + share * (part - 255)):02x}" for part in parts)


def check_path(path: str) -> None:
    """Raise an error, before anything is computed, if the plot cannot be written."""
    if _ending(path) not in (".svg", ".png", ".pdf"):
        raise UsageError(
            f"cannot write a plot to {path!r}: use a name that ends in .svg, .png or .pdf"
        )
    check_libraries()


def scatter(path: str, table: ScoreTable, level: Level, style: str | None = None) -> None:
    """Write a plot of the first two measures of a table: a point per system, or per summary.

    `style` is the name of a paper's template.
    """
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
    save(path, chart, style)


def save(path: str, chart: Any, style: str | None = None) -> None:
    """Write a chart in the format of the file name's ending, in the style of a paper's template if one is named."""
    save_all([path], chart, style)


def save_all(paths: Sequence[str], chart: Any, style: str | None = None) -> None:
    """Write a chart to several files, each in the format of its ending."""
    convert = check_libraries()[1]
    spec = _drawable(chart.to_dict())
    spec["config"] = {**spec.get("config", {}), **_COLOURS}
    if style is not None:
        spec = paper_spec(spec, STYLES[style], convert.vegalite_to_svg)
    for path in paths:
        try:
            image = _image(path, convert, spec, style)
        except ValueError as error:
            # Axes of numbers so small or so large that steps between them vanish.
            reason = " ".join(str(error).partition("\n    at ")[0].split())
            raise DataError(f"the plot cannot be drawn: {reason}", file=path) from error
        with atomic_output(path) as stream:
            stream.write(image)


def _image(path: str, convert: Any, spec: Any, style: str | None) -> bytes:
    if _ending(path) == ".svg":
        svg: str = convert.vegalite_to_svg(spec)
        return (svg if style is None else in_points(svg)).encode()
    if _ending(path) == ".pdf":
        return bytes(convert.vegalite_to_pdf(spec))
    return bytes(convert.vegalite_to_png(spec, scale=2 if style is None else _PRINTED))


def _drawable(value: Any) -> Any:
    """Return a part of a chart with texts that can be drawn: SVG has no control characters, and cut where very long."""
    if isinstance(value, dict):
        return {key: _drawable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_drawable(inner) for inner in value]
    if not isinstance(value, str):
        return value
    if len(value) > _LONGEST_NAME:
        # Long names often differ at their ends.
        value = f"{value[: _LONGEST_NAME // 2]}…{value[-_LONGEST_NAME // 2 :]}"
    return printable(value)


def _ending(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def check_libraries() -> tuple[Any, Any]:
    """Return altair and vl_convert, or raise an error that says how to install them."""
    try:
        import altair
        import vl_convert
    except ImportError as error:
        raise MissingResourceError(
            f"plots need altair and vl-convert-python ({error}); pip install 'rubrica[plots]'"
        ) from error
    return altair, vl_convert
