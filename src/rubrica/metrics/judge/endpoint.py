"""A model behind an OpenAI-compatible endpoint: retries with back-off, a rate limit, clear errors."""

from __future__ import annotations

import json
import threading
import time
import warnings
from typing import Any

from rubrica.errors import DataWarning, MissingResourceError
from rubrica.metrics.judge.answers import Answer, NoAnswerError, Question, RefusedQuestionError
from rubrica.metrics.judge.connection import BrokenConnectionError, Connection
from rubrica.metrics.judge.responses import Trouble, read_reply

_TOP = 20
# Longest back-off between attempts; an endpoint may ask for more, up to a limit.
_LONGEST_BACK_OFF = 60.0
_LONGEST_WAIT = 600.0


class EndpointError(NoAnswerError):
    """The endpoint did not answer as it should."""


class Endpoint:
    """`POST BASE/chat/completions`."""

    def __init__(
        self,
        base: str,
        model: str,
        *,
        key_variable: str,
        retries: int,
        back_off: float,
        requests_per_minute: float | None,
        timeout: float,
    ) -> None:
        plain = base.rstrip("/")
        address = plain if plain.endswith("/chat/completions") else plain + "/chat/completions"
        self._connection = Connection(address, key_variable=key_variable, timeout=timeout)
        self.url, self.host, self.model = address, self._connection.host, model
        self._key_variable = key_variable
        self._retries, self._back_off = retries, back_off
        self._pause = 60.0 / requests_per_minute if requests_per_minute else 0.0
        # When the next request may be sent.
        self._next = 0.0
        self._warned_of_waiting = False
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.Lock()

    def identity(self) -> str:
        """Endpoint and model."""
        return f"{self.url} {self.model}"

    def ask(self, question: Question, stopped: threading.Event) -> Answer:
        """Return the model's answer; retries if the endpoint is busy or the connection breaks."""
        body = json.dumps(request_body(self.model, question)).encode()
        for attempt in range(self._retries + 1):
            self._wait_for_turn(stopped)
            if stopped.is_set():
                raise EndpointError(f"{self.url}: stopped")
            try:
                return read_reply(self._connection.post(body), logprobs=question.logprobs)
            except BrokenConnectionError as error:
                trouble = Trouble(str(error), retry=True)
            except Trouble as error:
                trouble = error
            message = self._without_key(str(trouble))
            if not trouble.retry:
                raise self._refusal(trouble, message)
            if attempt < self._retries:
                self._wait(trouble, message, self._back_off * 2**attempt, stopped)
        raise EndpointError(
            f"{self.url}: no answer in {self._retries + 1} attempts; the last: {message}"
        )

    def _refusal(self, trouble: Trouble, message: str) -> Exception:
        if trouble.status in (401, 403):
            return MissingResourceError(
                f"{self.host} refuses the key ({message}); put it into ${self._key_variable}"
            )
        if trouble.of_question:
            return RefusedQuestionError(message)
        if trouble.status == 400:
            message += "; change a field of the request with --request NAME=VALUE (null omits it)"
        return EndpointError(f"{self.url}: {message}")

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
                f"{self.host}: {message}; retrying after {seconds:g} seconds "
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
        """Remove the key from a message: some endpoints repeat the key they refuse."""
        key = self._connection.key()
        return text.replace(key, "***") if key else text


def request_body(model: str, question: Question) -> dict[str, Any]:
    """Return the request body for a question; omits fields that are null."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": role, "content": text} for role, text in question.messages],
        "temperature": question.temperature,
        "top_p": question.top_p,
        "max_tokens": question.max_tokens,
        "seed": question.seed,
    }
    if question.logprobs:
        body |= {"logprobs": True, "top_logprobs": _TOP}
    body |= json.loads(question.request)
    return {name: value for name, value in body.items() if value is not None}
