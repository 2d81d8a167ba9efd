"""Parse an endpoint's reply: an answer, or that it is busy, refuses the question, or is unavailable."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    # Gemini, Bedrock
    "exceeds the maximum number of tokens",
    "input is too long",
)
# Limits that waiting does not lift.
_FOR_GOOD = ("insufficient_quota", "credit balance")
# Errors inside a stream have a type and no status.
_STATUS = {"overloaded_error": 529, "rate_limit_error": 429, "api_error": 500, "server_error": 500}
# How Google says when to ask again.
_RETRY_DELAY = re.compile(r'"retryDelay":\s*"(\d{1,9}(?:\.\d{1,9})?)s"')


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


def read_reply(
    reply: Reply, answer: Callable[[Any], Answer], merge: Callable[[Sequence[Any]], Any]
) -> Answer:
    """Return the answer, or raise `Trouble`.

    `answer` reads the content of a whole reply; `merge` makes one of streamed events.
    """
    check_status(reply)
    events = _events(reply)
    for event in events:
        if isinstance(event, dict) and event.get("error"):
            # Gateways report upstream errors with status 200, streams in the middle of an answer.
            raise _refusal(_error_status(event["error"]), json.dumps(event).encode(), reply)
    try:
        content = merge(events) if _is_stream(reply) else events[0]
        return answer(content)
    except (LookupError, TypeError, AttributeError) as error:
        message = f"the answer is not of the expected form: {_start(reply.content)}"
        raise Trouble(message, retry=True) from error


def check_status(reply: Reply) -> None:
    """Raise `Trouble` unless the status is 200."""
    if reply.status != 200:
        raise _refusal(reply.status, reply.content, reply)


def _is_stream(reply: Reply) -> bool:
    kind = _header(reply, "content-type").partition(";")[0].strip().lower()
    return kind in ("text/event-stream", "application/x-ndjson")


def _events(reply: Reply) -> list[Any]:
    """Return the events of a stream, or the one value of a plain reply."""
    if not _is_stream(reply):
        return [parse_json(reply.content, reply)]
    lines = reply.content.splitlines()
    if "ndjson" not in _header(reply, "content-type").lower():
        lines = [line[5:] for line in lines if line.startswith(b"data:")]
    texts = [line.strip() for line in lines]
    return [parse_json(text, reply) for text in texts if text and text != b"[DONE]"]


def parse_json(content: bytes, reply: Reply) -> Any:
    """Return the value of the content; raise `Trouble` if it is not JSON."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        # A web page is not a broken answer: the address is wrong.
        page = reply.content.lstrip()[:1] == b"<"
        hint = "; is this the endpoint's base URL? It often ends in /v1" if page else ""
        message = f"the answer is not JSON: {_start(content)}{hint}"
        raise Trouble(message, retry=not page) from error


def _error_status(error: Any) -> int:
    """Return the status that an error inside a reply stands for; 0 if it is not known."""
    if not isinstance(error, dict):
        return 0
    code = error.get("code")
    return code if isinstance(code, int) else _STATUS.get(str(error.get("type")), 0)


def count_tokens(usage: Any, prompt: str, completion: str) -> tuple[int, int, bool]:
    """Return the tokens of prompt and answer under these names, and whether both were reported."""
    counts = [
        _count(usage.get(name)) if isinstance(usage, dict) else None
        for name in (prompt, completion)
    ]
    return counts[0] or 0, counts[1] or 0, None not in counts


def first_token_probabilities(
    tokens: Callable[[], Iterable[tuple[Any, Any]]], place: str, content: Any
) -> dict[str, float]:
    """Return the log-probabilities of what the first token could be; raise `Trouble` if the reply has none."""
    first: dict[str, float] = {}
    try:
        for token, logprob in tokens():
            add_probability(first, str(token), float(logprob))
    except (LookupError, TypeError, ValueError) as error:
        raise Trouble(
            f"the answer has no log-probabilities ({place}); use --scoring samples, or a model that "
            f"gives them: {_start(json.dumps(content).encode())}"
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


def _refusal(status: int, content: bytes, reply: Reply) -> Trouble:
    text = content.decode("utf-8", "replace")
    message = _error_message(text)
    if 300 <= status < 400:
        message = f"redirects to {_header(reply, 'location')}; use that address"
    words = text[:10_000].lower()
    for_good = any(phrase in words for phrase in _FOR_GOOD)
    delay = _RETRY_DELAY.search(text[:10_000])
    return Trouble(
        f"{status or 'error'} {printable(message.strip()[:300]) or http_reason(status)}",
        status=status,
        retry=status in _RETRIED and not for_good,
        busy=status in _BUSY,
        wait=max(_retry_after(_header(reply, "retry-after")), float(delay[1]) if delay else 0.0),
        of_question=status in (400, 413, 422)
        and any(phrase in words for phrase in _OF_THE_QUESTION),
    )


def _error_message(text: str) -> str:
    """Return the message of an error: {"error": {"message": ...}}, {"error": ...}, {"message": ...}, or in a list."""
    try:
        content = json.loads(text)
        content = content[0] if isinstance(content, list) else content
        error = content.get("error", content.get("message"))
        if error is None:
            return text
        return str(error["message"]) if isinstance(error, dict) else str(error)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return text


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
        # Python also takes 1_0 for 10.
        seconds = float(text.replace("_", "x"))
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, OverflowError):
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
