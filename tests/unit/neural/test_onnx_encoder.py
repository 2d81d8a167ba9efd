"""The encoder on ONNX Runtime: torch's vectors without torch, for every kind, and 8-bit ones on request."""

from __future__ import annotations

import pickle
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.errors import DataError, MissingResourceError, ParameterError
from rubrica.metrics import Metric
from rubrica.neural.batches import OutOfMemoryError, run_batches
from rubrica.neural.checkpoint import MINILM
from rubrica.neural.encoder import Encoder
from rubrica.neural.onnx.encoder import OnnxEncoder
from rubrica.neural.onnx.graph import Graph
from support.onnx_samples import config_of, encoder, scored_without
from support.tiny_models import checkpoint, corpus, needs_onnx, needs_torch

pytestmark = [needs_torch, needs_onnx]
KINDS = ("encoder", "roberta", "distilbert", "electra", "mpnet", "albert")


def texts() -> list[str]:
    # Long enough for MPNet's far distances; a padding token spelled out; nothing at all.
    long = " ".join(corpus()[:9])[:400]
    return [*corpus()[:15], long, "a <pad> and [PAD] and [MASK]", ""]


def assert_same(one: Encoder, two: Encoder) -> None:
    for a, b in zip(one.encode(texts()), two.encode(texts()), strict=True):
        assert (a.ids, a.special) == (b.ids, b.special)
        # Random weights of the tests are large, and so are the vectors.
        np.testing.assert_allclose(a.vectors, b.vectors, atol=1e-5 * np.abs(a.vectors).max())


@pytest.mark.filterwarnings("ignore:.*they were cut:rubrica.errors.DataWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_vectors_are_those_of_torch_at_every_layer(kind: str) -> None:
    folder = checkpoint(kind)
    for layer in range(encoder(folder, "torch").layers + 1):
        assert_same(encoder(folder, "torch", layer=layer), encoder(folder, "onnx", layer=layer))


@pytest.mark.filterwarnings("ignore:.*texts have more than")
@pytest.mark.parametrize("kind", ["encoder", "roberta"])
@given(st.lists(st.text(max_size=30), min_size=1, max_size=4))
def test_any_text_has_the_tokens_that_transformers_gives_it(kind: str, strange: list[str]) -> None:
    ours, theirs = _tokenizing(checkpoint(kind), "onnx"), _tokenizing(checkpoint(kind), "torch")
    assert ours._tokenized(strange) == theirs._tokenized(strange)
    cut = {"truncation": True, "max_length": 6}
    assert ours._ids(strange, **cut) == theirs._ids(strange, **cut)


@pytest.mark.skipif(MINILM.folder() is None, reason=f"needs {MINILM.command}")
@given(st.lists(st.text(max_size=30), min_size=1, max_size=4))
def test_the_default_model_tokenizes_any_text_as_in_transformers(strange: list[str]) -> None:
    ours, theirs = (_tokenizing(str(MINILM.folder()), one) for one in ("onnx", "torch"))
    assert ours._tokenized(strange) == theirs._tokenized(strange)


@cache
def _tokenizing(folder: str, backend: str) -> Encoder:
    return encoder(folder, backend)


def test_power_means_and_windows_are_those_of_torch() -> None:
    options: dict[str, Any] = {"layer": 2, "pooling": "pmeans", "long_texts": "window"}
    options["longest"] = 20
    with pytest.warns(match="overlapping windows"):
        assert_same(*(encoder(checkpoint("encoder"), one, **options) for one in ("torch", "onnx")))


def saved(tmp_path: Path, arrays: dict[str, Any]) -> str:
    from safetensors.torch import save_file

    folder = tmp_path / "tiny-encoder"
    shutil.copytree(checkpoint("encoder"), folder)
    save_file(arrays, folder / "model.safetensors")
    return str(folder)


def weights() -> dict[str, Any]:
    from safetensors.torch import load_file

    return dict(load_file(Path(checkpoint("encoder")) / "model.safetensors"))


def test_weights_of_old_names_and_of_a_larger_model_are_found(tmp_path: Path) -> None:
    ends = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    renamed = {}
    for name, array in weights().items():
        for new, old in ends.items():
            name = name.replace(new, old)
        renamed[f"bert.{name}"] = array
    folder = saved(tmp_path, {**renamed, "cls.bias": renamed["bert.pooler.dense.bias"].clone()})
    assert_same(encoder(checkpoint("encoder"), "torch"), encoder(folder, "onnx"))


def test_weights_in_several_files_are_found(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    folder = saved(tmp_path, weights())
    names = sorted(weights())
    for n, part in enumerate((names[::2], names[1::2]), 1):
        file = Path(folder) / f"model-0000{n}-of-00002.safetensors"
        save_file({name: weights()[name] for name in part}, file)
    (Path(folder) / "model.safetensors").unlink()
    assert_same(encoder(checkpoint("encoder"), "torch"), encoder(folder, "onnx"))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_weights_of_two_bytes_are_computed_with_in_float32(tmp_path: Path, dtype: str) -> None:
    import torch

    kind = getattr(torch, dtype)
    folder = saved(tmp_path, {name: one.to(kind) for name, one in weights().items()})
    assert_same(encoder(folder, "torch"), encoder(folder, "onnx"))


@pytest.mark.parametrize("backend", ["onnx", "onnx-int8"])
def test_no_batch_changes_a_bit(backend: str) -> None:
    together = encoder(checkpoint("encoder"), backend).encode(corpus()[:20])
    model = encoder(checkpoint("encoder"), backend)
    for text, one in zip(corpus()[:20], together, strict=True):
        alone = model.encode([text])[0]
        np.testing.assert_array_equal(alone.vectors, one.vectors)


def test_int8_is_the_product_of_rounded_numbers() -> None:
    draw = np.random.default_rng(1)
    table, weight = draw.normal(size=(9, 16)), draw.normal(size=(6, 16))
    bias = draw.normal(size=6)
    weight[2] = 0
    graph = Graph(int8=True)
    rows = graph.op("Gather", graph.constant(table.astype(np.float32)), "input_ids")
    made = graph.linear(rows, weight.astype(np.float32), bias.astype(np.float32))
    ids = np.array([3, 1, 8])
    # The definition: x in 256 steps from its least value to its largest (0 among them), each row of
    # the weights in 63 steps to either side.
    x = table[ids].astype(np.float32)
    low, high = min(0.0, float(x.min())), max(0.0, float(x.max()))
    step = (high - low) / 255
    zero = round(-low / step)
    whole = np.clip(np.rint(x / step) + zero, 0, 255) - zero
    scales = np.abs(weight).max(axis=1) / 63
    scales[2] = 1
    expected = (whole @ np.rint(weight / scales[:, None]).T) * step * scales + bias
    session = graph.session([made], threads=1)
    found = session.run([made], {"input_ids": ids, "position_ids": np.arange(3)})[0]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found, x @ weight.T + bias, atol=0.2)


def make(backend: str | None, **parameters: Any) -> Any:
    config = {"type": "bertscore", "model_type": checkpoint("encoder"), "num_layers": 2}
    config |= {"cache_dir": "off", "device": "cpu", "backend": backend}
    return Metric.from_config({**config, **parameters})


def scores(metric: Any) -> list[float]:
    rows = metric.score_all(corpus()[:8], [[one] for one in corpus()[8:16]])
    return [row["bertscore"][key] for row in rows for key in ("precision", "recall", "f1")]


def test_scores_are_those_of_torch_and_int8_has_others() -> None:
    plain, onnx, int8 = (scores(make(one)) for one in ("torch", "onnx", "onnx-int8"))
    assert onnx == pytest.approx(plain, abs=1e-6)
    assert int8 != pytest.approx(plain, abs=1e-5)
    assert int8 == pytest.approx(plain, abs=0.1)


def test_the_signature_names_what_computed() -> None:
    assert "|device:cpu|dtype:float32|backend:torch|" in str(make("torch").signature())
    assert "|device:cpu|dtype:float32|backend:onnx|" in str(make("onnx").signature())
    assert "|device:cpu|dtype:int8|backend:onnx-int8|" in str(make("onnx-int8").signature())
    # Chosen or found, it is the same; and nothing is int8 that was not asked to be.
    assert str(make(None).signature()) == str(make("torch").signature())


def test_each_backend_has_a_cache_of_its_own(tmp_path: Path, monkeypatch: Any) -> None:
    for backend in ("torch", "onnx", "onnx-int8"):
        first = encoder(checkpoint("encoder"), backend, cache_dir=str(tmp_path))
        expected = first.encode(corpus()[:3])
        first.release()
        again = encoder(checkpoint("encoder"), backend, cache_dir=str(tmp_path))
        monkeypatch.setattr(again, "_forward", lambda rows: pytest.fail("computed again"))
        for one, two in zip(expected, again.encode(corpus()[:3]), strict=True):
            np.testing.assert_array_equal(one.vectors, two.vectors)
    assert len(list(tmp_path.iterdir())) == 3


def test_a_metric_at_work_is_sent_to_another_process() -> None:
    metric = make("onnx")
    expected = scores(metric)
    sent = pickle.dumps(metric)
    assert len(sent) < 20_000
    assert scores(pickle.loads(sent)) == expected


def test_threads_are_as_asked() -> None:
    made = encoder(checkpoint("encoder"), "onnx", threads=3)
    assert made.network._session._session.get_session_options().intra_op_num_threads == 3


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"device": "cuda"}, "backend onnx runs on the CPU; device 'cuda' is for backend torch"),
        ({"dtype": "bfloat16"}, "dtype bfloat16 is for backend torch"),
    ],
)
def test_what_only_torch_can_is_refused(parameters: dict[str, str], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make("onnx", **parameters).score("A text.", ["Another."])


def test_a_session_that_cannot_allocate_is_out_of_memory() -> None:
    graph = Graph()
    size = graph.constant(np.array([1 << 44]))
    filled = graph.op("ConstantOfShape", size)
    made = graph.op("Add", filled, filled)
    session = graph.session([made], threads=1)
    ids = {"input_ids": np.array([1]), "position_ids": np.array([0])}
    with pytest.raises(OutOfMemoryError, match="a text of 7 tokens"):
        run_batches([7], 100, lambda places: session.run([made], ids))


# Without torch.


def test_metrics_run_without_torch_and_transformers() -> None:
    configs = [
        config_of("bertscore", num_layers=2),
        config_of("moverscore", idf="none"),
        config_of("supert"),
    ]
    made = scored_without("torch,transformers", *configs)
    for config in configs:
        metric = Metric.from_config({**config, "backend": "torch", "device": "cpu"})
        signature, found = made[config["type"]]
        assert metric.score("Rain fell.", [["It rained."]]).approx_equal(found, abs=1e-6)
        assert "|backend:onnx|" in signature


def test_what_is_not_installed_is_told_with_the_extra() -> None:
    asked = config_of("bertscore", num_layers=2, backend="onnx")
    for absent in ("onnxruntime", "tokenizers"):
        told = scored_without(f"torch,transformers,{absent}", asked)["bertscore"]
        assert told.startswith("MissingResourceError: backend onnx needs ")
        assert "pip install 'rubrica[onnx]'" in told
    plain = config_of("bertscore", num_layers=2)
    told = scored_without("torch,transformers,onnxruntime", plain)["bertscore"]
    assert "pip install 'rubrica[neural]'" in told
    assert "pip install 'rubrica[onnx]'" in told


def test_the_packages_that_are_looked_for_are_those_of_the_backend(monkeypatch: Any) -> None:
    cls = Metric.by_name("moverscore")
    assert "torch" in cls.needed_packages()
    monkeypatch.setitem(sys.modules, "torch", None)
    assert set(cls.needed_packages()) == {"onnxruntime", "onnx", "tokenizers", "safetensors", "ot"}


def test_a_tokenizer_that_only_transformers_can_read_is_told(tmp_path: Path) -> None:
    folder = saved(tmp_path, weights())
    (Path(folder) / "tokenizer.json").unlink()
    with pytest.raises(MissingResourceError, match=r"no tokenizer\.json.*save_pretrained"):
        encoder(folder, "onnx").encode(["A text."])
    (Path(folder) / "tokenizer.json").write_text("{}")
    with pytest.raises(DataError, match=r"tokenizer\.json: not a tokenizer"):
        encoder(folder, "onnx").encode(["A text."])


def test_weights_that_are_not_there_are_told(tmp_path: Path) -> None:
    made = weights()
    del made["encoder.layer.1.output.dense.bias"]
    with pytest.raises(DataError, match=r"no weights called encoder.layer.1.output.dense.bias"):
        encoder(saved(tmp_path, made), "onnx").encode(["A text."])


def test_only_wanted_layers_are_read(tmp_path: Path) -> None:
    kept = {name: one for name, one in weights().items() if "layer.2" not in name}
    folder = saved(tmp_path, kept)
    assert isinstance(encoder(folder, "onnx", layer=2), OnnxEncoder)
    assert_same(encoder(checkpoint("encoder"), "torch", layer=2), encoder(folder, "onnx", layer=2))
