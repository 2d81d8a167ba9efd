"""Rows of SacreROUGE's files from rows of ours: inputs, summaries and scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from rubrica.data.jsonl import read_jsonl

Row: TypeAlias = dict[str, Any]
Written: TypeAlias = Iterator[tuple[str, Iterable[Row]]]
_IDS = ("instance_id", "summarizer_id", "summarizer_type")


class Files(Mapping[str, list[Row]]):
    """Our files of a data set by name; a file is read when it is asked for."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = paths
        self._rows: dict[str, list[Row]] = {}

    def __getitem__(self, name: str) -> list[Row]:
        if name not in self._rows:
            self._rows[name] = list(self.stream(name))
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def stream(self, name: str) -> Iterator[Row]:
        """Yield the rows of a file without keeping them."""
        return (row for _, row in read_jsonl(self._paths[name]))

    def parts(self, kind: str = "documents") -> list[str]:
        """Return the prefixes of the files of a kind."""
        end = f".{kind}.jsonl"
        return [name.removesuffix(end) for name in self if name.endswith(end)]


Layout: TypeAlias = Callable[[Files], Written]


def joined(*layouts: Layout) -> Layout:
    """Return the layout that writes the files of several."""

    def write(files: Files) -> Written:
        for layout in layouts:
            yield from layout(files)

    return write


def input_row(row: Row, references: Mapping[str, Row], single: bool = False) -> Row:
    """Return one input: topic and selector, documents (or one `document`), references."""
    facts = {key: value for key, value in row.items() if key not in ("instance_id", "documents")}
    documents = [renamed(document, name="filename") for document in row["documents"]]
    texts = {"document": documents[0]} if single else {"documents": documents}
    known = references.get(row["instance_id"], {"references": []})["references"]
    summaries = [_annotated(reference) for reference in known]
    return {"instance_id": row["instance_id"], **facts, **texts, "summaries": summaries}


def _annotated(reference: Row) -> Row:
    """Return a reference of an input; extracts are labels of sentences, without a text."""
    content = "labels" if "labels" in reference else "text"
    return {"annotator": reference["summarizer_id"], content: reference[content]}


def renamed(row: Row, **names: str) -> Row:
    """Return a row with other names of some keys."""
    return {names.get(key, key): value for key, value in row.items()}


def summary_row(row: Row) -> Row:
    """Return one summary; it and its references name their authors."""
    system = {key: row[key] for key in _IDS[1:]}
    text = row["summary"]["text"]
    return {**row_ids(row), "summary": {**system, "text": text}, "references": references_of(row)}


def references_of(row: Row) -> list[Row]:
    """Return the references of a summary, with their authors."""
    return [
        {
            "summarizer_id": reference["summarizer_id"],
            "summarizer_type": "reference",
            "text": reference["text"],
        }
        for reference in row.get("references", [])
    ]


def collect_scores(files: Files, *names: str) -> dict[tuple[str, str], Row]:
    """Return all scores of each summary, from several files of scores."""
    metrics: dict[tuple[str, str], Row] = {}
    for name in names:
        for row in files.get(name, []):
            metrics.setdefault(row_key(row), {}).update(row["metrics"])
    return metrics


def score_row(row: Row, scores: Mapping[tuple[str, str], Row]) -> Row:
    """Return the row of a summary's scores; without scores it is empty."""
    return {**row_ids(row), "metrics": scores.get(row_key(row), {})}


def row_key(row: Row) -> tuple[str, str]:
    """Return the input and the system of a row."""
    return row["instance_id"], row["summarizer_id"]


def row_ids(row: Row, less: int = 0) -> Row:
    """Return the ids of a row; `less` is subtracted from those that are numbers."""
    ids = {key: row[key] for key in _IDS}
    if less:
        ids |= {key: str(int(row[key]) - less) for key in _IDS[:2]}
    return ids


def by_input(files: Files, name: str) -> dict[str, Row]:
    """Return the rows of a file by their input; empty if there is no such file."""
    return {row["instance_id"]: row for row in files.get(name, [])}
