"""A model behind an OpenAI-compatible endpoint: retries with back-off, a rate limit, clear errors."""

from __future__ import annotations

import http.client
import json
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from rubrica.errors import MissingResourceError, ParameterError, RubricaError, printable
from rubrica.metrics.judge.answers import Answer, Question

_TOP = 20
_LONGEST_WAIT = 60.0
_LARGEST_ANSWER = 1 << 24
_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 529}


class EndpointError(RubricaError):
    """The endpoint did not answer as it should."""


class Endpoint:
    """`POST BASE/chat/completions`.

    A key is read from the environment and sent only over https or to this machine.
    """

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
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ParameterError(
                f"an endpoint is a URL such as http://127.0.0.1:8000/v1, not {base!r}"
            )
        self.url, self.model = base.rstrip("/") + "/chat/completions", model
        self.host = parts.hostname
        self._private = parts.scheme == "https" or parts.hostname in (
            "127.0.0.1",
            "localhost",
            "::1",
        )
        self._key_variable = key_variable
        self._retries, self._back_off, self._timeout = retries, back_off, timeout
        self._pause = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._next = 0.0
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.Lock()

    def identity(self) -> str:
        """Endpoint and model."""
        return f"{self.url} {self.model}"

    def ask(self, question: Question) -> Answer:
        """The model's answer; tries again when the endpoint is busy or the connection breaks."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in question.messages],
            "temperature": question.temperature,
            "top_p": question.top_p,
            "max_tokens": question.max_tokens,
            "seed": question.seed,
        }
        if question.logprobs:
            body |= {"logprobs": True, "top_logprobs": _TOP}
        trouble = ""
        for attempt in range(self._retries + 1):
            self._wait_for_turn()
            try:
                return _answer(self._post(body), question.logprobs)
            except urllib.error.HTTPError as error:
                trouble = f"{error.code} {_told(error)}"
                if error.code in (401, 403):
                    raise MissingResourceError(
                        f"{self.host} refuses the key ({trouble}); put it into ${self._key_variable}"
                    ) from error
                if error.code not in _AGAIN:
                    raise EndpointError(f"{self.url}: {trouble}") from error
                self._sleep(attempt, error.headers)
            except (OSError, http.client.HTTPException) as error:
                trouble = str(getattr(error, "reason", None) or error or type(error).__name__)
                self._sleep(attempt, {})
        raise EndpointError(
            f"{self.url}: no answer in {self._retries + 1} attempts; the last: {trouble}. Finished rows "
            "and answers are kept"
        )

    def _post(self, body: dict[str, Any]) -> Any:
        request = urllib.request.Request(
            self.url,
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "User-Agent": "rubrica"},
        )
        key = os.environ.get(self._key_variable)
        if key:
            if not self._private:
                raise ParameterError(
                    f"the key of ${self._key_variable} is not sent over plain http to {self.host}; use https"
                )
            # Not passed on when the endpoint redirects.
            request.add_unredirected_header("Authorization", f"Bearer {key}")
        with urllib.request.urlopen(request, timeout=self._timeout) as answer:
            content = answer.read(_LARGEST_ANSWER + 1)
        if len(content) > _LARGEST_ANSWER:
            raise EndpointError(
                f"{self.url}: the answer is larger than {_LARGEST_ANSWER >> 20} MiB"
            )
        try:
            return json.loads(content)
        except ValueError as error:
            raise EndpointError(f"{self.url}: the answer is not JSON: {content[:200]!r}") from error

    def _wait_for_turn(self) -> None:
        if not self._pause:
            return
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._pause
        time.sleep(max(0.0, turn - now))

    def _sleep(self, attempt: int, headers: Any) -> None:
        if attempt >= self._retries:
            return
        try:
            asked = float(headers.get("Retry-After", 0))
        except (TypeError, ValueError):
            asked = 0.0
        time.sleep(min(_LONGEST_WAIT, max(asked, self._back_off * 2**attempt)))


def _answer(made: Any, logprobs: bool) -> Answer:
    try:
        choice = made["choices"][0]
        text = choice["message"]["content"] or ""
        first: dict[str, float] = {}
        if logprobs:
            listed = choice["logprobs"]["content"][0]["top_logprobs"]
            first = {str(one["token"]): float(one["logprob"]) for one in listed}
    except (KeyError, IndexError, TypeError, ValueError) as error:
        wanted = "choices[0] with logprobs" if logprobs else "choices[0].message.content"
        raise EndpointError(
            f"the endpoint's answer has no {wanted}: {printable(json.dumps(made)[:300])}"
        ) from error
    usage: Mapping[str, Any] = made.get("usage") or {}
    return Answer(
        str(text),
        first,
        int(usage.get("prompt_tokens") or 0),
        int(usage.get("completion_tokens") or 0),
    )


def _told(error: urllib.error.HTTPError) -> str:
    """What the endpoint says of its refusal."""
    try:
        content = error.read(4096).decode("utf-8", "replace")
    except OSError:
        content = ""
    try:
        told = json.loads(content)["error"]
        content = told["message"] if isinstance(told, dict) else str(told)
    except (ValueError, KeyError, TypeError):
        pass
    return printable(content.strip()[:300] or error.reason)
