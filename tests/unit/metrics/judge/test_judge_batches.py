"""Batch APIs: one batch for a run, collected even if the run was stopped, in the wire format of each provider."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import DataWarning, MissingResourceError, ParameterError
from rubrica.metrics import Metric
from rubrica.metrics.judge.batches.openai import OpenAIBatches
from rubrica.metrics.judge.budget import BudgetError
from rubrica.metrics.judge.connection import BrokenConnectionError, Connection
from rubrica.metrics.judge.endpoint import EndpointError
from rubrica.metrics.judge.providers.base import PROVIDERS
from rubrica.scoring import evaluate
from support.batch_server import BatchServer
from support.judge_server import judge

WIRES = ("openai", "anthropic", "gemini")
SECRET = "very-secret"
ROWS = [{"summary": f"Summary {n}.", "document": f"Text {n}.", "instance_id": n} for n in range(4)]
Start = Callable[..., BatchServer]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Start a batch API whose answers are those of `outcome`, "4" by default."""
    servers: list[BatchServer] = []

    def begin(wire: str, outcome: Any = lambda body: "4", **options: Any) -> BatchServer:
        monkeypatch.setenv(PROVIDERS.get(wire).key_name, SECRET)  # type: ignore[attr-defined]
        servers.append(BatchServer(wire, outcome, **options))
        return servers[-1]

    yield begin
    for server in servers:
        server.close()


def batched(server: BatchServer, folder: Path, **parameters: Any) -> Metric:
    """A judge that asks by batches, one question about a summary."""
    config: dict[str, Any] = {
        "type": "judge",
        "model": "m",
        "provider": server.wire,
        "endpoint": server.url,
    }
    config |= {"batch": True, "poll": 0.001, "samples": 1, "back_off": 0.001}
    return Metric.from_config({**config, "cache_dir": str(folder), **parameters})


def scores(metric: Metric, rows: list[dict[str, Any]] = ROWS, **options: Any) -> list[Any]:
    _, scored = evaluate(rows, [metric], **options)
    return [row.metrics["judge-coherence"]["score"] for row in scored]


def number(body: dict[str, Any]) -> int:
    """The number of the summary that a request shows."""
    return int(json.dumps(body).partition("Summary ")[2][0])


@pytest.mark.parametrize("wire", WIRES)
def test_a_run_is_one_batch_however_it_is_split(start: Start, tmp_path: Path, wire: str) -> None:
    server = start(wire, lambda body: str(1 + number(body)), polls=3)
    metric = batched(server, tmp_path)
    assert scores(metric, batch_size=1) == [1, 2, 3, 4]
    assert [len(requests) for requests in server.batches.values()] == [4]
    assert metric.describe() == "judge: 4 answers requested, 0 from the cache; 400 + 8 tokens"
    assert list(tmp_path.rglob("batches/*.json")) == []
    # The key is in a header of every request, and never in a body.
    assert all(SECRET in "".join(headers.values()) for headers in server.headers)
    assert SECRET not in json.dumps(server.batches)
    # Later runs take the answers from the cache, with batches or without.
    calls = len(server.calls)
    assert scores(batched(server, tmp_path, batch=False)) == [1, 2, 3, 4]
    assert len(server.calls) == calls


@pytest.mark.parametrize("wire", WIRES)
def test_a_batch_asks_what_single_requests_ask(
    start: Start, serve: Any, tmp_path: Path, wire: str
) -> None:
    server, single = start(wire), serve(lambda _: 404)
    scores(batched(server, tmp_path), ROWS[:1])
    with pytest.raises(EndpointError):
        scores(judge(single, provider=wire, model="m", samples=1), ROWS[:1])
    assert list(server.batches["batch_0"].values()) == single.requests


@pytest.mark.parametrize("wire", WIRES)
def test_a_stopped_run_goes_on_with_its_batch(start: Start, tmp_path: Path, wire: str) -> None:
    server = start(wire)
    server.lost = [403]
    stopped = batched(server, tmp_path)
    with pytest.raises(MissingResourceError):
        scores(stopped)
    assert "goes on with" in stopped.describe()
    assert "batch_0; repeat the command to collect the answers" in stopped.describe()
    again = batched(server, tmp_path)
    # Another input, too, uses what was already asked.
    rows = [*ROWS, {"summary": "Summary 9.", "document": "A text.", "instance_id": 9}]
    assert scores(again, rows) == [4, 4, 4, 4, 4]
    assert [len(requests) for requests in server.batches.values()] == [4, 1]
    assert list(tmp_path.rglob("batches/*.json")) == []


@pytest.mark.parametrize("wire", WIRES)
def test_what_stays_without_an_answer_is_asked_again(
    start: Start, tmp_path: Path, wire: str
) -> None:
    outcomes = ["3", "expired", "broken", "missing"]
    server = start(wire, lambda body: outcomes[number(body)])
    with pytest.raises(EndpointError, match="3 of 4 questions of the batch have no answer"):
        scores(batched(server, tmp_path))
    outcomes[1:] = ["4", "4", "4"]
    assert scores(batched(server, tmp_path)) == [3, 4, 4, 4]
    assert [len(requests) for requests in server.batches.values()] == [4, 3]


@pytest.mark.parametrize("wire", WIRES)
def test_a_refused_question_leaves_its_summary_without_a_score(
    start: Start, tmp_path: Path, wire: str
) -> None:
    server = start(wire, lambda body: "long" if number(body) == 2 else "4")
    metric = batched(server, tmp_path)
    with pytest.warns(DataWarning, match="1 of 4 questions were refused"):
        assert scores(metric) == [4, 4, None, 4]
    assert "4 answers" not in metric.describe()
    assert "1 refused" in metric.describe()


@pytest.mark.parametrize("wire", ["openai", "gemini"])
def test_a_failed_batch_is_an_error_with_its_reason(
    start: Start, tmp_path: Path, wire: str
) -> None:
    server = start(wire)
    server.failure = "model m has no batches"
    with pytest.raises(EndpointError, match="batch_0 failed: model m has no batches"):
        scores(batched(server, tmp_path))
    server.failure = ""
    assert scores(batched(server, tmp_path)) == [4, 4, 4, 4]
    assert len(server.batches) == 2


@pytest.mark.parametrize("wire", WIRES)
def test_a_batch_that_is_gone_is_submitted_again(start: Start, tmp_path: Path, wire: str) -> None:
    server = start(wire)
    server.lost = [403]
    with pytest.raises(MissingResourceError):
        scores(batched(server, tmp_path))
    server.lost = [404]
    with pytest.warns(DataWarning, match="batch_0 any more; its questions are asked again"):
        assert scores(batched(server, tmp_path)) == [4, 4, 4, 4]
    assert len(server.batches) == 2


def test_results_without_keys_are_in_the_order_of_the_requests(
    start: Start, tmp_path: Path
) -> None:
    server = start("gemini", lambda body: str(1 + number(body)))
    server.repeats_keys = False
    assert scores(batched(server, tmp_path)) == [1, 2, 3, 4]


def test_a_limit_allows_part_of_a_batch_and_the_rest_later(start: Start, tmp_path: Path) -> None:
    server = start("anthropic")
    # A request reserves about 0.03 at half the price; an answer costs 0.0051.
    prices = {"price_in": 100.0, "price_out": 100.0}
    with pytest.raises(BudgetError, match=r"could exceed max_cost 0\.08"):
        scores(batched(server, tmp_path, **prices, max_cost=0.08))
    (first,) = server.batches.values()
    assert 0 < len(first) < 4
    metric = batched(server, tmp_path, **prices, max_cost=9.0)
    assert scores(metric) == [4, 4, 4, 4]
    assert sum(map(len, server.batches.values())) == 4
    assert "cost 0.0204 (50 % of the price, as a batch)" in metric.usage_note()


def test_a_batch_costs_less_only_where_the_provider_says_so(start: Start, tmp_path: Path) -> None:
    server = start("openai")
    metric = batched(server, tmp_path, provider=None, price_in=100.0, price_out=100.0)
    scores(metric)
    # Nobody says how long an answer of a batch took.
    assert metric.usage_note() == "judge: 4 answers, 400 + 8 tokens, cost 0.0408"


def test_large_runs_are_several_batches(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OpenAIBatches, "most_requests", 3)
    server = start("openai", lambda body: str(1 + number(body)))
    assert scores(batched(server, tmp_path)) == [1, 2, 3, 4]
    assert [len(requests) for requests in server.batches.values()] == [3, 1]
    monkeypatch.setattr(OpenAIBatches, "most_bytes", 10)
    assert scores(batched(server, tmp_path, sampling_seed=2)) == [1, 2, 3, 4]
    assert len(server.batches) == 6


def test_units_are_listed_in_one_batch_and_checked_in_another(start: Start, tmp_path: Path) -> None:
    units = json.dumps({"units": [{"text": "It is a summary."}]})
    labels = json.dumps({"labels": [{"unit": 1, "label": "supported"}]})
    server = start("openai", lambda body: units if '"units"' in json.dumps(body) else labels)
    metric = batched(server, tmp_path, prompt="claims")
    evaluate(ROWS, [metric])
    assert [len(requests) for requests in server.batches.values()] == [4, 4]


def test_a_busy_provider_is_asked_again_but_a_broken_submission_is_not(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start("anthropic")
    server.refusals = [429]
    with pytest.warns(DataWarning, match="429 not now; retrying"):
        assert scores(batched(server, tmp_path)) == [4, 4, 4, 4]
    submissions = []

    def broken(_: Connection, url: str, *__: Any, **___: Any) -> None:
        submissions.append(url)
        raise BrokenConnectionError("reset by peer")

    monkeypatch.setattr(Connection, "send", broken)
    with pytest.raises(EndpointError, match="may have been accepted, so it is not repeated"):
        scores(batched(server, tmp_path, sampling_seed=3))
    assert len(submissions) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"provider": "ollama"}, "no batch API that Rubrica knows"),
        ({"provider": "vllm"}, "no batch API that Rubrica knows"),
        ({"stream": True}, "batch and stream contradict each other"),
        ({"poll": 0.0}, "poll must be above 0"),
        ({"provider": None, "endpoint": None}, "batch needs an endpoint or a provider"),
    ],
)
def test_batches_need_a_provider_that_has_them(change: dict[str, Any], message: str) -> None:
    config = {"type": "judge", "model": "m", "provider": "openai", "batch": True}
    with pytest.raises(ParameterError, match=message):
        Metric.from_config({**config, **change})


def test_batches_need_a_folder(start: Start, tmp_path: Path) -> None:
    metric = batched(start("openai"), tmp_path, cache_dir="off")
    with pytest.raises(ParameterError, match="batches need a folder"):
        scores(metric)


def test_the_command_asks_by_batches_and_estimates_their_price(
    start: Start, rubrica: Any, tmp_path: Path
) -> None:
    server = start("gemini")
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    words = ["judge", "evaluate", "--input-files", tmp_path / "in.jsonl"]
    words += ["--model", "m", "--provider", "gemini"]
    words += ["--endpoint", server.url, "--batch", "--poll", 0.001, "--samples", 1]
    words += ["--price_in", 1, "--price_out", 1, "--cache-dir", tmp_path / "cache"]
    estimate = rubrica(*words, "--dry-run")
    assert estimate.code == 0, estimate.err
    assert "at most (50 % of the price, as a batch)" in estimate.out
    assert server.calls == []
    done = rubrica(*words)
    assert done.code == 0, done.err
    assert (
        "judge: 4 answers, 400 + 8 tokens, cost 0.0002 (50 % of the price, as a batch)" in done.out
    )
    assert len(server.batches) == 1
