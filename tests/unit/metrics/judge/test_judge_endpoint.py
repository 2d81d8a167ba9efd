"""Judges behind an endpoint: what is asked again, what is told, what is sent; against a server of our own."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from typing import Any

import pytest

from rubrica.errors import DataWarning, MissingResourceError, RubricaError
from rubrica.metrics import Metric
from rubrica.metrics.judge.connection import BrokenConnectionError, Connection
from rubrica.metrics.judge.endpoint import EndpointError
from support.judge_server import DOCUMENT, Raw, Reply, judge, refusal, said

GOOD = json.dumps(said("3")).encode()


@pytest.mark.parametrize(
    "broken",
    [
        429,
        500,
        502,
        503,
        Raw(b'{"choices": [{"mess'),
        Raw(GOOD[:20], announced=len(GOOD)),
        Raw(b""),
        Raw(b"[1, 2]"),
        Raw(b"[" * 100_000),
        Raw(json.dumps({"choices": []}).encode()),
        Raw(json.dumps({"choices": [{"message": {"content": [4]}}]}).encode()),
        Raw(json.dumps({"error": {"code": 502, "message": "upstream"}}).encode()),
    ],
    ids=lambda one: str(one)[:40],
)
def test_what_passes_is_asked_again(serve: Any, broken: Reply) -> None:
    left = [broken, broken]
    server = serve(lambda _: left.pop() if left else said("3"))
    metric = judge(server, samples=1, retries=2)
    with pytest.warns(DataWarning, match=r"retrying in 0.001 s \(up to 2 times"):
        made = metric.score("A summary.", DOCUMENT)
    assert made["judge-coherence"]["score"] == 3
    assert len(server.requests) == 3
    # An attempt that failed is no answer that was paid for.
    assert metric.describe().startswith("judge: 1 answer requested, 0 from the cache; 100 + 2 ")


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (503, "no answer in 3 attempts; the last: 503 trouble 503"),
        (Raw(b"{]"), r"no answer in 3 attempts; the last: the answer is not JSON: \{\]"),
        (Raw(GOOD[:20], announced=len(GOOD)), r"cut off after 20 of \d+ bytes"),
        (Raw(b'{"a": "\x1b[2J"}'), r"not JSON: .*\\x1b\[2J"),
    ],
)
def test_what_does_not_pass_is_told(serve: Any, reply: Reply, told: str) -> None:
    server = serve(lambda _: reply)
    with pytest.warns(DataWarning), pytest.raises(EndpointError, match=told):
        judge(server, samples=1, retries=2).score("A summary.", DOCUMENT)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("reply", "error", "told"),
    [
        (401, MissingResourceError, r"\$RUBRICA_TEST_KEY"),
        (404, EndpointError, "404 trouble 404"),
        (refusal(400, "Unsupported parameter: 'max_tokens'"), EndpointError, "--request NAME=VALUE"),
        (Raw(b"<html>Welcome</html>"), EndpointError, "not JSON: <html>.*often ends in /v1"),
        (Raw(status=302, headers={"Location": "http://x.y/"}), EndpointError, "302 redirects to http://x.y/"),
        (Raw(status=307, headers={"Location": "http://x.y/"}), EndpointError, "307 redirects"),
        (refusal(429, "insufficient_quota"), EndpointError, "429 insufficient_quota"),
        (refusal(429, "Daily", **{"Retry-After": "86400"}), EndpointError, "asks to wait 86,400 seconds"),
    ],
    ids=lambda one: str(one)[:30],
)  # fmt: skip
def test_what_stays_is_told_at_once(
    serve: Any, reply: Reply, error: type[Exception], told: str
) -> None:
    server = serve(lambda _: reply)
    with pytest.raises(error, match=told):
        judge(server, samples=1, api_key_variable="RUBRICA_TEST_KEY").score("A summary.", DOCUMENT)
    assert len(server.requests) == 1


def test_missing_log_probabilities_are_told_with_the_remedy(serve: Any) -> None:
    server = serve(lambda _: said("3", logprobs=None))
    with pytest.raises(EndpointError, match="--scoring samples"):
        judge(server, scoring="logprobs").score("A summary.", DOCUMENT)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "refused",
    [
        refusal(400, "This model's maximum context length is 4096 tokens, you asked for 5000"),
        refusal(413, "Your prompt is too long: context_length_exceeded"),
        refusal(400, "The response was filtered due to our content management policy"),
    ],
    ids=["long", "longer", "filtered"],
)
def test_a_refused_question_costs_its_summary_and_not_the_run(serve: Any, refused: Raw) -> None:
    server = serve(lambda b: refused if "Bad." in b["messages"][-1]["content"] else said("3"))
    metric = judge(server, samples=2)
    with pytest.warns(DataWarning, match="2 of 4 questions were refused and count as invalid: 4"):
        made = metric.score_all(["Good.", "Bad."], [DOCUMENT, DOCUMENT])
    assert [row["judge-coherence"]["score"] for row in made] == [3, None]
    assert [row["judge-coherence"]["invalid"] for row in made] == [0, 1]
    assert "2 refused" in metric.describe()


def test_nobody_listening_is_told() -> None:
    config = {"type": "judge", "model": "m", "endpoint": "http://127.0.0.1:9/v1", "retries": 0}
    with pytest.raises(EndpointError, match=r"no answer in 1 attempts; the last: .*refused"):
        Metric.from_config({**config, "cache_dir": "off"}).score("A summary.", DOCUMENT)


def test_an_answer_that_never_ends_is_given_up(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from rubrica.metrics.judge import connection

    monkeypatch.setattr(connection, "_LARGEST_ANSWER", 1000)
    server = serve(lambda _: Raw(b" " * 5000))
    with pytest.raises(EndpointError, match="larger than"):
        judge(server, samples=1, retries=0).score("A summary.", DOCUMENT)


def test_an_answer_drop_by_drop_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from rubrica.metrics.judge import connection

    clock = iter(range(0, 1000, 50))
    monkeypatch.setattr(connection.time, "monotonic", lambda: float(next(clock)))

    class Dropping:
        headers: dict[str, str] = {}

        def read1(self, _: int) -> bytes:
            return b" "

    with pytest.raises(TimeoutError, match="too slowly"):
        connection._read(Dropping(), deadline=120.0, largest=1000)


def test_fields_of_the_request_can_be_set_and_left_out(serve: Any) -> None:
    server = serve(lambda _: said("3"))
    request = {"max_tokens": None, "seed": None, "max_completion_tokens": 2000, "user": "x"}
    judge(server, samples=1, request=request).score("A summary.", DOCUMENT)
    sent = server.requests[0]
    assert set(sent) == {
        *("model", "messages", "temperature", "top_p"),
        *("max_completion_tokens", "user"),
    }


def test_the_command_line_reads_fields_as_json(serve: Any, rubrica: Any, tmp_path: Any) -> None:
    input_file = tmp_path / "in.jsonl"
    row = {"instance_id": "d", "summarizer_id": "s", "summarizer_type": "peer", "summary": "One."}
    input_file.write_text(json.dumps(row))
    server = serve(lambda _: said("3"))
    words: list[Any] = ["judge", "score", "-", "--model", "m", "--endpoint", server.url]
    words += ["--prompt", "fluency", "--samples", 1, "--cache-dir", "off"]
    words += ["--dataset-reader", "summary-only", "--input-files", input_file]
    done = rubrica(*words, "--request", "max_tokens=null", "top_k=20", "reasoning_effort=low")
    assert done.code == 0, done.err
    sent = server.requests[0]
    assert "max_tokens" not in sent
    assert (sent["top_k"], sent["reasoning_effort"]) == (20, "low")


def test_an_address_may_be_that_of_the_completions(serve: Any) -> None:
    server = serve(lambda _: said("3"))
    metric = judge(server, endpoint=f"{server.url}/chat/completions", samples=1)
    assert metric.score("A summary.", DOCUMENT)["judge-coherence"]["score"] == 3


@pytest.mark.parametrize(
    "usage", [None, [], {"prompt_tokens": "many"}, {"prompt_tokens": -1, "completion_tokens": 2}]
)
def test_tokens_that_are_not_told_are_not_counted_as_none(serve: Any, usage: Any) -> None:
    metric = judge(
        serve(lambda _: {**said("3"), "usage": usage}), samples=2, price_in=1, price_out=1
    )
    metric.score("A summary.", DOCUMENT)
    assert metric.describe().endswith("without 2 answers without a reported token count")


def test_errors_are_of_the_family() -> None:
    assert issubclass(EndpointError, RubricaError)


class DrippingServer:
    """Accepts one connection and sends a piece of a reply every 0.05 seconds, for ever."""

    def __init__(self, head: bytes, piece: bytes) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._closed = threading.Event()
        threading.Thread(target=self._drip, args=(head, piece), daemon=True).start()

    def _drip(self, head: bytes, piece: bytes) -> None:
        with contextlib.suppress(OSError):
            connection, _ = self._socket.accept()
            with connection:
                connection.sendall(head)
                while not self._closed.wait(0.05):
                    connection.sendall(piece)

    def close(self) -> None:
        self._closed.set()
        self._socket.close()


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"X-Slow: yes\r\n"),
        (b"HTTP/1.1 200 O", b"K"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"x"),
    ],
    ids=["headers", "status line", "endless 100 Continue", "content"],
)
def test_the_timeout_bounds_the_whole_reply(head: bytes, piece: bytes) -> None:
    server = DrippingServer(head, piece)
    try:
        connection = Connection(
            f"http://127.0.0.1:{server.port}/v1", key_variable="RUBRICA_TEST_KEY", timeout=0.4
        )
        with pytest.raises(BrokenConnectionError, match="timed out"):
            connection.post(b"{}", {})
    finally:
        server.close()
