"""A model behind an HTTP endpoint: retries with back-off, a rate limit, clear errors."""

from __future__ import annotations

import json
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from rubrica.errors import DataWarning, MissingResourceError
from rubrica.metrics.judge.answers import Answer, NoAnswerError, Question, RefusedQuestionError
from rubrica.metrics.judge.batches.base import BatchApi
from rubrica.metrics.judge.connection import BrokenConnectionError, Connection, Reply
from rubrica.metrics.judge.providers.base import Provider, ProviderOptions
from rubrica.metrics.judge.responses import Trouble, check_status, read_reply

# Longest back-off between attempts; an endpoint may ask for more, up to a limit.
_LONGEST_BACK_OFF = 60.0
_LONGEST_WAIT = 600.0

_T = TypeVar("_T")


class EndpointError(NoAnswerError):
    """The endpoint did not answer as it should; `status` is that of its reply, 0 if there was none."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class Endpoint(Provider):
    """The base of providers behind HTTP. A subclass defines the wire format.

    It defines `path`, `body` and `answer`, `headers` unless the key is a bearer token, and `merge` if
    it can stream.
    """

    base: ClassVar[str] = ""
    key_name: ClassVar[str] = ""
    # The batch API, where the provider has one.
    batches: ClassVar[type[BatchApi] | None] = None

    def __init__(self, model: str, options: ProviderOptions) -> None:
        super().__init__(model, options)
        base = (self.base if options.endpoint is None else options.endpoint).rstrip("/")
        path = self.path(base)
        self.key_variable = options.key_variable or self.key_name
        self._connection = Connection(
            base,
            path=self.stream_path(path) if options.stream else path,
            key_variable=self.key_variable,
            timeout=options.timeout,
        )
        self.url, self.host = base + path, self._connection.host
        self._retries, self._back_off = options.retries, options.back_off
        rate = options.requests_per_minute
        self._pause = 60.0 / rate if rate else 0.0
        # When the next request may be sent.
        self._next = 0.0
        self._warned_of_waiting = False
        self._lock = threading.Lock()

    def path(self, base: str) -> str:
        """Return the path to append to the base URL."""
        raise TypeError(f"{type(self).__name__} does not define path")

    def body(self, question: Question) -> dict[str, Any]:
        """Return the request; fields that are None are left out."""
        raise TypeError(f"{type(self).__name__} does not define body")

    def answer(self, content: Any, question: Question) -> Answer:
        """Return the answer of a reply; raise `Trouble`, or any `LookupError` or `TypeError` for a malformed one."""
        raise TypeError(f"{type(self).__name__} does not define answer")

    def merge(self, events: Sequence[Any]) -> Any:
        """Return the reply that streamed events add up to."""
        raise TypeError(f"{type(self).__name__} does not define merge")

    def batch_base(self) -> str:
        """Return the URL to which the paths of the batch API are appended."""
        return self._connection.base

    def stream_path(self, path: str) -> str:
        """Return the path that streams; that of plain requests by default."""
        return path

    def headers(self, key: str, body: bytes) -> dict[str, str]:
        """Return the headers that authorize a request."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def secrets(self) -> list[str]:
        """Return what must not appear in messages."""
        return [self._connection.key()]

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.Lock()

    def identity(self) -> str:
        """Endpoint and model."""
        return f"{self.url} {self.model}"

    def fields(self, question: Question) -> dict[str, Any]:
        """Return the request with the further fields that the question names."""
        return merge_fields(self.body(question), json.loads(question.request))

    def ask(self, question: Question, stopped: threading.Event) -> Answer:
        """Return the model's answer; retries if the endpoint is busy or the connection breaks."""
        body = json.dumps(self.fields(question)).encode()

        def attempt() -> Answer:
            reply = self._connection.post(body, self.headers(self._connection.key(), body))
            return read_reply(reply, lambda content: self.answer(content, question), self.merge)

        return self._with_retries(attempt, stopped)

    def send(
        self,
        url: str,
        body: bytes | None,
        stopped: threading.Event,
        *,
        headers: Mapping[str, str] | None = None,
        largest: int,
        repeatable: bool = True,
    ) -> Reply:
        """Return the reply to a request beside those for answers, with the key and with retries.

        One that is not `repeatable` is sent again only if the endpoint said that it did not accept it.
        """

        def attempt() -> Reply:
            key = self._connection.key()
            own = {**self.headers(key, body or b""), **(headers or {})}
            reply = self._connection.send(url, body, own, largest=largest)
            check_status(reply)
            return reply

        return self._with_retries(attempt, stopped, repeatable=repeatable)

    def _with_retries(
        self, attempt: Callable[[], _T], stopped: threading.Event, *, repeatable: bool = True
    ) -> _T:
        for number in range(self._retries + 1):
            self._wait_for_turn(stopped)
            if stopped.is_set():
                raise EndpointError(f"{self.url}: stopped")
            try:
                return attempt()
            except BrokenConnectionError as error:
                if not repeatable:
                    raise EndpointError(
                        f"{self.host}: {error}; the request may have been accepted, so it is not repeated"
                    ) from error
                trouble = Trouble(str(error), retry=True)
            except Trouble as error:
                trouble = error
            message = self._without_key(str(trouble))
            if not trouble.retry:
                raise self.refusal(trouble)
            if number < self._retries:
                self._wait(trouble, message, self._back_off * 2**number, stopped)
        raise EndpointError(
            f"{self.url}: no answer in {self._retries + 1} attempts; the last: {message}"
        )

    def refusal(self, trouble: Trouble) -> Exception:
        """Return the error of a request that is not repeated."""
        message = self._without_key(str(trouble))
        if trouble.status in (401, 403):
            return MissingResourceError(
                f"{self.host} refuses the key ({message}); put a valid key in ${self.key_variable}"
            )
        if trouble.of_question:
            return RefusedQuestionError(message)
        if trouble.status == 400:
            message += "; change a field of the request with --request NAME=VALUE (null omits it)"
        return EndpointError(f"{self.url}: {message}", trouble.status)

    def _wait(
        self, trouble: Trouble, message: str, back_off: float, stopped: threading.Event
    ) -> None:
        if trouble.wait > _LONGEST_WAIT:
            raise EndpointError(
                f"{self.url}: {message}; it asks to wait {trouble.wait:,.0f} seconds"
            )
        seconds = max(trouble.wait, min(_LONGEST_BACK_OFF, back_off))
        with self._lock:
            first, self._warned_of_waiting = not self._warned_of_waiting, True
            if trouble.busy:
                # Other requests would get the same reply.
                self._next = max(self._next, time.monotonic() + seconds)
        if first:
            warnings.warn(
                f"{self.host}: {message}; retrying in {seconds:g} s "
                f"(up to {self._retries} times; shown once)",
                DataWarning,
                stacklevel=2,
            )
        stopped.wait(seconds)

    def _wait_for_turn(self, stopped: threading.Event) -> None:
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            if self._pause:
                self._next = turn + self._pause
        if turn > now:
            stopped.wait(turn - now)

    def _without_key(self, text: str) -> str:
        """Remove secrets from a message: some endpoints repeat the key they refuse."""
        for secret in self.secrets():
            text = text.replace(secret, "***") if secret else text
        return text


def merge_fields(body: Mapping[str, Any], further: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request with further fields, objects field by field; fields that are None are left out."""
    merged = dict(body)
    for name, value in further.items():
        before = merged.get(name)
        both = isinstance(before, dict) and isinstance(value, dict)
        merged[name] = merge_fields(before, value) if both and before is not None else value
    return {
        name: merge_fields(value, {}) if isinstance(value, dict) else value
        for name, value in merged.items()
        if value is not None
    }
