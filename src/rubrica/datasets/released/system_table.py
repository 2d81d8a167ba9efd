"""Scores of whole systems in a text table of the WMT metrics task: a line per system, a column per metric."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rubrica.data.files import read_text_lines
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.table import ScoreTable
from rubrica.datasets.released.values import as_number
from rubrica.errors import DataError


def read_system_table(
    paths: Sequence[Path],
    *,
    system: str,
    skip: Sequence[str] = (),
    without: Sequence[str] = (),
    without_systems: Sequence[str] = (),
) -> ScoreTable:
    """Read columns, each separated by one space, under a header; a file is an input.

    An empty cell is a missing score. `system` is the column with the names. Columns in `skip` hold no
    scores; measures in `without` and systems in `without_systems` are left out.
    """
    rows = []
    for path in paths:
        lines = [
            (number, line.split(" ")) for number, line in read_text_lines(path) if line.strip()
        ]
        header = lines[0][1] if lines else []
        if system not in header:
            raise DataError(f"no column {system!r} (found: {', '.join(header)})", file=str(path))
        measures = [name for name in header if name not in (system, *skip, *without)]
        for number, cells in lines[1:]:
            if len(cells) != len(header):
                raise DataError(
                    f"{len(cells)} cells under a header of {len(header)}",
                    file=str(path),
                    line=number,
                )
            row = dict(zip(header, cells, strict=True))
            if row[system] in without_systems:
                continue
            scores = {name: as_number(row[name] or "nan", name, path, number) for name in measures}
            rows.append(Metrics(path.stem, row[system], "peer", MetricsDict(scores)))
    return ScoreTable.from_metrics(rows)
