"""What the batch API of a provider does: submit requests, report progress, return results."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias
from urllib.parse import quote

from rubrica.errors import printable
from rubrica.metrics.judge.connection import Reply
from rubrica.metrics.judge.responses import Trouble, parse_json

if TYPE_CHECKING:
    from rubrica.metrics.judge.endpoint import Endpoint

_LARGEST_REPLY = 1 << 30
# The reply to one request of a batch, or why there is none.
Result: TypeAlias = Reply | str


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """Whether a batch has ended, how many of its requests have, and why it failed as a whole."""

    ended: bool
    finished: int = 0
    failure: str = ""


class BatchApi:
    """The batch API behind an endpoint. Requests have keys, which the results repeat."""

    # What a token of a batch costs, as a share of its usual price.
    price_share: ClassVar[float] = 0.5
    most_requests: ClassVar[int]
    most_bytes: ClassVar[int]

    def __init__(self, endpoint: Endpoint, stopped: threading.Event) -> None:
        self._endpoint, self._stopped = endpoint, stopped

    def submit(self, requests: Mapping[str, Any]) -> str:
        """Submit requests by their keys; return the name of the batch."""
        raise TypeError(f"{type(self).__name__} does not define submit")

    def status(self, batch: str) -> BatchStatus:
        """Return how far a batch is; raise `EndpointError` with status 404 if the provider does not know it."""
        raise TypeError(f"{type(self).__name__} does not define status")

    def results(self, batch: str, keys: Sequence[str]) -> Iterator[tuple[str, Result]]:
        """Yield the results of an ended batch by key; `keys` are those of its requests, in order."""
        raise TypeError(f"{type(self).__name__} does not define results")

    def size(self, request: Any) -> int:
        """Return the bytes that a request takes in a batch, at most."""
        return len(json.dumps(request)) + 300

    def _get(self, path: str) -> Reply:
        return self._endpoint.send(self._url(path), None, self._stopped, largest=_LARGEST_REPLY)

    def _post(
        self,
        path: str,
        body: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        repeatable: bool = False,
    ) -> Any:
        reply = self._endpoint.send(
            self._url(path),
            body,
            self._stopped,
            headers=headers,
            largest=_LARGEST_REPLY,
            repeatable=repeatable,
        )
        return self._content(reply)

    def _content(self, reply: Reply) -> Any:
        """Return the JSON object of a reply."""
        try:
            content = parse_json(reply.content, reply)
        except Trouble as error:
            raise self._endpoint.refusal(error) from error
        if not isinstance(content, dict):
            raise self._endpoint.refusal(Trouble("the answer is not a JSON object"))
        return content

    def _name(self, content: Any, field: str) -> str:
        """Return the name that a reply gives to a file or batch."""
        name = content.get(field)
        if not isinstance(name, str) or not name:
            raise self._endpoint.refusal(Trouble(f"the answer has no {field}"))
        return name

    def _url(self, path: str) -> str:
        return self._endpoint.batch_base() + path


def path_part(name: str) -> str:
    """Return a name that came from outside as one part of a path."""
    return quote(name, safe="") if name not in (".", "..") else "-"


def read_lines(reply: Reply) -> Iterator[dict[str, Any]]:
    """Yield the objects of JSON lines; other lines are skipped: their requests have no answer."""
    for line in reply.content.splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def json_reply(status: Any, content: Any) -> Reply:
    """Return the reply that a request would have had by itself."""
    number = status if isinstance(status, int) and not isinstance(status, bool) else 500
    return Reply(number, {}, json.dumps(content).encode())


def short(text: Any) -> str:
    """Return the beginning of a text from outside."""
    return printable(str(text)[:300])
