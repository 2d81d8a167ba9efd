"""Rename BERT's weights from TensorFlow to transformers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError
from rubrica.neural.convert.tf_checkpoint import Arrays
from rubrica.neural.running import import_torch
from rubrica.neural.tensors import fill

Floats = NDArray[np.float32]

_LAYER = {
    "attention/self/query": "attention.self.query",
    "attention/self/key": "attention.self.key",
    "attention/self/value": "attention.self.value",
    "attention/output/dense": "attention.output.dense",
    "attention/output/LayerNorm": "attention.output.LayerNorm",
    "intermediate/dense": "intermediate.dense",
    "output/dense": "output.dense",
    "output/LayerNorm": "output.LayerNorm",
}
MAPPING = "encoder/embedding_hidden_mapping_in"
_PARTS = {"kernel": "weight", "gamma": "weight", "bias": "bias", "beta": "bias"}


def bert_state(arrays: Mapping[str, NDArray[Any]], source: str) -> dict[str, Floats]:
    """Return the encoder's weights under the names of transformers."""
    state: dict[str, Floats] = {}
    for name, value in arrays.items():
        ours = _name(name)
        if ours is not None:
            # TensorFlow's kernels are [in, out].
            weight = value.T if name.endswith("/kernel") else value
            state[ours] = np.ascontiguousarray(weight, dtype=np.float32)
    if "embeddings.word_embeddings.weight" not in state:
        raise DataError("not a BERT: no bert/embeddings/word_embeddings", file=source)
    return state


def _name(name: str) -> str | None:
    if not name.startswith("bert/"):
        return None
    path = name.removeprefix("bert/")
    embeddings = re.fullmatch(r"embeddings/(word|position|token_type)_embeddings", path)
    if embeddings:
        return f"embeddings.{embeddings[1]}_embeddings.weight"
    place, _, part = path.rpartition("/")
    if part not in _PARTS:
        return None
    # RemBERT's embeddings are narrower than its layers.
    if place in ("embeddings/LayerNorm", "pooler/dense", MAPPING):
        return f"{place.replace('/', '.')}.{_PARTS[part]}"
    layer = re.fullmatch(r"encoder/layer_(\d+)/(.+)", place)
    if layer and layer[2] in _LAYER:
        return f"encoder.layer.{layer[1]}.{_LAYER[layer[2]]}.{_PARTS[part]}"
    return None


def plain_names(arrays: Arrays) -> Arrays:
    """Return the arrays with names that start at `bert/` (without modules of TF-Hub and Keras) and lack `:0`."""
    renamed: Arrays = {}
    for name, value in arrays.items():
        plain = re.sub(r":\d+$", "", name)
        before, prefix, after = plain.rpartition("bert/")
        renamed[
            "bert/" + after if prefix and not before.endswith(("adam_m/", "adam_v/")) else plain
        ] = value
    return renamed


def linear_layers(
    arrays: Arrays, shape: tuple[int, int], count: int, source: str
) -> tuple[Floats, Floats]:
    """Return the concatenated linear layers of a shape outside of the BERT, sorted by name.

    Weights are [out, in]; a `DataError` if there are not `count` layers.
    """
    outside = {
        n: a for n, a in arrays.items() if not n.startswith("bert/") and "adam" not in n.lower()
    }
    kernels = sorted(n for n, a in outside.items() if a.shape == shape and n.endswith("kernel"))
    if len(kernels) != count:
        raise DataError(
            f"has {len(kernels)} linear layers of shape {shape} outside of the BERT, not {count}: "
            f"{', '.join(sorted(outside)[:8])}",
            file=source,
        )
    biases = []
    for kernel in kernels:
        bias = outside.get(kernel.removesuffix("kernel") + "bias")
        if bias is None or bias.shape != shape[1:]:
            raise DataError(f"{kernel} has no matching bias", file=source)
        biases.append(bias)
    weights = np.concatenate([outside[name].T for name in kernels]).astype(np.float32)
    return np.ascontiguousarray(weights), np.concatenate(biases).astype(np.float32)


def loaded(network: Any, state: Mapping[str, Floats], source: str) -> Any:
    """Return the network with these weights; a `DataError` if some are missing, unknown or misshapen."""
    torch = import_torch()
    tensors = {name: torch.from_numpy(value.copy()) for name, value in state.items()}
    return fill(network, tensors, "its configuration", file=source)
