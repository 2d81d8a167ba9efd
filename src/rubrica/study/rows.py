"""A table of a study: one row per summary, with scores, where its text came from, and its hash.

Rows are JSON lines that `rubrica meta-evaluate` and its kin read as they are, or Parquet.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from rubrica.data.metrics import Metrics
from rubrica.data.scores.rows import read_score_rows


class StudyRow(Metrics, kw_only=True):
    """The scores of one summary, with its texts.

    `summary_digest` and `reference_digest` are `text_digest`s of what was scored. `uncertainty`
    holds, for human scores, their standard error and bounds; it is no measure. `tagged_summary` and
    `tagged_reference` hold an imported text whose faulty tags its sentences cannot restore.
    """

    summary_digest: str = ""
    reference_digest: str = ""
    origin: str = ""
    summary: list[str] | None = None
    references: list[list[str]] | None = None
    uncertainty: dict[str, Any] | None = None
    tagged_summary: str | None = None
    tagged_reference: str | None = None


def read_table(path: str | os.PathLike[str]) -> Iterator[StudyRow]:
    """Yield the rows of a table; keys that a row of a study does not have are skipped."""
    for _, row in read_score_rows(path, StudyRow):
        yield row
