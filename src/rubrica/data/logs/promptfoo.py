"""Results of promptfoo: the JSON that `promptfoo eval --output results.json` writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from rubrica.data.logs.rows import NumberedRow, SampleRows, canonical_json, stem, text_at
from rubrica.errors import DataError

# The value of failureReason where a call failed: there is no answer to score.
_ERROR = 2


def matches(document: Any) -> bool:
    """Return whether a JSON document holds results of promptfoo."""
    results = _results(document)
    return bool(results) and isinstance(results[0], dict) and "provider" in results[0]


def rows(document: Mapping[str, Any], path: str) -> Iterator[NumberedRow]:
    """Yield the rows: `score`, `pass` and named scores of each test, by provider (and prompt, of several)."""
    results = _results(document)
    prompts = {_prompt(result) for result in results if isinstance(result, dict)}
    samples = SampleRows(path)
    for number, result in enumerate(results, 1):
        if not isinstance(result, dict):
            raise DataError("a result must be an object", file=path, line=number)
        provider = result.get("provider")
        system = text_at(provider, "label") or text_at(provider, "id") or stem(path)
        if isinstance(provider, str) and provider:
            system = provider
        if len(prompts) > 1:
            system = f"{system} ({_prompt(result)})"
        named = result.get("namedScores")
        scores = {"score": result.get("score"), "pass": result.get("success")}
        scores |= named if isinstance(named, dict) else {}
        failed = result.get("failureReason") == _ERROR
        samples.add(number, _test(result), system, {} if failed else scores)
    return samples.rows()


def questions(document: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield the id and the variables of each test."""
    for result in _results(document):
        if isinstance(result, dict) and isinstance(result.get("vars"), dict):
            yield str(_test(result)), canonical_json(result["vars"])


def _results(document: Any) -> list[Any]:
    """Return the list of results, which `promptfoo eval` nests once."""
    results = document.get("results") if isinstance(document, dict) else None
    if isinstance(results, dict):
        results = results.get("results")
    return results if isinstance(results, list) else []


def _prompt(result: Mapping[str, Any]) -> str:
    number = result.get("promptIdx")
    if isinstance(number, int):
        return f"prompt {number + 1}"
    return text_at(result, "prompt", "label") or ""


def _test(result: Mapping[str, Any]) -> Any:
    """Return what identifies the test: its number, or its variables in older versions."""
    number = result.get("testIdx")
    return number if number is not None else msgspec.json.encode(result.get("vars")).decode()
