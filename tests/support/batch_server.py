"""A provider's batch API as its documentation describes it: batches end after some requests for their state."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support.judge_replies import PLAIN

# What happens to a request: its answer, or "expired", "broken" (an error of the server), "long" (refused) or
# "missing" (not among the results).
Outcome = Callable[[dict[str, Any]], str]


class BatchServer:
    """Speaks one wire format; `polls` requests for the state come before the end."""

    def __init__(self, wire: str, outcome: Outcome, polls: int = 1) -> None:
        self.wire, self.outcome, self.polls = wire, outcome, polls
        # The requests of each batch by key, and what the server was asked for: method and path.
        self.batches: dict[str, dict[str, Any]] = {}
        self.calls: list[str] = []
        self.headers: list[Mapping[str, str]] = []
        # A status that the next creations of batches are answered with, and why batches fail.
        self.refusals: list[int] = []
        self.failure = ""
        # Statuses that the next requests for a state are answered with, and whether Gemini repeats keys.
        self.lost: list[int] = []
        self.repeats_keys = True
        self._files: dict[str, bytes] = {}
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self._reply(self.rfile.read(int(self.headers["Content-Length"])))

            def do_GET(self) -> None:
                self._reply(b"")

            def _reply(self, body: bytes) -> None:
                owner.calls.append(f"{self.command} {self.path}")
                owner.headers.append({name.lower(): text for name, text in self.headers.items()})
                status, content = owner.answer(self.command, self.path.removeprefix("/v1"), body)
                raw = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Answer no more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        """Return the status and content of a reply."""
        if method == "POST" and not path.endswith("/files") and self.refusals:
            return self.refusals.pop(0), {"error": {"message": "not now"}}
        if method == "POST" and path.endswith("/files"):
            name = f"file-{len(self._files)}"
            self._files[name] = body
            return 200, {"id": name, "object": "file", "purpose": "batch"}
        if method == "POST":
            name = f"batch_{len(self.batches)}"
            self.batches[name] = self._requests(json.loads(body))
            return 200, self._state(name)
        parts = path.strip("/").split("/")
        if parts[0] == "files":
            return 200, self._file(parts[1])
        name = parts[2] if self.wire == "anthropic" else parts[1]
        if name not in self.batches:
            return 404, {"error": {"message": f"no batch {name}"}}
        if parts[-1] == "results":
            return 200, self._lines(name)
        if self.lost:
            return self.lost.pop(0), {"error": {"message": "no state"}}
        self.polls -= 1
        return 200, self._state(name)

    def _requests(self, content: Any) -> dict[str, Any]:
        if self.wire == "anthropic":
            return {item["custom_id"]: item["params"] for item in content["requests"]}
        if self.wire == "gemini":
            listed = content["batch"]["input_config"]["requests"]["requests"]
            return {item["metadata"]["key"]: item["request"] for item in listed}
        assert content["endpoint"] == "/v1/chat/completions"
        assert content["completion_window"] == "24h"
        upload = self._files[content["input_file_id"]]
        lines = [json.loads(line) for line in upload.splitlines() if line.startswith(b'{"')]
        assert all((line["method"], line["url"]) == ("POST", content["endpoint"]) for line in lines)
        return {line["custom_id"]: line["body"] for line in lines}

    def _state(self, name: str) -> dict[str, Any]:
        ended = self.polls <= 0
        if self.wire == "anthropic":
            counts = {"processing": 0, "succeeded": len(self.batches[name]), "errored": 0}
            # An address that must not be used: the key would go there.
            results = "http://127.0.0.1:9/stolen" if ended else None
            status = "ended" if ended else "in_progress"
            return {
                "id": name,
                "processing_status": status,
                "request_counts": counts,
                "results_url": results,
            }
        if self.wire == "gemini":
            return self._operation(name, ended)
        status = ("failed" if self.failure else "completed") if ended else "in_progress"
        errors = {"data": [{"code": "invalid", "message": self.failure}]} if self.failure else None
        files = {"output_file_id": f"{name}-out", "error_file_id": f"{name}-errors"}
        return {"id": name, "status": status, "errors": errors, **(files if ended else {})}

    def _operation(self, name: str, ended: bool) -> dict[str, Any]:
        state = "BATCH_STATE_SUCCEEDED" if ended else "BATCH_STATE_RUNNING"
        if ended and self.failure:
            error = {"code": 3, "message": self.failure}
            about = {"state": "BATCH_STATE_FAILED"}
            return {"name": f"batches/{name}", "metadata": about, "done": True, "error": error}
        content: dict[str, Any] = {"name": f"batches/{name}", "metadata": {"state": state}}
        if ended:
            items = [_gemini(self.outcome(body), key) for key, body in self.batches[name].items()]
            listed = [item for item in items if item is not None]
            if not self.repeats_keys:
                listed = [{**item, "metadata": {}} for item in listed]
            content |= {
                "done": True,
                "response": {"inlinedResponses": {"inlinedResponses": listed}},
            }
        return content

    def _lines(self, name: str) -> bytes:
        # In another order than the requests.
        pairs = reversed(self.batches[name].items())
        lines = [_anthropic(self.outcome(body), key) for key, body in pairs]
        return _joined(lines)

    def _file(self, name: str) -> bytes:
        batch, _, kind = name.rpartition("-")
        lines = [_openai(self.outcome(body), key) for key, body in self.batches[batch].items()]
        errors = kind == "errors"
        return _joined(
            [
                line
                for line in lines
                if line is not None
                and errors == (not line["response"] or line["response"]["status_code"] != 200)
            ]
        )


def _joined(lines: Sequence[Any]) -> bytes:
    text = "\n".join(json.dumps(line) for line in lines if line is not None)
    return f"{text}\nnot JSON\n".encode()


def _openai(outcome: str, key: str) -> Any:
    line: dict[str, Any] = {"id": f"r-{key}", "custom_id": key, "response": None, "error": None}
    if outcome == "missing":
        return None
    if outcome == "expired":
        error = {"code": "batch_expired", "message": "This request could not be executed in time."}
        return {**line, "error": error}
    response: dict[str, Any] = {"status_code": 200, "body": PLAIN["openai"](outcome)}
    if outcome == "broken":
        response = {"status_code": 500, "body": {"error": {"message": "trouble"}}}
    elif outcome == "long":
        error = {"code": "context_length_exceeded", "message": "Too long"}
        response = {"status_code": 400, "body": {"error": error}}
    return {**line, "response": response}


def _anthropic(outcome: str, key: str) -> Any:
    if outcome == "missing":
        return None
    if outcome == "expired":
        return {"custom_id": key, "result": {"type": "expired"}}
    errors = {
        "broken": ("api_error", "trouble"),
        "long": ("invalid_request_error", "prompt is too long"),
    }
    if outcome in errors:
        kind, message = errors[outcome]
        error = {"type": "error", "error": {"type": kind, "message": message}}
        return {"custom_id": key, "result": {"type": "errored", "error": error}}
    message_of = PLAIN["anthropic"](outcome)
    return {"custom_id": key, "result": {"type": "succeeded", "message": message_of}}


def _gemini(outcome: str, key: str) -> Any:
    errors = {
        "broken": (13, "trouble"),
        "expired": (4, "expired"),
        "long": (3, "The input token count exceeds the maximum number of tokens allowed"),
    }
    if outcome == "missing":
        return None
    if outcome in errors:
        code, message = errors[outcome]
        return {"error": {"code": code, "message": message}, "metadata": {"key": key}}
    return {"response": PLAIN["gemini"](outcome), "metadata": {"key": key}}
