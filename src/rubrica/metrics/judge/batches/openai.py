"""Batches of OpenAI and compatible servers: a file of requests, a batch, a file of results."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rubrica.metrics.judge.batches.base import (
    BatchApi,
    BatchStatus,
    Result,
    json_reply,
    path_part,
    read_lines,
    short,
)

_ENDED = ("completed", "failed", "expired", "cancelled")


class OpenAIBatches(BatchApi):
    """`POST BASE/files`, `POST BASE/batches`, `GET BASE/batches/ID`, `GET BASE/files/ID/content`."""

    most_requests = 50_000
    # Half of what is allowed: an upload must end before the timeout.
    most_bytes = 100_000_000

    def submit(self, requests: Mapping[str, Any]) -> str:
        """Upload the requests as a file, and create its batch."""
        target = "/v1/chat/completions"
        lines = [
            json.dumps({"custom_id": key, "method": "POST", "url": target, "body": body})
            for key, body in requests.items()
        ]
        form, kind = _form({"purpose": "batch"}, "\n".join([*lines, ""]).encode())
        file = self._name(self._post("/files", form, {"Content-Type": kind}, repeatable=True), "id")
        batch = {"input_file_id": file, "endpoint": target, "completion_window": "24h"}
        return self._name(self._post("/batches", json.dumps(batch).encode()), "id")

    def status(self, batch: str) -> BatchStatus:
        """Return how far a batch is."""
        content = self._batch(batch)
        counts = content.get("request_counts")
        finished = counts.get("completed") if isinstance(counts, dict) else 0
        status = content.get("status")
        failure = _failure(content) if status == "failed" else ""
        number = finished if isinstance(finished, int) else 0
        return BatchStatus(status in _ENDED, number, failure)

    def results(self, batch: str, keys: Sequence[str]) -> Iterator[tuple[str, Result]]:
        """Yield the lines of both files: of results and of errors."""
        content = self._batch(batch)
        for field in ("output_file_id", "error_file_id"):
            file = content.get(field)
            if isinstance(file, str) and file:
                for line in read_lines(self._get(f"/files/{path_part(file)}/content")):
                    yield str(line.get("custom_id")), _result(line)

    def _batch(self, batch: str) -> Any:
        return self._content(self._get(f"/batches/{path_part(batch)}"))


def _result(line: Mapping[str, Any]) -> Result:
    response = line.get("response")
    if isinstance(response, dict):
        return json_reply(response.get("status_code"), response.get("body"))
    error = line.get("error")
    return short(error.get("message") or error.get("code") if isinstance(error, dict) else error)


def _failure(content: Mapping[str, Any]) -> str:
    errors = content.get("errors")
    listed = errors.get("data") if isinstance(errors, dict) else None
    first = listed[0] if isinstance(listed, list) and listed else {}
    message = first.get("message") if isinstance(first, dict) else None
    return short(message or "the provider gives no reason")


def _form(fields: Mapping[str, str], file: bytes) -> tuple[bytes, str]:
    """Return a form with a file, and its content type."""
    boundary = secrets.token_hex(16)
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    parts.append(
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="batch.jsonl"\r\n'
        "Content-Type: application/jsonl\r\n\r\n"
    )
    body = "".join(parts).encode() + file + f"\r\n--{boundary}--\r\n".encode()
    return body, f"multipart/form-data; boundary={boundary}"
