"""Names of points in a scatter plot: as many as there is room for, none over another or over a point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# From a point to its name, and half of a point, in the units of the drawing.
_GAP, _RADIUS = 6, 4
# The width and height of a letter, in sizes of the font.
_LETTER_WIDE, _LETTER_HIGH = 0.55, 1.1
# Right and above, left and above, right and below, left and below.
PLACES = {"1": (1, -1), "2": (-1, -1), "3": (1, 1), "4": (-1, 1)}

Box = tuple[float, float, float, float]


def spread(points: Sequence[dict[str, Any]], key: str) -> list[float]:
    """Return the ends of an axis that shows all points and their intervals, with some air."""
    values = [p[k] for p in points for k in (key, f"{key}0", f"{key}1") if p.get(k) is not None]
    if not values:
        return [0.0, 1.0]
    low, high = min(values), max(values)
    air = 0.04 * (high - low) or 0.04 * abs(high) or 1.0
    return [low - air, high + air]


def place_names(
    points: Sequence[dict[str, Any]], width: float, height: float, size: float
) -> list[dict[str, Any]]:
    """Return the points with a `label`, which is empty where there is no room, and the `place` of the label.

    Points that the two axes rank most differently get their names first.

    Args:
        points: The points, with `x`, `y` and the name of the `system`.
        width: The width of the drawing.
        height: Its height.
        size: The size of the letters.
    """
    (left, right), (bottom, top) = spread(points, "x"), spread(points, "y")
    at = [
        (
            width * (point["x"] - left) / (right - left),
            height * (top - point["y"]) / (top - bottom),
        )
        for point in points
    ]
    taken = [(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y in at]
    named = [{**point, "label": "", "place": "1"} for point in points]
    ranks = [_ranks([point[key] for point in points]) for key in ("x", "y")]
    for number in sorted(range(len(points)), key=lambda n: -abs(ranks[0][n] - ranks[1][n])):
        long = len(points[number]["system"]) * _LETTER_WIDE * size
        for place, (side, half) in PLACES.items():
            box = _box(at[number], side, half, long, _LETTER_HIGH * size)
            inside = box[0] >= 0 and box[2] <= width and box[1] >= 0 and box[3] <= height
            if inside and not any(_overlap(box, other) for other in taken):
                named[number] |= {"label": points[number]["system"], "place": place}
                taken.append(box)
                break
    return named


def _ranks(values: Sequence[float]) -> list[int]:
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0] * len(values)
    for rank, number in enumerate(order):
        ranks[number] = rank
    return ranks


def _box(point: tuple[float, float], side: int, half: int, wide: float, high: float) -> Box:
    """Return the left, upper, right and lower ends of a name beside a point, half above or below it."""
    x = point[0] + (_GAP if side > 0 else -_GAP - wide)
    y = point[1] + (1 if half > 0 else -1 - high)
    return x, y, x + wide, y + high


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
