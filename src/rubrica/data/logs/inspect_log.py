"""Logs of Inspect: `.eval` (a zip archive with a member per sample) and `.json`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rubrica.data.logs.rows import NumberedRow, SampleRows, decode_json, stem, text_at
from rubrica.data.logs.zip_members import ZipMembers
from rubrica.errors import DataError

ARCHIVE_ENDING = ".eval"
# Of a finished run, and of one that was interrupted.
HEADERS = ("header.json", "_journal/start.json")


def matches(document: Any) -> bool:
    """Return whether a JSON document is a log of Inspect."""
    return isinstance(document, dict) and isinstance(document.get("eval"), dict) and (
        "samples" in document or {"status", "plan"} <= document.keys()
    )  # fmt: skip


def rows(document: Mapping[str, Any], path: str) -> Iterator[NumberedRow]:
    """Yield the rows of a `.json` log."""
    samples = document.get("samples")
    if not isinstance(samples, list):
        raise DataError("this log has only a header, no samples", file=path)
    return _rows(samples, text_at(document, "eval", "model"), path)


def archive_rows(path: str) -> Iterator[NumberedRow]:
    """Yield the rows of an `.eval` log."""
    with ZipMembers(path) as members:
        headers = [name for name in HEADERS if name in members.names]
        if not headers:
            raise DataError("not a log of Inspect: the archive has no header.json", file=path)
        header = decode_json(members.read(headers[0]), path)
        names = [n for n in members.names if n.startswith("samples/") and n.endswith(".json")]
        samples = (decode_json(members.read(name), f"{path}:{name}") for name in names)
        yield from _rows(samples, text_at(header, "eval", "model"), path)


def _rows(samples: Iterable[Any], model: str | None, path: str) -> Iterator[NumberedRow]:
    sample_rows = SampleRows(path)
    for number, sample in enumerate(samples, 1):
        if not isinstance(sample, dict):
            raise DataError("a sample must be an object", file=path, line=number)
        sample_rows.add(number, sample.get("id"), model or stem(path), _scores(sample))
    return sample_rows.rows()


def _scores(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sample's scores by scorer; a scorer that gives several values has a measure for each."""
    scores: dict[str, Any] = {}
    by_scorer = sample.get("scores")
    for scorer, score in by_scorer.items() if isinstance(by_scorer, dict) else ():
        value = score.get("value") if isinstance(score, dict) else None
        if isinstance(value, dict):
            scores.update({f"{scorer}.{name}": part for name, part in value.items()})
        else:
            scores[scorer] = value
    return scores
