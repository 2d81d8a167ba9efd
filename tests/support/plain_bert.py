"""A BERT in numpy, from weights under the names that TensorFlow's programs give them: the definition, slow and bare."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

Arrays = Mapping[str, np.ndarray]


def gelu(x: np.ndarray, *, tanh: bool) -> np.ndarray:
    """The activation as google-research/bert and BLEURT approximate it, or exact."""
    if tanh:
        return np.asarray(x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))
    return np.asarray(x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2))))


def normed(arrays: Arrays, place: str, x: np.ndarray) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    return np.asarray(
        scaled * arrays[f"{place}/LayerNorm/gamma"] + arrays[f"{place}/LayerNorm/beta"]
    )


def dense(arrays: Arrays, place: str, x: np.ndarray) -> np.ndarray:
    return np.asarray(x @ arrays[f"{place}/kernel"] + arrays[f"{place}/bias"])


def attended(arrays: Arrays, place: str, x: np.ndarray, heads: int) -> np.ndarray:
    query, key, value = (
        np.stack(np.split(dense(arrays, f"{place}/{one}", x), heads, axis=-1))
        for one in ("query", "key", "value")
    )
    scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
    raised = np.exp(scores - scores.max(-1, keepdims=True))
    return np.concatenate(list(raised / raised.sum(-1, keepdims=True) @ value), axis=-1)


def plain_bert(
    arrays: Arrays, ids: Sequence[int], types: Sequence[int], *, heads: int, tanh: bool
) -> np.ndarray:
    """The vector of every token after the last layer; a RemBERT's embeddings are mapped to its width first."""
    arrays = {name: value.astype(np.float64) for name, value in arrays.items()}
    x = arrays["bert/embeddings/word_embeddings"][list(ids)]
    x = x + arrays["bert/embeddings/token_type_embeddings"][list(types)]
    x = x + arrays["bert/embeddings/position_embeddings"][: len(ids)]
    x = normed(arrays, "bert/embeddings", x)
    if "bert/encoder/embedding_hidden_mapping_in/kernel" in arrays:
        x = dense(arrays, "bert/encoder/embedding_hidden_mapping_in", x)
    layer = 0
    while f"bert/encoder/layer_{layer}/output/dense/kernel" in arrays:
        place = f"bert/encoder/layer_{layer}"
        y = dense(
            arrays,
            f"{place}/attention/output/dense",
            attended(arrays, f"{place}/attention/self", x, heads),
        )
        x = normed(arrays, f"{place}/attention/output", x + y)
        y = gelu(dense(arrays, f"{place}/intermediate/dense", x), tanh=tanh)
        x = normed(arrays, f"{place}/output", x + dense(arrays, f"{place}/output/dense", y))
        layer += 1
    assert layer
    return x


def pooled(arrays: Arrays, vectors: np.ndarray) -> np.ndarray:
    """BERT's pooler on the first vector."""
    return np.asarray(np.tanh(dense(arrays, "bert/pooler/dense", vectors[0])))
