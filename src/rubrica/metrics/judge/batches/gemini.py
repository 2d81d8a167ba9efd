"""Batches of the Gemini API, with the requests inside of the batch."""

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
    short,
)

_ENDED = ("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED")
# HTTP status of the codes of google.rpc.Status.
_STATUS = {3: 400, 5: 404, 7: 403, 8: 429, 11: 400, 14: 503, 16: 401}


class GeminiBatches(BatchApi):
    """`POST BASE/models/MODEL:batchGenerateContent`, `GET BASE/batches/ID`."""

    most_requests = 10_000
    # Batches with the requests inside may have 20 MB.
    most_bytes = 18_000_000

    def submit(self, requests: Mapping[str, Any]) -> str:
        """Create a batch with all requests."""
        listed = [{"request": body, "metadata": {"key": key}} for key, body in requests.items()]
        config = {"display_name": "rubrica", "input_config": {"requests": {"requests": listed}}}
        path = self._endpoint.path("").replace(":generateContent", ":batchGenerateContent")
        return self._name(self._post(path, json.dumps({"batch": config}).encode()), "name")

    def status(self, batch: str) -> BatchStatus:
        """Return how far a batch is."""
        content = self._batch(batch)
        about = _object(content.get("metadata"))
        # BATCH_STATE_SUCCEEDED, or JOB_STATE_SUCCEEDED.
        state = str(about.get("state") or content.get("state")).rpartition("_STATE_")[2]
        counts = _object(about.get("batchStats"))
        done = sum(
            int(number)
            for name in ("successfulRequestCount", "failedRequestCount")
            if (number := str(counts.get(name, 0))).isdecimal() and len(number) < 10
        )
        failure = ""
        if state == "FAILED" or content.get("error"):
            error = _object(content.get("error"))
            failure = short(error.get("message") or "the provider gives no reason")
        return BatchStatus(bool(content.get("done")) or state in _ENDED, done, failure)

    def results(self, batch: str, keys: Sequence[str]) -> Iterator[tuple[str, Result]]:
        """Yield the responses; those without their key are in the order of the requests."""
        content = self._batch(batch)
        output = _object(content.get("response")) or _object(
            _object(content.get("metadata")).get("output")
        )
        responses = output.get("inlinedResponses")
        if isinstance(responses, dict):
            responses = responses.get("inlinedResponses")
        items = responses if isinstance(responses, list) else []
        for at, item in enumerate(items):
            item = _object(item)
            key = _object(item.get("metadata")).get("key")
            if key is None and len(items) == len(keys):
                key = keys[at]
            yield str(key), _result(item)

    def _batch(self, batch: str) -> Any:
        return self._content(self._get(f"/batches/{path_part(batch.removeprefix('batches/'))}"))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _result(item: Mapping[str, Any]) -> Result:
    if isinstance(item.get("response"), dict):
        return json_reply(200, item["response"])
    error = _object(item.get("error"))
    code = error.get("code")
    number = code if isinstance(code, int) else 13
    return json_reply(number if number >= 400 else _STATUS.get(number, 500), {"error": error})
