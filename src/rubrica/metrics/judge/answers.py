"""Questions to a language model and its answers: kept on disk, counted, priced."""

from __future__ import annotations

import hashlib
import json
import threading
import warnings
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec

from rubrica.data.files import atomic_output
from rubrica.errors import DataWarning, OutputError, RubricaError


class NoAnswerError(RubricaError):
    """The model cannot be asked: whoever asks on asks in vain."""


class RefusedQuestionError(RubricaError):
    """This question has no answer (too long, or not allowed); others may have one."""


@dataclass(frozen=True, slots=True)
class Question:
    """One request: the conversation, and how the answer is drawn."""

    messages: tuple[tuple[str, str], ...]
    temperature: float
    top_p: float
    max_tokens: int
    seed: int
    logprobs: bool
    # Further fields of the request, as JSON.
    request: str = "{}"


@dataclass(frozen=True, slots=True)
class Answer:
    """The text, log-probabilities of what its first token could be, and the tokens it took.

    `counted` is false where nobody told the tokens; `cut` says that it is longer than was allowed.
    """

    text: str
    first_token: Mapping[str, float] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    counted: bool = True
    cut: bool = False


class LanguageModel(Protocol):
    """Whatever answers questions."""

    def identity(self) -> str:
        """What must be equal for an answer to be the same."""

    def ask(self, question: Question, stopped: threading.Event) -> Answer:
        """The answer, a `RefusedQuestionError`, or a `NoAnswerError`; waits no longer once stopped."""


@dataclass(slots=True)
class Usage:
    """What was asked, and what it took."""

    asked: int = 0
    from_cache: int = 0
    refused: int = 0
    uncounted: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, answer: Answer) -> None:
        """One more answer that was asked for."""
        self.asked += 1
        self.uncounted += not answer.counted
        self.prompt_tokens += answer.prompt_tokens
        self.completion_tokens += answer.completion_tokens

    def any(self) -> bool:
        """Whether there is something to tell."""
        return bool(self.asked or self.from_cache or self.refused)

    def told(self, price_in: float | None, price_out: float | None) -> str:
        """In words; the cost in the currency of the prices per million tokens."""
        made = f"{self.asked:,} answers asked for, {self.from_cache:,} from the cache"
        if self.refused:
            made += f", {self.refused:,} refused"
        made += f"; {self.prompt_tokens:,} + {self.completion_tokens:,} tokens"
        if price_in is not None and price_out is not None:
            cost = (self.prompt_tokens * price_in + self.completion_tokens * price_out) / 1e6
            made += f", cost {cost:,.4f}"
        if self.uncounted:
            made += f", without {self.uncounted:,} answers whose tokens were not told"
        return made


class AnswerCache:
    """A model whose answers are kept: the same question is asked once, in this run and in later ones."""

    def __init__(self, model: LanguageModel, folder: Path | None) -> None:
        self._model, self._folder = model, folder
        self._memory: dict[str, Answer] = {}
        self._under_way: dict[str, Future[Answer]] = {}
        self._lock = threading.Lock()
        self.usage = Usage()

    def ask(self, question: Question, stopped: threading.Event) -> Answer:
        """The kept answer, that of an equal question under way, else a new one."""
        told = json.dumps([self._model.identity(), asdict(question)], sort_keys=True)
        key = hashlib.sha256(told.encode()).hexdigest()
        with self._lock:
            known = self._memory.get(key)
            mine: Future[Answer] = Future()
            asked = self._under_way.setdefault(key, mine) if known is None else None
        if known is None and asked is not mine:
            assert asked is not None
            known = asked.result()
        if known is not None:
            with self._lock:
                self.usage.from_cache += 1
            return known
        try:
            answer = self._found(key, question, stopped)
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(answer)
        finally:
            with self._lock:
                del self._under_way[key]
        return answer

    def _found(self, key: str, question: Question, stopped: threading.Event) -> Answer:
        """From the disk, or asked for."""
        kept = self._read(key)
        if kept is not None:
            with self._lock:
                self.usage.from_cache += 1
                self._memory[key] = kept
            return kept
        try:
            answer = self._model.ask(question, stopped)
        except RefusedQuestionError:
            with self._lock:
                self.usage.refused += 1
            raise
        except NoAnswerError as error:
            if self._folder is None or not self.usage.asked:
                raise
            raise type(error)(
                f"{error}. The answers so far are kept: run it again to go on"
            ) from error
        with self._lock:
            self.usage.add(answer)
            self._memory[key] = answer
        self._write(key, answer)
        return answer

    def _write(self, key: str, answer: Answer) -> None:
        if self._folder is None:
            return
        try:
            with atomic_output(_path(self._folder, key)) as stream:
                stream.write(json.dumps(asdict(answer)).encode())
        except (OutputError, OSError) as error:
            # A full or read-only disk costs the next run, not this one.
            with self._lock:
                told, self._folder = self._folder is None, None
            if not told:
                warnings.warn(
                    f"answers cannot be kept for later runs: {error}; another place: --cache-dir FOLDER, "
                    "none: --cache-dir off",
                    DataWarning,
                    stacklevel=2,
                )

    def _read(self, key: str) -> Answer | None:
        if self._folder is None:
            return None
        try:
            # Not by msgspec alone, which takes no halves of surrogate pairs.
            return msgspec.convert(json.loads(_path(self._folder, key).read_bytes()), Answer)
        except (OSError, ValueError):
            # Not there, or not ours: it is asked again and written anew.
            return None


def _path(folder: Path, key: str) -> Path:
    return folder / key[:2] / f"{key}.json"
