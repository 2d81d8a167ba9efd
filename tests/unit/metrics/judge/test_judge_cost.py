"""What answers cost: in the table, estimated before a run, and limited."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from rubrica import report
from rubrica.comparison import compare
from rubrica.errors import ParameterError
from rubrica.metrics import Metric
from rubrica.metrics.judge.answers import Answer, AnswerCache, Prices, Question
from rubrica.metrics.judge.budget import Budget, BudgetError, estimate_tokens
from rubrica.reports.systems import comparison_report
from rubrica.scoring import evaluate
from support.judge_server import DOCUMENT, judge, said

NEVER = threading.Event()
ROW = {"instance_id": "d", "summarizer_type": "peer", "document": {"text": DOCUMENT}}


def input_file(folder: Path, count: int = 4) -> Path:
    rows = [
        {**ROW, "summarizer_id": str(n), "summary": {"text": f"Summary {n}."}} for n in range(count)
    ]
    path = folder / "in.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def words(server: Any, folder: Path, *more: object) -> list[object]:
    asked = ["--model", "m", "--endpoint", server.url, "--samples", 1, "--concurrency", 1]
    asked += ["--price_in", 100, "--price_out", 100, "--cache-dir", folder / "cache", *more]
    return [*asked, "--dataset-reader", "document-based", "--input-files", input_file(folder)]


def test_the_table_has_tokens_cost_and_time_and_is_the_same_from_the_cache(
    serve: Any, rubrica: Any, tmp_path: Path
) -> None:
    server = serve(lambda _: said("3"))
    done = rubrica("judge", "evaluate", *words(server, tmp_path))
    assert done.code == 0, done.err
    assert "judge: 4 answers, 400 + 8 tokens, cost 0.0408, " in done.out
    assert " s of model time" in done.out
    again = rubrica("judge", "evaluate", *words(server, tmp_path))
    assert again.out == done.out
    assert "0 answers requested, 4 from the cache; 0 + 0 tokens, cost 0.0000" in again.err


def test_usage_is_a_note_of_the_evaluation(serve: Any) -> None:
    metric = judge(serve(lambda _: said("3")), samples=2)
    data = [{"summary": "One.", "document": DOCUMENT[0]}, {"summary": "Two.", "document": "Text."}]
    evaluation, _ = evaluate(data, [metric])
    (line,) = evaluation.usage
    assert line.startswith("judge: 4 answers, 400 + 8 tokens, ")
    assert evaluation.to_dict()["usage"] == [line]
    assert line in evaluation.to_markdown()


def test_usage_is_a_note_of_every_form_of_a_comparison_and_of_its_page(serve: Any) -> None:
    metric = judge(serve(lambda _: said("3")), samples=1, price_in=100.0, price_out=100.0)
    systems = {"a": ["One.", "Two."], "b": ["Three.", "Four."]}
    comparison = compare(systems, metrics=[metric], documents=[DOCUMENT, ["Text."]])
    (line,) = comparison.evaluation.usage
    assert line.startswith("judge: 4 answers, 400 + 8 tokens, cost 0.0408, ")
    assert comparison.to_dict()["usage"] == [line]
    for form in (str(comparison), comparison.to_markdown(), comparison.to_latex()):
        assert line in form
    assert comparison_report(comparison).usage == [line]


def test_the_page_of_an_evaluation_has_its_usage(serve: Any, tmp_path: Path) -> None:
    metric = judge(serve(lambda _: said("3")), samples=1)
    rows = [{"summary": text, "document": DOCUMENT[0], "system": text} for text in ("One.", "Two.")]
    evaluation, _ = evaluate(rows, [metric])
    report(evaluation, tmp_path / "page.html")
    assert evaluation.usage[0] in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.parametrize("layout", ["text", "json"])
def test_the_gate_says_what_its_scores_took(
    serve: Any, rubrica: Any, tmp_path: Path, layout: str
) -> None:
    rows = [
        {"summary": f"Summary {n}.", "document": DOCUMENT[0], "instance_id": n} for n in range(3)
    ]
    (tmp_path / "new.jsonl").write_text("\n".join(map(json.dumps, rows)))
    spec = f"judge,model=m,samples=1,cache_dir=off,endpoint={serve(lambda _: said('3')).url}"
    words = ["gate", tmp_path / "new.jsonl", "--baseline", tmp_path / "old.jsonl", "-m", spec]
    words += ["--measures", "judge-coherence.score", "--save", "-f", layout]
    assert rubrica(*words).code == 0
    done = rubrica(*words)
    assert done.code == 0, done.err
    line = json.loads(done.out)["usage"][0] if layout == "json" else done.out.splitlines()[-1]
    assert line.startswith("judge: 3 answers, 300 + 6 tokens, ")


@pytest.mark.parametrize("task", ["evaluate", "score"])
def test_a_dry_run_requests_nothing_and_estimates_the_rest(
    serve: Any, rubrica: Any, tmp_path: Path, task: str
) -> None:
    server = serve(lambda _: said("3"))
    done = rubrica("judge", task, "--dry-run", *words(server, tmp_path))
    assert done.code == 0, done.err
    assert server.requests == []
    assert done.out.startswith("judge: 4 answers to request, 0 from the cache; about ")
    assert "at most 64 of answers; cost about 0." in done.out
    rubrica("judge", "evaluate", *words(server, tmp_path))
    again = rubrica("judge", task, "--dry-run", *words(server, tmp_path))
    assert again.out.startswith("judge: 0 answers to request, 4 from the cache; about 0 tokens")


def test_a_dry_run_of_units_counts_both_steps(serve: Any) -> None:
    server = serve(lambda _: said("3"))
    metric = judge(server, prompt="claims")
    assert metric.start_dry_run()
    metric.score("One.", DOCUMENT)
    assert metric.describe().startswith("judge: 2 answers to request, 0 from the cache; about ")
    assert metric.describe().endswith(
        "the price is unknown: pass price_in and price_out for the cost"
    )
    assert server.requests == []


def test_a_dry_run_of_a_metric_without_costs_is_an_error(rubrica: Any, tmp_path: Path) -> None:
    done = rubrica("evaluate", "-m", "data-stats", "--dry-run", input_file(tmp_path))
    assert done.code == 2
    assert "none of the metrics asks a model" in done.err


def test_a_run_stops_before_its_limit_and_goes_on_from_there(
    serve: Any, rubrica: Any, tmp_path: Path
) -> None:
    usage = {"prompt_tokens": 400, "completion_tokens": 2}
    server = serve(lambda _: {**said("3"), "usage": usage})
    out = tmp_path / "out.jsonl"
    # An answer costs 0.0402; a request reserves more.
    limited = words(server, tmp_path, "--max-cost", 0.13, "--batch-size", 1)
    stopped = rubrica("judge", "score", out, *limited)
    assert stopped.code == 1
    assert "could exceed max_cost 0.13. Raise --max_cost to go on" in stopped.err
    assert "The answers so far are cached" in stopped.err
    assert not out.exists()
    before = len(server.requests)
    assert 0 < before < 4
    more = words(server, tmp_path, "--max-cost", 9, "--batch-size", 1)
    done = rubrica("judge", "score", out, *more, "--resume")
    assert done.code == 0, done.err
    assert len(server.requests) == 4
    assert len(out.read_text().splitlines()) == 4


@pytest.mark.parametrize("task", ["evaluate", "score"])
@pytest.mark.parametrize("batch", [1, 100])
def test_a_stopped_run_goes_on_to_the_same_bytes_and_requests_nothing_twice(
    serve: Any, rubrica: Any, tmp_path: Path, task: str, batch: int
) -> None:
    def rate(body: dict[str, Any]) -> dict[str, Any]:
        return said(str(1 + crc32(json.dumps(body, sort_keys=True).encode()) % 5))

    server = serve(rate)

    def run(name: str, *more: object) -> Any:
        (tmp_path / name).mkdir(exist_ok=True)
        output = ["--rounds", 10] if task == "evaluate" else [tmp_path / name / "out.jsonl"]
        options = words(server, tmp_path / name, "--batch-size", batch, "--samples", 3, *more)
        return rubrica("judge", task, *output, *options, "--concurrency", 4)

    whole = run("whole")
    assert whole.code == 0, whole.err
    assert len(server.requests) == 12
    server.requests.clear()
    stopped = run("stopped", "--max-cost", 0.15)
    assert stopped.code == 1
    assert "could exceed max_cost 0.15" in stopped.err
    before = len(server.requests)
    assert 0 < before < 12
    # A dry run estimates the rest, requests nothing and leaves what was finished.
    rest = run("stopped", "--dry-run")
    assert f"judge: {12 - before} answers to request, {before} from the cache" in rest.out
    assert len(server.requests) == before
    done = run("stopped", "--max-cost", 9, *(["--resume"] if task == "score" else []))
    assert done.code == 0, done.err
    assert len({json.dumps(body, sort_keys=True) for body in server.requests}) == 12
    assert len(server.requests) == 12
    if task == "evaluate":
        assert _untimed(done.out) == _untimed(whole.out)
    else:
        results = [tmp_path / name / "out.jsonl" for name in ("whole", "stopped")]
        assert results[0].read_bytes() == results[1].read_bytes()


def _untimed(text: str) -> str:
    """Return a table without the time that the model took."""
    return re.sub(r"[\d.,]+ s of model time", "", text)


def test_a_single_answer_is_not_called_answers(serve: Any) -> None:
    metric = judge(serve(lambda _: said("3")), samples=1)
    metric.score("One.", DOCUMENT)
    assert metric.describe().startswith("judge: 1 answer requested, 0 from the cache")
    assert metric.usage_note().startswith("judge: 1 answer, ")


def test_requests_under_way_count_against_the_limit() -> None:
    question = Question((("user", "x" * 400),), 1.0, 1.0, 100, 1, False)
    tokens = estimate_tokens(question)
    assert tokens == 104
    budget = Budget(Prices(1e6, 1e6), limit=700.0)
    first = budget.reserve(question)
    assert first == 308
    budget.reserve(question)
    under_way = (
        r"stopped at a cost of 0\.0000, with up to 616\.0000 more for requests under way: the next "
    )
    with pytest.raises(BudgetError, match=under_way + r"request, up to 308\.0000, could exceed"):
        budget.reserve(question)
    budget.settle(first, Answer("3", {}, 90, 2))
    with pytest.raises(BudgetError, match=r"stopped at a cost of 92\.0000"):
        budget.reserve(question)
    # An answer without a count costs what was reserved; a failed request costs nothing.
    budget.settle(308, Answer("3", counted=False))
    with pytest.raises(BudgetError, match=r"stopped at a cost of 400\.0000"):
        budget.reserve(question)


def test_text_that_is_not_ascii_has_more_tokens() -> None:
    ascii_text, other = (
        Question((("user", text),), 1.0, 1.0, 1, 1, False) for text in ("abcd" * 10, "字" * 40)
    )
    assert estimate_tokens(other) > 3 * estimate_tokens(ascii_text)


def test_a_limit_needs_prices() -> None:
    config = {"type": "judge", "model": "m", "provider": "openai", "max_cost": 1.0}
    with pytest.raises(ParameterError, match="max_cost needs the prices"):
        Metric.from_config(config)


def test_cached_answers_of_older_versions_are_read(tmp_path: Path) -> None:
    class Model:
        def identity(self) -> str:
            return "m"

        def ask(self, question: Question, stopped: threading.Event) -> Answer:
            return Answer("3")

    question = Question((("user", "How good?"),), 1.0, 1.0, 16, 1, False)
    AnswerCache(Model(), tmp_path).ask(question, NEVER)
    (file,) = tmp_path.rglob("*.json")
    content = json.loads(file.read_text())
    del content["milliseconds"]
    file.write_text(json.dumps(content))
    cache = AnswerCache(Model(), tmp_path)
    assert cache.holds(question)
    cache.ask(question, NEVER)
    assert (cache.usage.asked, cache.usage.from_cache, cache.used.asked) == (0, 1, 1)
