"""Results of promptfoo: the JSON that `promptfoo eval --output results.json` writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    prompts = _prompt_names(results)
    tests = _test_ids(results)
    samples = SampleRows(path)
    for number, result in enumerate(results, 1):
        if not isinstance(result, dict):
            raise DataError("a result must be an object", file=path, line=number)
        provider = result.get("provider")
        system = text_at(provider, "label") or text_at(provider, "id") or stem(path)
        if isinstance(provider, str) and provider:
            system = provider
        if len(set(prompts.values())) > 1:
            system = f"{system} ({prompts[_prompt(result)]})"
        named = result.get("namedScores")
        scores = {"score": result.get("score"), "pass": result.get("success")}
        scores |= named if isinstance(named, dict) else {}
        failed = result.get("failureReason") == _ERROR
        about = {**_mapping(result, "testCase", "metadata"), **_mapping(result, "vars")}
        samples.add(number, tests[_test(result)], system, {} if failed else scores, about)
    return samples.rows()


def questions(document: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield the id and the variables of each test."""
    results = _results(document)
    tests = _test_ids(results)
    for result in results:
        if isinstance(result, dict) and isinstance(result.get("vars"), dict):
            yield str(tests[_test(result)]), canonical_json(result["vars"])


def _results(document: Any) -> list[Any]:
    """Return the list of results, which `promptfoo eval` nests once."""
    results = document.get("results") if isinstance(document, dict) else None
    if isinstance(results, dict):
        results = results.get("results")
    return results if isinstance(results, list) else []


def _prompt_names(results: Sequence[Any]) -> dict[Any, str]:
    """Return the name of each prompt, by number in the order of the columns."""
    columns = {
        _prompt(result): result.get("promptIdx", 0)
        for result in results
        if isinstance(result, dict)
    }
    ordered = sorted(columns, key=lambda prompt: (str(columns[prompt]).zfill(9), prompt))
    return {prompt: f"prompt {number}" for number, prompt in enumerate(ordered, 1)}


def _prompt(result: Mapping[str, Any]) -> str:
    """Return what identifies the prompt; `promptIdx` is the column, which differs between providers, too."""
    label = text_at(result, "prompt", "label") or text_at(result, "promptId")
    return str(result.get("promptIdx", "")) if label is None else label


def _test(result: Mapping[str, Any]) -> Any:
    """Return what identifies the run of a test: its number, or its variables in older versions."""
    number = result.get("testIdx")
    return number if number is not None else msgspec.json.encode(result.get("vars")).decode()


def _test_ids(results: Sequence[Any]) -> dict[Any, Any]:
    """Return the id of each test. `--repeat` numbers each run of a test anew; these runs are one input.

    Their id is the number that the test has in a run without repetitions.
    """
    cases: dict[Any, bytes] = {}
    for result in results:
        if isinstance(result, dict):
            case = _mapping(result, "testCase")
            # Older versions do not write what a test checks: two tests may then differ, though they look the same.
            asked = [result.get("vars"), case.get("assert"), case.get("description")]
            cases.setdefault(_test(result), canonical_json(asked if case else [_test(result)]))
    if len(set(cases.values())) == len(cases):
        return {test: test for test in cases}
    ordered = sorted(cases, key=lambda test: (not isinstance(test, int), test))
    distinct = dict.fromkeys(cases[test] for test in ordered)
    numbers = {case: number for number, case in enumerate(distinct)}
    return {test: numbers[case] for test, case in cases.items()}


def _mapping(value: Any, *keys: str) -> Mapping[str, Any]:
    """Return the object at a path of keys; empty if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}
