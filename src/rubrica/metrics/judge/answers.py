"""Questions to a language model and its answers: cached on disk, counted, priced."""

from __future__ import annotations

import hashlib
import json
import threading
import time
import warnings
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import msgspec

from rubrica.data.files import atomic_output
from rubrica.errors import DataWarning, OutputError, RubricaError
from rubrica.formatting.words import counted


class NoAnswerError(RubricaError):
    """The model is unavailable; further requests will fail too."""


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
    # JSON schema of the answer, for providers that hold a model to one; "" for free text.
    schema: str = ""

    def fields(self) -> dict[str, Any]:
        """Return the fields that identify the question; keys of older caches have no schema."""
        fields = asdict(self)
        return fields if self.schema else {k: v for k, v in fields.items() if k != "schema"}


@dataclass(frozen=True, slots=True)
class Answer:
    """The text, log-probabilities of what its first token could be, and the tokens it took.

    `counted` is false where the endpoint did not report the tokens; `cut` means that the answer hit the token limit;
    `milliseconds` is how long it took, retries included.
    """

    text: str
    first_token: Mapping[str, float] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    counted: bool = True
    cut: bool = False
    milliseconds: int = 0


class SpendingLimit(Protocol):
    """Refuses requests that would cost too much."""

    def reserve(self, question: Question) -> float:
        """Return the cost that the request may have at most, or raise `NoAnswerError`."""

    def settle(self, reserved: float, answer: Answer | None) -> None:
        """Replace the reservation by what the answer cost."""


class LanguageModel(Protocol):
    """Anything that answers questions."""

    def identity(self) -> str:
        """Return what identifies the model: equal identities give equal answers."""

    def ask(self, question: Question, stopped: threading.Event) -> Answer:
        """Return the answer, or raise `RefusedQuestionError` or `NoAnswerError`; stops waiting once `stopped` is set."""


@dataclass(frozen=True, slots=True)
class Prices:
    """The price of a million tokens of prompts and of answers; batches cost a `share` of it."""

    prompt: float
    answer: float
    share: float = 1.0

    def cost(self, prompt_tokens: float, answer_tokens: float) -> float:
        """Return what so many tokens cost."""
        return self.share * (prompt_tokens * self.prompt + answer_tokens * self.answer) / 1e6

    def note(self) -> str:
        """Return what to add to a cost: how much less batches cost."""
        return "" if self.share == 1 else f" ({100 * self.share:g} % of the price, as a batch)"


@dataclass(slots=True)
class Usage:
    """Number of answers requested and cached, and the tokens they took."""

    asked: int = 0
    from_cache: int = 0
    refused: int = 0
    uncounted: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    milliseconds: int = 0

    def add(self, answer: Answer) -> None:
        """Count one more answer."""
        self.asked += 1
        self.milliseconds += answer.milliseconds
        self.uncounted += not answer.counted
        self.prompt_tokens += answer.prompt_tokens
        self.completion_tokens += answer.completion_tokens

    def any(self) -> bool:
        """Return whether anything was counted."""
        return bool(self.asked or self.from_cache or self.refused)

    def describe(self, prices: Prices | None) -> str:
        """Return the usage as text; the cost is in the currency of the prices."""
        text = f"{counted(self.asked, 'answer')} requested, {self.from_cache:,} from the cache"
        if self.refused:
            text += f", {self.refused:,} refused"
        return f"{text}; {self._tokens(prices)}"

    def describe_answers(self, prices: Prices | None, *, timed: bool = True) -> str:
        """Return what the answers took, whenever they were asked for; the time only if it was measured."""
        seconds = f", {self.milliseconds / 1000:,.1f} s of model time" if timed else ""
        return f"{counted(self.asked, 'answer')}, {self._tokens(prices)}{seconds}"

    def _tokens(self, prices: Prices | None) -> str:
        text = f"{self.prompt_tokens:,} + {self.completion_tokens:,} tokens"
        if prices is not None:
            cost = prices.cost(self.prompt_tokens, self.completion_tokens)
            text += f", cost {cost:,.4f}{prices.note()}"
        if self.uncounted:
            text += f", without {self.uncounted:,} answers without a reported token count"
        return text


class AnswerCache:
    """A model with cached answers: the same question is asked once, in this run and in later ones."""

    def __init__(
        self, model: LanguageModel, folder: Path | None, limit: SpendingLimit | None = None
    ) -> None:
        self._model, self._folder, self.limit = model, folder, limit
        self.folder = folder
        self._memory: dict[str, Answer] = {}
        # Answers of batches that nobody took yet, and questions that a batch refused.
        self._fresh: set[str] = set()
        self._refused: dict[str, str] = {}
        # Batches that the provider works on.
        self.batches: list[str] = []
        self._under_way: dict[str, Future[Answer]] = {}
        self._lock = threading.Lock()
        # What this run asked for, and what all answers it used have taken, cached ones included.
        self.usage, self.used = Usage(), Usage()

    def ask(self, question: Question, stopped: threading.Event) -> Answer:
        """Return the cached answer, that of an equal pending question, or a new one."""
        key = self.key(question)
        with self._lock:
            known = self._memory.get(key)
            if known is None and key in self._refused:
                self.usage.refused += 1
                raise RefusedQuestionError(self._refused[key])
            if key in self._fresh:
                self._fresh.remove(key)
                return self._memory[key]
            mine: Future[Answer] = Future()
            pending = self._under_way.setdefault(key, mine) if known is None else None
        if known is None and pending is not mine:
            assert pending is not None
            known = pending.result()
        if known is not None:
            with self._lock:
                self.usage.from_cache += 1
            return known
        try:
            answer = self._load_or_ask(key, question, stopped)
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(answer)
        finally:
            with self._lock:
                del self._under_way[key]
        return answer

    def holds(self, question: Question) -> bool:
        """Return whether the answer is known and costs nothing."""
        return self.peek(self.key(question)) is not None

    def peek(self, key: str) -> Answer | None:
        """Return the cached answer to the question of this key, without counting it."""
        return self._memory.get(key) or self._read(key)

    def settled(self, key: str) -> bool:
        """Return whether nobody needs to ask this question: it is answered or refused."""
        return key in self._refused or self.peek(key) is not None

    def add(self, key: str, answer: Answer) -> None:
        """Store an answer that came in a batch."""
        with self._lock:
            self.usage.add(answer)
            self.used.add(answer)
            self._memory[key] = answer
            self._fresh.add(key)
        self._write(key, answer)

    def refuse(self, key: str, reason: str) -> None:
        """Remember that the question of this key has no answer, for this run."""
        self._refused[key] = reason

    def key(self, question: Question) -> str:
        """Return the name of a question: equal ones to the same model have the same."""
        identity = json.dumps([self._model.identity(), question.fields()], sort_keys=True)
        return hashlib.sha256(identity.encode()).hexdigest()

    def _load_or_ask(self, key: str, question: Question, stopped: threading.Event) -> Answer:
        """Return the answer from disk, or ask for it."""
        cached = self._read(key)
        if cached is not None:
            with self._lock:
                self.usage.from_cache += 1
                self.used.add(cached)
                self._memory[key] = cached
            return cached
        try:
            answer = self._ask(question, stopped)
        except RefusedQuestionError:
            with self._lock:
                self.usage.refused += 1
            raise
        except NoAnswerError as error:
            if self._folder is None or not self.usage.asked:
                raise
            raise type(error)(
                f"{error}. The answers so far are cached; the next run does not request them again"
            ) from error
        with self._lock:
            self.usage.add(answer)
            self.used.add(answer)
            self._memory[key] = answer
        self._write(key, answer)
        return answer

    def _ask(self, question: Question, stopped: threading.Event) -> Answer:
        reserved = self.limit.reserve(question) if self.limit is not None else 0.0
        answer = None
        started = time.monotonic()
        try:
            answer = self._model.ask(question, stopped)
            return replace(answer, milliseconds=round(1000 * (time.monotonic() - started)))
        finally:
            if self.limit is not None:
                self.limit.settle(reserved, answer)

    def _write(self, key: str, answer: Answer) -> None:
        if self._folder is None:
            return
        try:
            with atomic_output(_path(self._folder, key)) as stream:
                stream.write(json.dumps(asdict(answer)).encode())
        except (OutputError, OSError) as error:
            # A full or read-only disk slows down the next run, but must not stop this one.
            with self._lock:
                warned, self._folder = self._folder is None, None
            if not warned:
                warnings.warn(
                    f"cannot cache answers for later runs: {error}; use --cache-dir FOLDER for another folder, "
                    "--cache-dir off for none",
                    DataWarning,
                    stacklevel=2,
                )

    def _read(self, key: str) -> Answer | None:
        if self._folder is None:
            return None
        try:
            # json, since msgspec refuses lone surrogates.
            return msgspec.convert(json.loads(_path(self._folder, key).read_bytes()), Answer)
        except (OSError, ValueError):
            # Missing or invalid: ask again and overwrite it.
            return None


def _path(folder: Path, key: str) -> Path:
    return folder / key[:2] / f"{key}.json"
