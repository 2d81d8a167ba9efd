"""An endpoint that answers as a test tells it to, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rubrica.metrics import Metric


@dataclass(frozen=True)
class Raw:
    """A reply byte by byte; `announced` is the length its header tells, where that is not true."""

    content: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    announced: int | None = None
    chunked: bool = False


# A body, a status with an error body, or a reply of its own.
Reply = dict[str, Any] | int | Raw
DOCUMENT = ["The ferry was taken out of service on Tuesday. A replacement is expected on Friday."]


class Server:
    """`answer` is called for one request at a time, unless `together`."""

    def __init__(
        self, answer: Callable[[dict[str, Any]], Reply], *, together: bool = False
    ) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    owner.requests.append(body)
                    owner.keys.append(self.headers.get("Authorization"))
                    owner.paths.append(self.path)
                    owner.headers.append(
                        {name.lower(): value for name, value in self.headers.items()}
                    )
                    made = None if together else answer(body)
                self._send(answer(body) if made is None else made)

            def _send(self, made: Reply) -> None:
                if isinstance(made, int):
                    made = Raw(json.dumps({"error": {"message": f"trouble {made}"}}).encode(), made)
                elif isinstance(made, dict):
                    made = Raw(json.dumps(made).encode())
                self.send_response(made.status)
                for name, value in made.headers.items():
                    self.send_header(name, value)
                if made.chunked:
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    self.wfile.write(made.content)
                    return
                length = len(made.content) if made.announced is None else made.announced
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self.wfile.write(made.content)

            def log_message(self, *_: Any) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, *_: Any) -> None:
                """Who asked may be gone."""

        self._server = Quiet(("127.0.0.1", 0), Handler)
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


def said(text: str | None, **more: Any) -> dict[str, Any]:
    """What an endpoint replies when its model says `text`."""
    choice = {"message": {"role": "assistant", "content": text}, **more}
    return {"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 2}}


def refusal(status: int, message: str, **headers: str) -> Raw:
    """A reply that says no."""
    return Raw(json.dumps({"error": {"message": message}}).encode(), status, headers)


def likely(**logprobs: float) -> dict[str, Any]:
    """A reply whose first token has these log-probabilities."""
    top = [{"token": token, "logprob": value} for token, value in logprobs.items()]
    return said("4", logprobs={"content": [{"top_logprobs": top}]})


def judge(server: Server, **parameters: Any) -> Metric:
    """A judge behind the endpoint, which hardly waits and keeps nothing."""
    config = {"type": "judge", "model": "tester", "endpoint": server.url, "back_off": 0.001}
    return Metric.from_config({**config, "cache_dir": "off", **parameters})
