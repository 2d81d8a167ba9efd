"""Judges wait: between attempts, for their turn, and no longer once interrupted."""

from __future__ import annotations

import json
import threading
import time
from email.utils import formatdate
from typing import Any

import pytest

from rubrica.errors import DataWarning
from rubrica.metrics.judge import endpoint
from rubrica.metrics.judge.endpoint import EndpointError
from rubrica.metrics.judge.providers.base import ProviderOptions
from rubrica.metrics.judge.providers.openai import OpenAI
from support.judge_server import DOCUMENT, Raw, Reply, judge, refusal, said

GOOD = json.dumps(said("3")).encode()


class Clock(threading.Event):
    """Time that passes only by waiting, and the event of a run that is never stopped."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.waits: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(round(timeout or 0, 6))
        self.now += timeout or 0
        return False


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Only the endpoint's own clock: other threads of this process go on by the real one."""
    clock = Clock()
    monkeypatch.setattr(endpoint, "time", clock)
    return clock


def asked(clock: Clock, url: str, **options: Any) -> Any:
    """One question to an endpoint, in this thread."""
    from rubrica.metrics.judge.answers import Question

    made = OpenAI("m", ProviderOptions(url, "RUBRICA_TEST_KEY", timeout=20.0, **options))
    question = Question((("user", "How good?"),), 1.0, 1.0, 16, 1, False)
    return lambda: made.ask(question, clock)


def test_the_pause_doubles(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    monkeypatch.setattr(endpoint.Connection, "post", lambda *_: Raw(b"{}", 500))
    with pytest.warns(DataWarning, match="retrying in 1 s "), pytest.raises(EndpointError):
        asked(clock, "http://127.0.0.1:1/v1", retries=8)()
    assert clock.waits == [1, 2, 4, 8, 16, 32, 60, 60]


@pytest.mark.parametrize("told", ["7", "7.0"])
def test_an_endpoint_gets_the_pause_it_asks_for(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, told: str
) -> None:
    monkeypatch.setattr(
        endpoint.Connection, "post", lambda *_: Raw(b"", 429, {"Retry-After": told})
    )
    with pytest.warns(DataWarning, match="429 Too Many Requests"), pytest.raises(EndpointError):
        asked(clock, "http://127.0.0.1:1/v1", retries=4)()
    assert clock.waits == [7, 7, 7, 8]


_NO_DATES = (
    "Mon, 99 Foo 2026",
    f"Mon, 01 Jan {10**20} 00:00:00 GMT",
    f"Mon, 01 Jan 2026 {10**20}:00:00 GMT",
)


@pytest.mark.parametrize("told", ["soon", "", "-3", "nan", "1_0", *_NO_DATES])
def test_a_pause_that_is_none_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, told: str
) -> None:
    monkeypatch.setattr(
        endpoint.Connection, "post", lambda *_: Raw(b"{}", 429, {"retry-after": told})
    )
    with pytest.warns(DataWarning), pytest.raises(EndpointError):
        asked(clock, "http://127.0.0.1:1/v1", retries=2)()
    assert clock.waits == [1, 2]


def test_a_pause_can_be_asked_for_by_date(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    later = {"Retry-After": formatdate(time.time() + 100, usegmt=True)}
    monkeypatch.setattr(endpoint.Connection, "post", lambda *_: Raw(b"{}", 503, later))
    with pytest.warns(DataWarning), pytest.raises(EndpointError):
        asked(clock, "http://127.0.0.1:1/v1", retries=1)()
    assert 90 < clock.waits[0] <= 100


def test_who_else_asks_a_busy_endpoint_waits_too(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    ask = asked(clock, "http://127.0.0.1:1/v1", retries=0)
    made = next(
        cell.cell_contents
        for cell in ask.__closure__
        if isinstance(cell.cell_contents, endpoint.Endpoint)
    )
    made._next = 5.0
    monkeypatch.setattr(endpoint.Connection, "post", lambda *_: Raw(GOOD))
    assert ask().text == "3"
    assert clock.waits == [5]
    # That is what a reply that says "busy" sets; one that is just broken does not.
    for status, expected in ((429, 12.0), (500, 5.0)):
        made._next, made._retries, clock.now = 5.0, 1, 5.0
        replies = iter([Raw(b"{}", status, {"Retry-After": "7"}), Raw(GOOD)])
        monkeypatch.setattr(endpoint.Connection, "post", lambda *_, given=replies: next(given))
        made._warned_of_waiting = True
        ask()
        assert made._next == expected


def test_the_rate_is_limited(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    monkeypatch.setattr(endpoint.Connection, "post", lambda *_: Raw(GOOD))
    ask = asked(clock, "http://127.0.0.1:1/v1", requests_per_minute=120)
    for _ in range(4):
        ask()
    assert clock.waits == [0.5, 0.5, 0.5]


def test_an_interrupt_ends_the_waiting(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from rubrica.metrics.judge import client

    # While four questions wait half an hour for another attempt, a fifth is answered.
    server = serve(lambda b: said("3") if b["seed"] == 0 else refusal(500, "x"), together=True)
    metric = judge(server, samples=5, sampling_seed=0, back_off=1800, concurrency=5)

    def interrupt(*_: Any) -> None:
        while len(server.requests) < 5:
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(client, "report", interrupt)
    monkeypatch.setattr(endpoint, "_LONGEST_BACK_OFF", 1800.0)
    with pytest.warns(DataWarning), pytest.raises(KeyboardInterrupt):
        metric.score("A summary.", DOCUMENT)
    assert not [one for one in threading.enumerate() if one.name == "judge"]


def test_an_interrupt_does_not_wait_long_for_what_is_under_way(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rubrica.metrics.judge import client

    let = threading.Event()
    answered = said("3")

    def slowly(body: dict[str, Any]) -> Reply:
        if body["seed"]:
            let.wait(60)
        return answered

    server = serve(slowly, together=True)
    monkeypatch.setattr(client, "_GRACE", 0.05)
    monkeypatch.setattr(client, "report", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
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
    metric = judge(server, samples=1, timeout=0.3, retries=50)
    with pytest.warns(DataWarning, match="timed out.*; retrying"):
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
