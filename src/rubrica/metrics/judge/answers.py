"""Questions to a language model and its answers: kept on disk, counted, priced."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from rubrica.data.files import atomic_output


@dataclass(frozen=True, slots=True)
class Question:
    """One request: the conversation, and how the answer is drawn."""

    messages: tuple[tuple[str, str], ...]
    temperature: float
    top_p: float
    max_tokens: int
    seed: int
    logprobs: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """The text, the log-probabilities of its first token's alternatives, and the tokens it took."""

    text: str
    first_token: Mapping[str, float] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0


class LanguageModel(Protocol):
    """Whatever answers questions."""

    def identity(self) -> str:
        """What must be equal for an answer to be the same."""

    def ask(self, question: Question) -> Answer:
        """The answer; raises a `RubricaError` when there is none."""


@dataclass(slots=True)
class Usage:
    """What was asked, and what it took."""

    asked: int = 0
    from_cache: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def cost(self, price_in: float | None, price_out: float | None) -> float | None:
        """In the currency of the prices per million tokens."""
        if price_in is None or price_out is None:
            return None
        return (self.prompt_tokens * price_in + self.completion_tokens * price_out) / 1e6


class KeptAnswers:
    """A model whose answers are kept: the same question is asked once, in this run and in later ones."""

    def __init__(self, model: LanguageModel, folder: Path | None) -> None:
        self._model, self._folder = model, folder
        self._memory: dict[str, Answer] = {}
        self._lock = threading.Lock()
        self.usage = Usage()

    def ask(self, question: Question) -> Answer:
        """The kept answer, else a new one."""
        told = json.dumps([self._model.identity(), asdict(question)], sort_keys=True)
        key = hashlib.sha256(told.encode()).hexdigest()
        known = self._memory.get(key) or self._read(key)
        if known is not None:
            with self._lock:
                self.usage.from_cache += 1
                self._memory[key] = known
            return known
        answer = self._model.ask(question)
        with self._lock:
            self.usage.asked += 1
            self.usage.prompt_tokens += answer.prompt_tokens
            self.usage.completion_tokens += answer.completion_tokens
            self._memory[key] = answer
        if self._folder is not None:
            with atomic_output(self._path(key)) as stream:
                stream.write(json.dumps(asdict(answer), ensure_ascii=False).encode())
        return answer

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / key[:2] / f"{key}.json"

    def _read(self, key: str) -> Answer | None:
        if self._folder is None:
            return None
        try:
            values: dict[str, Any] = json.loads(self._path(key).read_text("utf-8"))
            return Answer(**values)
        except (OSError, ValueError, TypeError):
            # Not there, or not ours: it is asked again and written anew.
            return None
