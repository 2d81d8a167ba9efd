"""What holds for every metric with a model: no batch, no lack of memory and no long text changes its scores."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from rubrica.metrics import Metric
from rubrica.metrics.base import encoder as encoder_metric
from rubrica.metrics.base.encoder import pair_chunks
from rubrica.metrics.base.neural import NeuralMetric
from rubrica.neural.batches import OutOfMemoryError, run_batches
from support.neural_samples import _SAMPLES, neural_parameters
from support.tiny_models import checkpoint, corpus, needs_onnx, needs_torch


def make(name: str, **more: Any) -> Any:
    return Metric.from_config({"type": name, **neural_parameters(name, terse=True), **more})


def columns(metric: Metric, count: int = 3) -> list[list[Any]]:
    texts = corpus()
    made: dict[str, list[Any]] = {
        "summary": [texts[at] for at in range(count)],
        "references": [[texts[10 + at]] for at in range(count)],
        # Of other lengths, so that they are padded together.
        "documents": [[[texts[20 + at], *texts[30 : 31 + at]]] for at in range(count)],
    }
    names = [*metric.required_summary_fields, *metric.required_context_fields]
    return [made[name] for name in names]


def values(rows: list[Any]) -> list[float]:
    return [value for row in rows for _, value in row.leaves() if value is not None]


@needs_torch
@pytest.mark.parametrize("name", sorted(_SAMPLES))
def test_scores_do_not_depend_on_the_batch(name: str) -> None:
    # Two texts are written almost as quickly as one.
    few, rows = (256, 2) if name in ("qa-eval", "questeval") else (1, 3)
    together, alone = (make(name, batch_tokens=size) for size in (32768, few))
    expected = values(together.score_all(*columns(together, rows)))
    found = values(alone.score_all(*columns(alone, rows)))
    # To the last bit: so every way of running gives the same bytes.
    assert found == expected


@needs_torch
@pytest.mark.parametrize("name", ["bertscore", "bartscore", "summac", "summaqa", "blanc"])
def test_halving_a_batch_for_want_of_memory_changes_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    metric = make(name, batch_tokens=32768)
    expected = values(metric.score_all(*columns(metric)))
    refused = []
    call = torch.nn.Module.__call__

    def short(self: Any, *args: Any, **kwargs: Any) -> Any:
        # Texts one after another in one row come with their lengths.
        texts = kwargs.get("text_lengths", kwargs.get("input_ids"))
        if texts is not None and len(texts) > 1:
            refused.append(len(texts))
            # A real failure of torch's allocator.
            torch.empty(1 << 50)
        return call(self, *args, **kwargs)

    monkeypatch.setattr(torch.nn.Module, "__call__", short)
    other = make(name, batch_tokens=32768)
    assert values(other.score_all(*columns(other))) == pytest.approx(expected, abs=1e-6, rel=1e-6)
    assert refused


@needs_torch
def test_torchs_own_error_is_known_as_a_lack_of_memory() -> None:
    import torch

    with pytest.raises(OutOfMemoryError, match="a text of 9 tokens"):
        run_batches([9], 100, lambda places: [torch.empty(1 << 50)])


def released(metric: NeuralMetric) -> None:
    metric.score_all(*columns(metric))
    (model,) = metric._models.values()
    held = [weakref.ref(one) for one in (model, model.network, *model._caches.values())]
    assert all(one() is not None for one in held)
    del model
    metric.release()
    gc.collect()
    assert [one() for one in held] == [None] * len(held)


@needs_torch
@pytest.mark.parametrize("name", ["bertscore", "bartscore", "summac", "sum-qe", "bleurt"])
def test_release_gives_network_and_results_back(name: str) -> None:
    released(make(name))


@needs_torch
@needs_onnx
def test_release_gives_the_session_of_onnx_runtime_back() -> None:
    released(make("bertscore", backend="onnx"))


# How much is in memory at once.


def test_runs_of_pairs_are_bounded_and_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_metric, "PAIRS_AT_ONCE", 4)
    monkeypatch.setattr(encoder_metric, "BYTES_AT_ONCE", 20)
    left = ["a" * 5, "b" * 5, "c" * 30, "d", "e", "f", "g", "h", "i", "ö" * 6]
    right = ["shared"] * len(left)
    parts = list(pair_chunks(left, right))
    assert [at for part in parts for at in range(len(left))[part]] == list(range(len(left)))
    for part in parts:
        size = sum(len(text.encode()) for text in {*left[part], *right[part]})
        assert part.stop - part.start <= 4
        assert size <= 20 or part.stop - part.start == 1
    # A shared reference counts once: 5 + 5 + 6 bytes fit.
    assert parts[0] == slice(0, 2)
    assert list(pair_chunks([], [])) == []


@needs_torch
@pytest.mark.parametrize("name", ["bertscore", "moverscore"])
def test_vectors_of_long_texts_are_not_all_in_memory(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen: dict[str, Any] = {"model_type": checkpoint("roberta"), "long_texts": "window"}
    if name == "bertscore":
        chosen["num_layers"] = 2
    long = [" ".join(corpus()[at : at + 6]) for at in range(0, 36, 6)]
    arguments = long[:3], [[one] for one in long[3:]]
    with pytest.warns(match="overlapping windows"):
        expected = values(make(name, **chosen).score_all(*arguments))
    monkeypatch.setattr(encoder_metric, "BYTES_AT_ONCE", 10)
    metric = make(name, **chosen)
    encoder = metric.encoder() if name == "bertscore" else metric._encoder()
    seen = []
    encode = encoder.encode

    def counted(texts: Any) -> Any:
        seen.append(len(texts))
        return encode(texts)

    monkeypatch.setattr(encoder, "encode", counted)
    with pytest.warns(match="overlapping windows"):
        found = values(metric.score_all(*arguments))
    assert found == pytest.approx(expected, abs=1e-6)
    assert max(seen) <= 2
