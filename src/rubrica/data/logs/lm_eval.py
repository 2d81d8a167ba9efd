"""Per-sample logs of lm-evaluation-harness: `samples_TASK_DATE.jsonl`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rubrica.data.files import read_lines
from rubrica.data.logs.rows import (
    NO_TEXTS,
    NumberedRow,
    SampleRows,
    Texts,
    canonical_json,
    decode_json,
    neighbour,
    stem,
    text_at,
    texts_in,
)
from rubrica.errors import DataError

# The task, and when it was run.
SAMPLES_NAME = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
# Fields of every sample; numbers among the others are scores, where older versions do not list them.
_FIELDS = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}


def matches(row: Any) -> bool:
    """Return whether a decoded line is a sample of lm-evaluation-harness."""
    return isinstance(row, Mapping) and {"doc_id", "arguments", "filtered_resps"} <= row.keys()


def is_sample(line: bytes) -> bool:
    """Return whether a line of JSON is a sample of lm-evaluation-harness."""
    try:
        return b'"doc_id"' in line and matches(decode_json(line, ""))
    except DataError:
        return False


def rows(lines: Iterable[tuple[int, bytes]], path: str) -> Iterator[NumberedRow]:
    """Yield the rows of a log; each filter of answers has measures of its own (`exact_match,strict-match`)."""
    system = _model(path) or stem(path)
    samples = SampleRows(path)
    for number, line in lines:
        if not line.strip():
            continue
        sample = decode_json(line, path, number)
        if not matches(sample):
            raise DataError("not a sample of lm-evaluation-harness", file=path, line=number)
        listed = sample.get("metrics")
        names = listed if isinstance(listed, list) else sample.keys() - _FIELDS
        scores = {str(name): sample.get(name) for name in names if isinstance(name, str)}
        label = sample.get("filter")
        ending = "" if label in (None, "none") else f",{label}"
        numbers = {
            name + ending: value for name, value in scores.items() if not isinstance(value, str)
        }
        samples.add(number, sample["doc_id"], system, numbers, sample.get("doc"), _texts(sample))
    return samples.rows()


def _texts(sample: Mapping[str, Any]) -> Texts:
    """Return the first answer, the targets and the prompt; a choice between answers has no text."""
    answers = sample["filtered_resps"]
    answer = answers[0] if isinstance(answers, list) and answers else None
    if not isinstance(answer, str):
        return NO_TEXTS
    requests = sample["arguments"]
    # A list of requests in older versions, an object in newer ones; the prompt is the first argument of the first.
    prompt = text_at(requests, "gen_args_0", "arg_0")
    if isinstance(requests, list) and requests and isinstance(requests[0], list):
        prompt = next(iter(texts_in(requests[0][:1])), None)
    return Texts(answer, texts_in(sample.get("target")), texts_in(prompt))


def questions(path: str) -> Iterator[tuple[str, bytes]]:
    """Yield the id and the document of each sample; nothing if the file is no log."""
    for number, line in read_lines(path):
        if not line.strip():
            continue
        if number == 1 and not is_sample(line):
            return
        sample = decode_json(line, path, number)
        if isinstance(sample, Mapping) and "doc" in sample:
            yield str(sample.get("doc_id")), canonical_json(sample["doc"])


def _model(path: str) -> str | None:
    """Return the model that the results beside a log name."""
    match = SAMPLES_NAME.fullmatch(os.path.basename(path))
    return text_at(neighbour(path, f"results_{match[2]}.json"), "model_name") if match else None
