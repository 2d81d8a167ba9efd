"""Valid values of a judge's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rubrica.errors import ParameterError
from rubrica.metrics.judge.prompt import Prompt

# Fields of a request that say what is asked, and how the reply is to be read.
_OWN_FIELDS = ("model", "messages", "contents", "n", "stream")
# Parameters that change how an answer is obtained, or that the signature states in its own words.
UNSIGNED_PARAMETERS = frozenset(
    [
        "api_key_variable",
        "concurrency",
        "requests_per_minute",
        "retries",
        "back_off",
        "timeout",
        "provider",
        "stream",
        "batch",
        "poll",
        "price_in",
        "price_out",
        "max_cost",
        "endpoint",
        "prompt",
        "scoring",
        "samples",
        "temperature",
        "top_p",
        "max_tokens",
        "sampling_seed",
        "against",
        "request",
        "units",
        "chunk_words",
        "query",
    ]
)


def check_choices(values: Mapping[str, Any]) -> None:
    """Raise `ParameterError` for the first invalid value."""
    for name in ("samples", "max_tokens", "concurrency", "chunk_words"):
        if values[name] is not None and values[name] < 1:
            raise ParameterError(f"{name} must be at least 1, not {values[name]}")
    for name in ("temperature", "retries", "back_off", "price_in", "price_out", "max_cost"):
        if values[name] is not None and not values[name] >= 0:
            raise ParameterError(f"{name} must not be negative, but is {values[name]:g}")
    for name in ("timeout", "requests_per_minute", "poll"):
        if values[name] is not None and not values[name] > 0:
            raise ParameterError(f"{name} must be above 0, not {values[name]:g}")
    if not 0 < values["top_p"] <= 1:
        raise ParameterError(f"top_p must be above 0 and at most 1, not {values['top_p']:g}")
    if (values["price_in"] is None) != (values["price_out"] is None):
        raise ParameterError("price_in and price_out must be given together")
    if values["max_cost"] is not None and values["price_in"] is None:
        raise ParameterError("max_cost needs the prices: price_in and price_out")
    remote = values["endpoint"] is not None or values["provider"] is not None
    if values["batch"] and values["stream"]:
        raise ParameterError("batch and stream contradict each other; leave out one")
    for name in ("request", "stream", "batch"):
        if values[name] and not remote:
            raise ParameterError(f"{name} needs an endpoint or a provider; a local model has none")
    for name in values["request"] or ():
        if name in _OWN_FIELDS:
            raise ParameterError(f"request cannot set {name!r}; use the judge's own parameters")


def check_prompt_choices(prompt: Prompt, values: Mapping[str, Any]) -> None:
    """Raise `ParameterError` for a parameter that the prompt does not use."""
    if values["units"] is not None and (
        prompt.rules is None or prompt.rules.units_of != "reference"
    ):
        raise ParameterError(
            f"judge: the prompt {prompt.name!r} does not check units of references; leave out --units"
        )
    if values["chunk_words"] is not None and prompt.rules is None:
        raise ParameterError(
            f"judge: the prompt {prompt.name!r} judges a document as a whole; --chunk_words is "
            "for prompts that check units"
        )
