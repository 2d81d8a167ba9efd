"""What an endpoint's reply says: an answer, or that it is busy, refuses the question, or is not to be had."""

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
_AGAIN = {*_BUSY, 408, 409, 425, *range(500, 600)}
# How providers say that it is the question they do not take: its length, or what it speaks of.
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
# A limit that waiting does not lift.
_FOR_GOOD = ("insufficient_quota", "credit balance")


class Trouble(Exception):
    """There is no answer. `again`: another attempt may bring one; `busy`: whoever else asks should wait too.

    `wait` is how many seconds the endpoint asks for, `of_question` that only this question is refused.
    """

    def __init__(
        self,
        told: str,
        *,
        status: int = 0,
        again: bool = False,
        busy: bool = False,
        wait: float = 0.0,
        of_question: bool = False,
    ) -> None:
        super().__init__(told)
        self.status, self.again, self.busy = status, again, busy
        self.wait, self.of_question = wait, of_question


def read_reply(reply: Reply, *, logprobs: bool) -> Answer:
    """The answer, or a `Trouble`."""
    if reply.status != 200:
        raise _refusal(reply.status, reply)
    try:
        made = json.loads(reply.content)
    except (ValueError, RecursionError) as error:
        # A page is no broken answer: the address is that of something else.
        page = reply.content.lstrip()[:1] == b"<"
        hint = "; is this the endpoint's base URL? It often ends in /v1" if page else ""
        told = f"the answer is not JSON: {_start(reply.content)}{hint}"
        raise Trouble(told, again=not page) from error
    if isinstance(made, dict) and made.get("error"):
        # Gateways report what happened behind them with status 200.
        code = made["error"].get("code") if isinstance(made["error"], dict) else None
        raise _refusal(code if isinstance(code, int) else 0, reply)
    return _answer(made, reply, logprobs)


def _answer(made: Any, reply: Reply, logprobs: bool) -> Answer:
    try:
        choice = made["choices"][0]
        text = choice["message"]["content"]
        if not (text is None or isinstance(text, str)):
            raise TypeError(text)
    except (KeyError, IndexError, TypeError) as error:
        told = f"the answer has no choices[0].message.content: {_start(reply.content)}"
        raise Trouble(told, again=True) from error
    first = _first_token(choice, reply) if logprobs else {}
    usage = made.get("usage")
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
        for one in choice["logprobs"]["content"][0]["top_logprobs"]:
            add_probability(first, str(one["token"]), float(one["logprob"]))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise Trouble(
            "the answer has no log-probabilities (choices[0].logprobs.content[0].top_logprobs); use "
            f"--scoring samples, or a model that gives them: {_start(reply.content)}"
        ) from error
    return first


def add_probability(first: dict[str, float], token: str, logprob: float) -> None:
    """Several tokens can be written alike; their probabilities add up. What is none is left out."""
    if not -math.inf < logprob <= 0:
        return
    before = first.get(token)
    first[token] = logprob if before is None else min(0.0, _log_sum(before, logprob))


def _log_sum(a: float, b: float) -> float:
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


def _refusal(status: int, reply: Reply) -> Trouble:
    content = reply.content.decode("utf-8", "replace")
    told = content
    try:
        error = json.loads(content)["error"]
        told = str(error["message"]) if isinstance(error, dict) else str(error)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    if 300 <= status < 400:
        told = f"redirects to {_header(reply, 'location')}; give that address"
    words = content[:10_000].lower()
    for_good = any(one in words for one in _FOR_GOOD)
    return Trouble(
        f"{status or 'error'} {printable(told.strip()[:300]) or http_reason(status)}",
        status=status,
        again=status in _AGAIN and not for_good,
        busy=status in _BUSY,
        wait=_asked_wait(_header(reply, "retry-after")),
        of_question=status in (400, 413, 422) and any(one in words for one in _OF_THE_QUESTION),
    )


def http_reason(status: int) -> str:
    """What a status means."""
    from http import HTTPStatus

    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "without a reason"


def _asked_wait(text: str) -> float:
    """Seconds of a Retry-After, which is a number or a date."""
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
