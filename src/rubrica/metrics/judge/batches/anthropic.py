"""Message batches of Anthropic."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rubrica.metrics.judge.batches.base import (
    BatchApi,
    BatchStatus,
    Result,
    json_reply,
    path_part,
    read_lines,
)

# The status that an error's type has outside of batches.
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}


class AnthropicBatches(BatchApi):
    """`POST BASE/messages/batches`, `GET .../ID`, `GET .../ID/results`."""

    most_requests = 100_000
    # Less than is allowed: an upload must end before the timeout.
    most_bytes = 100_000_000

    def submit(self, requests: Mapping[str, Any]) -> str:
        """Create a batch with all requests."""
        listed = [{"custom_id": key, "params": body} for key, body in requests.items()]
        content = self._post("/messages/batches", json.dumps({"requests": listed}).encode())
        return self._name(content, "id")

    def status(self, batch: str) -> BatchStatus:
        """Return how far a batch is."""
        content = self._content(self._get(f"/messages/batches/{path_part(batch)}"))
        counts = content.get("request_counts")
        counts = counts if isinstance(counts, dict) else {}
        numbers = [n for name, n in counts.items() if name != "processing" and isinstance(n, int)]
        return BatchStatus(content.get("processing_status") == "ended", sum(numbers))

    def results(self, batch: str, keys: Sequence[str]) -> Iterator[tuple[str, Result]]:
        """Yield the results, which come in any order.

        The address is built here: the key is not sent to one that a reply names.
        """
        reply = self._get(f"/messages/batches/{path_part(batch)}/results")
        for line in read_lines(reply):
            result = line.get("result")
            if isinstance(result, dict):
                yield str(line.get("custom_id")), _result(result)


def _result(result: Mapping[str, Any]) -> Result:
    kind = result.get("type")
    if kind == "succeeded":
        return json_reply(200, result.get("message"))
    if kind != "errored":
        # Expired or cancelled.
        return str(kind)
    content = result.get("error")
    error = content.get("error") if isinstance(content, dict) else None
    name = error.get("type") if isinstance(error, dict) else None
    return json_reply(_STATUS.get(str(name), 500), content)
