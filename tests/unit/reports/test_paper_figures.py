"""Figures for papers have the widths and the font of the template, whatever they show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

altair = pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from rubrica.formatting.charts import Panel, Point, interval_chart  # noqa: E402
from rubrica.reports.plots.paper import STYLES  # noqa: E402
from rubrica.reports.plots.plots import save_all  # noqa: E402

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


def forest() -> Any:
    points = [Point(f"metric-{number}", number / 10, 0.0, 0.9) for number in range(3)]
    return interval_chart([Panel("pearson", points), Panel("kendall", points)], title="A title")


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
