"""Every provider sends and reads its own wire format, streams, retries, and keeps its key to itself."""

from __future__ import annotations

import json
import math
import threading
from datetime import UTC, datetime
from typing import Any

import pytest

from rubrica.errors import (
    DataWarning,
    MissingResourceError,
    ParameterError,
    UnknownNameError,
)
from rubrica.metrics import Metric
from rubrica.metrics.judge.answers import Answer, Question
from rubrica.metrics.judge.endpoint import EndpointError
from rubrica.metrics.judge.providers.base import PROVIDERS, Provider, ProviderOptions
from rubrica.metrics.judge.providers.signing import Credentials, signed_headers
from support.judge_replies import BUSY, PLAIN, STREAMED, TOO_LONG, events
from support.judge_server import DOCUMENT, Raw, judge, said

SECRET = "very-secret"
NEVER = threading.Event()
# The wire format of each provider, its path, the header with its key and that header's value.
PROVIDER_ROWS = [
    ("openai", "openai", "/v1/chat/completions", "authorization", f"Bearer {SECRET}"),
    ("vllm", "openai", "/v1/chat/completions", "authorization", f"Bearer {SECRET}"),
    ("llama-cpp", "openai", "/v1/chat/completions", "authorization", f"Bearer {SECRET}"),
    ("azure", "openai", "/v1/openai/v1/chat/completions", "api-key", SECRET),
    ("anthropic", "anthropic", "/v1/messages", "x-api-key", SECRET),
    ("gemini", "gemini", "/v1/models/tester:generateContent", "x-goog-api-key", SECRET),
    ("ollama", "ollama", "/v1/api/chat", "authorization", f"Bearer {SECRET}"),
    ("bedrock", "bedrock", "/v1/model/tester/converse", "authorization", f"Bearer {SECRET}"),
]


@pytest.mark.parametrize(("provider", "wire", "path", "header", "value"), PROVIDER_ROWS)
def test_a_provider_is_asked_in_its_own_words(
    serve: Any,
    monkeypatch: pytest.MonkeyPatch,
    provider: str,
    wire: str,
    path: str,
    header: str,
    value: str,
) -> None:
    monkeypatch.setenv(PROVIDERS.get(provider).key_name, SECRET)  # type: ignore[attr-defined]
    server = serve(lambda _: PLAIN[wire]("4"))
    metric = judge(server, provider=provider, samples=1)
    assert metric.score("A summary.", DOCUMENT)["judge-coherence"]["score"] == 4
    assert server.paths == [path]
    assert server.headers[0][header] == value
    sent = json.dumps(server.requests[0])
    assert SECRET not in sent
    assert DOCUMENT[0] in sent
    assert "You are a careful evaluator" in sent
    assert metric.describe() == "judge: 1 answer requested, 0 from the cache; 100 + 2 tokens"
    assert f"|provider:{provider}|" in str(metric.signature())


def _options(body: dict[str, Any], wire: str) -> list[Any]:
    """Temperature and longest answer of a request."""
    place, temperature, longest = {
        "openai": ("", "temperature", "max_tokens"),
        "anthropic": ("", "temperature", "max_tokens"),
        "gemini": ("generationConfig", "temperature", "maxOutputTokens"),
        "ollama": ("options", "temperature", "num_predict"),
        "bedrock": ("inferenceConfig", "temperature", "maxTokens"),
    }[wire]
    fields = body[place] if place else body
    return [fields[temperature], fields[longest]]


@pytest.mark.parametrize("wire", PLAIN)
def test_sampling_options_and_schema_reach_the_provider(
    serve: Any, monkeypatch: pytest.MonkeyPatch, wire: str
) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", SECRET)
    server = serve(lambda _: PLAIN[wire]('{"score": 4}'))
    model = PROVIDERS.get(wire)("tester", ProviderOptions(server.url))
    schema = '{"type":"object","properties":{"score":{"type":"integer"}}}'
    question = Question((("user", "How good?"),), 0.5, 0.9, 7, 1, False, schema=schema)
    assert model.ask(question, NEVER) == Answer('{"score": 4}', {}, 100, 2)
    body = server.requests[0]
    assert _options(body, wire) == [0.5, 7]
    sent = {
        "openai": lambda: body["response_format"]["json_schema"]["schema"],
        "anthropic": lambda: body["output_config"]["format"]["schema"],
        "gemini": lambda: body["generationConfig"]["responseJsonSchema"],
        "ollama": lambda: body["format"],
        "bedrock": lambda: json.loads(
            body["outputConfig"]["textFormat"]["structure"]["jsonSchema"]["schema"]
        ),
    }[wire]()
    assert sent == json.loads(schema)
    # Fields without a value are left out, not sent as null.
    assert "null" not in json.dumps(body)


@pytest.mark.parametrize("wire", STREAMED)
def test_a_streamed_answer_is_the_sum_of_its_pieces(serve: Any, wire: str) -> None:
    server = serve(lambda _: STREAMED[wire](["Score", ": ", "4"]))
    metric = judge(server, provider=wire, samples=1, stream=True)
    assert metric.score("A summary.", DOCUMENT)["judge-coherence"]["score"] == 4
    assert metric.describe().endswith("100 + 2 tokens")
    asked_to_stream = server.requests[0].get("stream") or server.paths[0].endswith(
        ":streamGenerateContent?alt=sse"
    )
    assert asked_to_stream


@pytest.mark.parametrize("wire", STREAMED)
def test_a_stream_that_breaks_off_is_asked_again(serve: Any, wire: str) -> None:
    whole = STREAMED[wire](["Score: ", "4"])
    lines = whole.content.split(b"\n")
    first = b"\n".join(line for line in lines[: len(lines) // 3] if line)
    replies = [Raw(first, headers=whole.headers), whole]
    server = serve(lambda _: replies.pop(0))
    metric = judge(server, provider=wire, samples=1, stream=True, retries=1)
    with pytest.warns(DataWarning, match="the stream ended before the answer did"):
        scores = metric.score("A summary.", DOCUMENT)
    assert scores["judge-coherence"]["score"] == 4


def test_an_error_inside_a_stream_is_an_error(serve: Any) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    replies = [events(error, named=True), STREAMED["anthropic"](["3"])]
    server = serve(lambda _: replies.pop(0))
    metric = judge(server, provider="anthropic", samples=1, stream=True, retries=1)
    with pytest.warns(DataWarning, match="529 Overloaded; retrying"):
        assert metric.score("A summary.", DOCUMENT)["judge-coherence"]["score"] == 3


@pytest.mark.parametrize("wire", PLAIN)
@pytest.mark.parametrize("broken", ["busy", "500", "not JSON", "empty object"])
def test_a_provider_in_trouble_is_asked_again(
    serve: Any, monkeypatch: pytest.MonkeyPatch, wire: str, broken: str
) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", SECRET)
    trouble = {"busy": BUSY[wire], "500": 500, "not JSON": Raw(b"{]"), "empty object": Raw(b"{}")}
    replies = [trouble[broken], PLAIN[wire]("3")]
    server = serve(lambda _: replies.pop(0))
    metric = judge(server, provider=wire, samples=1, retries=1)
    with pytest.warns(DataWarning, match="retrying in"):
        scores = metric.score("A summary.", DOCUMENT)
    assert scores["judge-coherence"]["score"] == 3


@pytest.mark.parametrize("wire", PLAIN)
def test_a_prompt_that_is_too_long_costs_its_summary_only(
    serve: Any, monkeypatch: pytest.MonkeyPatch, wire: str
) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", SECRET)
    server = serve(lambda body: TOO_LONG[wire] if "Bad." in json.dumps(body) else PLAIN[wire]("3"))
    metric = judge(server, provider=wire, samples=1)
    with pytest.warns(DataWarning, match="1 of 2 questions were refused"):
        rows = metric.score_all(["Good.", "Bad."], [DOCUMENT, DOCUMENT])
    assert [row["judge-coherence"]["score"] for row in rows] == [3, None]


@pytest.mark.parametrize(
    ("wire", "reply"),
    [
        ("anthropic", {"content": [], "stop_reason": "refusal"}),
        ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}),
        ("gemini", {"candidates": [{"finishReason": "PROHIBITED_CONTENT"}]}),
        ("bedrock", {"output": {}, "stopReason": "guardrail_intervened"}),
    ],
)
def test_an_answer_that_the_provider_blocks_is_a_refused_question(
    serve: Any, monkeypatch: pytest.MonkeyPatch, wire: str, reply: dict[str, Any]
) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", SECRET)
    metric = judge(serve(lambda _: reply), provider=wire, samples=1)
    with pytest.warns(DataWarning, match="1 of 1 questions were refused"):
        assert metric.score("A summary.", DOCUMENT)["judge-coherence"]["score"] is None


def test_gemini_and_ollama_give_log_probabilities(serve: Any) -> None:
    shares = {"4": math.log(0.6), "2": math.log(0.2)}
    gemini = PLAIN["gemini"]("4")
    gemini["candidates"][0]["logprobsResult"] = {
        "topCandidates": [
            {"candidates": [{"token": t, "logProbability": p} for t, p in shares.items()]}
        ]
    }
    ollama = PLAIN["ollama"]("4")
    ollama["logprobs"] = [
        {"token": "4", "top_logprobs": [{"token": t, "logprob": p} for t, p in shares.items()]}
    ]
    for wire, reply in (("gemini", gemini), ("ollama", ollama)):
        server = serve(lambda _, reply=reply: reply)
        metric = judge(server, provider=wire, scoring="logprobs")
        assert metric.score("One.", DOCUMENT)["judge-coherence"]["score"] == pytest.approx(3.5)


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
def test_log_probabilities_that_a_provider_lacks_are_refused_at_once(provider: str) -> None:
    config = {"type": "judge", "model": "m", "provider": provider, "scoring": "logprobs"}
    with pytest.raises(ParameterError, match="gives no log-probabilities; use --scoring samples"):
        Metric.from_config(config)


def test_further_fields_of_a_request_are_merged_into_objects(serve: Any) -> None:
    server = serve(lambda _: PLAIN["gemini"]("3"))
    request = {"generationConfig": {"seed": None, "thinkingConfig": {"thinkingBudget": 0}}}
    judge(server, provider="gemini", samples=1, request=request).score("One.", DOCUMENT)
    config = server.requests[0]["generationConfig"]
    assert config["thinkingConfig"] == {"thinkingBudget": 0}
    assert "seed" not in config
    assert config["maxOutputTokens"] == 16


def test_a_provider_without_an_address_has_its_own() -> None:
    metric = Metric.from_config({"type": "judge", "model": "m", "provider": "anthropic"})
    assert "|endpoint:api.anthropic.com|provider:anthropic|" in str(metric.signature())
    with pytest.raises(ParameterError, match=r"--endpoint https://NAME\.openai\.azure\.com"):
        Metric.from_config({"type": "judge", "model": "m", "provider": "azure"})


def test_an_unknown_provider_is_an_error_with_near_names() -> None:
    with pytest.raises(UnknownNameError, match="anthropic"):
        Metric.from_config({"type": "judge", "model": "m", "provider": "antropic"})


class Constant(Provider):
    """A plug-in without a network."""

    def identity(self) -> str:
        return f"constant {self.model}"

    def ask(self, question: Question, stopped: threading.Event) -> Answer:
        return Answer(self.model)


def test_a_plug_in_needs_two_methods() -> None:
    PROVIDERS.register("constant", replace=True)(Constant)
    config = {"type": "judge", "model": "5", "provider": "constant", "cache_dir": "off"}
    metric = Metric.from_config({**config, "samples": 1})
    assert metric.score("A summary.", DOCUMENT)["judge-coherence"]["score"] == 5


def test_bedrock_signs_when_it_has_no_api_key(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    for name, value in (
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
        ("AWS_SESSION_TOKEN", "session"),
        ("AWS_REGION", "eu-west-1"),
    ):
        monkeypatch.setenv(name, value)
    server = serve(lambda _: PLAIN["bedrock"]("3"))
    judge(server, provider="bedrock", model="a.b:0", samples=1).score("One.", DOCUMENT)
    headers = server.headers[0]
    assert server.paths == ["/v1/model/a.b%3A0/converse"]
    assert headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    assert (
        "/eu-west-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date;"
        in (headers["authorization"])
    )
    assert headers["x-amz-security-token"] == "session"
    assert SECRET not in json.dumps(headers)
    refused = serve(lambda _: Raw(f'{{"message": "no {SECRET}"}}'.encode(), 403))
    with pytest.raises(MissingResourceError, match=r"no \*\*\*"):
        judge(refused, provider="bedrock", samples=1).score("One.", DOCUMENT)


def test_bedrock_without_a_key_says_which_variables(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    with pytest.raises(MissingResourceError, match="set AWS_REGION"):
        Metric.from_config({"type": "judge", "model": "m", "provider": "bedrock"})
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    metric = judge(serve(lambda _: {}), provider="bedrock", samples=1)
    with pytest.raises(MissingResourceError, match="AWS_SECRET_ACCESS_KEY"):
        metric.score("One.", DOCUMENT)
    with pytest.raises(ParameterError, match="does not stream"):
        judge(serve(lambda _: {}), provider="bedrock", stream=True)


def test_the_signature_is_that_of_the_published_example() -> None:
    # The worked example of AWS's documentation of signature version 4 (IAM, ListUsers).
    headers = signed_headers(
        "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
        b"",
        Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
        region="us-east-1",
        service="iam",
        method="GET",
        content_type="application/x-www-form-urlencoded; charset=utf-8",
        at=datetime(2015, 8, 30, 12, 36, tzinfo=UTC),
    )
    signature = "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
    assert headers["Authorization"].endswith(f"Signature={signature}")


def test_a_local_model_does_not_stream() -> None:
    with pytest.raises(ParameterError, match="stream needs an endpoint or a provider"):
        Metric.from_config({"type": "judge", "model": "m", "stream": True})


def test_a_stream_from_a_server_that_was_not_asked_for_one_is_read(serve: Any) -> None:
    server = serve(lambda _: STREAMED["openai"](["4"]))
    metric = judge(server, samples=1)
    assert metric.score("One.", DOCUMENT)["judge-coherence"]["score"] == 4


def test_a_reply_in_another_wire_format_is_an_error(serve: Any) -> None:
    server = serve(lambda _: said("4"))
    with pytest.warns(DataWarning), pytest.raises(EndpointError, match="not of the expected form"):
        judge(server, provider="anthropic", samples=1, retries=1).score("One.", DOCUMENT)
