"""ONNX files: made once with torch for any encoder, used without; files of others as far as they go."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.errors import DataError, MissingResourceError, ParameterError
from rubrica.neural.checkpoint import Checkpoint, find_checkpoint
from rubrica.neural.onnx.encoder import encoder_for
from rubrica.neural.onnx.export import export_encoder
from rubrica.neural.running import Settings
from support.onnx_samples import config_of, encoder, scored_without
from support.tiny_models import checkpoint, corpus, needs_onnx, needs_torch

pytestmark = [
    needs_torch,
    needs_onnx,
    # transformers' DeBERTa, when it is imported.
    pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning"),
]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("onnx") / "tiny-deberta"
    export_encoder(Checkpoint("tiny-deberta", Path(checkpoint("deberta"))), folder)
    return folder


def vectors(folder: str | Path, backend: str, **options: Any) -> list[Any]:
    return [one.vectors for one in encoder(str(folder), backend, **options).encode(corpus()[:12])]


def assert_close(one: list[Any], two: list[Any]) -> None:
    for a, b in zip(one, two, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5 * np.abs(a).max())


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_an_exported_graph_has_torchs_vectors_at_every_layer(exported: Path, layer: int) -> None:
    expected = vectors(checkpoint("deberta"), "torch", layer=layer)
    assert_close(vectors(exported, "onnx", layer=layer), expected)


def test_an_encoder_of_two_parts_is_exported_without_the_decoder(tmp_path: Path) -> None:
    export_encoder(Checkpoint("bart", Path(checkpoint("bart"))), tmp_path / "bart")
    assert_close(vectors(tmp_path / "bart", "onnx"), vectors(checkpoint("bart"), "torch"))


def test_power_means_come_from_an_exported_graph(exported: Path) -> None:
    made = vectors(exported, "onnx", layer=2, pooling="pmeans")
    assert_close(made, vectors(checkpoint("deberta"), "torch", layer=2, pooling="pmeans"))


def test_the_folder_is_all_that_a_machine_without_torch_needs(exported: Path) -> None:
    assert {path.suffix for path in exported.rglob("*") if path.is_file()} == {".json", ".onnx"}
    config = config_of("bertscore", num_layers=1) | {"model_type": str(exported)}
    signature, row = scored_without("torch,transformers", config)["bertscore"]
    assert "|model_type:tiny-deberta|" in signature
    assert 0 < row["bertscore"]["f1"] <= 1


def test_weights_of_large_models_stand_beside_the_graph(exported: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tiny-deberta"
    export_encoder(Checkpoint("tiny-deberta", Path(checkpoint("deberta"))), folder, largest=1000)
    assert (folder / "onnx" / "model.onnx_data").stat().st_size > 10_000
    assert_close(vectors(folder, "onnx"), vectors(exported, "onnx"))
    before = Checkpoint("x", folder).weights_digest()
    with (folder / "onnx" / "model.onnx_data").open("r+b") as file:
        file.write(b"\x01")
    assert Checkpoint("x", folder).weights_digest() != before


def test_a_folder_that_is_there_is_not_written_over(exported: Path) -> None:
    with pytest.raises(ParameterError, match="already exists"):
        export_encoder(Checkpoint("x", Path(checkpoint("deberta"))), exported)


def test_a_kind_that_is_not_known_is_told_with_the_command_that_exports_it() -> None:
    with pytest.raises(MissingResourceError, match=r"this deberta-v2 needs.*--export-onnx FOLDER"):
        vectors(checkpoint("deberta"), "onnx")


def test_a_file_is_never_quantized_silently(exported: Path) -> None:
    with pytest.raises(DataError, match="cannot quantize a ready graph"):
        vectors(exported, "onnx-int8")


def test_a_file_of_the_last_layer_alone_serves_that_layer(exported: Path, tmp_path: Path) -> None:
    import onnx

    folder = tmp_path / "last"
    shutil.copytree(exported, folder)
    graph = onnx.load(folder / "onnx" / "model.onnx")
    last = graph.graph.output[-1].name
    del graph.graph.output[:-1]
    for node in graph.graph.node:
        node.output[:] = ["last_hidden_state" if name == last else name for name in node.output]
    graph.graph.output[0].name = "last_hidden_state"
    # The other common place.
    onnx.save(graph, folder / "model.onnx")
    shutil.rmtree(folder / "onnx")
    assert_close(vectors(folder, "onnx"), vectors(exported, "onnx"))
    with pytest.raises(DataError, match=r"no output for layer 1 \(it has last_hidden_state\)"):
        vectors(folder, "onnx", layer=1)


def test_a_damaged_file_is_told(exported: Path, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(exported, folder)
    (folder / "onnx" / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(DataError, match=r"model\.onnx: cannot be loaded by ONNX Runtime"):
        vectors(folder, "onnx")


def test_another_graph_is_another_model_to_the_cache(exported: Path, tmp_path: Path) -> None:
    folder, cache = tmp_path / "model", str(tmp_path / "cache")
    shutil.copytree(exported, folder)
    settings = Settings(cache_dir=cache, backend="onnx")
    for content in (1, 2):
        made = encoder_for(find_checkpoint(str(folder), remedy=""), settings)
        made.encode(["A text."])
        made.release()
        assert len(list(Path(cache).iterdir())) == content
        with (folder / "onnx" / "model.onnx").open("ab") as file:
            # A field that no reader of graphs knows.
            file.write(b"\xd2\x3e\x01x")


def test_the_command_exports_and_the_folder_scores(
    rubrica: Any, news: Path, tmp_path: Path
) -> None:
    target = tmp_path / "made"
    words: list[object] = ["setup-metric", "bertscore", "--model", checkpoint("deberta")]
    answer = rubrica(*words, "--export-onnx", target)
    assert answer.code == 0, answer.err
    assert "written as an ONNX graph" in answer.err
    words = ["bertscore", "evaluate", "--input-files", news / "summaries.jsonl", "--rounds", 0]
    words += ["--model_type", target, "--num_layers", 2, "--backend", "onnx", "--cache-dir", "off"]
    scored = rubrica(*words)
    assert scored.code == 0, scored.err
    assert "|backend:onnx" in scored.out
    assert rubrica("setup-metric", "--export-onnx", target).code == 2
    other = rubrica("setup-metric", "rouge", "--export-onnx", target)
    assert (other.code, "does not run on ONNX Runtime" in other.err) == (1, True)
