"""A judge without a model says how to get one; an estimate of tokens needs none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import MissingResourceError, ParameterError
from rubrica.metrics import Metric
from support.judge_server import DOCUMENT, said


@pytest.fixture
def input_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two rows, on a machine without models."""
    monkeypatch.setenv("RUBRICA_DATA_ROOT", str(tmp_path / "data"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    rows = [
        {"instance_id": str(n), "summarizer_id": "s", "summarizer_type": "peer"}
        | {"document": {"text": DOCUMENT}, "summary": {"text": f"Summary {n}."}}
        for n in range(2)
    ]
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.mark.parametrize("model", [[], ["--model", "gpt-5"]])
def test_the_error_names_the_three_ways_to_a_judge(
    rubrica: Any, input_file: Path, model: list[str]
) -> None:
    reader = ["--dataset-reader", "document-based", "--input-files", input_file]
    done = rubrica("judge", "evaluate", *model, *reader)
    assert done.code == 3, done.err
    assert "--provider openai --model NAME" in done.err
    assert "$OPENAI_API_KEY" in done.err
    assert "rubrica setup-metric judge" in done.err
    assert "scores that a judge already gave" in done.err
    # A provider's model is not on the hub.
    assert "setup-metric judge --model" not in done.err


@pytest.mark.parametrize("word", ["judge", "judge,model=gpt-5", "judge,provider=openai"])
def test_a_dry_run_needs_no_model(rubrica: Any, input_file: Path, word: str) -> None:
    done = rubrica("evaluate", "--dry-run", "-m", word, "--", input_file)
    assert done.code == 0, done.err
    assert done.out.startswith("judge: 10 answers to request, 0 from the cache; about ")
    assert "the price is unknown: pass price_in and price_out" in done.out


def test_a_provider_needs_the_name_of_a_model() -> None:
    metric = Metric.from_config({"type": "judge", "provider": "openai", "cache_dir": "off"})
    with pytest.raises(ParameterError, match="a provider needs the name of a model: --model NAME"):
        metric.score("One.", DOCUMENT)


def test_without_a_name_the_model_is_the_packaged_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUBRICA_DATA_ROOT", str(tmp_path))
    metric = Metric.from_config({"type": "judge", "cache_dir": "off"})
    with pytest.raises(MissingResourceError, match="no model 'smollm2-135m-instruct' on this"):
        metric.score("One.", DOCUMENT)


def test_every_row_may_have_its_own_query(serve: Any, rubrica: Any, input_file: Path) -> None:
    rows = [json.loads(line) for line in input_file.read_text().splitlines()]
    content = [json.dumps({**row, "query": f"Query {at}?"}) for at, row in enumerate(rows)]
    input_file.write_text("\n".join(content))
    server = serve(lambda _: said("3"))
    word = {"type": "judge", "model": "m", "prompt": "query-focus", "samples": 1}
    word |= {"endpoint": server.url, "cache_dir": "off", "concurrency": 1}
    done = rubrica("evaluate", input_file, "-m", json.dumps(word))
    assert done.code == 0, done.err
    for at, request in enumerate(server.requests):
        assert f"<query>\nQuery {at}?\n</query>" in request["messages"][-1]["content"]
    assert len(server.requests) == 2
