"""SumQE equals its linear heads, and its weights are converted from what was published."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.errors import DataError, DataWarning
from support.plain_bert import plain_bert
from support.plain_models import SENTENCES, SUMMARY, make, network_of, tokenizer_of
from support.tensorflow_files import tensorflow_names, write_checkpoint
from support.tiny_models import checkpoint, needs_torch, with_heads

pytestmark = needs_torch


def heads() -> tuple[np.ndarray, np.ndarray]:
    """The small checkpoint's five linear layers."""
    from safetensors.numpy import load_file

    head = load_file(Path(with_heads("encoder")) / "sumqe_head.safetensors")
    return head["weight"], head["bias"]


def qualities(sentences: list[str], longest: int = 512) -> list[float]:
    """[CLS] sentence [SEP] sentence [SEP], all in segment 0, no more than 512 tokens; five layers on the first vector."""
    tokenizer, model = tokenizer_of("encoder"), network_of("encoder", "AutoModel")
    tokens = ["[CLS]"]
    for at, sentence in enumerate(sentences):
        room = longest - 2 if at == 0 else longest - 1
        tokens += [*tokenizer.tokenize(sentence)[:room], "[SEP]"]
    ids = tokenizer.convert_tokens_to_ids(tokens)[:longest]
    arrays = tensorflow_names(model.state_dict())
    vectors = plain_bert(arrays, ids, [0] * len(ids), heads=4, tanh=False)
    weight, bias = heads()
    return [float(one) for one in weight @ vectors[0] + bias]


def scored(summary: Any, **parameters: Any) -> list[float]:
    made = make("sum-qe", **parameters).score(summary)["SumQE"]
    return [made[f"Q{n}"] for n in range(1, 6)]


def test_sumqe_is_five_linear_layers_on_the_first_vector() -> None:
    assert scored(SUMMARY) == pytest.approx(qualities(SENTENCES), abs=1e-4)
    # A [SEP] after every sentence: not the same as one text.
    assert scored([SUMMARY]) == pytest.approx(qualities([SUMMARY]), abs=1e-4)
    assert abs(scored([SUMMARY])[0] - scored(SUMMARY)[0]) > 1e-3
    assert scored("") == scored(" ") == [0] * 5


@pytest.mark.parametrize("sentence", [1, 40])
def test_sumqe_reads_512_tokens(sentence: int) -> None:
    long = ["The harbour office said a replacement vessel would arrive " * sentence] * (
        80 // sentence
    )
    with pytest.warns(DataWarning, match="1 of 1 inputs have more than 512 tokens"):
        made = scored(long)
    assert made == pytest.approx(qualities(long), abs=1e-4)


def keras_weights() -> list[tuple[str, np.ndarray]]:
    """Multi-Task-5 in Keras' order: TensorFlow Hub's variables sorted by name, then a layer for each quality."""
    arrays = tensorflow_names(network_of("encoder", "AutoModel").state_dict())
    listed = [(name, arrays[name]) for name in sorted(arrays) if "/pooler/" not in name]
    weight, bias = heads()
    for at in range(5):
        listed.append((f"output_Q{at + 1}/kernel", weight[at : at + 1].T))
        listed.append((f"output_Q{at + 1}/bias", bias[at : at + 1]))
    return listed


def converted(source: Path, tmp_path: Path, rubrica: Any) -> Any:
    return rubrica(
        "sum-qe", "convert-checkpoint", source, tmp_path / "made", "--base", checkpoint("encoder")
    )


def write_listed(path: Path, arrays: list[np.ndarray]) -> None:
    listed = np.empty(len(arrays), dtype=object)
    for at, array in enumerate(arrays):
        listed[at] = array
    np.save(path, listed, allow_pickle=True)


def write_old_listed(path: Path, arrays: list[np.ndarray]) -> None:
    """As numpy wrote it in 2019: protocol 2, bytes as text."""
    listed = np.empty(len(arrays), dtype=object)
    for at, array in enumerate(arrays):
        listed[at] = np.asfortranarray(array) if at % 2 else array
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "|O", "fortran_order": False, "shape": listed.shape}
        )
        pickle.dump(listed, file, protocol=2)


def write_hdf5(path: Path, listed: list[tuple[str, np.ndarray]]) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        for name, array in listed:
            layer = "bert_1/bert_1_module" if name.startswith("bert/") else name.split("/")[0]
            file[f"model_weights/{layer}/{name}:0"] = array
        file["optimizer_weights/training/Adam/Variable:0"] = np.zeros((32, 1))
        file["optimizer_weights/training/Adam/iterations:0"] = 7


@pytest.mark.parametrize("layout", ["npy", "old npy", "h5", "npz", "tensorflow", "one head"])
def test_published_weights_are_converted(tmp_path: Path, rubrica: Any, layout: str) -> None:
    listed = keras_weights()
    source = tmp_path / f"multitask_5.{layout.split()[-1]}"
    if layout == "npy":
        write_listed(source, [array for _, array in listed])
    elif layout == "old npy":
        write_old_listed(source, [array for _, array in listed])
    elif layout == "h5":
        write_hdf5(source, listed)
    elif layout == "npz":
        arrays: dict[str, Any] = {
            f"bert_1_module/{n}:0" if n.startswith("bert/") else f"{n}:0": a for n, a in listed
        }
        np.savez(source, **arrays)
    elif layout == "tensorflow":
        source = tmp_path / "variables"
        write_checkpoint(source / "variables", dict(listed))
    else:
        # Multi-Task-1: one layer of five values.
        weight, bias = heads()
        source = tmp_path / "multitask_1.npy"
        write_listed(
            source, [array for name, array in listed if name.startswith("bert/")] + [weight.T, bias]
        )
    answer = converted(source, tmp_path, rubrica)
    assert answer.code == 0, answer.err
    assert scored(SUMMARY, model=str(tmp_path / "made")) == scored(SUMMARY)


def test_layers_are_sorted_as_texts() -> None:
    from rubrica.metrics.sumqe_convert import _name_arrays

    listed = [np.full(1, at) for at in range(5 + 16 * 12 + 10)]
    named = _name_arrays(listed, 12, "x")
    expected = sorted(name for name in named if name.startswith("bert/"))
    assert [name for name in named if name.startswith("bert/")] == expected
    # Layer 10 comes before layer 2.
    assert named["bert/encoder/layer_10/attention/output/LayerNorm/beta"] == 5 + 16 * 2
    assert list(named)[-2:] == ["output_Q5/kernel", "output_Q5/bias"]


def test_other_files_are_refused(tmp_path: Path, rubrica: Any) -> None:
    listed = [array for _, array in keras_weights()]
    write_listed(tmp_path / "few.npy", listed[:-2])
    assert (
        "arrays; a BERT of 3 layers has" in converted(tmp_path / "few.npy", tmp_path, rubrica).err
    )
    # In another order the shapes do not fit.
    write_listed(tmp_path / "order.npy", listed[::-1])
    assert converted(tmp_path / "order.npy", tmp_path, rubrica).code == 1
    np.save(tmp_path / "numbers.npy", np.ones(3))
    assert "no list of arrays" in converted(tmp_path / "numbers.npy", tmp_path, rubrica).err

    class Harmful:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "touched",))

    np.save(tmp_path / "harmful.npy", np.array([Harmful()], dtype=object), allow_pickle=True)
    answer = converted(tmp_path / "harmful.npy", tmp_path, rubrica)
    assert answer.code == 1
    assert "refused" in answer.err or "plain data" in answer.err
    assert not (tmp_path / "touched").exists()
    assert not (tmp_path / "made").exists()


def test_an_encoder_without_heads_is_told() -> None:
    with pytest.raises(DataError, match="rubrica sum-qe convert-checkpoint"):
        make("sum-qe", model=checkpoint("encoder")).score(SUMMARY)


def test_a_file_that_could_run_code_is_not_read(tmp_path: Path) -> None:
    from rubrica.neural.convert.tf_checkpoint import read_named_arrays

    np.save(tmp_path / "weights.npy", np.array([{"a": 1}], dtype=object))
    with pytest.raises(DataError, match="could run code"):
        read_named_arrays(tmp_path / "weights.npy")
    np.savez(tmp_path / "weights.npz", a=np.array([{"a": 1}], dtype=object))
    with pytest.raises(DataError, match="plain arrays"):
        read_named_arrays(tmp_path / "weights.npz")
