"""Judges behind an endpoint: retries, waits, refusals, keys; against a server of our own."""

from __future__ import annotations

import json
import threading
import time
from email.utils import formatdate
from typing import Any

import pytest

from judge_server import DOCUMENT, Raw, Reply, judge, said
from rubrica.errors import DataWarning, MissingResourceError, ParameterError, RubricaError
from rubrica.metrics import Metric
from rubrica.metrics.judge import endpoint
from rubrica.metrics.judge.endpoint import EndpointError

GOOD = json.dumps(said("3")).encode()
SECRET = "sk-very-secret"


def refusal(status: int, message: str, **headers: str) -> Raw:
    return Raw(json.dumps({"error": {"message": message}}).encode(), status, headers)


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
    with pytest.warns(DataWarning, match=r"asked again after 0.001 seconds \(up to 2 times"):
        made = metric.score("A summary.", DOCUMENT)
    assert made["judge-coherence"]["score"] == 3
    assert len(server.requests) == 3
    # An attempt that failed is no answer that was paid for.
    assert metric.describe().startswith("judge: 1 answers asked for, 0 from the cache; 100 + 2 ")


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
        (refusal(429, "Daily", **{"Retry-After": "86400"}), EndpointError, "a pause of 86,400 seconds"),
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
        connection._read(Dropping(), deadline=120.0)


# Waiting.


class Clock:
    """Time that passes only by waiting."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        self.waits.append(round(seconds, 6))
        self.now += seconds
        return False


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(endpoint.time, "monotonic", made.monotonic)
    monkeypatch.setattr(threading.Event, "wait", lambda _, seconds=None: made.wait(seconds or 0))
    return made


def asked(url: str, **options: Any) -> Any:
    """One question to an endpoint, in this thread."""
    from rubrica.metrics.judge.answers import Question

    defaults = {"key_variable": "RUBRICA_TEST_KEY", "retries": 5, "back_off": 1.0, "timeout": 20.0}
    made = endpoint.Endpoint(url, "m", **{"requests_per_minute": None, **defaults, **options})
    question = Question((("user", "How good?"),), 1.0, 1.0, 16, 1, False)
    return lambda: made.ask(question, threading.Event())


def test_the_pause_doubles(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    monkeypatch.setattr(endpoint.Connection, "post", lambda *_: Raw(b"{}", 500))
    with pytest.warns(DataWarning, match="after 1 seconds"), pytest.raises(EndpointError):
        asked("http://127.0.0.1:1/v1", retries=8)()
    assert clock.waits == [1, 2, 4, 8, 16, 32, 60, 60]


@pytest.mark.parametrize("told", ["7", "7.0"])
def test_an_endpoint_gets_the_pause_it_asks_for(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, told: str
) -> None:
    monkeypatch.setattr(
        endpoint.Connection, "post", lambda *_: Raw(b"", 429, {"Retry-After": told})
    )
    with pytest.warns(DataWarning, match="429 Too Many Requests"), pytest.raises(EndpointError):
        asked("http://127.0.0.1:1/v1", retries=4)()
    assert clock.waits == [7, 7, 7, 8]


@pytest.mark.parametrize("told", ["soon", "", "-3", "nan", "Mon, 99 Foo 2026"])
def test_a_pause_that_is_none_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, told: str
) -> None:
    monkeypatch.setattr(
        endpoint.Connection, "post", lambda *_: Raw(b"{}", 429, {"retry-after": told})
    )
    with pytest.warns(DataWarning), pytest.raises(EndpointError):
        asked("http://127.0.0.1:1/v1", retries=2)()
    assert clock.waits == [1, 2]


def test_a_pause_can_be_asked_for_by_date(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    later = {"Retry-After": formatdate(time.time() + 100, usegmt=True)}
    monkeypatch.setattr(endpoint.Connection, "post", lambda *_: Raw(b"{}", 503, later))
    with pytest.warns(DataWarning), pytest.raises(EndpointError):
        asked("http://127.0.0.1:1/v1", retries=1)()
    assert 90 < clock.waits[0] <= 100


def test_who_else_asks_a_busy_endpoint_waits_too(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    ask = asked("http://127.0.0.1:1/v1", retries=0)
    made = ask.__closure__[0].cell_contents
    made._next = 5.0
    monkeypatch.setattr(endpoint.Connection, "post", lambda *_: Raw(GOOD))
    assert ask().text == "3"
    assert clock.waits == [5]
    # That is what a reply that says "busy" sets; one that is just broken does not.
    for status, expected in ((429, 12.0), (500, 5.0)):
        made._next, made._retries, clock.now = 5.0, 1, 5.0
        replies = iter([Raw(b"{}", status, {"Retry-After": "7"}), Raw(GOOD)])
        monkeypatch.setattr(endpoint.Connection, "post", lambda *_, given=replies: next(given))
        made._told_of_waiting = True
        ask()
        assert made._next == expected


def test_the_rate_is_limited(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    monkeypatch.setattr(endpoint.Connection, "post", lambda *_: Raw(GOOD))
    ask = asked("http://127.0.0.1:1/v1", requests_per_minute=120)
    for _ in range(4):
        ask()
    assert clock.waits == [0.5, 0.5, 0.5]


def test_an_interrupt_ends_the_waiting(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from rubrica.metrics.judge import asking

    # While four questions wait half an hour for another attempt, a fifth is answered.
    server = serve(lambda b: said("3") if b["seed"] == 0 else refusal(500, "x"), together=True)
    metric = judge(server, samples=5, sampling_seed=0, back_off=1800, concurrency=5)

    def interrupt(*_: Any) -> None:
        while len(server.requests) < 5:
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(asking, "report", interrupt)
    monkeypatch.setattr(endpoint, "_LONGEST_BACK_OFF", 1800.0)
    with pytest.warns(DataWarning), pytest.raises(KeyboardInterrupt):
        metric.score("A summary.", DOCUMENT)
    assert not [one for one in threading.enumerate() if one.name == "judge"]


def test_an_interrupt_does_not_wait_long_for_what_is_under_way(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rubrica.metrics.judge import asking

    let = threading.Event()
    answered = said("3")

    def slowly(body: dict[str, Any]) -> Reply:
        if body["seed"]:
            let.wait(60)
        return answered

    server = serve(slowly, together=True)
    monkeypatch.setattr(asking, "_GRACE", 0.05)
    monkeypatch.setattr(asking, "report", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        judge(server, samples=3, sampling_seed=0, concurrency=3).score("A summary.", DOCUMENT)
    # The two others are still asked when the interrupt is through.
    assert not let.is_set()
    let.set()


def test_an_endpoint_that_does_not_answer_is_asked_again(serve: Any) -> None:
    let, slow = threading.Event(), [True]

    def answer(_: Any) -> Reply:
        if slow and slow.pop():
            let.wait(60)
        return said("3")

    server = serve(answer, together=True)
    metric = judge(server, samples=1, timeout=0.3)
    with pytest.warns(DataWarning, match="timed out; asked again"):
        assert metric.score("A summary.", DOCUMENT)["judge-coherence"]["score"] == 3
    let.set()


@pytest.mark.parametrize("whole", [True, False])
def test_answers_in_chunks_are_read(serve: Any, whole: bool) -> None:
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in (GOOD[:9], GOOD[9:]))
    reply = Raw(chunks + b"0\r\n\r\n" if whole else chunks[:30], chunked=True)
    server = serve(lambda _: reply)
    metric = judge(server, samples=1, retries=0)
    if whole:
        assert metric.score("A summary.", DOCUMENT)["judge-coherence"]["score"] == 3
    else:
        with pytest.raises(EndpointError, match="no answer in 1 attempts"):
            metric.score("A summary.", DOCUMENT)


# The key.


def test_the_key_comes_from_the_environment(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # With the line end that `export KEY=$(cat file)` drops and other ways keep.
    monkeypatch.setenv("RUBRICA_TEST_KEY", f"{SECRET}\n")
    server = serve(lambda _: said("3"))
    metric = judge(server, samples=1, api_key_variable="RUBRICA_TEST_KEY")
    metric.score("A summary.", DOCUMENT)
    assert server.keys == [f"Bearer {SECRET}"]
    assert SECRET not in str(metric.signature()) + json.dumps(metric.to_config())


def test_the_key_is_on_no_disk_and_in_no_output(
    serve: Any, rubrica: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    input_file = tmp_path / "in.jsonl"
    row = {"instance_id": "d", "summarizer_type": "peer", "document": {"text": DOCUMENT}}
    rows = [{**row, "summarizer_id": name, "summary": {"text": name}} for name in ("a", "b")]
    input_file.write_text("\n".join(map(json.dumps, rows)))
    words: list[Any] = ["judge", "score", tmp_path / "out.jsonl", "--model", "m"]
    words += ["--endpoint", serve(lambda _: said("3")).url, "--cache-dir", tmp_path / "cache"]
    words += ["--store", tmp_path / "store", "--log-file", tmp_path / "log.txt"]
    done = rubrica(*words, "--input-files", input_file)
    assert done.code == 0, done.err
    assert "10 answers asked for" in done.err
    failed = rubrica("judge", "score", tmp_path / "no.jsonl", "--model", "m", "--endpoint",
                     serve(lambda _: refusal(401, f"Incorrect key: {SECRET}")).url,
                     "--cache-dir", "off", "--input-files", input_file)  # fmt: skip
    assert failed.code == 3
    assert "Incorrect key: ***" in failed.err
    assert SECRET not in done.out + done.err + failed.out + failed.err
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(kept) > 12
    assert not [path for path in kept if SECRET.encode() in path.read_bytes()]


@pytest.mark.parametrize("wrong", ["se\ncret", "schlüssel", "a\0b"[:1] + "\x7f"])
def test_what_cannot_be_a_key_is_not_shown(
    serve: Any, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    monkeypatch.setenv("RUBRICA_TEST_KEY", wrong)
    server = serve(lambda _: said("3"))
    with pytest.raises(ParameterError, match=r"\$RUBRICA_TEST_KEY cannot be a key") as error:
        judge(server, api_key_variable="RUBRICA_TEST_KEY").score("A summary.", DOCUMENT)
    assert wrong not in str(error.value)
    assert server.requests == []


def test_the_key_is_not_sent_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRICA_TEST_KEY", SECRET)
    config = {"type": "judge", "model": "m", "endpoint": "http://example.invalid/v1", "samples": 1}
    config |= {"api_key_variable": "RUBRICA_TEST_KEY", "cache_dir": "off", "retries": 0}
    with pytest.raises(ParameterError, match="plain http"):
        Metric.from_config(config).score("A summary.", DOCUMENT)


@pytest.mark.parametrize("part", ["user:{}@127.0.0.1/v1", "127.0.0.1/v1?key={}", "127.0.0.1/v1#{}"])
def test_a_key_in_the_address_is_refused_and_not_repeated(part: str) -> None:
    config = {"type": "judge", "model": "m", "endpoint": f"https://{part.format(SECRET)}"}
    with pytest.raises(ParameterError, match=r"belongs into \$OPENAI_API_KEY") as error:
        Metric.from_config(config)
    assert SECRET not in str(error.value)


def test_what_goes_to_this_machine_goes_through_no_proxy(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy, server = serve(lambda _: said("1")), serve(lambda _: said("3"))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.url)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    made = judge(server, samples=1).score("A summary.", DOCUMENT)
    assert made["judge-coherence"]["score"] == 3
    assert proxy.requests == []


# What is sent.


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
    assert metric.describe().endswith("without 2 answers whose tokens were not told")


def test_errors_are_of_the_family() -> None:
    assert issubclass(EndpointError, RubricaError)
