"""Figures for papers: as wide as a column or the text of a template, in its font, without a title."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import product
from typing import Any

from rubrica.reports.plots.names import place_names

_POINTS_PER_CM = 72 / 2.54
# Less room for the drawing than this, in points, and a figure takes the width of the text.
_LEAST_WIDTH = 90
_LEAST_STEP = 17
# In points, of a page of 700: panels that are higher lie beside each other, over the width of the text.
_MAX_HEIGHT = 560
# Names below an axis may wrap as it narrows, so the width is approached.
_ATTEMPTS = 8
# A cell's number is readable at this share of its width.
_LETTER_SHARE = 0.38


@dataclass(frozen=True, slots=True)
class PaperStyle:
    """A template: the widths of a column and of the text in centimetres, its font, and the size of letters in points."""

    column: float
    text: float
    font: str
    size: float


STYLES = {
    # acl.sty: A4, columns of 7.7 cm with 0.6 cm between them, Times.
    "acl": PaperStyle(
        7.7,
        16.0,
        "Times New Roman, Times, Nimbus Roman, TeX Gyre Termes, Liberation Serif, serif",
        8,
    ),
}


def paper_spec(
    spec: dict[str, Any], style: PaperStyle, render: Callable[[Any], str]
) -> dict[str, Any]:
    """Return a Vega-Lite specification with the style's font and sizes, fitted to a column or to the text.

    Args:
        spec: The specification, whose units are points; its caption in the paper replaces its title.
        style: The template.
        render: Turns a specification into SVG, whose width is measured.
    """
    styled = _styled(spec, style)
    fitted = _fitted(styled, (style.column, style.text), render)
    if len(_views(styled)) > 1 and svg_height(render(fitted)) > _MAX_HEIGHT:
        return _fitted(_side_by_side(styled), (style.text,), render)
    return fitted


def _fitted(
    styled: dict[str, Any], widths: Sequence[float], render: Callable[[Any], str]
) -> dict[str, Any]:
    """Return the specification at the first of some widths, in centimetres, that leaves room for the drawing."""
    steps = _columns(_views(styled)[0])
    columns = steps * styled.get("columns", 1)
    least = _LEAST_WIDTH if steps == 1 else _LEAST_STEP
    # A legend's entries side by side take less height, below each other less width.
    for centimetres, entries in product(widths, (3, 2, 1)):
        target = int(centimetres * _POINTS_PER_CM)
        styled["config"]["legend"]["columns"] = entries
        size = 0.75 * target / columns
        fitting = 0.0
        for _ in range(_ATTEMPTS):
            rest = target - svg_width(render(_resized(styled, size)))
            if rest >= 0:
                fitting = max(fitting, size)
            if 0 <= rest < 1 or size == 1:
                break
            # Widths are whole points: what is too wide by one must shrink by more than is rounded away.
            size = max(size + (rest if rest > 0 else rest - 0.5) / columns, 1)
        size = fitting or size
        if fitting >= least:
            break
    return _resized(styled, size)


def svg_width(svg: str) -> float:
    """Return the width of an SVG image."""
    return _svg_size(svg, "width")


def svg_height(svg: str) -> float:
    """Return the height of an SVG image."""
    return _svg_size(svg, "height")


def _svg_size(svg: str, name: str) -> float:
    match = re.search(rf'<svg[^>]*? {name}="([\d.]+)"', svg)
    assert match is not None
    return float(match[1])


def in_points(svg: str) -> str:
    """Return an SVG image whose units are points rather than pixels."""
    return re.sub(
        r'(<svg[^>]*?) width="([\d.]+)" height="([\d.]+)"', r'\1 width="\2pt" height="\3pt"', svg, count=1
    )  # fmt: skip


def _styled(spec: dict[str, Any], style: PaperStyle) -> dict[str, Any]:
    styled = deepcopy(spec)
    styled.pop("title", None)
    # Panels lie below each other.
    if "concat" in styled:
        styled["columns"] = 1
    text = {"labelFontSize": style.size, "titleFontSize": style.size, "titleFontWeight": "normal"}
    styled["config"] = {
        **styled.get("config", {}),
        "font": style.font,
        "padding": 1,
        "axis": text,
        "legend": {**text, "orient": "bottom", "symbolSize": 30, "offset": 6},
        "text": {"fontSize": style.size - 1},
    }
    return styled


def _side_by_side(styled: dict[str, Any]) -> dict[str, Any]:
    """Return the panels in one row, with names only at the first."""
    row = deepcopy(styled)
    row["columns"] = len(row["concat"])
    for view in row["concat"][1:]:
        for layer in view["layer"]:
            layer["encoding"]["y"]["axis"] = {"labels": False, "ticks": False}
    return row


def _views(spec: dict[str, Any]) -> list[dict[str, Any]]:
    views: list[dict[str, Any]] = spec.get("concat", [spec])
    return views


def _columns(view: dict[str, Any]) -> int:
    """Return the columns of a matrix, each of which has the width of a step; 1 for other views."""
    if not isinstance(view.get("width"), dict):
        return 1
    return max(1, len(view["layer"][0]["encoding"]["x"]["scale"]["domain"]))


def _resized(spec: dict[str, Any], size: float) -> dict[str, Any]:
    """Return the specification with views, or their steps, of a width; heights follow."""
    resized = deepcopy(spec)
    for view in _views(resized):
        if isinstance(view.get("width"), dict):
            view["width"], view["height"] = {"step": size}, {"step": min(size, 16)}
            _set_letters(view, _LETTER_SHARE * size)
        else:
            height = view.get("height")
            view["width"] = size
            view["height"] = {"step": 12} if isinstance(height, dict) else 0.7 * size
            _place_names(view)
    return resized


def _place_names(view: dict[str, Any]) -> None:
    """Choose the names of points anew: fewer fit into a smaller drawing."""
    marks = [
        layer["mark"]
        for layer in view.get("layer", ())
        if layer.get("encoding", {}).get("text", {}).get("field") == "label"
    ]
    if marks:
        values = view["data"]["values"]
        view["data"]["values"] = place_names(
            values, view["width"], view["height"], marks[0]["fontSize"]
        )


def _set_letters(view: dict[str, Any], size: float) -> None:
    for layer in view.get("layer", ()):
        mark = layer.get("mark")
        if isinstance(mark, dict) and "fontSize" in mark:
            mark["fontSize"] = min(mark["fontSize"], size)
