"""Figures for papers have the widths and the font of the template, whatever they show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

altair = pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from rubrica.formatting.charts import Panel, Point, interval_chart  # noqa: E402
from rubrica.meta.ranking.pairs import TopSystems  # noqa: E402
from rubrica.meta.ranking.rankings import SystemCurve  # noqa: E402
from rubrica.reports.plots.curves import top_curve  # noqa: E402
from rubrica.reports.plots.names import PLACES, place_names, spread  # noqa: E402
from rubrica.reports.plots.paper import STYLES  # noqa: E402
from rubrica.reports.plots.plots import save_all  # noqa: E402
from rubrica.signature import Signature  # noqa: E402

COLUMN, TEXT = (int(width / 2.54 * 72) for width in (7.7, 16))


def matrix(size: int) -> Any:
    order = [f"metric-{number}" for number in range(size)]
    cells = [{"x": a, "y": b, "p": "0.123"} for a in order for b in order]
    domain = altair.Scale(domain=order)
    chart = altair.Chart(altair.Data(values=cells)).encode(
        x=altair.X("x:N", scale=domain), y=altair.Y("y:N", scale=domain)
    )
    layers = chart.mark_rect() + chart.mark_text(fontSize=9).encode(text="p:N")
    return layers.properties(width=altair.Step(38), height=altair.Step(22), title="A title")


def forest(count: int = 3, panels: int = 2) -> Any:
    points = [
        Point(f"metric-{number}", number / 30, 0.0, 0.9, str(number % 3)) for number in range(count)
    ]
    names = ("pearson", "kendall", "spearman")[:panels]
    return interval_chart([Panel(name, points) for name in names], group="cluster", title="A title")


@pytest.mark.parametrize(
    ("chart", "width"), [(forest, COLUMN), (lambda: matrix(4), COLUMN), (lambda: matrix(13), TEXT)]
)
def test_a_figure_is_as_wide_as_a_column_or_the_text(
    chart: Any, width: int, tmp_path: Path
) -> None:
    files = [str(tmp_path / f"figure.{ending}") for ending in ("svg", "pdf")]
    save_all(files, chart(), "acl")
    svg = Path(files[0]).read_text("utf-8")
    size = re.search(r'<svg[^>]*? width="([\d.]+)pt"', svg)
    assert size is not None
    assert width - 3 <= float(size[1]) <= width
    assert f'font-family="{STYLES["acl"].font}"' in svg
    assert "A title" not in svg
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+)", Path(files[1]).read_bytes())
    assert box is not None
    assert float(box[1]) == pytest.approx(float(size[1]))


def test_panels_too_high_for_a_page_lie_beside_each_other(tmp_path: Path) -> None:
    svg = svg_of(forest(20, 3), tmp_path, "acl")
    size = re.search(r'<svg[^>]*? width="([\d.]+)pt" height="([\d.]+)pt"', svg)
    assert size is not None
    assert TEXT - 3 <= float(size[1]) <= TEXT
    assert float(size[2]) < 400
    assert svg.count(">metric-7<") == 1, "the names stand once, at the left"
    assert svg.count(">cluster<") == 3, "one legend per panel for colours and shapes"


def test_clusters_are_told_apart_without_colours() -> None:
    layers = forest().to_dict()["concat"][0]["layer"]
    assert any("shape" in layer["encoding"] for layer in layers)


def test_of_many_curves_the_best_are_highlighted(tmp_path: Path) -> None:
    chart = curves(20)
    values = chart.to_dict()["data"]["values"]
    names = list(dict.fromkeys(mark["metric"] for mark in values))
    assert names[0] == "11 others"
    best = ["a-metric-with-a-long-name-0 = a-metric-with-a-long-name-1"]
    assert names[1:] == best + [f"a-metric-with-a-long-name-{at}" for at in range(2, 9)]
    assert ">11 others<" in svg_of(chart, tmp_path, "acl")


def curves(count: int) -> Any:
    """Curves of metrics with long names, the first two of which are the same."""
    values = [0.5, 0.5, *(0.4 - at / 100 for at in range(count - 2))]
    return top_curve(
        "relevance",
        [
            SystemCurve(
                "relevance",
                f"a-metric-with-a-long-name-{at}",
                tuple(TopSystems(size, size, value, Signature("top")) for size in (9, 8, 7)),
                (),
            )
            for at, value in enumerate(values)
        ],
    )


def svg_of(chart: Any, folder: Path, style: str | None) -> str:
    path = folder / "chart.svg"
    save_all([str(path)], chart, style)
    return path.read_text("utf-8")


@pytest.mark.parametrize("style", [None, "acl"])
def test_equal_curves_share_one_entry_of_the_legend(style: str | None, tmp_path: Path) -> None:
    svg = svg_of(curves(4), tmp_path, style)
    names = [text for text in re.findall(r">([^<]*)</t(?:ext|span)>", svg) if "long-name" in text]
    assert names == [f"{'= ' * (at == 1)}a-metric-with-a-long-name-{at}" for at in range(4)]


def test_a_legend_of_long_names_leaves_a_figure_in_its_column(tmp_path: Path) -> None:
    size = re.search(r'<svg[^>]*? width="([\d.]+)pt"', svg_of(curves(6), tmp_path, "acl"))
    assert size is not None
    assert float(size[1]) <= COLUMN


def test_where_curves_meet_the_lower_points_are_larger(tmp_path: Path) -> None:
    spec = curves(3).to_dict()
    marks = [mark for mark in spec["data"]["values"] if "size" in mark]
    assert len({mark["size"] for mark in marks}) == 1, "no two different curves meet"
    crossing = [
        SystemCurve(
            "h",
            "a",
            (TopSystems(2, 2, 0.5, Signature("top")), TopSystems(1, 1, 0.5, Signature("top"))),
            (),
        ),
        SystemCurve(
            "h",
            "b",
            (TopSystems(2, 2, 0.5, Signature("top")), TopSystems(1, 1, 0.1, Signature("top"))),
            (),
        ),
    ]
    marks = top_curve("h", crossing).to_dict()["data"]["values"]
    here = [mark for mark in marks if mark["x"] == 2 and "size" in mark]
    assert [mark["metric"] for mark in here] == ["a", "b"]
    assert here[0]["size"] > here[1]["size"]


def crowd() -> list[dict[str, Any]]:
    """Systems on a line, as metrics that agree with people order them, with names as long as those of models."""
    return [
        {"system": f"a-model-with-a-long-name-{at}", "x": at + at % 3, "y": at + at % 4}
        for at in range(25)
    ]


@pytest.mark.parametrize(("width", "size"), [(420, 9), (180, 7)])
def test_names_cover_neither_each_other_nor_points(width: int, size: int) -> None:
    height = 0.7 * width
    named = place_names(crowd(), width, height, size)
    labels = [point["label"] for point in named if point["label"]]
    assert 3 <= len(labels) < 25
    (left, right), (bottom, top) = spread(named, "x"), spread(named, "y")
    boxes, dots = [], []
    for point in named:
        x = width * (point["x"] - left) / (right - left)
        y = height * (top - point["y"]) / (top - bottom)
        dots.append((x, y))
        if point["label"]:
            side, half = PLACES[point["place"]]
            long = 0.55 * size * len(point["label"])
            start = x + 6 if side > 0 else x - 6 - long
            upper = y + 1 if half > 0 else y - 1 - 1.1 * size
            boxes.append((start, upper, start + long, upper + 1.1 * size))
    for at, (start, upper, end, lower) in enumerate(boxes):
        assert 0 <= start <= end <= width
        assert 0 <= upper <= lower <= height
        assert not any(start < x < end and upper < y < lower for x, y in dots)
        for other in boxes[:at]:
            assert start >= other[2] or other[0] >= end or upper >= other[3] or other[1] >= lower
