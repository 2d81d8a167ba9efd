"""The page of an estimate: what fits on a screen, and p-values that are not zero."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rubrica.meta import estimate_systems
from rubrica.reports.estimate import estimate_report


def test_the_table_fits_and_no_p_value_is_zero(visit: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    human = rng.normal(size=(3, 60)) + np.array([[0], [5], [5.1]])
    judge = human + rng.normal(size=human.shape)
    human[:, 30:] = np.nan
    file = tmp_path / "page.html"
    report = estimate_report(estimate_systems(human, judge, ["low", "good", "better"]))
    file.write_bytes(report.page())
    page = visit(file).open()
    differences = page.locator("table", has_text="adjusted p").inner_text()
    assert "< 0.001" in differences
    assert "0.000" not in differences
    systems = page.locator("table", has_text="rank from")
    assert systems.evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
    # Both estimates of a system are drawn under each other, on one scale.
    labels = page.locator(".mark-label").all_inner_texts()
    assert labels[:2] == [
        report.sections[0].rows[0][0],
        f"{report.sections[0].rows[0][0]}, people only",
    ]
