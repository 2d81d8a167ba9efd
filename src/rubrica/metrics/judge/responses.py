"""Parse an endpoint's reply: an answer, or that it is busy, refuses the question, or is unavailable."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from rubrica.errors import printable
from rubrica.metrics.judge.answers import Answer
from rubrica.metrics.judge.connection import Reply

_BUSY = {429, 503, 529}
_RETRIED = {*_BUSY, 408, 409, 425, *range(500, 600)}
# How providers say that they refuse this question, because of its length or content.
_OF_THE_QUESTION = (
    "context_length",
    "context length",
    "context window",
    "maximum input",
    "prompt is too long",
    "content_filter",
    "content management policy",
    "content_policy",
)
# Limits that waiting does not lift.
_FOR_GOOD = ("insufficient_quota", "credit balance")


class Trouble(Exception):
    """There is no answer. `retry`: another attempt may succeed; `busy`: other requests should wait too.

    `wait`: seconds the endpoint asks to wait; `of_question`: only this question is refused.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        retry: bool = False,
        busy: bool = False,
        wait: float = 0.0,
        of_question: bool = False,
    ) -> None:
        super().__init__(message)
        self.status, self.retry, self.busy = status, retry, busy
        self.wait, self.of_question = wait, of_question


def read_reply(reply: Reply, *, logprobs: bool) -> Answer:
    """Return the answer, or raise `Trouble`."""
    if reply.status != 200:
        raise _refusal(reply.status, reply)
    try:
        content = json.loads(reply.content)
    except (ValueError, RecursionError) as error:
        # A web page is not a broken answer: the address is wrong.
        page = reply.content.lstrip()[:1] == b"<"
        hint = "; is this the endpoint's base URL? It often ends in /v1" if page else ""
        message = f"the answer is not JSON: {_start(reply.content)}{hint}"
        raise Trouble(message, retry=not page) from error
    if isinstance(content, dict) and content.get("error"):
        # Gateways report upstream errors with status 200.
        code = content["error"].get("code") if isinstance(content["error"], dict) else None
        raise _refusal(code if isinstance(code, int) else 0, reply)
    return _answer(content, reply, logprobs)


def _answer(content: Any, reply: Reply, logprobs: bool) -> Answer:
    try:
        choice = content["choices"][0]
        text = choice["message"]["content"]
        if not (text is None or isinstance(text, str)):
            raise TypeError(text)
    except (KeyError, IndexError, TypeError) as error:
        message = f"the answer has no choices[0].message.content: {_start(reply.content)}"
        raise Trouble(message, retry=True) from error
    first = _first_token(choice, reply) if logprobs else {}
    usage = content.get("usage")
    prompt, completion = (
        _count(usage.get(name)) if isinstance(usage, dict) else None
        for name in ("prompt_tokens", "completion_tokens")
    )
    return Answer(
        text or "",
        first,
        prompt or 0,
        completion or 0,
        counted=prompt is not None and completion is not None,
        cut=choice.get("finish_reason") == "length" and not logprobs,
    )


def _first_token(choice: Any, reply: Reply) -> dict[str, float]:
    first: dict[str, float] = {}
    try:
        for token in choice["logprobs"]["content"][0]["top_logprobs"]:
            add_probability(first, str(token["token"]), float(token["logprob"]))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise Trouble(
            "the answer has no log-probabilities (choices[0].logprobs.content[0].top_logprobs); use "
            f"--scoring samples, or a model that gives them: {_start(reply.content)}"
        ) from error
    return first


def add_probability(first: dict[str, float], token: str, logprob: float) -> None:
    """Add a token's probability; tokens with the same text add up, invalid values are skipped."""
    if not -math.inf < logprob <= 0:
        return
    before = first.get(token)
    first[token] = logprob if before is None else min(0.0, _log_sum(before, logprob))


def _log_sum(a: float, b: float) -> float:
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


def _refusal(status: int, reply: Reply) -> Trouble:
    content = reply.content.decode("utf-8", "replace")
    message = content
    try:
        error = json.loads(content)["error"]
        message = str(error["message"]) if isinstance(error, dict) else str(error)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    if 300 <= status < 400:
        message = f"redirects to {_header(reply, 'location')}; use that address"
    words = content[:10_000].lower()
    for_good = any(phrase in words for phrase in _FOR_GOOD)
    return Trouble(
        f"{status or 'error'} {printable(message.strip()[:300]) or http_reason(status)}",
        status=status,
        retry=status in _RETRIED and not for_good,
        busy=status in _BUSY,
        wait=_retry_after(_header(reply, "retry-after")),
        of_question=status in (400, 413, 422)
        and any(phrase in words for phrase in _OF_THE_QUESTION),
    )


def http_reason(status: int) -> str:
    """Return the meaning of a status code."""
    from http import HTTPStatus

    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "without a reason"


def _retry_after(text: str) -> float:
    """Return the seconds of a Retry-After header, which is a number or a date."""
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time.time()
        except ValueError:
            return 0.0
    return seconds if seconds > 0 else 0.0


def _header(reply: Reply, name: str) -> str:
    lowered: Mapping[str, str] = {key.lower(): value for key, value in reply.headers.items()}
    return printable(lowered.get(name, "")[:300])


def _count(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and value >= 0 else None


def _start(content: bytes) -> str:
    return printable(content[:300].decode("utf-8", "replace").strip()) or "nothing at all"
