"""Logs of Inspect: `.eval` (a zip archive with a member per sample) and `.json`."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rubrica.data.logs.rows import (
    NoScoresError,
    NumberedRow,
    SampleRows,
    Texts,
    decode_json,
    stem,
    text_at,
    texts_in,
    to_number,
)
from rubrica.data.logs.zip_members import ZipMembers
from rubrica.errors import DataError, DataWarning

ARCHIVE_ENDING = ".eval"
# Of a finished run, and of one that was interrupted.
HEADERS = ("header.json", "_journal/start.json")
# How a run without scores ended, by the status in its header.
_ENDINGS = {
    "error": "the run failed",
    "cancelled": "the run was cancelled",
    "started": "the run was interrupted",
}
_RETRY = "repeat it with `inspect eval-retry` and pass the new log"


def matches(document: Any) -> bool:
    """Return whether a JSON document is a log of Inspect."""
    return isinstance(document, dict) and isinstance(document.get("eval"), dict) and (
        "samples" in document or {"status", "plan"} <= document.keys()
    )  # fmt: skip


def rows(document: Mapping[str, Any], path: str) -> Iterator[NumberedRow]:
    """Yield the rows of a `.json` log."""
    samples = document.get("samples")
    if not isinstance(samples, list):
        cause = _cause(document, []) or "this log has only a header, no samples"
        raise NoScoresError(cause, file=path)
    return _rows(samples, document, path)


def archive_rows(path: str) -> Iterator[NumberedRow]:
    """Yield the rows of an `.eval` log."""
    with ZipMembers(path) as members:
        headers = [name for name in HEADERS if name in members.names]
        if not headers:
            raise DataError("not a log of Inspect: the archive has no header.json", file=path)
        header = decode_json(members.read(headers[0]), path)
        if headers[0] != HEADERS[0] and isinstance(header, dict):
            header = {**header, "status": "started"}
        names = [n for n in members.names if n.startswith("samples/") and n.endswith(".json")]
        samples = (decode_json(members.read(name), f"{path}:{name}") for name in names)
        yield from _rows(samples, header, path)


def _rows(samples: Iterable[Any], header: Any, path: str) -> Iterator[NumberedRow]:
    sample_rows = SampleRows(path)
    model = text_at(header, "eval", "model")
    errors: list[str] = []
    number = scored = 0
    for number, sample in enumerate(samples, 1):
        if not isinstance(sample, dict):
            raise DataError("a sample must be an object", file=path, line=number)
        scores = _scores(sample)
        scored += any(to_number(value) is not None for value in scores.values())
        name = model or stem(path)
        about = sample.get("metadata")
        sample_rows.add(number, sample.get("id"), name, scores, about, _texts(sample))
        if error := text_at(sample, "error", "message"):
            errors.append(error)
    failure = _failure(header, errors)
    if scored and failure is not None:
        ending, detail = failure
        warnings.warn(
            f"{path}: {ending}{detail}; {scored} of {_planned(header, number)} samples have scores; {_RETRY}",
            DataWarning,
            stacklevel=2,
        )
    _warn_of_reducer(header, path)
    return sample_rows.rows(_cause(header, errors))


def _texts(sample: Mapping[str, Any]) -> Texts:
    """Return the model's answer, the targets and the input: a text, or what the user says in a dialogue."""
    asked = sample.get("input")
    if isinstance(asked, list):
        said = [message for message in asked if text_at(message, "role") == "user"]
        asked = "\n".join(text for message in said for text in _content(message))
    answer = text_at(sample, "output", "completion")
    if answer is None:
        output = sample.get("output")
        choices = output.get("choices") if isinstance(output, dict) else None
        first = choices[0] if isinstance(choices, list) and choices else None
        message = first.get("message") if isinstance(first, dict) else None
        answer = "\n".join(_content(message)) or None
    return Texts(answer, texts_in(sample.get("target")), texts_in(asked))


def _content(message: Any) -> list[str]:
    """Return the texts of a message, which may also have pictures and reasoning."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        content = [text_at(part, "text") for part in content]
    return texts_in(content)


def _warn_of_reducer(header: Any, path: str) -> None:
    """Warn where the run reduces the epochs of a sample by anything but the mean, which counts here."""
    run = header.get("eval") if isinstance(header, dict) else None
    config = run.get("config") if isinstance(run, dict) else None
    reducers = config.get("epochs_reducer") if isinstance(config, dict) else None
    if isinstance(reducers, list) and reducers and "mean" not in reducers:
        names = ", ".join(map(str, reducers))
        warnings.warn(
            f"{path}: the run reduces the epochs of a sample by {names}; here their mean counts, so its own "
            "scores differ",
            DataWarning,
            stacklevel=3,
        )


def _cause(header: Any, errors: list[str]) -> str | None:
    """Return why a log has no scores, and what to do; None if the run does not say."""
    failure = _failure(header, errors)
    if failure is None:
        return None
    ending, detail = failure
    return f"{ending} before any sample had a score{detail}; {_RETRY}"


def _failure(header: Any, errors: list[str]) -> tuple[str, str] | None:
    """Return how a run ended and its first error; None if it succeeded."""
    status = text_at(header, "status") or ""
    ending = _ENDINGS.get(status, f"{len(errors)} of its samples failed" if errors else None)
    if ending is None:
        return None
    error = text_at(header, "error", "message") or next(iter(errors), "")
    return ending, f": {textwrap.shorten(error, 300)}" if error else ""


def _planned(header: Any, read: int) -> int:
    """Return how many samples a run was to have, epochs included."""
    results = header.get("results") if isinstance(header, dict) else None
    total = results.get("total_samples") if isinstance(results, dict) else None
    return max(total, read) if isinstance(total, int) else read


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
