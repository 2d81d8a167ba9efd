"""What the formats of logs share: numbers from their values, and one row per sample and system."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import msgspec

from rubrica.data.jsonl import read_json
from rubrica.errors import DataError

NumberedRow: TypeAlias = tuple[int, dict[str, Any]]

# Grades of inspect, and words that scorers use for true and false.
_GRADES = {"c": 1.0, "i": 0.0, "p": 0.5, "n": 0.0}
_WORDS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0, "pass": 1.0, "fail": 0.0}


class NoScoresError(DataError):
    """A log of a harness without any score: the run failed, or its scores are not numbers."""


class Texts(NamedTuple):
    """What a log has of a sample's texts: the output, its targets and the prompt."""

    summary: str | None
    references: list[str]
    documents: list[str]


NO_TEXTS = Texts(None, [], [])


class SampleRows:
    """Scores by sample and system; a sample that was run several times has a list of values per measure."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._samples: dict[tuple[str, str], tuple[int, dict[str, list[float]], Any, Texts]] = {}

    def add(
        self,
        number: int,
        instance: Any,
        system: str,
        scores: Mapping[str, Any],
        fields: Any = None,
        texts: Texts = NO_TEXTS,
    ) -> None:
        """Add the scores of one run of a sample; values that are not numbers are left out.

        `fields` are what the log says about the sample, such as its topic, for clusters; `fields` and `texts` of the
        first run count.
        """
        if not isinstance(instance, (str, int)) or isinstance(instance, bool):
            raise DataError(
                f"a sample without an id (a text or a whole number): {instance!r}",
                file=self._path,
                line=number,
            )
        run: tuple[int, dict[str, list[float]], Any, Texts] = number, {}, fields, texts
        values = self._samples.setdefault((str(instance), system), run)[1]
        for name, value in scores.items():
            score = to_number(value)
            if score is not None:
                values.setdefault(name, []).append(score)

    def rows(self, cause: str | None = None) -> Iterator[NumberedRow]:
        """Yield the rows; an error, with its cause if that is known, if no sample has a score."""
        if not any(values for _, values, _, _ in self._samples.values()):
            message = cause or "the log has no sample with a score that is a number"
            raise NoScoresError(message, file=self._path)
        for (instance, system), (number, values, fields, texts) in self._samples.items():
            metrics = {n: runs[0] if len(runs) == 1 else runs for n, runs in values.items()}
            yield (
                number,
                {
                    "instance_id": instance,
                    "summarizer_id": system,
                    "summarizer_type": "peer",
                    "metrics": metrics,
                    "fields": fields if isinstance(fields, Mapping) else {},
                    "texts": texts,
                },
            )


def to_number(value: Any) -> float | None:
    """Return a score as a finite number ("C" and true are 1, "I" and false 0); None for anything else."""
    if isinstance(value, str):
        word = value.strip().lower()
        known = {**_GRADES, **_WORDS}.get(word)
        if known is not None:
            return known
        try:
            value = float(word)
        except ValueError:
            return None
    if isinstance(value, (bool, int, float)):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None
    return None


def decode_json(content: bytes, path: str, line: int | None = None) -> Any:
    """Return a JSON value; NaN and Infinity, which harnesses write, are accepted."""
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            raise DataError(f"not valid JSON: {error}", file=path, line=line) from error


def canonical_json(value: Any) -> bytes:
    """Return the one encoding of a JSON value, whatever the order of its keys."""
    return msgspec.json.encode(value, order="sorted")


def neighbour(path: str, name: str) -> Mapping[str, Any]:
    """Return the JSON object in a file beside a log; empty if there is none."""
    other = os.path.join(os.path.dirname(path), name)
    if not os.path.isfile(other):
        return {}
    try:
        value = read_json(other)
    except DataError:
        return {}
    return value if isinstance(value, Mapping) else {}


def stem(path: str) -> str:
    """Return a file's name without its ending."""
    return os.path.splitext(os.path.basename(path))[0]


def texts_in(value: Any) -> list[str]:
    """Return a text, or the texts of a list, as a list without empty ones; empty for anything else."""
    texts = value if isinstance(value, list) else [value]
    return [text for text in texts if isinstance(text, str) and text]


def text_at(value: Any, *keys: str) -> str | None:
    """Return the non-empty text at a path of keys; None if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) and value else None
