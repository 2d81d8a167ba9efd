"""What a judge's answer is worth, by the kind of its prompt and the way of scoring."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from rubrica.errors import ParameterError
from rubrica.metrics.judge.answers import Answer
from rubrica.metrics.judge.parsing import expectation, preference, rating, rating_tokens, yes_no
from rubrica.metrics.judge.prompt import Prompt


@dataclass(frozen=True, slots=True)
class Reading:
    """A value, None where there is none; and how much of the answer could not be read, 0 to 1.

    `first`, of a pair: the value for the summary that stood first, whichever it was.
    """

    value: float | None
    unread: float
    first: float | None = None

    def turned(self) -> Reading:
        """For the summary that stood second."""
        return self if self.value is None else replace(self, value=1 - self.value)


class Reader:
    """Reads answers to a prompt."""

    def __init__(self, prompt: Prompt, scoring: Literal["samples", "logprobs"]) -> None:
        self._prompt, self._values = prompt, dict[str, float]()
        if scoring == "samples":
            return
        if prompt.answer is not None:
            raise ParameterError(
                f"scoring=logprobs reads the first token, and the prompt {prompt.name!r} has its answer "
                "elsewhere; use scoring=samples"
            )
        if prompt.kind == "rating":
            self._values = rating_tokens(prompt.lowest, prompt.highest)
        elif prompt.kind == "pairwise":
            self._values = {"a": 1.0, "b": 0.0, "tie": 0.5}
        else:
            self._values = {"yes": 1.0, "no": 0.0}

    def read(self, answer: Answer | None) -> Reading:
        """What it says; an answer that was refused says nothing."""
        if answer is None:
            return Reading(None, 1.0)
        if self._values:
            value, share = expectation(answer.first_token, self._values)
            unread = 1 - share
        else:
            value = self._said(self._prompt.verdict(answer.text))
            unread = float(value is None)
        return Reading(value, unread, value if self._prompt.kind == "pairwise" else None)

    def _said(self, text: str) -> float | None:
        prompt = self._prompt
        if prompt.kind == "rating":
            return rating(text, prompt.lowest, prompt.highest, prompt.name)
        return preference(text) if prompt.kind == "pairwise" else yes_no(text)
