"""What the files of a run's folder hold: scores, summaries, documents, pyramids, results of meta-evaluations."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rubrica.data.jsonl import read_json, read_jsonl
from rubrica.data.scores.rows import holds_scores
from rubrica.datasets.open import holds_summaries
from rubrica.errors import DataError, RubricaError

_TABLES = (".jsonl", ".jsonl.gz", ".csv", ".tsv", ".parquet")


@dataclass(slots=True)
class RunFiles:
    """Paths of a folder's files by what they hold; `others` are of no use for a page."""

    scores: list[str] = field(default_factory=list)
    summaries: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    pyramids: list[str] = field(default_factory=list)
    annotations: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def find_run_files(folder: str) -> RunFiles:
    """Return the files of a folder, in order of their names, without those of its folders.

    Raises:
        DataError: The folder cannot be read.
    """
    files = RunFiles()
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", file=folder) from error
    for name in names:
        path = os.path.join(folder, name)
        if not name.startswith(".") and os.path.isfile(path):
            getattr(files, kind_of(path)).append(path)
    return files


def kind_of(path: str) -> str:
    """Return the field of `RunFiles` for a file, by its first row."""
    try:
        if path.endswith(".json"):
            content = read_json(path)
            if isinstance(content, dict) and ("rankings" in content or "metrics" in content):
                # The second are means of systems, which the pages compute themselves.
                return "results" if "rankings" in content else "others"
        if not path.endswith((*_TABLES, ".json")):
            return "others"
        if path.endswith(_TABLES[:2]):
            _, row = next(read_jsonl(path), (0, {}))
            if kind := _kind_of_row(row):
                return kind
        if holds_scores(path):
            return "scores"
        return "summaries" if holds_summaries(path) else "others"
    except RubricaError:
        return "others"


def _kind_of_row(row: Mapping[str, Any]) -> str:
    """Return what a row of JSON lines holds that neither scores nor summaries are; or nothing."""
    if isinstance(row.get("scus"), list):
        return "pyramids" if "summaries" in row else "annotations"
    has_document = "document" in row or "documents" in row
    return "documents" if has_document and "summary" not in row and "metrics" not in row else ""
