"""SumQE equals its linear heads, and its weights are converted from what was published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plain_models import SUMMARY, make, network_of, tokenizer_of
from rubrica.errors import DataError
from tiny_models import checkpoint, needs_torch, with_heads

pytestmark = needs_torch


def tensorflow_names(state: dict[str, Any]) -> dict[str, np.ndarray]:
    """A BERT's weights as TensorFlow's programs call them."""
    made = {}
    for name, value in state.items():
        if "position_ids" in name:
            continue
        array = value.numpy()
        path = name.replace("encoder.layer.", "encoder/layer_").replace(".", "/")
        if name.endswith("embeddings.weight"):
            path = path.removesuffix("/weight")
        elif "LayerNorm" in name:
            path = path.replace("/weight", "/gamma").replace("/bias", "/beta")
        elif name.endswith("weight"):
            path, array = path.removesuffix("weight") + "kernel", array.T
        made[f"bert/{path}"] = array
    return made


def test_sumqe_is_a_linear_layer_on_the_first_vector(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    from rubrica.metrics.bert_convert import convert_sumqe

    inputs = tokenizer_of("encoder")(SUMMARY, return_tensors="pt")
    model = network_of("encoder", "AutoModel")
    head = load_file(Path(with_heads("encoder")) / "sumqe_head.safetensors")
    with torch.no_grad():
        first = model(**inputs).last_hidden_state[0, 0]
    expected = (head["weight"] @ first + head["bias"]).tolist()
    made = make("sum-qe").score(SUMMARY)["SumQE"]
    assert [made[f"Q{n}"] for n in range(1, 6)] == pytest.approx(expected, abs=1e-5)
    # The same from weights as Keras names them.
    arrays = {
        f"BERT/module/{name}:0": value
        for name, value in tensorflow_names(model.state_dict()).items()
    }
    arrays |= {"out/kernel:0": head["weight"].numpy().T, "out/bias:0": head["bias"].numpy()}
    np.savez(tmp_path / "weights.npz", **arrays)
    convert_sumqe(
        str(tmp_path / "weights.npz"), Path(checkpoint("encoder")), str(tmp_path / "made")
    )
    again = make("sum-qe", model=str(tmp_path / "made")).score(SUMMARY)["SumQE"]
    assert [again[f"Q{n}"] for n in range(1, 6)] == pytest.approx(expected, abs=1e-5)


def test_a_file_that_could_run_code_is_not_read(tmp_path: Path) -> None:
    from rubrica.text.named_arrays import read_named_arrays

    np.save(tmp_path / "weights.npy", np.array([{"a": 1}], dtype=object))
    with pytest.raises(DataError, match="could run code"):
        read_named_arrays(tmp_path / "weights.npy")
    np.savez(tmp_path / "weights.npz", a=np.array([{"a": 1}], dtype=object))
    with pytest.raises(DataError, match="plain arrays"):
        read_named_arrays(tmp_path / "weights.npz")
