"""Charts of values with intervals, for notebooks; altair is imported when the first one is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rubrica.errors import MissingResourceError


@dataclass(frozen=True, slots=True)
class Point:
    """A named value with its interval; points of one `group` share a colour and a shape."""

    name: str
    value: float | None
    lower: float | None = None
    upper: float | None = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """Points on one axis, which `title` names."""

    title: str
    points: Sequence[Point]


def interval_chart(
    panels: Sequence[Panel], *, group: str = "", title: str = "", columns: int = 3
) -> Any:
    """Return an altair chart: a dot and a bar per point, panels side by side, names in the first panel's order.

    Args:
        panels: What to draw; undefined values are left out.
        group: What colours and shapes mean; without it all points look the same.
        title: Title of the chart.
        columns: Panels in a row.

    Raises:
        MissingResourceError: altair is not installed.
    """
    altair = load_altair()
    order = list(dict.fromkeys(point.name for panel in panels for point in panel.points))
    drawn = [_panel(altair, panel, order, group) for panel in panels]
    chart = altair.concat(*drawn, columns=columns).resolve_scale(
        color="independent", shape="independent"
    )
    return chart.properties(title=title) if title else chart


def _panel(altair: Any, panel: Panel, order: Sequence[str], group: str) -> Any:
    values = [
        {"name": p.name, "value": p.value, "lower": p.lower, "upper": p.upper, "group": p.group}
        for p in panel.points
        if p.value is not None
    ]
    chart = altair.Chart(altair.Data(values=values)).encode(
        y=altair.Y("name:N", sort=order, title=None, scale=altair.Scale(domain=order))
    )
    shape = {}
    if group:
        # The same domain, so that colours and shapes share one legend.
        scale = altair.Scale(domain=list(dict.fromkeys(point["group"] for point in values)))
        chart = chart.encode(color=altair.Color("group:N", title=group, scale=scale))
        shape = {"shape": altair.Shape("group:N", title=group, scale=scale)}
    axis = altair.X("value:Q", title=panel.title, scale=altair.Scale(zero=False))
    tips = [altair.Tooltip(f"{name}:Q", format=".4f") for name in ("value", "lower", "upper")]
    bars = chart.mark_rule().encode(x=altair.X("lower:Q", title=""), x2="upper:Q")
    dots = chart.mark_point(filled=True, size=60, opacity=1).encode(
        x=axis, tooltip=[altair.Tooltip("name:N"), *tips], **shape
    )
    return (bars + dots).properties(width=240, height=altair.Step(18))


def load_altair() -> Any:
    """Return the module altair, or raise an error that says how to install it."""
    try:
        import altair
    except ImportError as error:
        raise MissingResourceError(
            f"plots need altair ({error}); pip install 'rubrica[plots]'"
        ) from error
    return altair
