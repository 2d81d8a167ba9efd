"""`rubrica list`: what is shown of metrics."""

from __future__ import annotations

from typing import Any


def test_the_list_of_metrics_stays_narrow_where_measures_differ(rubrica: Any) -> None:
    lines = {line.split()[0]: line for line in rubrica("list", "metrics").out.splitlines() if line}
    assert lines["simetrix"].count("by measure") == 2
    assert "-0.693147 to 0" in lines["js"]
    assert "KLInputSummary" not in lines["simetrix"]
