"""Colours of charts and marks can be told apart by people with every kind of colour vision."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

Floats = NDArray[np.float64]

WEB = files("rubrica.reports") / "web"
# Machado, Oliveira and Fernandes (2009), at full severity, for linear RGB.
VISIONS = {
    "all cones": np.eye(3),
    "no red cones": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "no green cones": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "no blue cones": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
# Linear RGB to the cones' answers, and those to OKLab (Ottosson 2020).
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
# Okabe and Ito's palette, made for colour-blind readers, has 7.6 at its worst.
LEAST_DISTANCE = 10.0


def linear(colour: str) -> Floats:
    values = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(colour: str, vision: str) -> Floats:
    seen = np.clip(VISIONS[vision] @ linear(colour), 0, 1)
    answer: Floats = TO_LAB @ np.cbrt(TO_CONES @ seen)
    return answer


def contrast(one: str, other: str) -> float:
    light = sorted(float(linear(colour) @ (0.2126, 0.7152, 0.0722)) for colour in (one, other))
    return (light[1] + 0.05) / (light[0] + 0.05)


def categories(theme: str) -> list[str]:
    source = (WEB / "charts.js").read_text(encoding="utf-8")
    match = re.search(rf"^  {theme}: \[(.*?)\]", source, re.MULTILINE)
    assert match is not None
    return re.findall(r"#[0-9a-f]{6}", match[1])


def paper(theme: str) -> str:
    match = re.search(r"--paper: light-dark\((#\w+), (#\w+)\)", (WEB / "base.css").read_text())
    assert match is not None
    return match[1 if theme == "light" else 2]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("vision", VISIONS)
def test_every_two_colours_of_a_chart_look_different(theme: str, vision: str) -> None:
    colours = categories(theme)
    assert len(colours) == 8
    distances = {
        pair: 100 * float(np.linalg.norm(lab(pair[0], vision) - lab(pair[1], vision)))
        for pair in combinations(colours, 2)
    }
    nearest = min(distances, key=lambda pair: distances[pair])
    assert distances[nearest] >= LEAST_DISTANCE, nearest


def test_plots_have_the_colours_of_the_pages() -> None:
    from rubrica.reports.plots.plots import CATEGORIES

    assert list(CATEGORIES) == categories("light")


def test_numbers_can_be_read_on_every_cell_of_a_plot_of_tests() -> None:
    from rubrica.reports.plots.meta import _STEPS, _step
    from rubrica.reports.plots.plots import _INK, tint

    cells = [tint(share) for share in _STEPS.values()]
    assert all(contrast(_INK, cell) >= 4.5 for cell in cells)
    assert [contrast(cell, "#ffffff") for cell in cells] == sorted(
        (contrast(cell, "#ffffff") for cell in cells), reverse=True
    )
    steps = [_step(p) for p in (0.0002, 0.001, 0.002, 0.05, 0.0501, 0.1, 1.0)]
    assert steps == ["≤ 0.001", "≤ 0.001", "≤ 0.01", "≤ 0.05", "≤ 0.1", "≤ 0.1", "> 0.1"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_of_a_chart_stands_out_from_the_page(theme: str) -> None:
    for colour in categories(theme):
        assert contrast(colour, paper(theme)) >= 3, colour


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", [0, 1])
def test_stronger_marks_are_further_from_the_page_for_everybody(vision: str, theme: int) -> None:
    source = (WEB / "rouge" / "page.css").read_text(encoding="utf-8")
    heats = re.findall(r"\.heat-(\d) \{ background: light-dark\((#\w{6}), (#\w{6})\)", source)
    lightness = [lab(colours[theme], vision)[0] for _, *colours in sorted(heats)]
    page = lab(paper("light" if theme == 0 else "dark"), vision)[0]
    assert len(lightness) >= 2
    assert all(abs(b - page) > abs(a - page) + 0.02 for a, b in pairwise(lightness))
