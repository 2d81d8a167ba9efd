"""Labels of content units: a text file per system, a line per document, 0 or 1 per unit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rubrica.data.files import read_text_lines
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.table import ScoreTable
from rubrica.errors import DataError


def read_unit_labels(paths: Sequence[Path]) -> ScoreTable:
    """Read the share of units that each summary has, as the measure `recall`; a file is a system."""
    rows = []
    for path in paths:
        for number, line in read_text_lines(path):
            labels = line.split()
            if not labels or not set(labels) <= {"0", "1"}:
                raise DataError("expected labels 0 or 1", file=str(path), line=number)
            recall = labels.count("1") / len(labels)
            rows.append(Metrics(str(number), path.stem, "peer", MetricsDict({"recall": recall})))
    return ScoreTable.from_metrics(rows)
