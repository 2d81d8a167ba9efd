"""The questions about a summary by a prompt's kind, and the measures of the parsed answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, TypeAlias

from rubrica.data.instance import flatten
from rubrica.data.metrics import exact_mean
from rubrica.metrics.base.neural import document_text
from rubrica.metrics.judge.parser import ParsedAnswer, spread
from rubrica.metrics.judge.prompt import Messages, Prompt

# The messages of one query, and whether its answers are reversed (A and B of a pair swapped);
# or a known value that needs no query.
Query: TypeAlias = tuple[Messages, bool] | float


def shown_texts(summary: Any, context: Mapping[str, Any], query: str | None) -> dict[str, str]:
    """Return the texts that a prompt may show; a `query` replaces that of the input."""
    texts = {"summary": flatten(summary)}
    if "documents" in context:
        texts["document"] = document_text(context["documents"])
    if "references" in context:
        texts["reference"] = "\n\n".join(map(flatten, context["references"]))
    if query is not None or "query" in context:
        texts["query"] = flatten(context["query"] if query is None else query)
    return texts


def queries_about(
    prompt: Prompt, texts: Mapping[str, str], rivals: Iterable[Any]
) -> Iterator[Query]:
    """Yield every query about one summary; `rivals` are what a preference compares it with."""
    if prompt.kind == "rating":
        scale = {"lowest": f"{prompt.lowest:g}", "highest": f"{prompt.highest:g}"}
        yield prompt.messages(**texts, **scale), False
    elif prompt.kind == "checklist":
        for question in prompt.questions:
            yield prompt.messages(**texts, question=question), False
    else:
        for rival in map(flatten, rivals):
            if rival.strip() in ("", texts["summary"].strip()):
                # An empty summary loses; equal summaries tie.
                yield 0.5 if rival.strip() else 1.0
                continue
            # Ask in both orders: models prefer one position.
            for turned, (a, b) in enumerate(permutations((texts["summary"], rival))):
                yield prompt.messages(**texts, summary_a=a, summary_b=b), bool(turned)


def answer_measures(
    prompt: Prompt, drawn: Sequence[Sequence[ParsedAnswer]] | None
) -> dict[str, float | None]:
    """Return the measures of a summary from the samples of each query; None for an empty summary."""
    if drawn is None:
        lowest = prompt.lowest if prompt.kind == "rating" else 0.0
        return _measures(prompt, lowest, None, 0.0, None)
    # A run is one sample of every query about the summary.
    runs = [exact_mean(reading.value for reading in run) for run in zip(*drawn, strict=True)]
    readings = [reading for samples in drawn for reading in samples]
    # Without anything to compare with (a single system) the score is undefined, as without a readable answer.
    readable = any(reading.value is not None for reading in readings)
    means = (exact_mean(reading.value for reading in samples) for samples in drawn)
    first = [reading.first for reading in readings if reading.first is not None]
    return _measures(
        prompt,
        exact_mean(means) if readable else None,
        spread(run for run in runs if run == run),
        exact_mean(reading.unread for reading in readings) if readings else 0.0,
        exact_mean(first) if first else None,
    )


def _measures(
    prompt: Prompt, score: float | None, sd: float | None, invalid: float, first: float | None
) -> dict[str, float | None]:
    place = {"first": first} if prompt.kind == "pairwise" else {}
    return {"score": score, "sd": sd, "invalid": invalid, **place}
