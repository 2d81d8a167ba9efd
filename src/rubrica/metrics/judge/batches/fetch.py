"""Get answers by batches: submit what is missing, wait, collect; a stopped run goes on with its batches."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from rubrica.data.files import atomic_output
from rubrica.errors import DataWarning
from rubrica.metrics.judge.answers import Answer, AnswerCache, Question
from rubrica.metrics.judge.batches.base import BatchApi, Result
from rubrica.metrics.judge.budget import BudgetError
from rubrica.metrics.judge.connection import Reply
from rubrica.metrics.judge.endpoint import Endpoint, EndpointError
from rubrica.metrics.judge.responses import Trouble, read_reply
from rubrica.neural.progress import report


@dataclass(frozen=True, slots=True)
class _Batch:
    """A batch that the provider works on: its name, and the keys of its questions."""

    identity: str
    name: str
    keys: list[str]
    logprobs: bool

    def file(self, folder: Path) -> Path:
        digest = hashlib.sha256(f"{self.identity} {self.name}".encode()).hexdigest()
        return folder / f"{digest[:32]}.json"


class BatchFetcher:
    """Fetches answers into a cache. The names of batches are stored beside the answers until they are collected."""

    def __init__(self, endpoint: Endpoint, api: BatchApi, cache: AnswerCache, poll: float) -> None:
        assert cache.folder is not None
        self._endpoint, self._api, self._cache, self._poll = endpoint, api, cache, poll
        self._folder = cache.folder / "batches"
        self._stopped = threading.Event()
        # What requests may cost, until their answers arrive.
        self._reserved: dict[str, float] = {}
        # Why questions have no answer, and the first error that concerns all.
        self._unanswered: dict[str, str] = {}
        self._error: Exception | None = None

    def fetch(self, questions: Sequence[Question]) -> None:
        """Answer the questions that are not in the cache; raise `NoAnswerError` if some stay without an answer."""
        by_key = {self._cache.key(question): question for question in questions}
        for batch in self._stored():
            if any(key in by_key and not self._cache.settled(key) for key in batch.keys):
                self._cache.batches.append(batch.name)
                self._collect(batch)
        if self._error is not None:
            raise self._error
        # What an earlier batch left without an answer is asked again.
        self._unanswered.clear()
        missing = {key: q for key, q in by_key.items() if not self._cache.settled(key)}
        affordable, limit_reached = self._reserve(missing)
        batches = [self._submit(part) for part in self._parts(affordable)]
        for batch in batches:
            self._collect(batch)
        if self._error is not None:
            raise self._error
        if limit_reached is not None:
            raise limit_reached
        if self._unanswered:
            reason = next(iter(self._unanswered.values()))
            raise EndpointError(
                f"{self._endpoint.host}: {len(self._unanswered):,} of {len(affordable):,} questions of the batch "
                f"have no answer ({reason}). The other answers are cached; repeat the command to ask these again"
            )

    def _stored(self) -> Iterator[_Batch]:
        """Yield the batches of this model that were not collected yet."""
        for path in sorted(self._folder.glob("*.json")):
            with contextlib.suppress(OSError, ValueError):
                batch = msgspec.convert(json.loads(path.read_bytes()), _Batch)
                if batch.identity == self._endpoint.identity():
                    yield batch

    def _reserve(
        self, missing: Mapping[str, Question]
    ) -> tuple[dict[str, Question], BudgetError | None]:
        """Return the questions that the budget allows, and its error if it does not allow all."""
        allowed: dict[str, Question] = {}
        for key, question in missing.items():
            try:
                if self._cache.limit is not None:
                    self._reserved[key] = self._cache.limit.reserve(question)
            except BudgetError as error:
                return allowed, error
            allowed[key] = question
        return allowed, None

    def _parts(self, questions: Mapping[str, Question]) -> Iterator[dict[str, Question]]:
        """Yield the questions in parts that a batch can hold."""
        part: dict[str, Question] = {}
        size = 0
        for key, question in questions.items():
            own = self._api.size(self._endpoint.fields(question))
            if part and (size + own > self._api.most_bytes or len(part) >= self._api.most_requests):
                yield part
                part, size = {}, 0
            part[key] = question
            size += own
        if part:
            yield part

    def _submit(self, questions: Mapping[str, Question]) -> _Batch:
        name = self._api.submit({k: self._endpoint.fields(q) for k, q in questions.items()})
        logprobs = next(iter(questions.values())).logprobs
        batch = _Batch(self._endpoint.identity(), name, list(questions), logprobs)
        with atomic_output(batch.file(self._folder)) as stream:
            stream.write(json.dumps(asdict(batch)).encode())
        self._cache.batches.append(name)
        return batch

    def _collect(self, batch: _Batch) -> None:
        """Wait for a batch, and store its answers."""
        failure = self._wait(batch)
        results: dict[str, Result] = {}
        if failure is None:
            results.update(self._api.results(batch.name, batch.keys))
        elif failure:
            self._error = self._error or EndpointError(
                f"{self._endpoint.host}: the batch {batch.name} failed: {failure}"
            )
        for key in batch.keys:
            answer = self._take(key, results.get(key, "it is not among the results"), batch)
            if self._cache.limit is not None:
                self._cache.limit.settle(self._reserved.pop(key, 0.0), answer)
        batch.file(self._folder).unlink(missing_ok=True)
        self._cache.batches.remove(batch.name)

    def _wait(self, batch: _Batch) -> str | None:
        """Return once the batch has ended: None, why it failed, or "" if the provider does not know it."""
        while True:
            try:
                status = self._api.status(batch.name)
            except EndpointError as error:
                if error.status != 404:
                    raise
                warnings.warn(
                    f"{self._endpoint.host} does not know the batch {batch.name} any more; its questions are "
                    "asked again",
                    DataWarning,
                    stacklevel=2,
                )
                return ""
            report("answers of the batch", min(status.finished, len(batch.keys)), len(batch.keys))
            if status.ended:
                return status.failure or None
            self._stopped.wait(self._poll)

    def _take(self, key: str, result: Result, batch: _Batch) -> Answer | None:
        """Store the answer of a result; note why there is none."""
        if self._cache.settled(key):
            return None
        if not isinstance(result, Reply):
            self._unanswered[key] = result
            return None
        # Only `logprobs` matters for reading a reply.
        question = Question((), 1.0, 1.0, 1, 0, batch.logprobs)
        try:
            answer = read_reply(
                result,
                lambda content: self._endpoint.answer(content, question),
                self._endpoint.merge,
            )
        except Trouble as trouble:
            if trouble.of_question:
                self._cache.refuse(key, str(trouble))
            elif trouble.retry:
                self._unanswered[key] = str(trouble)
            else:
                self._error = self._error or self._endpoint.refusal(trouble)
            return None
        self._cache.add(key, answer)
        return answer
