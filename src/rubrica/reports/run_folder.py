"""What the files of a run's folder hold: scores, summaries, documents, pyramids, results of meta-evaluations."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rubrica.data.jsonl import read_json, read_jsonl
from rubrica.data.logs.inspect_log import ARCHIVE_ENDING
from rubrica.data.scores.rows import holds_scores
from rubrica.datasets.open import BY_ENDING, holds_summaries
from rubrica.datasets.readers.inputs import extension
from rubrica.errors import DataError, RubricaError

_TABLES = {".jsonl", ".json", ARCHIVE_ENDING, *BY_ENDING} - {".txt"}


@dataclass(slots=True)
class RunFiles:
    """Paths of files by what they hold.

    `means` are mean scores of systems, `pages` are HTML; `others` are of no use for a page.
    """

    scores: list[str] = field(default_factory=list)
    summaries: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    pyramids: list[str] = field(default_factory=list)
    annotations: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    means: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def find_run_files(*paths: str) -> RunFiles:
    """Return files, and those of folders in order of their names, by what they hold.

    Folders in folders and hidden files are left out.

    Raises:
        DataError: A folder cannot be read.
    """
    files = RunFiles()
    for path in paths:
        for file in _files_of(path) if os.path.isdir(path) else [path]:
            getattr(files, kind_of(file)).append(file)
    return files


def _files_of(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", file=folder) from error
    files = [os.path.join(folder, name) for name in names if not name.startswith(".")]
    return [file for file in files if os.path.isfile(file)]


def kind_of(path: str) -> str:
    """Return the field of `RunFiles` for a file, by its first row."""
    ending = extension(path)
    if ending in (".html", ".htm"):
        return "pages"
    if ending not in _TABLES:
        return "others"
    try:
        if ending == ".json":
            content = read_json(path)
            if isinstance(content, dict) and ("rankings" in content or "metrics" in content):
                return "results" if "rankings" in content else "means"
        if ending == ".jsonl":
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
